import type { SQL } from 'bun'
import { OperatorError } from '../../base/operator-errors.ts'
import { type LogLimits, type LogServer, LogUnavailable } from './log.ts'
import { before, type Connection, close, connect, NotWritable } from './postgres-connection.ts'
import { closesConnection, toLogError } from './postgres-errors.ts'

// This pool is not Bun's: that one connects again by itself, to a server that may have become a standby. We know of no
// library that compares the timelines of two servers that accept writes, and closes a connection instead of cancelling.

/** Calls of one machine that run at the same time. More wait for their turn. */
const maxConnections = 4
/** Firewalls silently forget connections that are not used. */
const maxIdleMilliseconds = 60_000
/** Time for the other servers when a primary has answered: it may have been replaced. */
const graceMilliseconds = 300

/**
 * Opens connections to the server that accepts writes. Each runs one call at a time, and is closed if that does not end
 * in time. A statement is never cancelled: PostgreSQL would report success of a commit that no standby has.
 */
export const openPool = (servers: readonly LogServer[], limits: LogLimits) => {
  const idle: Connection[] = []
  const busy = new Set<Connection>()
  const connecting = new Set<SQL>()
  const waiting: (() => void)[] = []
  const lossListeners: (() => void)[] = []
  let free = maxConnections
  let newestTimeline = 0
  let isClosed = false

  const endOfCall = (): number => performance.now() + limits.callMilliseconds

  /** @param deadline by `performance.now()`, of a call that needs several of these */
  const run = async <T>(
    work: (sql: SQL, server: LogServer) => Promise<T>,
    deadline: number = endOfCall(),
  ): Promise<T> => {
    await enter(deadline)
    try {
      return await attempt(work, deadline)
    } finally {
      free += 1
      waiting.shift()?.()
    }
  }

  const enter = async (deadline: number): Promise<void> => {
    while (free === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      try {
        await before(deadline, promise, 'PostgreSQL: earlier calls have not ended')
      } catch (error) {
        const index = waiting.indexOf(resolve)
        if (index >= 0) waiting.splice(index, 1)
        // Its turn came when it had just given up: the next one takes it.
        else waiting.shift()?.()
        throw error
      }
    }
    free -= 1
  }

  const attempt = async <T>(
    work: (sql: SQL, server: LogServer) => Promise<T>,
    deadline: number,
    isRepeated = false,
  ): Promise<T> => {
    const connection = await take(deadline)
    busy.add(connection)
    try {
      const result = await before(deadline, work(connection.sql, connection.server), 'no response in time')
      giveBack(connection)
      return result
    } catch (error) {
      const logError = toLogError(error, connection.server.label)
      // When an operator has corrected a setting of the database or the role, only new connections have it.
      if (logError instanceof OperatorError) close(connection)
      else if (!closesConnection(error)) giveBack(connection)
      else {
        dropAll(connection)
        const mayHaveBroken = connection.provenAt > 0 && !isRepeated && !(error instanceof LogUnavailable) && !isClosed
        if (mayHaveBroken) return await attempt(work, deadline, true)
      }
      throw logError
    } finally {
      busy.delete(connection)
    }
  }

  const giveBack = (connection: Connection): void => {
    connection.provenAt = performance.now()
    if (isClosed) close(connection)
    else idle.push(connection)
  }

  /** A fault of one connection is that of its server, or of the network: none of the others is to be trusted. */
  const dropAll = (connection: Connection): void => {
    for (const each of [connection, ...idle.splice(0)]) close(each)
    for (const listener of lossListeners) listener()
  }

  const take = async (deadline: number): Promise<Connection> => {
    if (isClosed) throw new LogUnavailable('PostgreSQL: closed')
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (!found.isClosed && performance.now() - found.provenAt < maxIdleMilliseconds) return found
      close(found)
    }
    return await connectToPrimary(deadline)
  }

  /**
   * Asks all servers at once. If two accept writes, one was replaced and does not know it yet: the one that was promoted
   * last has the higher timeline.
   */
  const connectToPrimary = async (deadline: number): Promise<Connection> => {
    const end = Math.min(deadline, performance.now() + limits.connectMilliseconds)
    const found: Connection[] = []
    const failed: Error[] = []
    let isChosen = false
    const attempts = servers.map(async (server) => {
      try {
        const connection = await connect(server, end, connecting)
        if (isChosen) close(connection)
        else found.push(connection)
      } catch (error) {
        failed.push(error as Error)
        throw error
      }
    })
    const all = Promise.allSettled(attempts)
    await Promise.any(attempts).catch(() => {})
    await Promise.race([all, Bun.sleep(graceMilliseconds)])
    isChosen = true
    const [primary, ...others] = found.sort((a, b) => b.timeline - a.timeline)
    for (const other of others) close(other)
    if (!primary) throw failureOf(failed)
    if (primary.timeline < newestTimeline) {
      close(primary)
      throw new LogUnavailable(`PostgreSQL at ${primary.server.label}: it was replaced by a standby that was promoted`)
    }
    newestTimeline = primary.timeline
    return primary
  }

  return {
    run,
    endOfCall,
    /** Calls back when a connection had to be closed because of the server or the network. */
    onLoss(listener: () => void): void {
      lossListeners.push(listener)
    },
    close(): void {
      isClosed = true
      for (const each of [...idle.splice(0), ...busy]) close(each)
      for (const sql of connecting) void sql.close({ timeout: 0 })
    },
  }
}

export type PostgresPool = ReturnType<typeof openPool>

/** An `OperatorError` only if every server answered: one that is down may be the one that is set up right. */
const failureOf = (errors: readonly Error[]): Error => {
  const text = errors.map(({ message }) => message).join('; ')
  const isSetUp = errors.every((error) => error instanceof OperatorError || error instanceof NotWritable)
  return isSetUp && errors.some((error) => error instanceof OperatorError)
    ? new OperatorError(text)
    : new LogUnavailable(text)
}

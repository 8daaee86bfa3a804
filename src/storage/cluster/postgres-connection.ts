import { SQL } from 'bun'
import { bareHost } from '../../config/values.ts'
import { type LogServer, LogUnavailable } from './log.ts'
import { closesConnection, toLogError } from './postgres-errors.ts'

export interface Connection {
  readonly sql: SQL
  readonly server: LogServer
  readonly timeline: number
  /** Time at which the last call on it succeeded; 0 before the first. If the next fails, it may have broken in between. */
  provenAt: number
  /** Bun's client would connect again, to a server that may have become a standby. */
  isClosed: boolean
}

/**
 * Connects to a server that accepts writes.
 *
 * @param end by `performance.now()`
 * @param connecting holds the client until it is connected, so that it can be closed
 * @throws LogUnavailable, or OperatorError if the server refuses for a reason that lasts
 */
export const connect = async (server: LogServer, end: number, connecting: Set<SQL>): Promise<Connection> => {
  const sql = newClient(server, () => {
    connection.isClosed = true
  })
  const connection = { sql, server, timeline: 0, provenAt: 0, isClosed: false }
  connecting.add(sql)
  try {
    connection.timeline = await before(end, timelineIfPrimary(sql, server.label), 'no response in time')
    return connection
  } catch (error) {
    void sql.close({ timeout: 0 })
    throw toLogError(error, server.label)
  } finally {
    connecting.delete(sql)
  }
}

/**
 * Opens a client. All parts of the URL are options too, because variables such as PGDATABASE would win over the URL.
 *
 * @param onclose called when the connection ends
 */
export const newClient = ({ url, user, password, label }: LogServer, onclose: () => void = () => {}): SQL =>
  new SQL({
    url: url.href,
    adapter: 'postgres',
    hostname: bareHost(url),
    port: label.slice(label.lastIndexOf(':') + 1),
    username: user,
    password,
    database: decodeURIComponent(url.pathname.slice(1)),
    // As PostgreSQL's own clients do.
    ...(!url.searchParams.has('sslmode') && { tls: 'prefer' }),
    max: 1,
    prepare: false,
    onclose,
  })

export class NotWritable extends LogUnavailable {}

const timelineIfPrimary = async (sql: SQL, label: string): Promise<number> => {
  const [found] = await sql<{ standby: boolean; readOnly: string }[]>`
    SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS "readOnly"`
  if (found?.standby) throw new NotWritable(`PostgreSQL at ${label}: it is a standby`)
  if (found?.readOnly === 'on') throw new NotWritable(`PostgreSQL at ${label}: it is read-only`)
  return await timelineOf(sql)
}

/** The first 8 of the 24 digits in the name of a WAL file; 0 where a service does not say. */
const timelineOf = async (sql: SQL): Promise<number> => {
  try {
    const [row] = await sql<{ name: string }[]>`SELECT pg_walfile_name(pg_current_wal_lsn()) AS name`
    return Number.parseInt(row?.name.slice(0, 8) ?? '0', 16)
  } catch (error) {
    if (closesConnection(error)) throw error
    return 0
  }
}

export const close = ({ sql }: Connection): void => void sql.close({ timeout: 0 })

/** @throws LogUnavailable with this text at the deadline, by `performance.now()` */
export const before = async <T>(deadline: number, promise: Promise<T>, otherwise: string): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new LogUnavailable(otherwise)), Math.max(0, deadline - performance.now()))
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
    // It may still fail later, when no caller waits.
    promise.catch(() => {})
  }
}

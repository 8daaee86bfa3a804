import { eq } from 'drizzle-orm'
import { OperatorError } from '../../base/operator-errors.ts'
import { type FolderLock, FolderLocked, lockFolder } from '../folder-lock.ts'
import { migrations } from '../migrations.ts'
import { connect } from '../open.ts'
import { keptOutcomes } from '../tables.ts'
import { toError } from '../writer/batch.ts'
import { fromReply, toMessage } from '../writer/messages.ts'
import { keptText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import { defaultPatienceMilliseconds, followAlone, unreachable } from './follow-alone.ts'
import { type ClusterLog, Halt, LogUnavailable } from './log.ts'
import { openLog } from './open-log.ts'
import { type Position, readPosition } from './position.ts'

type Options = Parameters<typeof followAlone>[0]

/** Executes a command on all machines of the cluster, and resolves to its result here. */
interface CommandWrites {
  run(name: string, input: unknown): Promise<unknown>
  close(): Promise<void>
}

/**
 * Opens the writes of the command line on a machine of a cluster. If a server runs here, it executes them. Otherwise
 * this process does so instead of a server, also for other commands that run at the same time.
 *
 * @throws OperatorError if the log cannot be reached or this machine cannot follow it
 */
export const openCommandWrites = async (options: Options): Promise<CommandWrites> => {
  const lock = serverLock(options.folder)
  return lock ? await asServer(options, lock) : besideOther(options)
}

const serverLock = (folder: string): FolderLock | undefined => {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (error instanceof FolderLocked) return undefined
    throw error
  }
}

const asServer = async (options: Options, lock: FolderLock): Promise<CommandWrites> => {
  try {
    const { submit, close } = await followAlone(options)
    return {
      run: async (name, input) => resultOf(await submit(toMessage([[name, input]]))),
      close: () => close().finally(lock.release),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

const besideOther = (options: Options): CommandWrites => {
  const { patienceMilliseconds = defaultPatienceMilliseconds } = options
  const db = connect(options.folder)
  const log = openLog(options.cluster.engine)
  let own: CommandWrites | undefined

  /**
   * Waits for what the other process does, as long as it gets on. If it was a command, and ends before that, this one
   * goes on instead of it.
   *
   * @param find called with the number of the row that was executed last
   */
  const waitFor = async <T>(find: (applied: number) => T | undefined, otherwise: string): Promise<T> => {
    for (let seen = -1, since = performance.now(); ; await Bun.sleep(10)) {
      const { seq } = readPosition(db)
      const found = find(seq)
      if (found !== undefined) return found
      if (seq !== seen) [seen, since] = [seq, performance.now()]
      if (performance.now() - since > patienceMilliseconds) throw new OperatorError(otherwise)
      const lock = own ? undefined : serverLock(options.folder)
      if (lock) own = await asServer(options, lock)
    }
  }

  return {
    async run(name, input) {
      const hasJoined = (applied: number) => applied > 0 || undefined
      await waitFor(hasJoined, 'the server on this machine has not joined the cluster yet')
      if (own) return await own.run(name, input)
      const id = crypto.randomUUID()
      await expectOwnLog(readPosition(db), log)
      const { seq } = await appendKept(log, id, keptText([[name, input]]))
      const otherwise = 'the server on this machine does not follow the log of the cluster'
      const outcome = (applied: number): string | undefined => {
        const kept = db.select().from(keptOutcomes).where(eq(keptOutcomes.id, id)).get()
        if (!kept && applied >= seq) throw new OperatorError('the outcome is no longer kept')
        return kept?.outcomes
      }
      return resultOf(await waitFor(outcome, otherwise).catch(unsure))
    },
    async close() {
      await own?.close()
      await log.close()
      db.$client.close()
    },
  }
}

/** For a row that is in the log, or may be, and whose outcome is not known. */
const unsure = (error: unknown): never => {
  throw error instanceof OperatorError ? new OperatorError(`${error.message}; it may be done all the same`) : error
}

/** The settings of a shell may name the log of another cluster than those of the server. */
const expectOwnLog = async (position: Position, log: ClusterLog): Promise<void> => {
  const { rows, end } = await log.readFrom(position.seq).catch(unreachable)
  try {
    rowsAfter(position, rows, end)
  } catch (error) {
    throw error instanceof Halt ? new OperatorError(error.message) : error
  }
}

/** A second try with the same identifier appends nothing that is there already. */
const appendKept = async (log: ClusterLog, id: string, batch: string): Promise<{ seq: number }> => {
  const row = { id, version: migrations.length, batch }
  return await log.append(row).catch((error: unknown) => {
    if (!(error instanceof LogUnavailable)) throw error
    return log.append(row).catch(unreachable).catch(unsure)
  })
}

const resultOf = (reply: string): unknown => {
  const [outcome] = fromReply(reply, 1)
  if (outcome && 'result' in outcome) return outcome.result
  throw toError(outcome ?? { failed: 'no outcome' })
}

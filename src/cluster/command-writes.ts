import { eq } from 'drizzle-orm'
import { type FolderLock, lockFolder } from '../db/folder-lock.ts'
import { migrations } from '../db/migrations.ts'
import { type Connection, connect } from '../db/open.ts'
import { keptOutcomes } from '../db/tables.ts'
import { toError } from '../db/writer/batch.ts'
import { fromReply, toMessage } from '../db/writer/messages.ts'
import { OperatorError } from '../operator-errors.ts'
import { keptText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import { followAlone, unreachable } from './follow-alone.ts'
import { Halt } from './halt.ts'
import { type ClusterLog, LogUnavailable } from './log.ts'
import { openLog } from './open-log.ts'
import { readPosition } from './position.ts'

type Options = Parameters<typeof followAlone>[0]

/** Executes a command on all machines of the cluster, and resolves to what came of it here. */
export interface CommandWrites {
  run(name: string, input: unknown): Promise<unknown>
  close(): Promise<void>
}

/** How long a command waits for the server on this machine. */
const patienceMilliseconds = 30_000

/**
 * Writes of the command line on a machine of a cluster. If a server runs here, it executes them. Otherwise this process
 * takes its place meanwhile.
 *
 * @throws OperatorError if the log cannot be reached or this machine cannot follow it
 */
export const openCommandWrites = async (options: Options): Promise<CommandWrites> => {
  const lock = serverLock(options.folder)
  return lock ? await asServer(options, lock) : besideServer(options)
}

const serverLock = (folder: string): FolderLock | undefined => {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (error instanceof OperatorError) return undefined
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

const besideServer = ({ cluster, folder }: Options): CommandWrites => {
  const db = connect(folder)
  const log = openLog(cluster.engine)
  return {
    async run(name, input) {
      const id = crypto.randomUUID()
      await expectOwnLog(db, log)
      await appendKept(log, id, keptText([[name, input]]))
      for (const end = performance.now() + patienceMilliseconds; performance.now() < end; await Bun.sleep(10)) {
        const kept = db
          .select({ outcomes: keptOutcomes.outcomes })
          .from(keptOutcomes)
          .where(eq(keptOutcomes.id, id))
          .get()
        if (kept) return resultOf(kept.outcomes)
      }
      throw new OperatorError(
        'the server on this machine does not follow the log of the cluster; it may be done all the same',
      )
    },
    async close() {
      await log.close()
      db.$client.close()
    },
  }
}

/** The settings of a shell may name the log of another cluster than those of the server. */
const expectOwnLog = async (db: Connection, log: ClusterLog): Promise<void> => {
  const position = readPosition(db)
  if (position.seq === 0) throw new OperatorError('the server on this machine has not joined the cluster yet')
  const { rows, end } = await log.readFrom(position.seq).catch(unreachable)
  try {
    rowsAfter(position, rows, end)
  } catch (error) {
    throw error instanceof Halt ? new OperatorError(error.message) : error
  }
}

/** A second try with the same identifier appends nothing that is there already. */
const appendKept = async (log: ClusterLog, id: string, batch: string): Promise<void> => {
  const row = { id, version: migrations.length, batch }
  await log.append(row).catch((error: unknown) => {
    if (!(error instanceof LogUnavailable)) throw error
    return log.append(row).catch(unreachable)
  })
}

const resultOf = (reply: string): unknown => {
  const [outcome] = fromReply(reply, 1)
  if (outcome && 'result' in outcome) return outcome.result
  throw toError(outcome ?? { failed: 'no outcome' })
}

import { eq } from 'drizzle-orm'
import type { ClusterConfig } from '../config/cluster-settings.ts'
import { type FolderLock, lockFolder } from '../db/folder-lock.ts'
import { migrations } from '../db/migrations.ts'
import { type Connection, connect } from '../db/open.ts'
import { keptOutcomes } from '../db/tables.ts'
import { type Commands, toError } from '../db/writer/batch.ts'
import { fromReply, toMessage } from '../db/writer/messages.ts'
import { OperatorError } from '../operator-errors.ts'
import { keptText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import { createLogExecutor } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { startFollower } from './follower.ts'
import { Halt } from './halt.ts'
import { type ClusterLog, LogUnavailable } from './log.ts'
import { openLog } from './open-log.ts'
import { readPosition } from './position.ts'
import { isReady, openClusterState } from './state.ts'

interface Options {
  readonly cluster: ClusterConfig
  readonly folder: string
  readonly joinCommands: (db: Connection) => Commands
}

/** Executes a command on all machines of the cluster, and resolves to what came of it here. */
export interface CommandWrites {
  run(name: string, input: unknown): Promise<unknown>
  close(): Promise<void>
}

/** How long a command of the command line waits for the log, and for the machine to catch up. */
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

const asServer = async ({ cluster, folder, joinCommands }: Options, lock: FolderLock): Promise<CommandWrites> => {
  const db = connect(folder)
  const log = await openLog(cluster.engine)
  const state = openClusterState()
  const version = migrations.length
  const fingerprint = () => fingerprintOf(db.$client).all
  let problem: string | undefined
  await log.prepare().catch(unreachable)
  const follower = startFollower({
    log,
    executor: createLogExecutor({ db, joinCommands, version, fingerprint }),
    state,
    instance: crypto.randomUUID(),
    version,
    fingerprint,
    onHalt: ({ message }) => (problem = message),
    onTrouble: () => {},
  })
  const close = async (): Promise<void> => {
    await follower.close()
    db.$client.close()
    lock.release()
  }
  try {
    // Far behind, it may have much to execute first: as long as it gets on, it is given time.
    for (let seen = -1, since = performance.now(); !isReady(state); await Bun.sleep(20)) {
      if (problem !== undefined) throw new OperatorError(problem)
      if (state.get('applied') !== seen) [seen, since] = [state.get('applied'), performance.now()]
      if (performance.now() - since > patienceMilliseconds)
        throw new OperatorError('the log of the cluster does not answer')
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    run: async (name, input) => resultOf(await follower.submit(toMessage([[name, input]]))),
    close,
  }
}

const besideServer = async ({ cluster, folder }: Options): Promise<CommandWrites> => {
  const db = connect(folder)
  const log = await openLog(cluster.engine)
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

const unreachable = (error: unknown): never => {
  if (!(error instanceof LogUnavailable)) throw error
  throw new OperatorError(`the log of the cluster: ${error.message}`)
}

const resultOf = (reply: string): unknown => {
  const [outcome] = fromReply(reply, 1)
  if (outcome && 'result' in outcome) return outcome.result
  throw toError(outcome ?? { failed: 'no outcome' })
}

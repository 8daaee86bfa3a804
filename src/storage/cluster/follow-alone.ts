import { OperatorError } from '../../base/operator-errors.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import { migrations } from '../migrations.ts'
import { type Connection, connect } from '../open.ts'
import type { Commands } from '../writer/batch.ts'
import { createLogExecutor } from './execute.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type Follower, startFollower } from './follower.ts'
import { LogUnavailable } from './log.ts'
import { openLog } from './open-log.ts'
import { type ClusterState, isReady, openClusterState } from './state.ts'

interface Options {
  readonly cluster: ClusterConfig
  readonly folder: string
  readonly joinCommands: (db: Connection) => Commands
  /** Longest time that the command waits while this machine executes nothing. */
  readonly patienceMilliseconds?: number
}

export const defaultPatienceMilliseconds = 30_000
const noAnswer = 'the log of the cluster does not respond'

/**
 * Follows the log for a command, instead of the server whose lock the caller holds. Resolves when all that is in
 * the log was executed here.
 *
 * @throws OperatorError if the log cannot be reached or this machine cannot follow it
 */
export const followAlone = async ({
  cluster,
  folder,
  joinCommands,
  patienceMilliseconds = defaultPatienceMilliseconds,
}: Options): Promise<Pick<Follower, 'submit' | 'close'>> => {
  const db = connect(folder)
  const log = openLog(cluster.engine)
  const state = openClusterState()
  const version = migrations.length
  const fingerprint = () => fingerprintOf(db.$client).all
  /** The reason why it cannot go on before an operator does something. */
  let halted: string | undefined
  let fault = noAnswer
  const follower = startFollower({
    log,
    executor: createLogExecutor({ db, joinCommands, version, fingerprint }),
    state,
    instance: crypto.randomUUID(),
    version,
    fingerprint,
    onHalt: ({ message }) => (halted = message),
    onFault: (line, kind) => {
      fault = kind ? line : noAnswer
      if (kind === 'set-up') halted ??= line
    },
  })
  const close = async (): Promise<void> => {
    await follower.close()
    db.$client.close()
  }
  try {
    await log.prepare().catch(unreachable)
    await caughtUp(state, (since) => halted ?? (performance.now() - since > patienceMilliseconds ? fault : undefined))
    return { submit: follower.submit, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Waits until this machine has caught up. That may take long: there is a problem only if it makes no progress. */
const caughtUp = async (state: ClusterState, problem: (since: number) => string | undefined): Promise<void> => {
  for (let seen = -1, since = performance.now(); !isReady(state); await Bun.sleep(20)) {
    if (state.get('applied') !== seen) [seen, since] = [state.get('applied'), performance.now()]
    const found = problem(since)
    if (found !== undefined) throw new OperatorError(found)
  }
}

export const unreachable = (error: unknown): never => {
  if (!(error instanceof LogUnavailable)) throw error
  throw new OperatorError(`the log of the cluster: ${error.message}`)
}

import { describeError } from '../../base/errors.ts'
import { cannot, failureOfMachine } from '../../base/operator-errors.ts'
import { type Connection, connect, emptyWal } from '../open.ts'
import { holdLog } from '../snapshot.ts'
import { type Commands, createBatchExecutor } from './batch.ts'
import { openWriteMetrics, type WriteMetrics } from './histograms.ts'
import { emptyWalMessage, fromMessage, fromTimedMessage, limitWaitsMessage, toReply, toWalReply } from './messages.ts'

declare const self: Worker

/** The first message to the Worker. */
export interface Start {
  readonly folder: string
  /** Where it writes what it measures; undefined if it measures nothing. */
  readonly memory: SharedArrayBuffer | undefined
  /** How to follow the log of a cluster; undefined on a standalone machine. */
  readonly cluster?: unknown
}

/** The first message to a Worker that only holds the log (see `holdLog`), until the next message. */
export interface Hold {
  readonly heldFolder: string
}

/** A message of the Worker that is no reply. Replies are texts. */
export type Notice = { readonly fault: string } | { readonly halted: string; readonly isOutdated: boolean }

/** The cluster of this machine: it decides in which order batches are executed, and when one is durable. */
export interface Cluster {
  /**
   * Resolves to the reply to a batch when it was executed here, or when it is refused.
   *
   * @param since when its oldest command was queued, as in `toTimedMessage`
   */
  submit(message: string, since: number): Promise<string>
  /** The server is about to end: no write may wait for long. */
  limitWaits(): void
  close(): Promise<void>
}

export interface ClusterOptions {
  readonly db: Connection
  readonly joinCommands: (db: Connection) => Commands
  /** `cluster` of the first message. */
  readonly start: unknown
  readonly notify: (notice: Notice) => void
  readonly metrics: WriteMetrics | undefined
}

/** Loads the function that joins the machine to its cluster. Called only where there is one. */
type LoadCluster = () => Promise<(options: ClusterOptions) => Cluster>

/** The Worker's side of `startWriter`: receives a `Start`, then batches, then `close`. */
export const runWriter = (joinCommands: (db: Connection) => Commands, loadCluster?: LoadCluster): void => {
  self.onmessage = (first: MessageEvent<Start | Hold>) => {
    if ('heldFolder' in first.data) return hold(first.data.heldFolder)
    const { folder, memory, cluster } = first.data
    const db = connect(folder)
    // What a savepoint can undo is otherwise written to a file in the folder for temporary files, if it is more than
    // 64 KiB: with two webhooks, 0.9 KB for each submission. It takes as much memory as one command changes.
    db.$client.run('PRAGMA temp_store = MEMORY')
    if (cluster !== undefined && loadCluster)
      return void runInCluster(
        db,
        { joinCommands, start: cluster, metrics: memory && openWriteMetrics(memory) },
        loadCluster,
      )
    self.postMessage('ready')
    // Made with the first batch: a server that has nothing to write needs 4 MB less memory.
    let execute: ReturnType<typeof createBatchExecutor> | undefined
    const executor = () => createBatchExecutor(db, joinCommands(db), memory && openWriteMetrics(memory), faultTeller())
    self.onmessage = (event: MessageEvent<Parameters<typeof fromMessage>[0]>) => {
      if (event.data === emptyWalMessage) return self.postMessage(toWalReply(tryToEmptyWal(db)))
      if (event.data !== 'close') {
        execute ??= executor()
        return self.postMessage(toReply(execute(fromMessage(event.data))))
      }
      end(db)
    }
  }
}

/** Every write is refused while it lasts, so the reason is told only this often. */
const quietMilliseconds = 60_000

/** Makes a function that tells the operator why nothing can be written. Clients are not told. */
const faultTeller = () => {
  let quietUntil = 0
  return (error: unknown): void => {
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + quietMilliseconds
    self.postMessage({ fault: cannot('write the data file', failureOfMachine(error) ?? error).message })
  }
}

const hold = (folder: string): void => {
  const end = holdLog(folder)
  self.onmessage = async () => {
    await end()
    process.exit(0)
  }
}

/** Runs the writer of a machine of a cluster. */
const runInCluster = async (
  db: Connection,
  options: Pick<ClusterOptions, 'joinCommands' | 'start' | 'metrics'>,
  loadCluster: LoadCluster,
): Promise<void> => {
  const join = await loadCluster()
  const cluster = join({ ...options, db, notify: (notice) => self.postMessage(notice) })
  self.onmessage = async (event: MessageEvent<string>) => {
    if (event.data === emptyWalMessage) return self.postMessage(toWalReply(tryToEmptyWal(db)))
    if (event.data === limitWaitsMessage) return cluster.limitWaits()
    if (event.data !== 'close') {
      const { since, message } = fromTimedMessage(event.data)
      return self.postMessage(await cluster.submit(message, since))
    }
    await cluster.close()
    end(db)
  }
  self.postMessage('ready')
}

const end = (db: Connection): void => {
  db.$client.close()
  process.exit(0)
}

const tryToEmptyWal = (db: Connection): boolean | { readonly failed: string } => {
  try {
    return emptyWal(db)
  } catch (error) {
    return { failed: describeError(error) }
  }
}

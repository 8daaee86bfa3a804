import { describeError } from '../../errors.ts'
import { type Connection, connect, emptyWal } from '../open.ts'
import { type Commands, createBatchExecutor } from './batch.ts'
import { openWriteMetrics, type WriteMetrics } from './histograms.ts'
import { emptyWalMessage, fromMessage, fromTimedMessage, hurryMessage, toReply, toWalReply } from './messages.ts'

declare const self: Worker

/** The first message. */
export interface Start {
  readonly folder: string
  /** Where it writes what it measures; undefined if it measures nothing. */
  readonly memory: SharedArrayBuffer | undefined
  /** How to follow the log of a cluster; undefined on a machine of its own. */
  readonly cluster?: unknown
}

/** What the Worker says beside replies, which are texts. */
export type Notice = { readonly trouble: string } | { readonly halted: string; readonly isOutdated: boolean }

/** What decides, on a machine of a cluster, in which order batches are executed, and when one is durable. */
export interface Agreement {
  /**
   * Resolves to the reply to a batch when it was executed here, or when it is refused.
   *
   * @param since when its oldest command was queued, as in `toTimedMessage`
   */
  submit(message: string, since: number): Promise<string>
  /** The server is about to end: no write may wait for long any more. */
  hurry(): void
  close(): Promise<void>
}

export interface Agreeing {
  readonly db: Connection
  readonly joinCommands: (db: Connection) => Commands
  /** `cluster` of the first message. */
  readonly start: unknown
  readonly tell: (notice: Notice) => void
  readonly metrics: WriteMetrics | undefined
}

/** @returns a function that joins the machine to its cluster. It is loaded only where there is one. */
export type LoadAgreement = () => Promise<(agreeing: Agreeing) => Agreement>

/** The Worker's side of `startWriter`: receives a `Start`, then batches, then `close`. */
export const runWriter = (joinCommands: (db: Connection) => Commands, loadAgreement?: LoadAgreement): void => {
  self.onmessage = (first: MessageEvent<Start>) => {
    const { folder, memory, cluster } = first.data
    const db = connect(folder)
    // What a savepoint can undo is otherwise written to a file in the folder for temporary files, if it is more than
    // 64 KiB: with two webhooks to tell, 0.9 KB for each submission. It takes as much memory as one command changes.
    db.$client.run('PRAGMA temp_store = MEMORY')
    if (cluster !== undefined && loadAgreement)
      return void runAgreed(
        db,
        { joinCommands, start: cluster, metrics: memory && openWriteMetrics(memory) },
        loadAgreement,
      )
    // The server need not wait until all commands are made. Its first batch does.
    self.postMessage('ready')
    const execute = createBatchExecutor(db, joinCommands(db), memory && openWriteMetrics(memory))
    self.onmessage = (event: MessageEvent<string>) => {
      if (event.data === emptyWalMessage) return self.postMessage(toWalReply(tryToEmptyWal(db)))
      if (event.data !== 'close') return self.postMessage(toReply(execute(fromMessage(event.data))))
      end(db)
    }
  }
}

/** The same for a machine of a cluster. */
const runAgreed = async (
  db: Connection,
  options: Pick<Agreeing, 'joinCommands' | 'start' | 'metrics'>,
  loadAgreement: LoadAgreement,
): Promise<void> => {
  const agree = await loadAgreement()
  const agreement = agree({ ...options, db, tell: (notice) => self.postMessage(notice) })
  self.onmessage = async (event: MessageEvent<string>) => {
    if (event.data === emptyWalMessage) return self.postMessage(toWalReply(tryToEmptyWal(db)))
    if (event.data === hurryMessage) return agreement.hurry()
    if (event.data !== 'close') {
      const { since, message } = fromTimedMessage(event.data)
      return self.postMessage(await agreement.submit(message, since))
    }
    await agreement.close()
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

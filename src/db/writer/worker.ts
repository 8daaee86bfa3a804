import { type Connection, connect } from '../open.ts'
import { type Commands, createBatchExecutor } from './batch.ts'
import { openWriteMetrics } from './histograms.ts'
import { fromMessage, toReply } from './messages.ts'

declare const self: Worker

/** The first message. */
export interface Start {
  readonly folder: string
  /** Where it writes what it measures; undefined if it measures nothing. */
  readonly memory: SharedArrayBuffer | undefined
}

/** The Worker's side of `startWriter`: receives a `Start`, then batches, then `close`. */
export const runWriter = (joinCommands: (db: Connection) => Commands): void => {
  self.onmessage = (first: MessageEvent<Start>) => {
    const { folder, memory } = first.data
    const db = connect(folder)
    // What a savepoint can undo is otherwise written to a file in the folder for temporary files, if it is more than
    // 64 KiB: with two webhooks to tell, 0.9 KB for each submission. It takes as much memory as one command changes.
    db.$client.run('PRAGMA temp_store = MEMORY')
    // The server need not wait until all commands are made. Its first batch does.
    self.postMessage('ready')
    const execute = createBatchExecutor(db, joinCommands(db), memory && openWriteMetrics(memory))
    self.onmessage = (event: MessageEvent<string>) => {
      if (event.data !== 'close') return self.postMessage(toReply(execute(fromMessage(event.data))))
      db.$client.close()
      process.exit(0)
    }
  }
}

import { type Commands, createBatchExecutor } from './batch.ts'
import { fromMessage, toReply } from './messages.ts'
import { connect, type Db } from './open.ts'

declare const self: Worker

/** The Worker's side of `startWriter`: gets the folder, then batches, then `close`. */
export const runWriter = (joinCommands: (db: Db) => Commands): void => {
  self.onmessage = (first: MessageEvent<string>) => {
    const db = connect(first.data)
    const execute = createBatchExecutor(db, joinCommands(db))
    self.onmessage = (event: MessageEvent<string>) => {
      if (event.data !== 'close') return self.postMessage(toReply(execute(fromMessage(event.data))))
      db.$client.close()
      process.exit(0)
    }
    self.postMessage('ready')
  }
}

import { connectToRead, type Db } from '../db/open.ts'

/** The data as it was at one moment, whatever is written or deleted meanwhile. */
export interface Snapshot {
  readonly db: Db
  /** May be called more than once. */
  close(): void
}

/**
 * A read transaction on a connection of its own. While it is open, SQLite's log can't be reused and grows by all that is
 * written: whoever opens a snapshot for a client also limits how long it stays open.
 */
export const openSnapshot = (folder: string): Snapshot => {
  const db = connectToRead(folder)
  let isOpen = true
  // BEGIN alone fixes nothing: the first read does.
  db.$client.run('BEGIN')
  db.$client.query('SELECT 1 FROM forms LIMIT 1').get()
  return {
    db,
    close() {
      if (!isOpen) return
      isOpen = false
      // A connection lives on, and with it its transaction, until its last prepared statement is collected.
      db.$client.run('ROLLBACK')
      db.$client.close()
    },
  }
}

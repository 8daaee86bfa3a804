import { connectToRead, type Db } from '../db/open.ts'

/** The data as it was at one moment, whatever is written or deleted meanwhile. */
export interface Snapshot {
  /** Throws once it is closed. */
  readonly db: Db
  /** May be called more than once. */
  close(): void
}

/**
 * A read transaction on a connection of its own. While it is open, SQLite cannot reuse its write-ahead log, which grows with each
 * write. So code that opens a snapshot for a client must also limit how long it stays open.
 */
export const openSnapshot = (folder: string): Snapshot => {
  let isOpen = true
  // SQLite keeps a closed connection for statements that were run before: they would go on, and read what is there now.
  const db = connectToRead(folder, () => {
    if (!isOpen) throw new Error('the snapshot was closed')
  })
  // The first read fixes the state, not BEGIN.
  db.$client.run('BEGIN')
  db.$client.query('SELECT 1 FROM forms LIMIT 1').get()
  return {
    db,
    close() {
      if (!isOpen) return
      isOpen = false
      // Without this, the transaction would last until the connection's last prepared statement is garbage-collected.
      db.$client.run('ROLLBACK')
      db.$client.close()
    },
  }
}

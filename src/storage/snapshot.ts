import { connectToRead, type Db, moveLog } from './open.ts'

/** The data as it was at one moment, whatever is written or deleted meanwhile. */
export interface Snapshot {
  /** Throws once it is closed. */
  readonly db: Db
  /**
   * May be called more than once.
   *
   * @param isMovingLog whether to call `moveLog`; never on the main thread of a server, whose requests would wait
   */
  close(isMovingLog?: boolean): void
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
    close(isMovingLog = false) {
      if (!isOpen) return
      isOpen = false
      // Without this, the transaction would last until the connection's last prepared statement is garbage-collected.
      db.$client.run('ROLLBACK')
      if (isMovingLog) moveLog(db.$client)
      db.$client.close()
    },
  }
}

/**
 * Keeps all that is written from now on in the write-ahead log, also from the writer, until the function that it returns is
 * called, which moves it into the file. For a thread of its own, beside a snapshot of the main thread that lasts.
 */
export const holdLog = (folder: string): (() => Promise<void>) => {
  const snapshot = openSnapshot(folder)
  const { $client: client } = connectToRead(folder)
  return async () => {
    // First what came before: while the writer moves that, no one else can move anything.
    while (!moveLog(client)) await Bun.sleep(1)
    snapshot.close(true)
    client.close()
  }
}

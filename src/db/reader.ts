import { connectToRead, type Db } from './open.ts'

export interface Reader {
  readonly db: Db
  /** Runs several reads on one state of the file, so that a page and its total agree. */
  snapshot<T>(read: () => T): T
  /** A number that is another one after every commit of another connection or process, and only then. */
  dataVersion(): number
  close(): void
}

/** The connection that every read of the server goes through, on the main thread. */
export const openReader = (folder: string): Reader => {
  const db = connectToRead(folder)
  const begin = db.$client.prepare('BEGIN')
  const commit = db.$client.prepare('COMMIT')
  const version = db.$client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  return {
    db,
    snapshot(read) {
      begin.run()
      try {
        return read()
      } finally {
        commit.run()
      }
    },
    dataVersion: () => version.get()?.data_version ?? 0,
    close: () => db.$client.close(),
  }
}

import { connectToRead, type Db } from './open.ts'

export interface Reader {
  readonly db: Db
  /** Runs several reads on one state of the file, so that a page and its total agree. */
  snapshot<T>(read: () => T): T
  /**
   * Notices what the writer or another process has committed. The check takes 2 µs, a quarter of what Bun needs for a
   * whole request, so it is made once for all requests that arrived together: what was committed before they were sent
   * was committed before the check.
   */
  refresh(): void
  /**
   * A function that reads by key and answers again from memory until something was committed, so that it is as good as
   * reading. What is undefined is read every time: nobody fills the memory by asking for what does not exist.
   */
  remembering<T>(read: (key: string) => T | undefined): (key: string) => T | undefined
  close(): void
}

const maxRemembered = 1000

/** The connection that every read of the server goes through, on the main thread. */
export const openReader = (folder: string): Reader => {
  const db = connectToRead(folder)
  const begin = db.$client.prepare('BEGIN')
  const commit = db.$client.prepare('COMMIT')
  const version = db.$client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const memories: Map<string, unknown>[] = []
  let seenVersion: number | undefined
  let isFresh = false

  const forgetWhatChanged = (): void => {
    const current = version.get()?.data_version
    if (current === seenVersion) return
    seenVersion = current
    for (const memory of memories) memory.clear()
  }

  return {
    db,
    snapshot(read) {
      begin.run()
      try {
        // What is remembered has to be of the same state.
        forgetWhatChanged()
        return read()
      } finally {
        commit.run()
      }
    },
    refresh() {
      if (isFresh) return
      isFresh = true
      setImmediate(() => (isFresh = false))
      forgetWhatChanged()
    },
    remembering<T>(read: (key: string) => T | undefined) {
      const memory = new Map<string, T>()
      memories.push(memory)
      return (key) => {
        const remembered = memory.get(key)
        if (remembered !== undefined) return remembered
        const found = read(key)
        if (found !== undefined && memory.size < maxRemembered) memory.set(key, found)
        return found
      }
    },
    close: () => db.$client.close(),
  }
}

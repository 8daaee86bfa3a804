import { connectToRead, type Db } from './open.ts'

export interface Reader {
  readonly db: Db
  /**
   * To be called before reading: what follows until the end of this turn of the event loop sees one state of the file,
   * so that a page and its total agree, and sees all that the writer or another process had committed. Looking for that
   * takes 3 µs, a third of what Bun needs for a whole request, so it is done once for all requests that arrived
   * together: what was committed before they were sent was committed before the turn began.
   */
  refresh(): void
  /** Ends that state early, for something was written in the same turn: who reads after it has to find it. */
  release(): void
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
  let isOpen = false

  const forgetWhatChanged = (): void => {
    const current = version.get()?.data_version
    if (current === seenVersion) return
    seenVersion = current
    for (const memory of memories) memory.clear()
  }

  const release = (): void => {
    if (!isOpen) return
    isOpen = false
    commit.run()
  }

  return {
    db,
    refresh() {
      if (isOpen) return
      begin.run()
      isOpen = true
      setImmediate(release)
      // It is the first read, which fixes the state for those after it.
      forgetWhatChanged()
    },
    release,
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
    close() {
      release()
      db.$client.close()
    },
  }
}

import { unavailable } from '../base/errors.ts'
import { connectToRead, type Db } from './open.ts'

export interface Reader {
  /**
   * Every read through it sees all that the writer or another process had committed before this turn of the event loop
   * began, or 1 ms before the last request of it began. All reads of one turn see one state of the file until another
   * request begins, so that a page and its total agree. What reads in several turns waits with `Bun.sleep(0)` between
   * them, which takes 7 µs: after `setImmediate`, it would read before the requests that have come in meanwhile are handled.
   */
  readonly db: Db
  /** Ends that state early, because something was written in this turn: the reads that follow must find it. */
  release(): void
  /**
   * To be called when a request begins. Bun reads from a connection in the turn in which it accepts it. So a turn lasts as
   * long as new ones come, and a request may have been sent long after it began: if the state is too old, it ends here.
   *
   * @param now `performance.now()`
   */
  beginRequest(now: number): void
  /**
   * A function that reads by key and answers from memory until something is committed, which is as good as reading.
   * What is not found is read every time: no one can fill the memory by asking for what does not exist.
   */
  remembering<T>(read: (key: string) => T | undefined): (key: string) => T | undefined
  /** In how many turns of the event loop something was read. */
  turns(): number
  /** Refuses reads with `unavailable` while the file is gone, which is looked at ten times a second at most. */
  guard(isGone: () => boolean): void
  /** Whether the path of the file leads to another one by now, or nowhere. It takes 1 µs. */
  hasMoved(): boolean
  /** Differs from the last call if something was committed in between. */
  version(): number | undefined
  close(): void
}

const maxRemembered = 1000
const lookMilliseconds = 100
/** About what it takes another process to commit something, and then to connect and send a request. */
const maxStateMilliseconds = 1
/** `SQLITE_FCNTL_HAS_MOVED` (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). */
const hasMovedQuestion = 20

/** The connection that every read of the server uses, on the main thread. */
export const openReader = (folder: string): Reader => {
  const db = connectToRead(folder, () => refresh())
  const { $client: client } = db
  const begin = client.prepare('BEGIN')
  const commit = client.prepare('COMMIT')
  const version = client.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const memories: Map<string, unknown>[] = []
  let seenVersion: number | undefined
  let isOpen = false
  let isGone = () => false
  let isRefusing = false
  let lookedAt = 0
  let openedAt = 0
  let turns = 0

  /**
   * Takes 3 µs, a third of what Bun needs for a whole request. So it is done once for all requests that arrived
   * together, within a millisecond.
   */
  const refresh = (): void => {
    if (isOpen) return
    openedAt = performance.now()
    refuseIfGone(openedAt)
    begin.run()
    isOpen = true
    turns++
    setImmediate(release)
    // It is the first read, which fixes the state for those after it.
    forgetWhatChanged()
  }

  const refuseIfGone = (now: number): void => {
    if (!isRefusing && now - lookedAt < lookMilliseconds) return
    lookedAt = now
    isRefusing = isGone()
    if (isRefusing) throw unavailable(5)
  }

  const moved = new Int32Array(2)
  // On Windows, where no one can replace an open file, SQLite does not know the question.
  const hasMoved = (): boolean => {
    client.fileControl(hasMovedQuestion, moved)
    return moved[0] !== 0
  }

  const guard = (look: () => boolean): void => {
    isGone = look
  }

  const forgetWhatChanged = (): void => {
    const current = version.get()?.data_version
    if (current === seenVersion) return
    seenVersion = current
    for (const memory of memories) memory.clear()
  }

  const release = (): void => {
    if (!isOpen) return
    isOpen = false
    try {
      commit.run()
    } catch {
      // The disk failed. The next read says so if it still does, and must begin anew.
      if (client.inTransaction) client.run('ROLLBACK')
    }
  }

  const beginRequest = (now: number): void => {
    if (isOpen && now - openedAt > maxStateMilliseconds) release()
  }

  const remembering = <T>(read: (key: string) => T | undefined) => {
    const memory = new Map<string, T>()
    memories.push(memory)
    return (key: string): T | undefined => {
      refresh()
      const remembered = memory.get(key)
      if (remembered !== undefined) return remembered
      const found = read(key)
      if (found !== undefined && memory.size < maxRemembered) memory.set(key, found)
      return found
    }
  }

  const currentVersion = (): number | undefined => {
    refresh()
    return seenVersion
  }

  const close = (): void => {
    release()
    client.close()
  }

  return { db, release, beginRequest, remembering, turns: () => turns, guard, hasMoved, version: currentVersion, close }
}

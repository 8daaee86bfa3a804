import type { Writer } from '../db/writer/writer.ts'
import type { KeyWrites } from './key-writes.ts'

export interface LastUsed {
  /** Remembers that a key is being used. Writes nothing. */
  note(keyId: string): void
  /** When the key was last used, if that is not in the data file yet; Unix time in milliseconds. */
  pending(keyId: string): number | null
  /** Writes what is remembered. */
  flush(): Promise<void>
  /** Stops the clock that flushes, and flushes once more. */
  close(): Promise<void>
}

interface Options {
  readonly writer: Writer<KeyWrites>
  readonly now: () => number
}

const flushMilliseconds = 60_000

/** When each key was last used: kept in memory, and written once a minute for all keys together. */
export const openLastUsed = ({ writer, now }: Options): LastUsed => {
  let noted = new Map<string, number>()
  let beingWritten = new Map<string, number>()

  const flush = async (): Promise<void> => {
    if (noted.size === 0 || beingWritten.size > 0) return
    beingWritten = noted
    noted = new Map()
    try {
      await writer.run('noteKeysUsed', { keys: [...beingWritten] })
    } catch {
      // The disk is full, for example: the next flush tries again.
      noted = new Map([...beingWritten, ...noted])
    } finally {
      beingWritten = new Map()
    }
  }
  const timer = setInterval(flush, flushMilliseconds)
  timer.unref()

  return {
    note: (keyId) => void noted.set(keyId, now()),
    pending: (keyId) => noted.get(keyId) ?? beingWritten.get(keyId) ?? null,
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

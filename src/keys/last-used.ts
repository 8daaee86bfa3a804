import type { Writer } from '../db/writer/writer.ts'
import type { KeyWrites } from './key-writes.ts'

export interface LastUsed {
  /** Remembers that a key was used just now. Writes nothing. */
  note(keyId: string): void
  /** When the key was last used, as Unix time in milliseconds; null if the data file already has it. */
  pending(keyId: string): number | null
  /** Writes what is remembered. Rejects if that fails; it is then remembered for the next flush. */
  flush(): Promise<void>
}

interface Options {
  readonly writer: Writer<KeyWrites>
  readonly now: () => number
}

/** Remembers when each key was last used. It is written for all keys at once by `jobs/flush-last-used.ts`. */
export const openLastUsed = ({ writer, now }: Options): LastUsed => {
  let noted = new Map<string, number>()
  let beingWritten = new Map<string, number>()

  const flush = async (): Promise<void> => {
    if (noted.size === 0 || beingWritten.size > 0) return
    beingWritten = noted
    noted = new Map()
    try {
      await writer.run('noteKeysUsed', { keys: [...beingWritten] })
    } catch (error) {
      noted = new Map([...beingWritten, ...noted])
      throw error
    } finally {
      beingWritten = new Map()
    }
  }

  return {
    note: (keyId) => void noted.set(keyId, now()),
    pending: (keyId) => noted.get(keyId) ?? beingWritten.get(keyId) ?? null,
    flush,
  }
}

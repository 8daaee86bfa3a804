import type { Writer } from '../../storage/writer/writer.ts'
import type { KeyWrites } from './key-writes.ts'

export interface LastUsed {
  /** Remembers that a key, or a sheet, was used just now. Writes nothing. */
  note(id: string): void
  /** When it was last used, as Unix time in milliseconds; null for never. @param stored what the data file says */
  latest(id: string, stored: number | null): number | null
  /** Writes what is remembered. Rejects if that fails; it is then remembered for the next flush. */
  flush(): Promise<void>
}

interface Options {
  readonly writer: Writer<KeyWrites>
  readonly now: () => number
}

/** Remembers when each key and each sheet was last used. It is written for all at once by `upkeep/jobs/flush-last-used.ts`. */
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
    note: (id) => void noted.set(id, now()),
    // Another machine of a cluster may have written it since.
    latest: (id, stored) => Math.max(noted.get(id) ?? beingWritten.get(id) ?? 0, stored ?? 0) || null,
    flush,
  }
}

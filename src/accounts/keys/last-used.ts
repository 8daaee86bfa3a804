import type { Writer } from '../../storage/writer/writer.ts'
import type { KeyWrites } from './key-writes.ts'

export interface LastUsed {
  /** Remembers that a key, or a sheet, was used just now. Writes nothing. */
  note(id: string): void
  /** When it was last used, as Unix time in milliseconds; null if the data file already has it. */
  pending(id: string): number | null
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
    pending: (id) => noted.get(id) ?? beingWritten.get(id) ?? null,
    flush,
  }
}

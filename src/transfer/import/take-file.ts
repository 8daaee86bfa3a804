import { minuteMilliseconds } from '../../base/durations.ts'
import { invalid, tooLarge } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import { stagedByImport } from '../../submissions/imports/import-reads.ts'

interface Options {
  readonly writer: Writer<FileWrites>
  readonly now: () => number
  readonly onDeleted: () => void
}

export const maxImportBytes = 100 * 1024 * 1024

const partBytes = 512 * 1024
/** Longer than a part may take, or the check of another file. What could not be given up is gone then. */
const stagedMilliseconds = 13 * minuteMilliseconds

/** Takes the bytes of a file in order, and stages them. */
export interface FileTaker {
  take(piece: Uint8Array): Promise<void>
  heldBytes(): number
}

/** Passes a file that arrives to the taker. */
export type Read = (to: FileTaker) => Promise<'too large' | 'complete'>

/** Takes files that are to be imported, and holds them in the data file: never more than two parts of one in memory. */
export const fileReceiver = ({ writer, now, onDeleted }: Options) => {
  /** Removes a file that was staged. What cannot be removed now is removed when its time is over. */
  const giveUp = async (id: string): Promise<void> => {
    if (await writer.run('giveUpFiles', { ids: [id] }).catch(() => false)) onDeleted()
  }

  const taker = (id: string): FileTaker & { end(): Promise<number> } => {
    let part = new Uint8Array(partBytes)
    let length = 0
    let offset = 0
    const flush = async (): Promise<void> => {
      const bytes = part.subarray(0, length)
      const input = { id, stagedBy: stagedByImport(id), stagedUntil: now() + stagedMilliseconds, offset, bytes }
      offset += length
      part = new Uint8Array(partBytes)
      length = 0
      await writer.run('stageFile', input, bytes.length)
    }
    return {
      async take(piece) {
        for (let at = 0; at < piece.length; ) {
          const taken = piece.subarray(at, at + partBytes - length)
          part.set(taken, length)
          length += taken.length
          at += taken.length
          if (length === partBytes) await flush()
        }
      },
      heldBytes: () => 2 * partBytes,
      async end() {
        if (length > 0) await flush()
        return offset
      },
    }
  }

  /** Stages a file that arrives. Returns its identifier. @throws AppError `too_large`, or `invalid` if it is empty */
  const receive = async (read: Read): Promise<string> => {
    const id = newId(now())
    const to = taker(id)
    try {
      if ((await read(to)) === 'too large') throw tooLarge(maxImportBytes)
      if ((await to.end()) === 0) throw invalid({ field: 'body', message: 'must be a file, is empty' })
      return id
    } catch (error) {
      await giveUp(id)
      throw error
    }
  }

  return { receive, giveUp }
}

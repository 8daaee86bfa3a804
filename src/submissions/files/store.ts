import { minuteMilliseconds } from '../../base/durations.ts'
import { notFound } from '../../base/errors.ts'
import { semaphore } from '../../base/semaphore.ts'
import type { FormTo } from '../../forms/access.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { heldBeside, type ListName, listOf } from '../lists.ts'
import { fileReads, type StoredFile } from './file-reads.ts'
import type { FileWrites } from './file-writes.ts'

export type FileStore = ReturnType<typeof openFileStore>

interface Options {
  readonly reader: Reader
  readonly writer: Writer<FileWrites>
  /** Name of this machine. */
  readonly node: string
  readonly now: () => number
  /** Called after files were given up whose pieces still have to be removed. */
  readonly onDeleted: () => void
}

/** Longer than an upload may take. What a sender who went away has left is gone two minutes later. */
const stagedMilliseconds = 13 * minuteMilliseconds

/** Bytes of parts that wait for their commit: two large ones, so that other writes never wait behind more. */
const maxBytesUnderWay = 512 * 1024
/** A small part takes time, too. */
const leastBytes = 4096

/** The files of submissions. */
export const openFileStore = ({ reader, writer, node, now, onDeleted }: Options) => {
  const reads = fileReads(reader.db)
  const parts = semaphore({ room: maxBytesUnderWay })

  const listFiles = (form: FormTo<'read'>, name: ListName, submissionId: string): StoredFile[] => {
    const found = reads.list(listOf(form, name), submissionId)
    if (found.length > 0) return found
    return heldBeside(form, name).flatMap((held) => reads.list(listOf(form, held), submissionId))
  }

  return {
    /**
     * Adds a part to a file that arrives, and resolves when it is on the disk. The bytes are given away.
     *
     * @param offset how many bytes of it have come before: a multiple of 64 KiB
     * @param bytes at most 512 KiB
     */
    async stage(id: string, offset: number, bytes: Uint8Array): Promise<void> {
      const done = await parts.enter({ size: Math.max(leastBytes, bytes.length) })
      try {
        const part = { id, stagedBy: node, stagedUntil: now() + stagedMilliseconds, offset, bytes }
        await writer.run('stageFile', part, bytes.length)
      } finally {
        done()
      }
    },

    /** Removes staged files that are of no submission after all. */
    async giveUp(ids: readonly string[]): Promise<void> {
      if (ids.length > 0 && (await writer.run('giveUpFiles', { ids }))) onDeleted()
    },

    /** Lists the files of a submission, in the order in which they were sent; none if it does not exist. */
    listFiles,

    /** @throws AppError `not_found` */
    findFile(form: FormTo<'read'>, name: ListName, submissionId: string, fileId: string): StoredFile {
      const found = listFiles(form, name, submissionId).find(({ id }) => id === fileId)
      if (!found) throw notFound('File')
      return found
    },
  }
}

import { closeSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { invalid } from '../../base/errors.ts'
import { shownLine } from '../../base/short-text.ts'

/** A ZIP file whose list of entries has been read. What is not as it says there is refused. */
export interface Zip {
  readonly entries: readonly Entry[]
  /** @throws AppError `invalid` in the end, if the bytes are not those that were packed */
  read(entry: Entry): AsyncGenerator<Uint8Array, void>
  close(): void
}

/** @throws AppError `invalid` that names the entry */
export const openZip = async (path: string, maxEntries: number): Promise<Zip> => {
  // Not by yauzl, which closes it later: if the thread ends before, it stays open, and a removed file keeps its space.
  const file = openSync(path, 'r')
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  try {
    const zip = await fromFdPromise(file, { autoClose: false, strictFileNames: true }).catch(refuse)
    const entries = await readEntries(zip, maxEntries)
    return { entries, read: (entry) => readEntry(zip, entry), close }
  } catch (error) {
    close()
    throw error
  }
}

const readEntries = async (zip: ZipFile, maxEntries: number): Promise<Entry[]> => {
  const { entryCount } = zip
  if (entryCount > maxEntries)
    throw invalid({ message: `has ${entryCount} entries; an archive has at most ${maxEntries}` })
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (error) {
    refuse(error)
  }
  refuseOverlaps(zip, entries)
  return entries
}

/** Many entries that share their bytes could become a thousand times as large as the archive. */
const refuseOverlaps = ({ fileSize }: ZipFile, entries: readonly Entry[]): void => {
  let end = 0
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw wrong(entry, 'shares bytes with another entry')
    end = entry.relativeOffsetOfLocalHeader + headerBytes + entry.fileNameLength + entry.compressedSize
    if (end > fileSize) throw wrong(entry, 'goes beyond the end of the archive')
  }
}
const headerBytes = 30

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array, void> {
  if (entry.isEncrypted()) throw wrong(entry, 'is encrypted')
  if (!entry.canDecodeFileData())
    throw wrong(entry, `is compressed by method ${entry.compressionMethod}; only deflate is known`)
  let sum = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      sum = crc32(chunk as Buffer, sum)
      yield chunk as Buffer
    }
  } catch (error) {
    const { message, code } = error as Error & { code?: string }
    if (message.startsWith('too many bytes')) throw wrong(entry, 'is larger than the archive says')
    if (message.startsWith('not enough bytes')) throw wrong(entry, 'is smaller than the archive says')
    // The codes of zlib are no failures of the machine.
    if (code?.startsWith('E') || !(error instanceof Error) || error.name === 'AppError') throw error
    throw wrong(entry, `is damaged: ${message}`)
  }
  if (sum !== entry.crc32) throw wrong(entry, 'is damaged: its checksum is another')
}

export const wrong = ({ fileName }: Entry, message: string) => invalid({ field: shown(fileName), message })

export const shown = (path: string): string => shownLine(path, 200)

/** yauzl says what is wrong, and not that it is the archive. A failure of the machine has a code. */
const refuse = (error: unknown): never => {
  if ((error as { code?: unknown }).code !== undefined) throw error
  throw invalid({ message: `is not an archive that can be read: ${shownLine((error as Error).message, 300)}` })
}

import { dirname } from 'node:path/posix'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { invalid } from '../../base/errors.ts'
import { shownLine } from '../../base/short-text.ts'
import { maxFileBytes } from '../../submissions/files/pieces.ts'
import { filesFolder, maxArchivedFiles, ndjsonName } from '../export/archive.ts'

/** An archive of an export, or one that was packed again from its files. */
export interface Archive {
  /** Bytes of the submissions and of all files, unpacked. */
  readonly submissionBytes: number
  readonly fileBytes: number
  /** The file of a submission with this number, counted from 1; undefined if it is not there. */
  find(submission: string, number: number): ArchivedFile | undefined
  readSubmissions(): AsyncGenerator<Uint8Array, void>
  close(): void
}

export interface ArchivedFile {
  readonly path: string
  readonly size: number
  /** Where it is in the archive: reading in this order is fastest. */
  readonly offset: number
  /** @throws AppError `invalid` in the end, if the bytes are not those that were packed */
  read(): AsyncGenerator<Uint8Array, void>
}

/** Each file may have a folder of its own, which some programs pack too. */
const maxEntries = 2 * maxArchivedFiles + 100

/**
 * Opens an archive and reads its list of entries. That is all that is believed of an archive later: what is not as it says
 * there is refused.
 *
 * @throws AppError `invalid` that names the entry
 */
export const openArchive = async (path: string): Promise<Archive> => {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch(refuse)
  try {
    return await toArchive(zip)
  } catch (error) {
    zip.close()
    throw error
  }
}

const toArchive = async (zip: ZipFile): Promise<Archive> => {
  const entries = await readEntries(zip)
  const ndjson = findSubmissions(entries)
  const folder = dirname(ndjson.fileName)
  const start = folder === '.' ? '' : `${folder}/`
  const files = new Map<string, ArchivedFile>()
  let fileBytes = 0
  for (const entry of entries) {
    const [, key = ''] = entry.fileName.startsWith(start)
      ? (/^(\w+\/\w+\/[1-9]\d*)-[^/]+$/.exec(entry.fileName.slice(start.length)) ?? [])
      : []
    if (!key.startsWith(`${filesFolder}/`)) continue
    if (files.has(key))
      throw wrong(entry, `is a second file with this number; the other is ${shown(files.get(key)?.path ?? '')}`)
    if (entry.uncompressedSize > maxFileBytes) throw wrong(entry, `must be at most ${maxFileBytes} bytes`)
    fileBytes += entry.uncompressedSize
    files.set(key, {
      path: shown(entry.fileName),
      size: entry.uncompressedSize,
      offset: entry.relativeOffsetOfLocalHeader,
      read: () => readEntry(zip, entry),
    })
  }
  return {
    submissionBytes: ndjson.uncompressedSize,
    fileBytes,
    find: (submission, number) => files.get(`${filesFolder}/${submission}/${number}`),
    readSubmissions: () => readEntry(zip, ndjson),
    close: () => zip.close(),
  }
}

const readEntries = async (zip: ZipFile): Promise<Entry[]> => {
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

/** The one that is in the fewest folders: a folder that is packed again has its name before each path. */
const findSubmissions = (entries: readonly Entry[]): Entry => {
  const depth = ({ fileName }: Entry): number => fileName.split('/').length
  const found = entries.filter(({ fileName }) => fileName.split('/').at(-1) === ndjsonName)
  const [first, second] = found.sort((a, b) => depth(a) - depth(b))
  if (!first) throw invalid({ message: `has no ${ndjsonName}; it must be an export as ZIP` })
  if (second && depth(second) === depth(first))
    throw wrong(second, `is a second ${ndjsonName}; the other is ${shown(first.fileName)}`)
  return first
}

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

const wrong = ({ fileName }: Entry, message: string) => invalid({ field: shown(fileName), message })

const shown = (path: string): string => shownLine(path, 200)

/** yauzl says what is wrong, and not that it is the archive. A failure of the machine has a code. */
const refuse = (error: unknown): never => {
  if ((error as { code?: unknown }).code !== undefined) throw error
  throw invalid({ message: `is not an archive that can be read: ${shownLine((error as Error).message, 300)}` })
}

import { dirname } from 'node:path/posix'
import type { Entry } from 'yauzl'
import { invalid } from '../../base/errors.ts'
import { maxFileBytes } from '../../submissions/files/pieces.ts'
import { filesFolder, maxArchivedFiles, ndjsonName } from '../export/archive.ts'
import { openZip, shown, wrong, type Zip } from './zip.ts'

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
  const zip = await openZip(path, maxEntries)
  try {
    return toArchive(zip)
  } catch (error) {
    zip.close()
    throw error
  }
}

const toArchive = (zip: Zip): Archive => {
  const { entries } = zip
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
      read: () => zip.read(entry),
    })
  }
  return {
    submissionBytes: ndjson.uncompressedSize,
    fileBytes,
    find: (submission, number) => files.get(`${filesFolder}/${submission}/${number}`),
    readSubmissions: () => zip.read(ndjson),
    close: () => zip.close(),
  }
}

/** The one that is in the fewest folders: a folder that is packed again has its name before each path. */
const findSubmissions = (entries: readonly Entry[]): Entry => {
  const depth = ({ fileName }: Entry): number => fileName.split('/').length
  const found = entries.filter(({ fileName }) => fileName.split('/').at(-1) === ndjsonName)
  const [first, second] = found.sort((a, b) => depth(a) - depth(b))
  if (!first)
    throw invalid({
      message: `is a ZIP that Formbox has not exported: it has no ${ndjsonName}. Unpack it, and import the CSV, XLSX or JSON that is in it`,
    })
  if (second && depth(second) === depth(first))
    throw wrong(second, `is a second ${ndjsonName}; the other is ${shown(first.fileName)}`)
  return first
}

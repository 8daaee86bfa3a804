import { invalid } from '../../base/errors.ts'
import type { Form } from '../../forms/form.ts'
import { requireFree } from '../../storage/free-disk.ts'
import type { ImportFormat } from '../formats.ts'
import { type Archive, openArchive } from './archive.ts'
import { type CsvOptions, readCsv } from './csv.ts'
import type { Entry } from './imported.ts'
import { openInput } from './input.ts'
import { readJson, readNdjson } from './json.ts'
import { emptyPlan, type Plan, type Time } from './plan.ts'
import { type Size, type Staged, stage } from './staged.ts'
import { findTimes, OtherTime, type TimeOptions } from './time-column.ts'
import { refuseLargeArchive } from './too-much.ts'

export interface FileOptions {
  /** Of the file in which submissions are staged; absent if the process does nothing else. */
  readonly fileName?: string
  readonly format: ImportFormat
  /** See `readCsv`. */
  readonly isRaw: boolean
  readonly time: TimeOptions
  readonly form: Pick<Form, 'settings'>
  /** The date of submissions without one, in Unix milliseconds. */
  readonly now: number
  /** Called with the share of the file that has been read, from 0 to 1. */
  readonly onProgress: (share: number) => void
  /** Called with what has been read so far. It may throw, if that is too much. */
  readonly onSize: (size: Size) => void
}

/** A file that was understood and checked as a whole. Call `close` in the end: it removes what was staged. */
export interface UnderstoodFile {
  readonly staged: Staged
  readonly plan: Plan
  /** Has the files of the submissions; undefined if they are in their data. */
  readonly archive: Archive | undefined
  /** Closes what was read, and keeps what was staged. */
  closeSource(): void
  close(): void
}

/**
 * Reads a file, finds out how it is to be read, checks all of its submissions, and stages them in a file beside the data.
 * The page, the API and the command line all go by this.
 *
 * @throws AppError `invalid` that says what is wrong with the file, and where; then nothing is left of it
 */
export const understandFile = async (
  folder: string,
  path: string,
  options: FileOptions,
  plan: Plan = emptyPlan(),
): Promise<UnderstoodFile> => {
  const file = await openers[options.format](folder, path, options)
  try {
    const staged = await stageAll(folder, file, options, plan)
    const close = (): void => {
      file.close()
      staged.remove()
    }
    return { staged, plan, archive: file.archive, closeSource: () => file.close(), close }
  } catch (error) {
    file.close()
    throw error
  }
}

interface OpenFile {
  /** From the beginning, each time. */
  readonly read: (plan: Plan) => AsyncIterable<Entry>
  readonly archive?: Archive
  readonly close: () => void
}

type Opener = (folder: string, path: string, options: FileOptions) => OpenFile | Promise<OpenFile>
type EntryReader = (chunks: AsyncIterable<Uint8Array>, options: CsvOptions) => AsyncIterable<Entry>

const openText =
  (read: EntryReader): Opener =>
  (folder, path, { isRaw, onProgress }) => {
    const input = openInput(path, folder)
    return { read: (plan) => read(asUtf8(input.read(onProgress)), { isRaw, plan }), close: () => input.close() }
  }

const openSheets: Opener = async (folder, path, { onProgress }) => {
  // Only this format needs to read XML.
  const { openXlsx } = await import('./xlsx.ts')
  const { read, close } = await openXlsx(path, folder)
  return { read: (plan) => read({ plan, onProgress }), close }
}

const openZip: Opener = async (folder, path, { fileName }) => {
  const archive = await openArchive(path)
  try {
    // The operator's command may fill the disk, a user may not.
    if (fileName !== undefined) refuseLargeArchive(archive)
    requireFreeFor(folder, archive)
  } catch (error) {
    archive.close()
    throw error
  }
  return { read: () => readNdjson(asUtf8(archive.readSubmissions())), archive, close: () => archive.close() }
}

/** The submissions are written twice before they are imported. Pieces of files go through SQLite's log. */
const requireFreeFor = (folder: string, { submissionBytes, fileBytes }: Archive): void => {
  try {
    requireFree(folder, 2 * submissionBytes + fileBytes * 1.02)
  } catch (error) {
    throw invalid({ message: (error as Error).message })
  }
}

/** Reads the file again if its first rows turn out to have misled. */
const stageAll = async (
  folder: string,
  file: OpenFile,
  options: FileOptions,
  plan: Plan,
  settled?: Time | null,
): Promise<Staged> => {
  const { form, now, onSize, time, fileName } = options
  Object.assign(plan, emptyPlan())
  const timed = await findTimes(file.read(plan), { options: time, plan, settled })
  try {
    return await stage(folder, timed, { form, archive: file.archive, plan, time, now, onSize, fileName })
  } catch (error) {
    if (!(error instanceof OtherTime)) throw error
    return await stageAll(folder, file, options, plan, error.time)
  }
}

const openers: Record<ImportFormat, Opener> = {
  csv: openText(readCsv),
  ndjson: openText(readNdjson),
  json: openText(readJson),
  zip: openZip,
  xlsx: openSheets,
}

/** @throws AppError `invalid` where the bytes are not UTF-8 */
async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    try {
      decoder.decode(chunk, { stream: true })
    } catch {
      throw invalid({ message: 'must be UTF-8; save it as “CSV UTF-8”, or as .xlsx' })
    }
    yield chunk
  }
  try {
    decoder.decode()
  } catch {
    throw invalid({ message: 'ends within a character; it was cut off' })
  }
}

import { statSync } from 'node:fs'
import { type FolderLock, lockFolder } from '../db/folder-lock.ts'
import type { Connection } from '../db/open.ts'
import { invalid, OperatorError } from '../errors.ts'
import type { ExportFormat } from '../export/export.ts'
import type { Form } from '../forms/ownership.ts'
import { readCsv } from './csv.ts'
import { importWrites } from './import-writes.ts'
import type { Entry } from './imported.ts'
import { readJson, readNdjson } from './json.ts'
import { type Staged, stage } from './staged.ts'

interface ImportOptions {
  readonly format: ExportFormat
  /** As `readCsv` takes it. */
  readonly isRaw: boolean
  /** Whether nothing is to be written. */
  readonly isDryRun: boolean
  /** Told how much of the file is read, from 0 to 1, and `null` when it is being written. */
  readonly onProgress: (share: number | null) => void
}

interface ImportOutcome {
  readonly imported: number
  /** Those that the form has already, by their identifiers. They are left as they are. */
  readonly present: number
  /** Of all in the file, earliest and latest, in Unix milliseconds. */
  readonly range: readonly [number, number]
}

/**
 * Imports the submissions of a file into a form: all of them, or none. They are read and checked first, into a file
 * beside the data; a server that runs waits only for the one transaction that then takes them from there.
 *
 * @throws AppError `invalid` with what is wrong with the file, by its places
 */
export const importFile = async (
  { db, folder, form }: { db: Connection; folder: string; form: Form },
  path: string,
  { format, isRaw, isDryRun, onProgress }: ImportOptions,
): Promise<ImportOutcome> => {
  const chunks = readChunks(path, onProgress)
  const staged = await stage(folder, readers[format](chunks, isRaw), Date.now())
  try {
    onProgress(null)
    const lock = isSmall(staged) ? undefined : keepServerAway(folder, staged)
    try {
      return importStaged(db, form, staged, isDryRun)
    } finally {
      lock?.release()
    }
  } finally {
    staged.remove()
  }
}

/**
 * What is written in one transaction while a server runs. Its writes wait for that, and are refused after 5 seconds:
 * this much takes 1.
 */
const isSmall = ({ count, bytes }: Staged): boolean => count <= maxBesideServer && bytes <= maxBytesBesideServer
const maxBesideServer = 200_000
const maxBytesBesideServer = 100 * 1024 * 1024

/** @throws OperatorError when a server is running */
const keepServerAway = (folder: string, { count }: Staged): FolderLock => {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const limit = `${maxBesideServer} submissions or ${maxBytesBesideServer / 1024 / 1024} MiB`
    throw new OperatorError(
      `the file has ${count} submissions; while a server is running, at most ${limit} can be imported at once. ` +
        'Stop the server, or import in parts. Nothing was changed',
    )
  }
}

const readers: Record<ExportFormat, (chunks: AsyncIterable<Uint8Array>, isRaw: boolean) => AsyncIterable<Entry>> = {
  csv: (chunks, isRaw) => readCsv(chunks, { isRaw }),
  ndjson: readNdjson,
  json: readJson,
}

/** The bytes of a file, which must be UTF-8. */
async function* readChunks(path: string, onProgress: (share: number) => void): AsyncGenerator<Uint8Array, void> {
  const { size } = statSync(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let read = 0
  for await (const chunk of Bun.file(path).stream()) {
    try {
      decoder.decode(chunk, { stream: true })
    } catch {
      throw invalid({ message: 'must be UTF-8; save it as “CSV UTF-8”' })
    }
    yield chunk
    read += chunk.length
    onProgress(Math.min(1, read / size))
  }
}

const importStaged = (db: Connection, form: Form, staged: Staged, isDryRun: boolean): ImportOutcome => {
  const { $client: client } = db
  client.run('ATTACH ? AS staged', [staged.path])
  try {
    const { changes: present } = client
      .query('DELETE FROM staged.rows WHERE id IN (SELECT id FROM main.submissions WHERE form = ?)')
      .run(form.number)
    const { range, fieldNames, count } = staged
    if (isDryRun) return { imported: count - present, present, range }
    const { importStaged } = importWrites(db)
    const imported = client.transaction(() => importStaged({ formId: form.id, fieldNames })).immediate()
    return { imported, present, range }
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')) throw error
    throw new OperatorError(
      'another import put some of these submissions into the form; nothing was changed, try again',
    )
  } finally {
    client.run('DETACH staged')
  }
}

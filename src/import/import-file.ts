import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { type FolderLock, FolderLocked, lockFolder } from '../db/folder-lock.ts'
import type { Connection } from '../db/open.ts'
import { invalid } from '../errors.ts'
import type { ExportFormat } from '../export/export.ts'
import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { OperatorError } from '../operator-errors.ts'
import { rowImporter } from '../submissions/import-rows.ts'
import { tooOldBefore } from '../submissions/retention.ts'
import { readCsv } from './csv.ts'
import type { Entry } from './imported.ts'
import { readJson, readNdjson } from './json.ts'
import { type Size, type Staged, stage } from './staged.ts'
import { importThroughLog, type LogWrite } from './through-log.ts'

interface Target {
  readonly db: Connection
  readonly folder: string
  readonly form: Form
  /** Executes a command on all machines of the cluster; null on a standalone server. */
  readonly write: LogWrite | null
}

interface ImportOptions {
  readonly format: ExportFormat
  /** See `readCsv`. */
  readonly isRaw: boolean
  /** Whether the file is only checked. */
  readonly isDryRun: boolean
  /** Called with the share of the file that has been read, from 0 to 1, and with null when the writing begins. */
  readonly onProgress: (share: number | null) => void
}

interface ImportOutcome {
  readonly imported: number
  /** Submissions whose identifiers the form already has. They are left as they are. */
  readonly present: number
  /** The earliest and latest date in the file, in Unix milliseconds. */
  readonly range: readonly [number, number]
  /** Those imported that the form's setting `retentionDays` deletes soon, because they are so old. */
  readonly tooOld: number
}

/**
 * Imports all submissions of a file into a form, or none. They are checked first and written to a file beside the data.
 * A running server waits only for the one transaction that copies them from there. In a cluster, they first come to all
 * machines through the log.
 *
 * @throws AppError `invalid` that says what is wrong with the file, and where
 */
export const importFile = async (
  { db, folder, form, write }: Target,
  path: string,
  { format, isRaw, isDryRun, onProgress }: ImportOptions,
): Promise<ImportOutcome> => {
  let isLarge = false
  const onSize = (size: Size): void => {
    if (isLarge || isSmall(size)) return
    isLarge = true
    // Not held open while the file is read, which may take minutes.
    keepServerAway(folder, size, write !== null).release()
  }
  const entries = readers[format](readChunks(path, onProgress), isRaw)
  const staged = await stage(folder, entries, { form, now: Date.now(), onSize })
  try {
    onProgress(null)
    const lock = isLarge ? keepServerAway(folder, staged, write !== null) : undefined
    try {
      return await importStaged({ db, form, write }, staged, isDryRun)
    } finally {
      lock?.release()
    }
  } finally {
    staged.remove()
  }
}

/**
 * Whether they can be written in one transaction while a server is running. The server's writes wait meanwhile, and are
 * refused after 5 seconds. This much takes 1 second.
 */
const isSmall = ({ count, bytes }: Size): boolean => count <= maxBesideServer && bytes <= maxBytesBesideServer
const maxBesideServer = 200_000
const maxBytesBesideServer = 100 * 1024 * 1024

/** @throws AppError `invalid` if a server is running, as in a cluster */
const keepServerAway = (folder: string, { count }: Size, isCluster: boolean): FolderLock => {
  const most =
    count > maxBesideServer
      ? `${maxBesideServer} submissions`
      : `${maxBytesBesideServer / 1024 / 1024} MiB of submissions`
  if (isCluster) throw invalid({ message: `has more than ${most}, the most at once in a cluster; split the file` })
  try {
    return lockFolder(folder)
  } catch (error) {
    if (!(error instanceof FolderLocked)) throw error
    throw invalid({
      message: `has more than ${most}, the most while a server is running; stop the server, or split the file`,
    })
  }
}

const readers: Record<ExportFormat, (chunks: AsyncIterable<Uint8Array>, isRaw: boolean) => AsyncIterable<Entry>> = {
  csv: (chunks, isRaw) => readCsv(chunks, { isRaw }),
  ndjson: readNdjson,
  json: readJson,
  zip: () => {
    throw invalid({ message: 'is an archive; import its submissions.ndjson' })
  },
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
  try {
    decoder.decode()
  } catch {
    throw invalid({ message: 'ends within a character; it was cut off' })
  }
}

const importStaged = async (
  { db, form, write }: Omit<Target, 'folder'>,
  staged: Staged,
  isDryRun: boolean,
): Promise<ImportOutcome> => {
  const { $client: client } = db
  client.run('ATTACH ? AS staged', [staged.path])
  try {
    // Not in a list that was deleted as a whole, whose rows are still there for a while.
    const lists = '0, (SELECT spam_list FROM main.forms WHERE number = ?1)'
    const { changes: present } = client
      .query(
        `DELETE FROM staged.rows WHERE id IN (SELECT id FROM main.submissions WHERE form = ?1 AND list IN (${lists}))`,
      )
      .run(form.number)
    const { range, fieldNames, count } = staged
    const tooOld = countTooOld(client, form)
    if (isDryRun) return { imported: count - present, present, range, tooOld }
    if (write) {
      const through = await importThroughLog({ client, write }, { formId: form.id, fieldNames, count: count - present })
      return { ...through, present: present + through.present, range, tooOld }
    }
    const importRows = rowImporter(db)
    const waiting = { rows: 'staged.rows WHERE true', values: [] }
    const imported = client.transaction(() => importRows({ formId: form.id, fieldNames, waiting })).immediate()
    return { imported, present, range, tooOld }
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')) throw error
    throw new OperatorError(
      'another import has added some of these submissions in the meantime; nothing was changed, try again',
    )
  } finally {
    client.run('DETACH staged')
  }
}

/** Of those that are imported. */
const countTooOld = (client: Database, { settings }: Form): number => {
  const { retentionDays } = parseSettings(settings)
  if (retentionDays === null) return 0
  const query = client.query<{ count: number }, [string]>('SELECT count(*) AS count FROM staged.rows WHERE id < ?')
  return query.get(tooOldBefore(retentionDays, Date.now()))?.count ?? 0
}

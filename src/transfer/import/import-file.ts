import type { Database } from 'bun:sqlite'
import { invalid } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type FolderLock, FolderLocked, lockFolder } from '../../storage/folder-lock.ts'
import type { Connection } from '../../storage/open.ts'
import { tooOldBefore } from '../../submissions/date-range.ts'
import { abandonedImports } from '../../submissions/files/file-reads.ts'
import { rowImporter } from '../../submissions/imports/add-rows.ts'
import { operatorsNode, stagedByImport } from '../../submissions/imports/import-reads.ts'
import { importRecorder } from '../../submissions/imports/record.ts'
import type { ImportFormat } from '../formats.ts'
import { addAll, bringRows, type ImportWrite } from './bring-rows.ts'
import { bringFiles, fileStaging, giveUpFiles } from './files.ts'
import { type Plan, storedReport } from './plan.ts'
import { removePresent } from './remove-present.ts'
import type { Size } from './staged.ts'
import type { TimeOptions } from './time-column.ts'
import { isTaken, tooMuch } from './too-much.ts'
import { type UnderstoodFile, understandFile } from './understand-file.ts'

interface Target {
  readonly db: Connection
  readonly folder: string
  readonly form: Form
  /** Executes a command on all machines of the cluster; null on a standalone server. */
  readonly write: ImportWrite | null
  /** Executes a command on a standalone server, for what is too large to be written at once while it runs. */
  readonly writeHere?: ImportWrite
}

interface ImportOptions {
  readonly format: ImportFormat
  /** See `readCsv`. */
  readonly isRaw: boolean
  readonly time: TimeOptions
  /** Whether the file is only checked. */
  readonly isDryRun: boolean
  /** Its identifier, if it is not a new one. */
  readonly importId?: string
  /** The clock. */
  readonly now?: () => number
  /** Called with the share of the file that has been read, from 0 to 1, and with null when the writing begins. */
  readonly onProgress: (share: number | null) => void
}

export interface ImportOutcome {
  /** By which it can be taken back for an hour. */
  readonly importId: string
  /** As what the file was read. */
  readonly plan: Plan
  /** The earliest and latest date in the file, in Unix milliseconds. */
  readonly range: readonly [number, number]
  /** Imported submissions that the form's setting `retentionDays` deletes soon, because they are so old. */
  readonly tooOld: number
  /** Files that came with those imported. */
  readonly files: number
  /** Files that those imported name, and that did not come with them. */
  readonly missing: number
  /** The names in the file, in the order of its columns or of their first appearance. */
  readonly fieldNames: readonly string[]
}

/**
 * Imports all submissions of a file into a form, or none. They are checked first and written to a file beside the data.
 * A running server waits only for the one transaction that copies them from there. In a cluster, and if that would take
 * too long, they come into the data file part by part. Their files come before them.
 *
 * @throws AppError `invalid` that says what is wrong with the file, and where
 */
export const importFile = async (target: Target, path: string, options: ImportOptions): Promise<ImportOutcome> => {
  const { db, folder, form, write } = target
  const { now = Date.now } = options
  for (const stagedBy of abandonedImports(db)()) await giveUpFiles({ db, write, stagedBy })
  let mustStop = false
  const onSize = (size: Size): void => {
    if (mustStop || isTaken(size)) return
    mustStop = true
    // Not held open while the file is read, which may take minutes.
    keepServerAway(folder, write !== null).release()
  }
  const file = await understandFile(folder, path, { ...options, form, now: now(), onSize })
  try {
    const lock = isSmall(file.staged) ? undefined : lockIfFree(folder, write !== null)
    try {
      if (mustStop && !lock) keepServerAway(folder, write !== null)
      const throughCommands = write ?? (isSmall(file.staged) || lock ? null : (target.writeHere ?? null))
      return await importStaged({ db, form, write, throughCommands }, file, { ...options, now })
    } finally {
      lock?.release()
    }
  } finally {
    file.close()
  }
}

/**
 * Whether they can be written in one transaction while a server is running. The server's writes wait meanwhile, and are
 * refused after 5 seconds. This much takes 1 second.
 */
const isSmall = ({ count, bytes }: Size): boolean => count <= maxAtOnce && bytes <= maxBytesAtOnce
const maxAtOnce = 200_000
const maxBytesAtOnce = 100 * 1024 * 1024

const lockIfFree = (folder: string, isCluster: boolean): FolderLock | undefined => {
  try {
    return isCluster ? undefined : lockFolder(folder)
  } catch (error) {
    if (error instanceof FolderLocked) return undefined
    throw error
  }
}

/** @throws AppError `invalid` if a server is running, as in a cluster */
const keepServerAway = (folder: string, isCluster: boolean): FolderLock => {
  if (isCluster) throw invalid({ message: `${tooMuch}, the most at once in a cluster; split the file` })
  const lock = lockIfFree(folder, false)
  if (lock) return lock
  throw invalid({ message: `${tooMuch}, the most while a server is running; stop the server, or split the file` })
}

interface Ways extends Omit<Target, 'folder' | 'writeHere'> {
  /** Null if all of it can be written at once. */
  readonly throughCommands: ImportWrite | null
}

type StagedOptions = Omit<ImportOptions, 'isRaw' | 'time'> & Required<Pick<ImportOptions, 'now'>>

const importStaged = async (
  { db, form, write, throughCommands }: Ways,
  { staged, plan, archive }: UnderstoodFile,
  { isDryRun, onProgress, format, now, importId = newId(now()) }: StagedOptions,
): Promise<ImportOutcome> => {
  const { $client: client } = db
  const { range, lacksFiles, fieldNames, count } = staged
  // If the process dies once the import is sure, its files must stay.
  const stagedBy = throughCommands ? stagedByImport(importId) : staged.stagedBy
  client.run('ATTACH ? AS staged', [staged.path])
  let hasStagedFiles = false
  try {
    plan.present = removePresent(client, form.number)
    plan.rows = count - plan.present
    hasStagedFiles = !isDryRun && client.query('SELECT 1 FROM staged.files').get() !== null
    const staging = hasStagedFiles ? fileStaging({ db, write, stagedBy }) : undefined
    const files = await bringFiles(client, archive, staging, onProgress)
    onProgress(null)
    const outcome = {
      importId,
      plan,
      range,
      tooOld: countTooOld(client, form, now()),
      files: files.reduce((sum, [, { length }]) => sum + length, 0),
      missing: lacksFiles ? countMissing(client) : 0,
      fieldNames,
    }
    if (isDryRun || plan.rows === 0) return outcome
    const report = storedReport(plan, format, fieldNames)
    const own = { id: importId, formId: form.id, userId: form.userId ?? '', node: operatorsNode, report }
    if (throughCommands) {
      await throughCommands('beginImport', { ...own, now: now() })
      const rows = { importId, fieldNames, report, count: plan.rows, files, now }
      await bringRows({ client, write: throughCommands }, rows)
      hasStagedFiles = false
      await addAll(throughCommands, importId, now)
      return outcome
    }
    const importRows = rowImporter(db)
    const record = importRecorder(db)
    const waiting = { rows: 'staged.rows WHERE true', values: [] }
    client
      .transaction(() => {
        importRows({ formId: form.id, fieldNames, waiting, files })
        record({ ...own, form: form.number, now: now() }, waiting.rows)
      })
      .immediate()
    return outcome
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')) throw error
    throw new OperatorError(
      'another import has added some of these submissions in the meantime; nothing was changed, try again',
    )
  } finally {
    // The files of submissions that were not imported after all. What this leaves, a server removes a day later.
    if (hasStagedFiles) await giveUpFiles({ db, write, stagedBy }).catch(() => {})
    client.run('DETACH staged')
  }
}

const countMissing = (client: Database): number =>
  client.query<{ sum: number }, []>('SELECT total(missing) AS sum FROM staged.rows').get()?.sum ?? 0

/** Counts the imported submissions that are too old. */
const countTooOld = (client: Database, { settings }: Form, now: number): number => {
  const { retentionDays } = parseSettings(settings)
  if (retentionDays === null) return 0
  const query = client.query<{ count: number }, [string]>('SELECT count(*) AS count FROM staged.rows WHERE id < ?')
  return query.get(tooOldBefore(retentionDays, now))?.count ?? 0
}

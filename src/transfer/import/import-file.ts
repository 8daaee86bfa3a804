import type { Database } from 'bun:sqlite'
import { invalid } from '../../base/errors.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import { type FolderLock, FolderLocked, lockFolder } from '../../storage/folder-lock.ts'
import type { Connection } from '../../storage/open.ts'
import { abandonedImports } from '../../submissions/files/file-reads.ts'
import { rowImporter } from '../../submissions/import-rows.ts'
import { tooOldBefore } from '../../submissions/retention.ts'
import type { ExportFormat } from '../export/export.ts'
import { bringFiles, fileStaging, giveUpFiles } from './files.ts'
import type { Plan } from './plan.ts'
import type { Size } from './staged.ts'
import { importThroughLog, type LogWrite } from './through-log.ts'
import type { TimeOptions } from './time-column.ts'
import { type UnderstoodFile, understandFile } from './understand-file.ts'

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
  readonly time: TimeOptions
  /** Whether the file is only checked. */
  readonly isDryRun: boolean
  /** Called with the share of the file that has been read, from 0 to 1, and with null when the writing begins. */
  readonly onProgress: (share: number | null) => void
}

export interface ImportOutcome {
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
 * A running server waits only for the one transaction that copies them from there. In a cluster, they first come to all
 * machines through the log. Their files come before them, and wait until that transaction.
 *
 * @throws AppError `invalid` that says what is wrong with the file, and where
 */
export const importFile = async (target: Target, path: string, options: ImportOptions): Promise<ImportOutcome> => {
  const { db, folder, form, write } = target
  const { isDryRun, onProgress } = options
  for (const stagedBy of abandonedImports(db)()) await giveUpFiles({ db, write, stagedBy })
  let isLarge = false
  const onSize = (size: Size): void => {
    if (isLarge || isSmall(size)) return
    isLarge = true
    // Not held open while the file is read, which may take minutes.
    keepServerAway(folder, size, write !== null).release()
  }
  const file = await understandFile(folder, path, { ...options, form, now: Date.now(), onSize })
  try {
    const lock = isLarge ? keepServerAway(folder, file.staged, write !== null) : undefined
    try {
      return await importStaged({ db, form, write }, file, { isDryRun, onProgress })
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

const importStaged = async (
  { db, form, write }: Omit<Target, 'folder'>,
  { staged, plan, archive }: UnderstoodFile,
  { isDryRun, onProgress }: Pick<ImportOptions, 'isDryRun' | 'onProgress'>,
): Promise<ImportOutcome> => {
  const { $client: client } = db
  const { stagedBy, range, fieldNames, count } = staged
  client.run('ATTACH ? AS staged', [staged.path])
  let hasStagedFiles = false
  try {
    // Not in a list that was deleted as a whole, whose rows are still there for a while. One look-up for each row of the
    // file: to collect the identifiers of a form with 10 million took 3 s, whatever was imported.
    const { changes: present } = client
      .query(
        `DELETE FROM staged.rows WHERE number IN (
          SELECT rows.number FROM staged.rows CROSS JOIN main.submissions AS own
          WHERE own.form = ?1 AND own.list IN (0, (SELECT spam_list FROM main.forms WHERE number = ?1)) AND own.id = rows.id)`,
      )
      .run(form.number)
    plan.present = present
    plan.rows = count - present
    hasStagedFiles = !isDryRun && client.query('SELECT 1 FROM staged.files').get() !== null
    const staging = hasStagedFiles ? fileStaging({ db, write, stagedBy }) : undefined
    const files = await bringFiles(client, archive, staging, onProgress)
    onProgress(null)
    const outcome = {
      plan,
      range,
      tooOld: countTooOld(client, form),
      files: files.reduce((sum, [, { length }]) => sum + length, 0),
      missing: client.query<{ sum: number }, []>('SELECT total(missing) AS sum FROM staged.rows').get()?.sum ?? 0,
      fieldNames,
    }
    if (isDryRun) return outcome
    const input = { formId: form.id, fieldNames, files }
    if (write) {
      const { imported, present: presentByNow } = await importThroughLog(
        { client, write },
        { ...input, count: plan.rows },
      )
      plan.rows = imported
      plan.present += presentByNow
      return outcome
    }
    const importRows = rowImporter(db)
    const waiting = { rows: 'staged.rows WHERE true', values: [] }
    client.transaction(() => importRows({ ...input, waiting })).immediate()
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

/** Counts the imported submissions that are too old. */
const countTooOld = (client: Database, { settings }: Form): number => {
  const { retentionDays } = parseSettings(settings)
  if (retentionDays === null) return 0
  const query = client.query<{ count: number }, [string]>('SELECT count(*) AS count FROM staged.rows WHERE id < ?')
  return query.get(tooOldBefore(retentionDays, Date.now()))?.count ?? 0
}

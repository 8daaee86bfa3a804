import type { Database } from 'bun:sqlite'
import { stagedRows } from '../../storage/tables.ts'
import type { InputOf, ResultOf } from '../../storage/writer/batch.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import type { AdoptedFiles } from '../../submissions/imports/add-rows.ts'
import type { ImportWrites } from '../../submissions/imports/import-writes.ts'
import { importSlice } from '../../submissions/slices.ts'
import { type StagedRow, stagedBytes, stagedNames } from '../../submissions/stored-submission.ts'
import type { SubmissionWrites } from '../../submissions/submission-writes.ts'

type ImportedWrites = FileWrites & ImportWrites & SubmissionWrites

/** Executes a command, in a cluster on all machines. */
export type ImportWrite = <Name extends keyof ImportedWrites>(
  name: Name,
  input: InputOf<ImportedWrites[Name]>,
) => Promise<ResultOf<ImportedWrites[Name]>>

interface Rows {
  readonly importId: string
  readonly fieldNames: readonly string[]
  /** JSON. */
  readonly report: string
  readonly count: number
  /** Staged. */
  readonly files: AdoptedFiles
  readonly now: () => number
}

/** Limit of the data in one command. As JSON within JSON, it becomes up to twice as long. A submission may be longer. */
const maxBytes = 512 * 1024
const maxRows = 2000

/**
 * Brings what is in `staged.rows`, in a file that is attached to the connection, into the data file, part by part, and makes
 * the import sure. From then on, `addSlice` adds it.
 *
 * @throws AppError `not_found` if the import has ended meanwhile
 */
export const bringRows = async (
  { client, write }: { client: Database; write: ImportWrite },
  { importId, files, now, ...rest }: Rows,
): Promise<void> => {
  try {
    for (const rows of slices(client)) await write('stageRows', { importId, rows })
    const described = files.map(([submission, added]): [string, string] => [submission, JSON.stringify(added)])
    for (let at = 0; at < described.length; at += maxDescribed)
      await write('stageRows', { importId, rows: described.slice(at, at + maxDescribed), areFiles: true })
    await write('addStaged', { importId, ...rest, withFiles: files.length, now: now() })
  } catch (error) {
    // If that fails too, it is given up after a day.
    await write('failImport', { importId, now: now() }).catch(() => {})
    throw error
  }
}

/** Submissions whose files are described in one command: each has up to 20, with names of some hundred bytes. */
const maxDescribed = 50

/** Adds all of an import that is sure. */
export const addAll = async (write: ImportWrite, importId: string, now: () => number): Promise<void> => {
  while (await write('addSlice', { importId, now: now(), ...importSlice }));
}

function* slices(client: Database): Generator<StagedRow[], void> {
  const columns = stagedNames.map((name) => `${stagedRows[name].name} AS ${name}`)
  const all = client.query<Record<(typeof stagedNames)[number], string | null> & { bytes: number }, []>(
    `SELECT ${columns.join()}, ${stagedBytes} AS bytes FROM staged.rows ORDER BY id`,
  )
  let rows: StagedRow[] = []
  let size = 0
  for (const { bytes, ...row } of all.iterate()) {
    if (rows.length > 0 && (size + bytes > maxBytes || rows.length === maxRows)) {
      yield rows
      rows = []
      size = 0
    }
    const values = stagedNames.map((name) => row[name])
    rows.push(values.slice(0, values.findLastIndex((value) => value !== null) + 1) as unknown as StagedRow)
    size += bytes
  }
  if (rows.length > 0) yield rows
}

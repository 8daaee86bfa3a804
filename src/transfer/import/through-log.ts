import type { Database } from 'bun:sqlite'
import { afterEveryId, newId } from '../../base/id.ts'
import { submissions } from '../../storage/tables.ts'
import type { InputOf, ResultOf } from '../../storage/writer/batch.ts'
import type { FileWrites } from '../../submissions/files/file-writes.ts'
import type { AdoptedFiles } from '../../submissions/import-rows.ts'
import { type Finished, filesOf, type ImportWrites, type StagedRow } from '../../submissions/staged-rows.ts'
import { importedNames } from '../../submissions/stored-submission.ts'
import type { SubmissionWrites } from '../../submissions/submission-writes.ts'

type ImportedWrites = FileWrites & ImportWrites & SubmissionWrites

/** Executes a command on all machines of the cluster. */
export type LogWrite = <Name extends keyof ImportedWrites>(
  name: Name,
  input: InputOf<ImportedWrites[Name]>,
) => Promise<ResultOf<ImportedWrites[Name]>>

interface Import {
  readonly formId: string
  readonly fieldNames: readonly string[]
  readonly count: number
  /** Staged. */
  readonly files: AdoptedFiles
}

/** Limit of the data in one row of the log. As JSON within JSON, it becomes up to twice as long. A submission may be longer. */
const maxBytes = 512 * 1024

/** Imports what is in `staged.rows`, in a file that is attached to the connection, on all machines: all of it or none. */
export const importThroughLog = async (
  { client, write }: { client: Database; write: LogWrite },
  { files, ...input }: Import,
): Promise<Finished> => {
  const importId = newId(Date.now())
  for (const rows of slices(client)) await write('stageRows', { importId, rows })
  const described = files.map(([submission, added]): [string, string] => [submission, JSON.stringify(added)])
  for (let at = 0; at < described.length; at += maxDescribed)
    await write('stageRows', { importId: filesOf(importId), rows: described.slice(at, at + maxDescribed) })
  const finished = await write('finishImport', { importId, ...input, withFiles: files.length })
  await removeStaged(importId, write)
  return finished
}

/** Submissions whose files are described in one row of the log: each has up to 20, with names of some hundred bytes. */
const maxDescribed = 50

const removeStaged = async (importId: string, write: LogWrite): Promise<void> => {
  const slice = { from: importId, before: `${importId}${afterEveryId}`, maxRows: 2000 }
  try {
    while (await write('removeStagedRows', slice));
  } catch {
    // The import is done. What is left of it, a server removes a day later.
  }
}

function* slices(client: Database): Generator<StagedRow[], void> {
  const columns = importedNames.map((name) => `${submissions[name].name} AS ${name}`)
  const all = client.query<
    Record<(typeof importedNames)[number], string> & { notes: string | null; bytes: number },
    []
  >(
    `SELECT ${columns.join()}, notes, octet_length(data) + coalesce(octet_length(notes), 0) AS bytes FROM staged.rows ORDER BY id`,
  )
  let rows: StagedRow[] = []
  let size = 0
  for (const { bytes, notes, ...row } of all.iterate()) {
    if (rows.length > 0 && size + bytes > maxBytes) {
      yield rows
      rows = []
      size = 0
    }
    const own = importedNames.map((name) => row[name])
    rows.push((notes === null ? own : [...own, notes]) as unknown as StagedRow)
    size += bytes
  }
  if (rows.length > 0) yield rows
}

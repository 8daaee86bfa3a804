import { formReader } from '../../forms/form.ts'
import type { Connection } from '../../storage/open.ts'
import type { NewFile } from '../files/file-writes.ts'
import { type ListedForm, sameLists } from '../lists.ts'
import { stagedBytes } from '../stored-submission.ts'
import { levels } from '../tally.ts'
import { type AdoptedFiles, rowImporter } from './add-rows.ts'
import { importReads } from './import-reads.ts'
import { importStatements } from './import-statements.ts'

export interface Slice {
  readonly importId: string
  /** Unix milliseconds. */
  readonly now: number
  readonly maxRows: number
  readonly maxBytes: number
}

/** Each is a row of its own: 500 submissions with 100 each would keep other writes waiting for a hundred times as long. */
export const maxNotesInSlice = 5000

/** Each stretch of the upper level that gets a submission is counted anew: 16,384 rows. */
const maxStretches = 3

interface Range {
  readonly importId: string
  readonly first: string
  readonly last: string
}

/**
 * Returns a function that moves the next staged submissions of an import that is sure into the inbox, in the order of
 * their identifiers. After the last one, the import is done. Those that the form has are left as they are.
 */
export const sliceAdder = (db: Connection): ((slice: Slice) => boolean) => {
  const findForm = formReader(db)
  const { find } = importReads(db)
  const { setState, countAdded, addPage } = importStatements(db)
  const rows = stagedSlices(db)
  let importRows: ReturnType<typeof rowImporter> | undefined

  return ({ importId, now, ...limits }) => {
    const found = find(undefined, importId)
    const form = found?.state === 'adding' ? findForm(found.formId) : undefined
    // A deleted form takes its imports along.
    if (!found || !form) return false
    const slice = rows.next(form.number, importId, limits)
    if (!slice) {
      setState.run({ id: importId, state: 'done', report: found.report, finishedAt: now })
      return false
    }
    const { count, ...range } = slice
    rows.removePresent(form, range)
    const ids = rows.idsIn(range)
    importRows ??= rowImporter(db)
    const waiting = {
      rows: 'main.staged_rows WHERE import_id = ? AND id >= ? AND id <= ?',
      values: [importId, range.first, range.last],
    }
    if (ids.length > 0) {
      importRows({ formId: form.id, fieldNames: [], waiting, files: rows.filesIn(range, new Set(ids)) })
      addPage.run({ importId, page: found.done, ids: JSON.stringify(ids) })
    }
    rows.remove(range)
    countAdded.run({ id: importId, by: count, added: ids.length })
    return true
  }
}

const stagedSlices = ({ $client: client }: Connection) => {
  const inRange = 'import_id = +? AND id >= +? AND id <= +?'
  const next = client.prepare<{ id: string; bytes: number; notes: number }, [string, number]>(
    `SELECT id, ${stagedBytes} AS bytes, coalesce(json_array_length(notes), 0) AS notes FROM staged_rows
    WHERE import_id = +? ORDER BY id LIMIT +?`,
  )
  const stretch = client.prepare<{ id: string }, [number, string]>(
    `SELECT first_id AS id FROM tallies WHERE form = +? AND list = 0 AND level = ${levels[1].level} AND first_id > +?
    ORDER BY first_id LIMIT 1 OFFSET ${maxStretches - 1}`,
  )
  const idsIn = client.prepare<{ id: string }, string[]>(`SELECT id FROM staged_rows WHERE ${inRange} ORDER BY id`)
  const removePresent = client.prepare(
    `DELETE FROM staged_rows WHERE ${inRange} AND EXISTS (
      SELECT 1 FROM submissions AS s WHERE s.form = +? AND s.list IN (${sameLists}, +?) AND s.id = staged_rows.id)`,
  )
  const described = client.prepare<{ id: string; data: string }, string[]>(
    `SELECT id, data FROM staged_rows WHERE ${inRange} ORDER BY id`,
  )
  const staged = client.prepare<{ found: number }, [string, number]>(
    'SELECT 1 AS found FROM files WHERE id = +? AND staged_until IS NOT NULL AND size = +?',
  )
  const remove = client.prepare(`DELETE FROM staged_rows WHERE ${inRange}`)
  const valuesOf = ({ importId, first, last }: Range): [string, string, string] => [importId, first, last]
  const files = (range: Range): Range => ({ ...range, importId: `${range.importId} files` })

  return {
    /** The next submissions, as many as fit; at least one, however long it is. Undefined if none is left. */
    next(form: number, importId: string, { maxRows, maxBytes }: Pick<Slice, 'maxRows' | 'maxBytes'>) {
      const all = next.all(importId, maxRows)
      const first = all[0]?.id
      if (first === undefined) return undefined
      const end = stretch.get(form, first)?.id
      let last = first
      let count = 0
      let [bytes, notes] = [0, 0]
      for (const row of all) {
        bytes += row.bytes
        notes += row.notes
        const isFull = bytes > maxBytes || notes > maxNotesInSlice
        if (count > 0 && (isFull || (end !== undefined && row.id >= end))) break
        last = row.id
        count++
      }
      return { importId, first, last, count }
    },
    removePresent: ({ number, spamList }: ListedForm, range: Range): void =>
      void removePresent.run(...valuesOf(range), number, spamList),
    idsIn: (range: Range): string[] => idsIn.all(...valuesOf(range)).map(({ id }) => id),
    /** Files that are gone, because a server was off for days, are missing in their submissions. */
    filesIn: (range: Range, ids: ReadonlySet<string>): AdoptedFiles =>
      described
        .all(...valuesOf(files(range)))
        .filter(({ id }) => ids.has(id))
        .map(({ id, data }): AdoptedFiles[number] => [
          id,
          (JSON.parse(data) as NewFile[]).filter((file) => staged.get(file.id, file.size)),
        ]),
    remove(range: Range): void {
      remove.run(...valuesOf(range))
      remove.run(...valuesOf(files(range)))
    },
  }
}

import { and, asc, eq, exists, gte, lt, type Placeholder, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { invalid, notFound } from '../base/errors.ts'
import { formReader } from '../forms/form.ts'
import type { Connection, Db } from '../storage/open.ts'
import { param, params, stagedRows, submissions } from '../storage/tables.ts'
import { type AdoptedFiles, rowImporter } from './import-rows.ts'
import { isLong } from './pieces.ts'
import { type ImportedSubmission, importedNames } from './stored-submission.ts'

interface Rows {
  /** The import that they are a part of: an identifier made when it began. */
  readonly importId: string
  /** Submissions with all their data, however long it is, and their notes; or an identifier of one and its files, see `filesOf`. */
  readonly rows: readonly (StagedRow | readonly [id: string, data: string])[]
}

interface Finish {
  readonly importId: string
  readonly formId: string
  readonly fieldNames: readonly string[]
  /** How many rows were staged. */
  readonly count: number
  /** How many more were staged as rows of `filesOf`: submissions with files. */
  readonly withFiles?: number
}

interface Removal {
  /** The first identifier of an import. */
  readonly from: string
  /** The position after the last one. */
  readonly before: string
  readonly maxRows: number
}

export interface Finished {
  readonly imported: number
  /** Submissions that the form has already. They are left as they are. */
  readonly present: number
}

/** Its notes are JSON, see notes.ts; null or absent if it has none. */
export type StagedRow = readonly [...ImportedSubmission, notes?: string | null]

/** The owner of the rows of an import that describe files: an identifier of a submission, and a list of `NewFile`. */
export const filesOf = (importId: string): string => `${importId}/files`

export type ImportWrites = ReturnType<typeof importWrites>

/**
 * Imports a file in a cluster: its submissions come to all machines in rows of the log that are not too large, and wait
 * there until the last row adds them to the form.
 */
export const importWrites = (db: Connection) => {
  const findForm = formReader(db)
  // Hardly any machine ever needs it.
  let importRows: ReturnType<typeof rowImporter> | undefined
  const { insert, count, removePresent, described, oldest, remove } = statements(db)

  return {
    stageRows({ importId, rows }: Rows): void {
      for (const row of rows) {
        const [, data] = row
        const values = Object.fromEntries(importedNames.map((name, i) => [name, row[i] ?? null]))
        insert.run({ importId, ...values, isLong: isLong(data), notes: row[importedNames.length] ?? null })
      }
    },

    /**
     * Imports all that was staged, or none.
     *
     * @throws AppError `invalid` if some of it is gone
     */
    finishImport({ importId, formId, fieldNames, count: expected, withFiles = 0 }: Finish): Finished {
      const form = findForm(formId)
      if (!form) throw notFound('Form')
      const counted = [importId, filesOf(importId)].map((id) => count.get({ importId: id })?.count)
      if (counted[0] !== expected || counted[1] !== withFiles)
        throw invalid({
          message: 'the import took longer than a day, and what had come by then was removed; try again',
        })
      const present = removePresent.all({ importId, form: form.number, spam: form.spamList }).length
      const waiting = { rows: 'main.staged_rows WHERE import_id = ?', values: [importId] }
      const files = described
        .all({ importId, filesOf: filesOf(importId) })
        .map(({ id, data }): AdoptedFiles[number] => [id, JSON.parse(data)])
      importRows ??= rowImporter(db)
      return { imported: importRows({ formId, fieldNames, waiting, files }), present }
    },

    /**
     * Removes what was staged by imports that are over. To do that while one is finished would take as long again. Returns
     * true if there may be more.
     */
    removeStagedRows({ from, before, maxRows }: Removal): boolean {
      const rows = oldest.all({ from, before, maxRows })
      for (const row of rows) remove.run({ ...row })
      return rows.length === maxRows
    },
  }
}

const statements = (db: Db) => {
  const ofImport = eq(stagedRows.importId, param('importId'))
  const imported = Object.fromEntries(importedNames.map((name) => [name, param(name)])) as Record<
    (typeof importedNames)[number],
    Placeholder
  >
  const insert = db
    .insert(stagedRows)
    .values({ ...params('importId', 'isLong', 'notes'), ...imported })
    .onConflictDoNothing()
    .prepare()
  const count = db.select({ count: sql<number>`count(*)` }).from(stagedRows).where(ofImport).prepare()
  const sameSubmission = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(
      and(
        eq(submissions.form, param('form')),
        sql`${submissions.list} in (0, ${param('spam')})`,
        eq(submissions.id, stagedRows.id),
      ),
    )
  const removePresent = db
    .delete(stagedRows)
    .where(and(ofImport, exists(sameSubmission)))
    .returning({ number: stagedRows.number })
    .prepare()
  const ofFiles = alias(stagedRows, 'of_files')
  const described = db
    .select({ id: ofFiles.id, data: ofFiles.data })
    .from(ofFiles)
    .innerJoin(stagedRows, and(ofImport, eq(stagedRows.id, ofFiles.id)))
    .where(eq(ofFiles.importId, param('filesOf')))
    .orderBy(asc(ofFiles.id))
    .prepare()
  const oldest = db
    .select({ number: stagedRows.number })
    .from(stagedRows)
    .where(and(gte(stagedRows.importId, param('from')), lt(stagedRows.importId, param('before'))))
    .orderBy(asc(stagedRows.importId), asc(stagedRows.id))
    .limit(param('maxRows'))
    .prepare()
  const remove = db
    .delete(stagedRows)
    .where(eq(stagedRows.number, param('number')))
    .prepare()
  return { insert, count, removePresent, described, oldest, remove }
}

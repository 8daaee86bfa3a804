import { invalid, notFound, tooManyRequests } from '../../base/errors.ts'
import { accessIn } from '../../forms/access.ts'
import { fieldNameWrites } from '../../forms/field-names.ts'
import { trailWrites } from '../../forms/trail.ts'
import type { Connection } from '../../storage/open.ts'
import { isLong } from '../pieces.ts'
import { type StagedRow, stagedNames } from '../stored-submission.ts'
import { sliceAdder } from './add-slice.ts'
import { importReads, takeBackMilliseconds } from './import-reads.ts'
import { importStatements } from './import-statements.ts'
import { restRemoval, sliceRemover } from './take-back.ts'

interface NewImport {
  readonly id: string
  readonly userId: string
  readonly formId: string
  /** Name of this machine. */
  readonly node: string
  readonly report: string
}

interface Begun extends NewImport {
  /** Unix milliseconds. */
  readonly now: number
}

interface Planned extends NewImport {
  /** The file of the same identifier is given up from this moment on, in Unix milliseconds. */
  readonly keepUntil?: number
}

interface Rows {
  readonly importId: string
  /** Submissions with all their data, however long it is; or an identifier of one and its files, see `filesOf`. */
  readonly rows: readonly StagedRow[]
  /** Whether these describe files. */
  readonly areFiles?: boolean
}

interface Staged {
  readonly importId: string
  readonly fieldNames: readonly string[]
  readonly report: string
  /** How many rows were staged. */
  readonly count: number
  /** How many more were staged as rows of `filesOf`: submissions with files. */
  readonly withFiles?: number
  /** Unix milliseconds. */
  readonly now: number
}

interface Ended {
  readonly importId: string
  readonly formId: string
  readonly userId: string
  /** Unix milliseconds. */
  readonly now: number
}

/** The owner of the rows of an import that describe files: an identifier of a submission, and a list of `NewFile`. */
const filesOf = (importId: string): string => `${importId} files`

const retryAfterSeconds = 5

export type ImportWrites = ReturnType<typeof importWrites>

/**
 * Imports of files. All submissions of one are staged first, where no one sees them. Then `addStaged` makes it sure, and
 * `addSlice` brings them into the inbox: a part at a time, because a transaction with a million would keep all other
 * writes waiting. Whatever ends a server before, all of it is left out, and after it, none.
 */
export const importWrites = (db: Connection) => {
  const { findFormTo } = accessIn(db)
  const { addFieldNames } = fieldNameWrites(db)
  const note = trailWrites(db)
  const { find, findRunning } = importReads(db)
  const { insert, begin, insertRow, count, countStaged, setState, removeOne, keepFile } = importStatements(db)

  return {
    /** Keeps what a file was understood as, before anything of it is imported; again, if it is understood otherwise. */
    planImport({ id, userId, formId, node, report, keepUntil }: Planned): void {
      const form = findFormTo('import', userId, formId)
      if (keepUntil !== undefined) keepFile.run({ id, keepUntil })
      const found = find(form.number, id)
      if (found?.state === 'planned') return void setState.run({ id, state: 'planned', report, finishedAt: null })
      if (found) throw invalid({ message: 'the import was begun already' })
      insert.run({ id, form: form.number, userId, state: 'planned', node, report, beganAt: null, hasRest: true })
    },

    /**
     * Begins an import, one that was planned too: whoever does so is the one who imports.
     *
     * @throws AppError `rate_limited` while another one of the user is under way
     */
    beginImport({ id, userId, formId, node, report, now: beganAt }: Begun): void {
      const form = findFormTo('import', userId, formId)
      if (findRunning(userId)) throw tooManyRequests(retryAfterSeconds, 'one import of a user at a time')
      const planned = find(form.number, id)
      if (!planned)
        insert.run({ id, form: form.number, userId, state: 'staging', node, report, beganAt, hasRest: true })
      else if (planned.state === 'planned') begin.run({ id, userId, node, report, beganAt })
      else throw invalid({ message: 'the import was begun already' })
    },

    /** @throws AppError `not_found` if the import has ended: its form was deleted, or someone has cancelled it */
    stageRows({ importId, rows, areFiles = false }: Rows): void {
      if (find(undefined, importId)?.state !== 'staging') throw notFound('Import')
      const owner = areFiles ? filesOf(importId) : importId
      for (const row of rows) {
        const values = Object.fromEntries(stagedNames.map((name, i) => [name, row[i] ?? null]))
        insertRow.run({ importId: owner, ...values, isLong: isLong(row[1]) })
      }
      if (!areFiles) countStaged.run({ id: importId, by: rows.length })
    },

    /**
     * Makes an import sure: from here on, all that was staged comes into the inbox. `addSlice` has to follow.
     *
     * @throws AppError `not_found` if it has ended, `invalid` if some of it is gone
     */
    addStaged({ importId, report, fieldNames, count: expected, withFiles = 0, now: at }: Staged): void {
      const found = find(undefined, importId)
      if (found?.state !== 'staging') throw notFound('Import')
      const counted = [importId, filesOf(importId)].map((owner) => count.get({ importId: owner })?.count)
      if (counted[0] !== expected || counted[1] !== withFiles)
        throw invalid({ message: 'some of what was staged is gone; try again' })
      const form = findFormTo('import', found.userId, found.formId)
      addFieldNames(form, [{ fieldNames }])
      note(form.number, { userId: found.userId, at, what: 'imported', detail: importId, count: expected })
      setState.run({ id: importId, state: 'adding', report, finishedAt: null })
    },

    /** Adds a slice of an import that is sure. Returns whether more is left. */
    addSlice: sliceAdder(db),

    /**
     * Ends an import: a plan is forgotten, one that is not sure yet has failed, and what was added is taken back.
     * `removeSlice` has to follow.
     *
     * @throws AppError `not_found`, or `invalid` if it was done more than an hour ago
     */
    endImport({ importId, formId, userId, now }: Ended): void {
      const form = findFormTo('import', userId, formId)
      const found = find(form.number, importId)
      if (!found) throw notFound('Import')
      const { state, finishedAt, report } = found
      if (state === 'planned') removeOne.run({ id: importId })
      else if (state === 'staging') setState.run({ id: importId, state: 'failed', report, finishedAt: now })
      else if (state === 'adding' || state === 'done') {
        if (finishedAt !== null && now - finishedAt > takeBackMilliseconds)
          throw invalid({ message: 'the import was done more than an hour ago, and can no longer be taken back' })
        note(form.number, { userId, at: now, what: 'unimported', detail: importId, count: found.added })
        setState.run({ id: importId, state: 'removing', report, finishedAt })
      }
    },

    /** An import has failed while its rows were staged. */
    failImport({ importId, now }: Pick<Ended, 'importId' | 'now'>): void {
      const found = find(undefined, importId)
      if (found?.state === 'staging')
        setState.run({ id: importId, state: 'failed', report: found.report, finishedAt: now })
    },

    /** Removes a slice of what an import has added that is taken back. Returns whether more is left. */
    removeSlice: sliceRemover(db),

    /** Removes a slice of what is left of an import that has ended. Returns whether more is left. */
    removeRest: restRemoval(db),
  }
}

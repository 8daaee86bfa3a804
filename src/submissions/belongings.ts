import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { confirmRows } from './confirm/confirm-rows.ts'
import { handlingRemoval, movedHandling } from './handling-writes.ts'
import { claimWrites } from './limits/claim-writes.ts'
import { type ListName, placeLists } from './lists.ts'
import { noteRemoval } from './note-writes.ts'
import { noteReads } from './notes.ts'
import { lessonRows } from './spam/lesson-writes.ts'
import type { StoredSubmission } from './stored-submission.ts'
import { unreadWrites } from './unread-writes.ts'

/** Rows about submissions, which follow these and go with them. */
interface Belonging {
  /** @param from the list that they were in; null if no one counts it any more, because its form was deleted */
  remove(form: Pick<Form, 'number' | 'lessonChanges'>, ids: Iterable<string>, from: ListName | null): void
  /** @param isBack whether it was in `to` before, or was never taken for spam */
  move?(form: number, id: string, from: ListName, to: ListName, isBack: boolean): void
  /** They may be older than what a job has seen. @param first identifier of the oldest @param all reads them, oldest first */
  imported?(form: Form, first: string, all: () => Iterable<Pick<StoredSubmission, 'id' | 'data'>>): void
}

const belongingsOf = (db: Db): readonly Belonging[] => {
  const unread = unreadWrites(db)
  const removeHandling = handlingRemoval(db)
  const moveHandling = movedHandling(db)
  const claims = claimWrites(db)
  const lessons = lessonRows(db)
  const confirmed = confirmRows(db)
  return [
    {
      remove: ({ number }, ids, from) => unread.removed(number, from, ids),
      move(form, id, from, to, isBack) {
        if (to === 'inbox') unread.movedToInbox(form, id, isBack)
        else if (from === 'inbox') unread.movedToSpam(form, id)
      },
    },
    {
      remove: ({ number }, ids, from) => removeHandling(number, from, ids),
      move: (form, id, _, to) => moveHandling(form, to, id),
    },
    {
      remove: ({ number }, ids, from) => (from === null || placeLists.includes(from)) && claims.free(number, ids),
      move: (form, id, _, to) => !placeLists.includes(to) && claims.free(form, [id]),
      // Also where no place is left.
      imported(form, first, all) {
        const taking = claims.open(form)
        if (!taking) return
        for (const { id, data } of all()) taking.take(id, taking.placesIn(data))
        taking.write()
        claims.readAgain(form.number, first)
      },
    },
    // What was deleted as spam still teaches.
    { remove: (form, ids, from) => from === 'inbox' && lessons.remove(form, ids) },
    { remove: ({ number }, ids) => confirmed.remove(number, ids) },
  ]
}

/** Rows of which a submission may have many, with the bytes of a long one in Latin letters: they are removed in slices. */
const many = [{ table: 'notes', rowBytes: 2048, open: (db: Db) => ({ ...noteReads(db), remove: noteRemoval(db) }) }]

/** SQL: the bytes of these, of a row of `submissions`. */
export const bytesOfMany = many
  .map(
    ({ table, rowBytes }) => `${rowBytes} * (
    SELECT count(*) FROM ${table} WHERE ${table}.form = submissions.form AND ${table}.submission = submissions.id)`,
  )
  .join(' + ')

/** What belongs to submissions. Must run in the transaction that moves or removes these, and after that. */
export const submissionBelongings = oncePerConnection((db: Db) => {
  const all = belongingsOf(db)
  const inSlices = many.map(({ open, rowBytes }) => ({ ...open(db), rowBytes }))
  const remove: Belonging['remove'] = (...removed) => {
    for (const one of all) one.remove(...removed)
  }

  return {
    /** Removes all but that of which one may have many. */
    remove,

    move(...moved: Parameters<NonNullable<Belonging['move']>>): void {
      for (const one of all) one.move?.(...moved)
    },

    imported(...added: Parameters<NonNullable<Belonging['imported']>>): void {
      for (const one of all) one.imported?.(...added)
    },

    /** The returned function says whether a submission of the form has something that is removed in slices. */
    manyIn(form: number): (id: string) => boolean {
      const some = inSlices.filter(({ areIn }) => areIn(form))
      return (id) => some.some(({ countOf }) => countOf(form, id) > 0)
    },

    /** Returns how many bytes it had. */
    removeMany: (form: number, id: string): number =>
      inSlices.reduce((bytes, one) => bytes + one.remove(form, id) * one.rowBytes, 0),

    /** Removes everything of submissions whose list was deleted as a whole, or with its form. */
    removeWith(form: number, ids: readonly string[], from: 'spam' | null): void {
      remove({ number: form, lessonChanges: 0 }, ids, from)
      for (const one of inSlices) if (one.areIn(form)) for (const id of ids) one.remove(form, id)
    },
  }
})

import type { FormTo } from '../forms/access.ts'
import type { Db } from '../storage/open.ts'
import { confirmReads } from './confirm/confirm-reads.ts'
import { handlingReads } from './handling.ts'
import { limitReads } from './limits/limit-reads.ts'
import { noteReads } from './notes.ts'
import type { StoredSubmission } from './stored-submission.ts'

/** What is known of a submission of the inbox beside what was sent. Its page shows all of it, the API each by itself. */
export type AboutSubmission = ReturnType<ReturnType<typeof aboutReader>>

/** Each member is read when it is asked for, in the turn of the event loop in which the submission was found. */
export const aboutReader = (db: Db) => {
  const { findHandling } = handlingReads(db)
  const { listNotes } = noteReads(db)
  const { firstBefore } = limitReads(db)
  const { recordOf } = confirmReads(db)
  return (form: FormTo<'read'>, { id }: StoredSubmission) => ({
    get handling() {
      return findHandling(form, id)
    },
    /** Oldest first. */
    get notes() {
      return listNotes(form, id)
    },
    /** Others that had the same values first, by name of the field. */
    get first() {
      return firstBefore(form, id)
    },
    /** Of a confirmed address, if there is one. */
    get record() {
      return recordOf(form, id)
    },
  })
}

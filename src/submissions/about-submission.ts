import type { FormTo } from '../forms/access.ts'
import type { Db } from '../storage/open.ts'
import { confirmReads } from './confirm/confirm-reads.ts'
import { handlingReads } from './handling.ts'
import { limitReads } from './limits/limit-reads.ts'
import { noteReads } from './notes.ts'

/** What is known of a submission of the inbox beside what was sent. Its page shows all of it. */
export type AboutSubmission = ReturnType<ReturnType<typeof aboutReader>>

export const aboutReader = (db: Db) => {
  const { findHandling } = handlingReads(db)
  const { listNotes } = noteReads(db)
  const { firstBefore } = limitReads(db)
  const { recordOf } = confirmReads(db)
  return (form: FormTo<'read'>, id: string) => ({
    handling: findHandling(form, id),
    notes: listNotes(form, id),
    /** Others that had the same values first, by name of the field. */
    first: firstBefore(form, id),
    /** Of a confirmed address, if there is one. */
    record: recordOf(form, id),
  })
}

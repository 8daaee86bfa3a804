import { notFound } from '../base/errors.ts'
import type { ListPage } from '../base/list-page.ts'
import type { FormTo } from '../forms/access.ts'
import type { Db } from '../storage/open.ts'
import { bounds, type DateRange } from './date-range.ts'
import { handlingReads } from './handling.ts'
import { countOf, inboxOf, type ListName, listOf, whereIs } from './lists.ts'
import { type NoteCounts, noteReads } from './notes.ts'
import type { HandlingState } from './states.ts'
import { type FoundSubmissions, type Place, submissionReads } from './submission-reads.ts'
import { unreadReads } from './unread.ts'

/** The functions of the store of submissions that find and list them. */
export const submissionFinder = (db: Db) => {
  const { findRow, listRows, listUnreadRows, findNewestRow, findPlace, pieceReader } = submissionReads(db)
  const { listState } = handlingReads(db)
  const { countNotes } = noteReads(db)
  const { findUnread } = unreadReads(db)

  return {
    /** Spam is also what is held beside it. @throws AppError `not_found` */
    findSubmission(form: FormTo<'read'>, name: ListName, id: string) {
      const where = whereIs(form, name, (held) => findRow(held, id))
      const list = listOf(form, where)
      const found = findRow(list, id)
      if (!found) throw notFound('Submission')
      return { formId: form.id, submissions: [found] as const, readPiece: pieceReader(list) } satisfies FoundSubmissions
    },

    /** Finds those of the submissions that are in the list, in the same order. */
    findSubmissions(form: FormTo<'read'>, name: ListName, ids: readonly string[]): FoundSubmissions {
      const list = listOf(form, name)
      const rows = ids.map((id) => findRow(list, id)).filter((row) => row !== undefined)
      return { formId: form.id, submissions: rows, readPiece: pieceReader(list) }
    },

    /** One page. `total` counts the submissions on all pages. */
    listSubmissions(
      form: FormTo<'read'>,
      name: ListName,
      page: ListPage,
      range: DateRange,
    ): FoundSubmissions & { readonly total: number } {
      const list = listOf(form, name)
      const { total, rows } = listRows(list, countOf(form, name), page, range)
      return { formId: form.id, submissions: rows, total, readPiece: pieceReader(list) }
    },

    /** Lists the submissions of the inbox that the user has not read. */
    listUnread(
      form: FormTo<'read'>,
      userId: string,
      page: ListPage,
      range: DateRange,
    ): FoundSubmissions & { readonly total: number } {
      const list = inboxOf(form.number)
      const { total, rows } = listUnreadRows(list, form.submissionCount, page, range, findUnread(form, userId))
      return { formId: form.id, submissions: rows, total, readPiece: pieceReader(list) }
    },

    /** Undefined if there is none. */
    findNewest(form: FormTo<'read'>): FoundSubmissions | undefined {
      const list = inboxOf(form.number)
      const found = form.submissionCount === 0 ? undefined : findNewestRow(list)
      return found && { formId: form.id, submissions: [found], readPiece: pieceReader(list) }
    },

    countNotes: (form: FormTo<'read'>, ids: readonly string[]): NoteCounts => countNotes(form, ids),

    /** A part of those that are open, or done. @param before what follows this identifier; empty to begin */
    listHandled(
      form: FormTo<'read'>,
      state: HandlingState,
      { before, limit }: { readonly before: string; readonly limit: number },
      range: DateRange,
    ): FoundSubmissions & { readonly next: string | null } {
      const list = inboxOf(form.number)
      const ends = bounds(range)
      const end = before !== '' && before < ends.before ? before : ends.before
      const { ids, next } = listState(form, state, { from: ends.from, before: end, limit })
      const rows = ids.flatMap((id) => [findRow(list, id)].filter((row) => row !== undefined))
      return { formId: form.id, submissions: rows, next, readPiece: pieceReader(list) }
    },

    /** Where a submission stands in its list. */
    findPlace: (form: FormTo<'read'>, name: ListName, id: string): Place =>
      findPlace(listOf(form, name), countOf(form, name), id),
  }
}

import { and, eq, gte, lte } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import type { Reader } from '../db/reader.ts'
import { param, submissions } from '../db/tables.ts'
import type { Writer } from '../db/writer/writer.ts'
import { notFound } from '../errors.ts'
import { type Form, formOwnership } from '../forms/ownership.ts'
import { spamCounter } from '../forms/spam-count.ts'
import type { ListPage } from '../list-page.ts'
import { keptResult, type Repeatable } from '../once/once.ts'
import type { DateRange } from '../submissions/date-range.ts'
import { tooOldBefore } from '../submissions/retention.ts'
import { type FoundSubmissions, type StoredSubmission, submissionReads } from '../submissions/submission-reads.ts'
import type { NewSpam, SpamWrites } from './spam-writes.ts'

export type SpamStore = ReturnType<typeof openSpamStore>

interface Options {
  readonly reader: Reader
  readonly findForm: (id: string) => Form | undefined
  readonly writer: Writer<SpamWrites>
  readonly now: () => number
  /** Called after something was deleted whose rows still have to be removed. */
  readonly onDeleted: () => void
  /** Called after a submission was accepted of which somebody is to be told. */
  readonly onDue: () => void
}

/** Why a submission is spam: the signal that it was judged by, or `marked` by the owner. */
export type Reason = NonNullable<(typeof submissions.$inferSelect)['reason']>

/** Newest first. */
export interface FoundSpam extends FoundSubmissions {
  reasonOf(id: string): Reason
}

/** Throws the AppErrors `not_found` and `forbidden` (another user's form). */
export const openSpamStore = ({ reader, findForm, writer, now, onDeleted, onDue }: Options) => {
  const { findOwnForm } = formOwnership(findForm)
  const { findRow, listRows, pieceReader, countBefore } = submissionReads(reader.db)
  const reasonsBetween = reasonStatement(reader.db)
  const countSpam = spamCounter(reader.db)

  const withReasons = (formId: string, spamForm: number, rows: readonly StoredSubmission[]): FoundSpam => {
    const [newest] = rows
    const from = rows.at(-1)?.[0]
    const reasons = newest ? reasonsBetween.all({ form: spamForm, from, to: newest[0] }) : []
    const reasonOf = new Map(reasons.map(({ id, reason }) => [id, reason]))
    return {
      formId,
      submissions: rows,
      readPiece: pieceReader(spamForm),
      reasonOf: (id) => reasonOf.get(id) ?? 'marked',
    }
  }

  return {
    /** Returns the same as `createSubmission`. */
    async createSpam(spam: NewSpam, repeatable?: Repeatable): Promise<string> {
      const first = await writer.run('createSpam', spam, spam.data.length)
      return keptResult(first, repeatable) ?? spam.id
    },

    findSpam(userId: string, formId: string, id: string): FoundSpam {
      const { spamForm } = findOwnForm(userId, formId)
      const found = spamForm === null ? undefined : findRow(spamForm, id)
      if (spamForm === null || !found) throw notFound('Submission')
      return withReasons(formId, spamForm, [found])
    },

    /** One page. `total` counts the spam on all pages. */
    listSpam(userId: string, formId: string, page: ListPage, range: DateRange): FoundSpam & { readonly total: number } {
      const form = findOwnForm(userId, formId)
      const { spamForm } = form
      if (spamForm === null) return { ...withReasons(formId, 0, []), total: 0 }
      const { total, rows } = listRows(spamForm, countSpam(form), page, range)
      return { ...withReasons(formId, spamForm, rows), total }
    },

    /**
     * How much spam of a form was sent more than so many days ago. If they become its setting `spamDays`, it is deleted, except
     * for what was marked since then.
     */
    countOlder: ({ spamForm }: Form, spamDays: number): number =>
      spamForm === null ? 0 : countBefore(spamForm, tooOldBefore(spamDays, now())),

    async acceptSpam(userId: string, formId: string, id: string): Promise<void> {
      const isTelling = await writer.run('acceptSpam', { userId, formId, id, now: now() })
      if (isTelling) onDue()
    },

    markSpam: (userId: string, formId: string, id: string): Promise<void> =>
      writer.run('markSpam', { userId, formId, id, now: now() }),

    async deleteSpam(userId: string, formId: string, ids: readonly string[]): Promise<void> {
      const isMoreLeft = await writer.run('deleteSpam', { userId, formId, ids })
      if (isMoreLeft) onDeleted()
    },

    /** Returns how much there was. */
    async deleteAllSpam(userId: string, formId: string): Promise<number> {
      const deleted = await writer.run('deleteAllSpam', { userId, formId, now: now() })
      if (deleted > 0) onDeleted()
      return deleted
    },
  }
}

/** On its own, because lists of submissions that are none need no reason. */
const reasonStatement = (db: Db) =>
  db
    .select({ id: submissions.id, reason: submissions.reason })
    .from(submissions)
    .where(
      and(eq(submissions.form, param('form')), gte(submissions.id, param('from')), lte(submissions.id, param('to'))),
    )
    .prepare()

import { and, asc, desc, eq, gte, lt, notExists, type SQL } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { FormTo, Readable } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { openedSubmissions, param, submissions, unreadMarks } from '../storage/tables.ts'
import { inboxOf, inList } from './lists.ts'
import { tallyReads } from './tally.ts'

// A submission is unread to a person until that person opened it. A row for each form and person stores one identifier: what
// is less has been read. What is not less is unread, except for submissions that are stored one by one, because they were
// opened while older ones were unread. So a person who reads everything has one row, and a submission that arrives writes
// nothing.
//
// The identifier is compared and never looked up, so its submission may be deleted. When the clock was set back, a submission
// may get an identifier that is less. Then it moves back to that one: some that were read are unread again, but none is
// missed. It is never greater than the form's latest identifier allows, so an identifier that is greater needs no look.

/** The unread submissions of a person in the inbox of a form. */
export interface Unread {
  readonly userId: string
  /** Unread are those from this identifier on, */
  readonly from: string
  /** except for these, newest first. */
  readonly without: readonly string[]
}

/** The marks of what one person has read of a form. */
export interface ReadMarks {
  readonly unreadFrom: string
  readonly openedCount: number
}

/** The marks of an owner who has read nothing yet. */
const nothingRead: ReadMarks = { unreadFrom: '', openedCount: 0 }

/** The boundary when everything up to this submission has been read. */
export const boundaryAfter = (submissionId: string): string => submissionId + afterEveryId

/** The one of two identifiers or boundaries that sorts after the other. */
export const later = (one: string, other: string): string => [one, other].sort()[1] as string

type ReadForm = Pick<Form, 'number' | 'latestId' | 'submissionCount'>

export type UnreadReads = ReturnType<typeof unreadReads>

/**
 * Reads what is unread to a person in the inbox of a form. All of it takes as long with a million submissions as with
 * one.
 */
export const unreadReads = oncePerConnection((db: Db) => {
  const { countBefore } = tallyReads(db)
  const { marksOfUser, openedBetween, older, newer } = readStatements(db)
  const marksOfAll = marksOfForms(db)
  const marksOf = (form: number, userId: string): ReadMarks => marksOfUser.get({ form, userId }) ?? nothingRead
  const openedIn = (form: number, userId: string, from: string, to: string): string[] =>
    openedBetween.all({ form, userId, from, to }).map(({ id }) => id)

  /** The returned function tells what the person has read of one of these forms. */
  const marksIn = (forms: readonly Readable<'number'>[], userId: string) => {
    const numbers = JSON.stringify(forms.map(({ number }) => number))
    const found = marksOfAll.all({ userId, forms: numbers })
    const byForm: Readonly<Record<number, ReadMarks>> = Object.fromEntries(found.map((marks) => [marks.form, marks]))
    return ({ number }: Readable<'number'>): ReadMarks => byForm[number] ?? nothingRead
  }

  const countUnread = (form: ReadForm, { unreadFrom, openedCount }: ReadMarks): number => {
    if (form.submissionCount === 0 || form.latestId < unreadFrom) return 0
    const read = unreadFrom === '' ? 0 : countBefore(inboxOf(form.number), unreadFrom)
    return form.submissionCount - read - openedCount
  }
  const unreadAmong = (
    form: Pick<Form, 'number'>,
    userId: string,
    { unreadFrom, openedCount }: ReadMarks,
    ids: readonly string[],
  ): ReadonlySet<string> => {
    const after = ids.filter((id) => id >= unreadFrom)
    const [newest, oldest] = [after[0], after.at(-1)]
    if (openedCount === 0 || newest === undefined || oldest === undefined) return new Set(after)
    const opened = new Set(openedIn(form.number, userId, oldest, boundaryAfter(newest)))
    return new Set(after.filter((id) => !opened.has(id)))
  }

  return {
    countUnread: (form: FormTo<'read'>, userId: string): number => countUnread(form, marksOf(form.number, userId)),

    /** Finds those of the submissions of the inbox that are unread. @param ids newest first */
    unreadAmong: (form: FormTo<'read'>, userId: string, ids: readonly string[]): ReadonlySet<string> =>
      unreadAmong(form, userId, marksOf(form.number, userId), ids),

    /** Finds those that are unread, and counts the unread ones in the whole inbox. */
    findUnreadOf(form: FormTo<'read'>, userId: string, ids: readonly string[]) {
      const marks = marksOf(form.number, userId)
      return { unread: unreadAmong(form, userId, marks, ids), unreadCount: countUnread(form, marks) }
    },

    /** The returned function counts what is unread in one of these forms, whose marks are read at once. */
    unreadCounter(forms: readonly Readable<'number'>[], userId: string): (form: Readable<keyof ReadForm>) => number {
      const marks = marksIn(forms, userId)
      return (form) => countUnread(form, marks(form))
    },

    marksIn,

    /** Finds those of the submissions that the person has opened one by one. @param ids newest first */
    openedAmong: ({ number }: Readable<'number'>, userId: string, ids: readonly string[]): ReadonlySet<string> =>
      new Set(openedIn(number, userId, ids.at(-1) ?? '', boundaryAfter(ids[0] ?? ''))),

    findUnread(form: FormTo<'read'>, userId: string): Unread {
      const { unreadFrom } = marksOf(form.number, userId)
      return { userId, from: unreadFrom, without: openedIn(form.number, userId, unreadFrom, afterEveryId) }
    },

    /** The unread submissions before and after this one, which need not exist. */
    findUnreadNeighbours(form: FormTo<'read'>, userId: string, id: string) {
      const { unreadFrom } = marksOf(form.number, userId)
      const place = { ...inboxOf(form.number), userId }
      return {
        older: older.get({ ...place, from: unreadFrom, to: id })?.id,
        newer: newer.get({ ...place, from: id < unreadFrom ? unreadFrom : boundaryAfter(id), to: afterEveryId })?.id,
      }
    },
  }
})

/** The rows of the person and the form that a statement gets as its parameters. */
export const ofReader = (table: typeof unreadMarks | typeof openedSubmissions): SQL | undefined =>
  and(eq(table.form, param('form')), eq(table.userId, param('userId')))

/** Whether a submission is not one of those that a person has opened one by one. */
export const isUnopened = (db: Db): SQL =>
  notExists(
    db
      .select({ id: openedSubmissions.submission })
      .from(openedSubmissions)
      .where(and(ofReader(openedSubmissions), eq(openedSubmissions.submission, submissions.id))),
  )

/** Selects such submissions of the inbox between two identifiers. */
export const unopened = (db: Db) =>
  db
    .select({ id: submissions.id })
    .from(submissions)
    .where(
      and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('to')), isUnopened(db)),
    )

const readStatements = (db: Db) => {
  const marksOfUser = db
    .select({ unreadFrom: unreadMarks.unreadFrom, openedCount: unreadMarks.openedCount })
    .from(unreadMarks)
    .where(ofReader(unreadMarks))
    .prepare()
  const older = unopened(db).orderBy(desc(submissions.id)).limit(1).prepare()
  const newer = unopened(db).orderBy(asc(submissions.id)).limit(1).prepare()
  return { marksOfUser, openedBetween: openedBetween(db), older, newer }
}

const marksOfForms = statement(
  `SELECT form, unread_from, opened_count FROM json_each($forms) JOIN unread_marks ON form = value AND user_id = $userId`,
  { form: unreadMarks.form, unreadFrom: unreadMarks.unreadFrom, openedCount: unreadMarks.openedCount },
)

/** Selects what a person has opened one by one and is in the inbox, newest first. */
export const openedBetween = statement(
  `SELECT opened.submission
  FROM opened_submissions AS opened
    JOIN submissions ON submissions.form = opened.form AND list = 0 AND submissions.id = opened.submission
  WHERE opened.form = $form AND user_id = $userId AND opened.submission >= $from AND opened.submission < $to
  ORDER BY opened.submission DESC`,
  { id: openedSubmissions.submission },
)

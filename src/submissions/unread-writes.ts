import { and, asc, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { forms, given, openedSubmissions, param, params, submissions, unreadMarks } from '../storage/tables.ts'
import { inboxOf, inList, type ListName } from './lists.ts'
import { boundaryAfter, later, ofReader, type ReadMarks, unopened } from './unread.ts'

type ReadForm = Pick<Form, 'number' | 'userId' | 'latestId'>

interface UserMarks extends ReadMarks {
  readonly userId: string
}

/**
 * Submissions that a person may have opened while an older one is unread. With one more, the oldest unread ones count as read.
 * It bounds the rows, and the time that it takes to pass over them.
 */
export const maxOpened = 2000

/** Keeps what each person has read of a form. Must run in the transaction that adds, moves or removes submissions, after that. */
export const unreadWrites = oncePerConnection((db: Db) => {
  const { readers, save, firstUnread, nthOpened, ...statements } = writeStatements(db)
  const { find, between, insertOpened, hasOpened, countOpened, removeOpened, removeOpenedBefore, latestOf } = statements
  const { count, lower, limit, hasAnyOpened } = statements

  const latestId = (form: number): string => latestOf.get({ form })?.latestId ?? ''
  const readersOf = (form: number): UserMarks[] => readers.all({ form })
  const marksOf = (form: number, userId: string): UserMarks =>
    readersOf(form).find((reader) => reader.userId === userId) ?? { userId, unreadFrom: '', openedCount: 0 }

  const firstOf = (form: number, { userId, unreadFrom }: UserMarks): string | undefined =>
    firstUnread.get({ ...inboxOf(form), userId, from: unreadFrom, to: afterEveryId })?.id

  /** Moves the boundary to the first unread submission, or further, and removes the rows of those before it. */
  const advance = (form: number, reader: UserMarks, atLeast = ''): void => {
    const { userId, openedCount } = reader
    const excess = openedCount - maxOpened
    const given = excess > 0 ? boundaryAfter(nthOpened.get({ form, userId, offset: excess - 1 })?.id ?? '') : atLeast
    const from = later(given, reader.unreadFrom)
    const unreadFrom = firstOf(form, { ...reader, unreadFrom: from }) ?? boundaryAfter(latestId(form))
    const passed = countOpened.get({ form, userId, end: unreadFrom })?.count ?? 0
    removeOpenedBefore.run({ form, userId, end: unreadFrom })
    save.run({ form, userId, unreadFrom, openedCount: openedCount - passed })
  }

  /**
   * Moves the boundary back to a submission that is unread again, and stores that those after it were read. If they are too
   * many, it counts as read: then it returns false.
   */
  const comeBack = (
    form: number,
    { userId, unreadFrom, openedCount }: UserMarks,
    id: string,
    most: number,
  ): boolean => {
    const place = { ...inboxOf(form), from: boundaryAfter(id), to: unreadFrom }
    const read = between.all({ ...place, limit: most + 1 })
    if (read.length > most) return false
    for (const one of read) insertOpened.run({ form, userId, id: one.id })
    save.run({ form, userId, unreadFrom: id, openedCount: openedCount + read.length })
    return true
  }

  /** Puts the boundary of each reader where it allows the form's latest submission to be compared with it. */
  const limitTo = (form: number): void => void limit.run({ form, end: boundaryAfter(latestId(form)) })

  return {
    /** Submissions that are no longer in the inbox are passed over. */
    markRead({ number: form }: Pick<Form, 'number'>, userId: string, ids: Iterable<string>): void {
      const reader = marksOf(form, userId)
      let opened = 0
      for (const id of new Set(ids)) {
        if (id < reader.unreadFrom || !find.get({ ...inboxOf(form), id })) continue
        if (insertOpened.get({ form, userId, id })) opened++
      }
      if (opened > 0) advance(form, { ...reader, openedCount: reader.openedCount + opened })
    },

    /**
     * Makes submissions unread again, and returns how many. Those that are no longer in the inbox are passed over, and so is one
     * after which more were read than `maxOpened`.
     */
    markUnread({ number: form }: Pick<Form, 'number'>, userId: string, ids: readonly string[]): number {
      let marked = 0
      // Newest first: the boundary goes back from one to the next.
      for (const id of [...new Set(ids)].sort().reverse()) {
        if (!find.get({ ...inboxOf(form), id })) continue
        const reader = marksOf(form, userId)
        if (id < reader.unreadFrom) {
          // After all that are older, no fewer were read.
          if (!comeBack(form, reader, id, maxOpened - reader.openedCount)) break
          marked++
        } else if (removeOpened.get({ form, userId, id })) {
          count.run({ form, userId, by: -1 })
          marked++
        }
      }
      return marked
    },

    /** All up to this submission, which may have been deleted. */
    markAllRead({ number: form, latestId: latest }: ReadForm, userId: string, upTo: string): void {
      const reader = marksOf(form, userId)
      const boundary = boundaryAfter(upTo < latest ? upTo : latest)
      if (boundary > reader.unreadFrom) advance(form, reader, boundary)
    },

    /** For what has an identifier that is less than others: the clock was set back. */
    added: (form: number, oldest: string): void => void lower.run({ form, oldest }),

    /** Takes deleted submissions out of the marks. */
    removed(form: number, from: ListName | null, ids: Iterable<string>): void {
      const all = readersOf(form)
      if (all.length === 0) return
      // Of many people, hardly any has opened what is newer than something unread.
      for (const { userId } of all.filter((reader) => hasAnyOpened.get({ form, userId: reader.userId })))
        for (const id of ids)
          if (removeOpened.get({ form, userId, id }) && from === 'inbox') count.run({ form, userId, by: -1 })
      if (from === 'inbox') limitTo(form)
    },

    /**
     * Keeps that a submission was read when it is moved to the spam: as long as it is there, a row says so, and it can
     * come back as it was.
     */
    movedToSpam(form: number, id: string): void {
      const all = readersOf(form)
      if (all.length === 0) return
      for (const { userId, unreadFrom } of all) {
        if (hasOpened.get({ form, userId, id })) count.run({ form, userId, by: -1 })
        else if (id < unreadFrom) insertOpened.run({ form, userId, id })
      }
      limitTo(form)
    },

    /** Restores the marks of a submission that is moved to the inbox. @param wasThere whether it comes back */
    movedToInbox(form: number, id: string, wasThere: boolean): void {
      for (const reader of readersOf(form)) {
        const { userId, unreadFrom, openedCount } = reader
        const isRead = hasOpened.get({ form, userId, id })
        if (isRead && id < unreadFrom) removeOpened.run({ form, userId, id })
        else if (isRead) count.run({ form, userId, by: 1 })
        else if (wasThere && id < unreadFrom) comeBack(form, reader, id, maxOpened - openedCount)
      }
    },

    /** People to whom nothing is unread. */
    withoutUnread(form: ReadForm): readonly string[] {
      const all = readersOf(form.number)
      const owner = form.userId
      if (owner !== null && !all.some(({ userId }) => userId === owner)) all.push(marksOf(form.number, owner))
      return all.filter((reader) => firstOf(form.number, reader) === undefined).map(({ userId }) => userId)
    },

    /** All that the form has now has been read by these. */
    keepRead(form: number, userIds: readonly string[]): void {
      for (const userId of userIds) advance(form, marksOf(form, userId), boundaryAfter(latestId(form)))
    },
  }
})

const writeStatements = (db: Db) => {
  const ofForm = eq(unreadMarks.form, param('form'))
  const readers = db
    .select({
      userId: unreadMarks.userId,
      unreadFrom: unreadMarks.unreadFrom,
      openedCount: unreadMarks.openedCount,
    })
    .from(unreadMarks)
    .where(ofForm)
    .orderBy(asc(unreadMarks.userId))
    .prepare()
  const count = db
    .update(unreadMarks)
    .set({ openedCount: sql`${unreadMarks.openedCount} + ${param('by')}` })
    .where(ofReader(unreadMarks))
    .prepare()
  const lower = db
    .update(unreadMarks)
    .set({ unreadFrom: given('oldest') })
    .where(and(ofForm, gt(unreadMarks.unreadFrom, param('oldest'))))
    .prepare()
  const limit = db
    .update(unreadMarks)
    .set({ unreadFrom: given('end') })
    .where(and(ofForm, gt(unreadMarks.unreadFrom, param('end'))))
    .prepare()
  const find = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  const between = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('to'))))
    .limit(param('limit'))
    .prepare()
  const latestOf = db
    .select({ latestId: forms.latestId })
    .from(forms)
    .where(eq(forms.number, param('form')))
    .prepare()
  const firstUnread = unopened(db).orderBy(asc(submissions.id)).limit(1).prepare()
  return {
    readers,
    save: save(db),
    count,
    lower,
    limit,
    find,
    between,
    latestOf,
    firstUnread,
    ...openedStatements(db),
  }
}

const openedStatements = (db: Db) => {
  const opened = { id: openedSubmissions.submission }
  const ofUser = ofReader(openedSubmissions)
  const one = and(ofUser, eq(openedSubmissions.submission, param('id')))
  const insertOpened = db
    .insert(openedSubmissions)
    .values({ ...params('form', 'userId'), submission: param('id') })
    .onConflictDoNothing()
    .returning(opened)
    .prepare()
  const hasOpened = db.select(opened).from(openedSubmissions).where(one).prepare()
  const removeOpened = db.delete(openedSubmissions).where(one).returning(opened).prepare()
  const hasAnyOpened = db.select(opened).from(openedSubmissions).where(ofUser).limit(1).prepare()
  return {
    insertOpened,
    hasOpened,
    hasAnyOpened,
    nthOpened: nthOpened(db),
    countOpened: countOpened(db),
    removeOpened,
    removeOpenedBefore: removeOpenedBefore(db),
  }
}

const save = statement(`
  INSERT INTO unread_marks (form, user_id, unread_from, opened_count)
  VALUES ($form, $userId, $unreadFrom, $openedCount)
  ON CONFLICT (form, user_id) DO UPDATE SET unread_from = excluded.unread_from, opened_count = excluded.opened_count`)

// What is in the spam keeps its rows, and is not counted. Not joined: SQLite would go through all submissions before the
// boundary.
const openedInInbox = `opened_submissions WHERE opened_submissions.form = $form AND user_id = $userId AND EXISTS (
    SELECT 1 FROM submissions
    WHERE submissions.form = opened_submissions.form AND list = 0 AND submissions.id = submission)`
const nthOpened = statement(`SELECT submission FROM ${openedInInbox} ORDER BY submission LIMIT 1 OFFSET $offset`, {
  id: openedSubmissions.submission,
})
const countOpened = statement(`SELECT count(*) AS count FROM ${openedInInbox} AND submission < $end`, {
  count: computed<number>(),
})
const removeOpenedBefore = statement(`DELETE FROM ${openedInInbox} AND submission < $end`)

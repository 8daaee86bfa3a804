import { and, asc, desc, eq, gt, gte, lt, lte } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { FormTo, Readable } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { handling, literal, param, submissions, users } from '../storage/tables.ts'
import { inboxOf, inList } from './lists.ts'

export const handlingStates = ['open', 'done'] as const
export type HandlingState = (typeof handlingStates)[number]

/** The handling of a submission. */
export interface Handling {
  readonly state: HandlingState
  /** E-mail address of the user who changed it last; null if no one did, or the user was deleted. */
  readonly by: string | null
  /** When, in Unix milliseconds. */
  readonly at: number | null
}

/** A place in a list. */
export interface Ordinal {
  /** From 1. */
  readonly position: number
  readonly of: number
}

/** Part of a list, newest first. */
interface StatePart {
  readonly ids: readonly string[]
  /** The next slice has smaller identifiers than this; null at the end. */
  readonly next: string | null
}

/** Submissions that are looked at for open ones in one read, between done ones: some 3 ms. */
const maxLooked = 5000

/** The handling of a submission that no one has touched. */
const untouched: Handling = { state: 'open', by: null, at: null }

export const handlingReads = oncePerConnection((db: Db) => {
  const { one, any, doneBetween, between, olderDone, olderOpen, newerDone, newerOpen, doneAfter, nth, nthNewer } =
    statements(db)

  const findHandling = ({ number: form }: FormTo<'read'>, id: string): Handling => one.get({ form, id }) ?? untouched

  /** Lists the submissions of the inbox with a state, in a range of identifiers. */
  const listState = (
    { number: form }: Readable<'number'>,
    state: HandlingState,
    { from, before, limit }: { readonly from: string; readonly before: string; readonly limit: number },
  ): StatePart => {
    const place = { ...inboxOf(form), before, limit: limit + 1 }
    const floor = state === 'open' ? nth.get({ ...place, from, offset: maxLooked })?.id : undefined
    const rows = (state === 'open' ? olderOpen : olderDone).all({ ...place, from: floor ?? from })
    const ids = rows.slice(0, limit).map(({ id }) => id)
    if (rows.length > limit) return { ids, next: ids.at(-1) ?? null }
    return { ids, next: floor ?? null }
  }

  return {
    findHandling,

    /** Whether a submission of the form has been handled: an export has columns for it then. */
    isHandled: ({ number: form }: Pick<Form, 'number'>): boolean => any.get({ form }) !== undefined,

    listState,

    /** The submissions of the state before and after this one, as far as they are not far away. */
    findStateNeighbours(form: FormTo<'read'>, state: HandlingState, id: string) {
      const place = { ...inboxOf(form.number), id }
      const to = state === 'open' ? nthNewer.get({ ...place, offset: maxLooked })?.id : undefined
      return {
        older: listState(form, state, { from: '', before: id, limit: 1 }).ids[0],
        newer: (state === 'open' ? newerOpen : newerDone).get({ ...place, to: to ?? afterEveryId })?.id,
      }
    },

    /**
     * The place of a submission among those of its state, the newest first; undefined if it has another state, or too many
     * after it are done for a page.
     *
     * @param position among all of the inbox
     */
    placeInState(
      form: FormTo<'read'>,
      id: string,
      state: HandlingState | 'unread',
      position: number,
    ): Ordinal | undefined {
      const { doneCount, submissionCount } = form
      const { count } = doneAfter.get({ ...inboxOf(form.number), id, limit: maxLooked + 1 }) as { count: number }
      if (count > maxLooked || findHandling(form, id).state !== state) return undefined
      return state === 'done'
        ? { position: count + 1, of: doneCount }
        : { position: position - count, of: submissionCount - doneCount }
    },

    /** Finds those of the submissions that are done. @param ids in order, either way */
    doneAmong({ number: form }: Readable<'number'>, ids: readonly string[]): ReadonlySet<string> {
      if (ids.length === 0) return new Set()
      return new Set(doneBetween.all({ form, ...endsOf(ids) }).map(({ id }) => id))
    },

    /** Lists the handling of the submissions that have one. @param ids in order, either way */
    listHandling({ number: form }: Pick<Form, 'number'>, ids: readonly string[]) {
      if (ids.length === 0) return new Map()
      return new Map(between.all({ form, ...endsOf(ids) }).map(({ id, ...found }) => [id, found]))
    },
  }
})

const endsOf = (ids: readonly string[]): { readonly from: string; readonly to: string } => {
  const [from, to] = [ids[0] as string, ids.at(-1) as string].sort()
  return { from: from as string, to: to as string }
}

const statements = (db: Db) => {
  const ofForm = eq(handling.form, param('form'))
  const isDone = and(ofForm, eq(handling.state, literal('done')))
  const within = and(gte(handling.submission, param('from')), lte(handling.submission, param('to')))
  const id = { id: handling.submission }
  const one = db
    .select({ state: handling.state, by: users.email, at: handling.at })
    .from(handling)
    .leftJoin(users, eq(users.id, handling.userId))
    .where(and(ofForm, eq(handling.submission, param('id'))))
    .prepare()
  const any = db.select(id).from(handling).where(ofForm).limit(1).prepare()
  const doneBetween = db.select(id).from(handling).where(and(isDone, within)).prepare()
  const between = db
    .select({ ...id, state: handling.state })
    .from(handling)
    .where(and(ofForm, within))
    .prepare()
  const ids = { id: submissions.id }
  const older = and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('before')))
  const newer = and(inList(submissions), gt(submissions.id, param('id')))
  const nth = db
    .select(ids)
    .from(submissions)
    .where(older)
    .orderBy(desc(submissions.id))
    .limit(1)
    .offset(param('offset'))
    .prepare()
  const nthNewer = db
    .select(ids)
    .from(submissions)
    .where(newer)
    .orderBy(asc(submissions.id))
    .limit(1)
    .offset(param('offset'))
    .prepare()
  return {
    one,
    any,
    doneBetween,
    between,
    nth,
    nthNewer,
    olderOpen: olderOpen(db),
    newerOpen: newerOpen(db),
    olderDone: olderDone(db),
    newerDone: newerDone(db),
    doneAfter: doneAfter(db),
  }
}

const openInList = `SELECT id FROM submissions
  WHERE form = $form AND list = $list AND NOT EXISTS (
    SELECT 1 FROM handling WHERE handling.form = submissions.form AND submission = submissions.id AND state = 'done')`
const olderOpen = statement(`${openInList} AND id >= $from AND id < $before ORDER BY id DESC LIMIT $limit`, {
  id: submissions.id,
})
const newerOpen = statement(`${openInList} AND id > $id AND id < $to ORDER BY id LIMIT 1`, { id: submissions.id })

// From the few that are done to the submissions, which may be in the spam.
const doneInList = `SELECT submission FROM handling
  WHERE handling.form = $form AND state = 'done' AND EXISTS (
    SELECT 1 FROM submissions WHERE submissions.form = $form AND list = $list AND submissions.id = submission)`
const olderDone = statement(
  `${doneInList} AND submission >= $from AND submission < $before ORDER BY submission DESC LIMIT $limit`,
  { id: handling.submission },
)
const doneAfter = statement(
  `SELECT count(*) AS count FROM (${doneInList} AND submission > $id LIMIT $limit) AS newer`,
  {
    count: computed<number>(),
  },
)
const newerDone = statement(`${doneInList} AND submission > $id ORDER BY submission LIMIT 1`, {
  id: handling.submission,
})

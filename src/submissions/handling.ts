import { and, asc, desc, eq, gt, gte, lt, lte } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { FormTo, Readable } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { countedStates, type forms, handling, param, stateCounts, submissions, users } from '../storage/tables.ts'
import { inboxOf, inList } from './lists.ts'
import type { HandlingState } from './states.ts'

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

type CountedForm = Pick<typeof forms.$inferSelect, 'submissionCount' | (typeof stateCounts)[keyof typeof stateCounts]>

/** How many submissions of the inbox have a state. */
export const countOfState = (form: CountedForm, state: HandlingState): number =>
  state === 'open'
    ? countedStates.reduce((open, one) => open - form[stateCounts[one]], form.submissionCount)
    : form[stateCounts[state]]

export const isAllOpen = (form: CountedForm): boolean => countOfState(form, 'open') === form.submissionCount

/** Submissions that are looked at for open ones in one read, between done ones: some 3 ms. */
const maxLooked = 5000

/** The handling of a submission that no one has touched. */
const untouched: Handling = { state: 'open', by: null, at: null }

export const handlingReads = oncePerConnection((db: Db) => {
  const { one, any, between, nth, nthNewer } = statements(db)
  const byState = Object.fromEntries(ofStates.map(([state, open]) => [state, open(db)])) as Record<
    HandlingState,
    OfState
  >

  const findHandling = ({ number: form }: FormTo<'read'>, id: string): Handling => one.get({ form, id }) ?? untouched

  /** Lists the submissions of the inbox with a state, in a range of identifiers. */
  const listState = (
    { number: form }: Readable<'number'>,
    state: HandlingState,
    { from, before, limit }: { readonly from: string; readonly before: string; readonly limit: number },
  ): StatePart => {
    const place = { ...inboxOf(form), before, limit: limit + 1 }
    const floor = state === 'open' ? nth.get({ ...place, from, offset: maxLooked })?.id : undefined
    const rows = byState[state].older.all({ ...place, from: floor ?? from })
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
        newer: byState[state].newer.get({ ...place, to: to ?? afterEveryId })?.id,
      }
    },

    /**
     * The place of a submission among those of its state, the newest first; undefined if it has another state, or too many
     * after it are counted for a page.
     *
     * @param position among all of the inbox
     */
    placeInState(form: FormTo<'read'>, id: string, state: HandlingState, position: number): Ordinal | undefined {
      const place = { ...inboxOf(form.number), id, limit: maxLooked + 1 }
      const newer = (state === 'open' ? countedStates : [state]).map(
        (one) => byState[one].newerCount.get(place)?.count ?? 0,
      )
      if (newer.some((count) => count > maxLooked) || findHandling(form, id).state !== state) return undefined
      const count = newer.reduce((sum, one) => sum + one, 0)
      return { position: state === 'open' ? position - count : count + 1, of: countOfState(form, state) }
    },

    /** Finds the states of those of the submissions that are not open. @param ids in order, either way */
    statesAmong({ number: form }: Readable<'number'>, ids: readonly string[]): ReadonlyMap<string, HandlingState> {
      const states = new Map<string, HandlingState>()
      if (ids.length === 0) return states
      const among = { form, ...endsOf(ids) }
      for (const state of countedStates) for (const { id } of byState[state].among.all(among)) states.set(id, state)
      return states
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
  const within = and(gte(handling.submission, param('from')), lte(handling.submission, param('to')))
  const id = { id: handling.submission }
  const one = db
    .select({ state: handling.state, by: users.email, at: handling.at })
    .from(handling)
    .leftJoin(users, eq(users.id, handling.userId))
    .where(and(ofForm, eq(handling.submission, param('id'))))
    .prepare()
  const any = db.select(id).from(handling).where(ofForm).limit(1).prepare()
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
  return { one, any, between, nth, nthNewer }
}

/** The SQL that lists the submissions with a state, and the column of their identifiers. */
const listed = (state: HandlingState): readonly [rows: string, id: string] =>
  state === 'open'
    ? [
        `SELECT id FROM submissions WHERE form = $form AND list = $list AND NOT EXISTS (
          SELECT 1 FROM handling WHERE handling.form = submissions.form AND submission = submissions.id
          AND (${countedStates.map((one) => `state = '${one}'`).join(' OR ')}))`,
        'id',
      ]
    : // From the few that have it to the submissions, which may be in the spam.
      [
        `SELECT submission AS id FROM handling WHERE handling.form = $form AND state = '${state}' AND EXISTS (
          SELECT 1 FROM submissions WHERE submissions.form = $form AND list = $list AND submissions.id = submission)`,
        'submission',
      ]

/** The states are written out: there is an index of those that are done. */
const statementsOf = (state: HandlingState) => {
  const [rows, id] = listed(state)
  const columns = { id: submissions.id }
  const older = statement(`${rows} AND ${id} >= $from AND ${id} < $before ORDER BY ${id} DESC LIMIT $limit`, columns)
  const newer = statement(`${rows} AND ${id} > $id AND ${id} < $to ORDER BY ${id} LIMIT 1`, columns)
  const newerCount = statement(`SELECT count(*) AS count FROM (${rows} AND ${id} > $id LIMIT $limit) AS newer`, {
    count: computed<number>(),
  })
  const among = statement(
    `SELECT submission AS id FROM handling
    WHERE form = $form AND state = '${state}' AND submission >= $from AND submission <= $to`,
    columns,
  )
  return (db: Db) => ({ older: older(db), newer: newer(db), newerCount: newerCount(db), among: among(db) })
}

type OfState = ReturnType<ReturnType<typeof statementsOf>>

const ofStates = handling.state.enumValues.map((state) => [state, statementsOf(state)] as const)

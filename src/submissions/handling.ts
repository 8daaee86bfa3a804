import { and, eq, gte, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { handling, param, users } from '../db/tables.ts'
import type { Form } from '../forms/ownership.ts'
import type { TextRule } from '../text-rules.ts'

export const handlingStates = ['open', 'done'] as const
export type HandlingState = (typeof handlingStates)[number]

export const noteRule: TextRule = { maxLength: 2000 }

/** What was done about a submission. */
export interface Handling {
  readonly state: HandlingState
  readonly note: string | null
  /** E-mail address of who changed it last; null if nobody did, or the user was deleted. */
  readonly by: string | null
  /** When, in Unix milliseconds. */
  readonly at: number | null
}

/** Of a submission that nobody has touched. */
const untouched: Handling = { state: 'open', note: null, by: null, at: null }

export const handlingReads = (db: Db) => {
  const { one, any, anyDone, doneBetween, between } = statements(db)

  return {
    findHandling: ({ number: form }: Pick<Form, 'number'>, id: string): Handling => one.get({ form, id }) ?? untouched,

    /** Whether a submission of the form has been handled: an export has columns for it then. */
    isHandled: ({ number: form }: Pick<Form, 'number'>): boolean => any.get({ form }) !== undefined,

    /** Whether a submission of the form is done. */
    hasDone: ({ number: form }: Pick<Form, 'number'>): boolean => anyDone.get({ form }) !== undefined,

    /** Those of these submissions that are done. @param ids in order, either way */
    doneAmong({ number: form }: Pick<Form, 'number'>, ids: readonly string[]): ReadonlySet<string> {
      if (ids.length === 0) return new Set()
      return new Set(doneBetween.all({ form, ...endsOf(ids) }).map(({ id }) => id))
    },

    /** What was done about these submissions, as far as anything was. @param ids in order, either way */
    listHandling({ number: form }: Pick<Form, 'number'>, ids: readonly string[]) {
      if (ids.length === 0) return new Map()
      return new Map(between.all({ form, ...endsOf(ids) }).map(({ id, ...found }) => [id, found]))
    },
  }
}

const endsOf = (ids: readonly string[]): { readonly from: string; readonly to: string } => {
  const [from, to] = [ids[0] as string, ids.at(-1) as string].sort()
  return { from: from as string, to: to as string }
}

const statements = (db: Db) => {
  const ofForm = eq(handling.form, param('form'))
  const isDone = and(ofForm, eq(handling.state, sql`'done'`))
  const within = and(gte(handling.submission, param('from')), lte(handling.submission, param('to')))
  const id = { id: handling.submission }
  const one = db
    .select({ state: handling.state, note: handling.note, by: users.email, at: handling.at })
    .from(handling)
    .leftJoin(users, eq(users.id, handling.userId))
    .where(and(ofForm, eq(handling.submission, param('id'))))
    .prepare()
  const any = db.select(id).from(handling).where(ofForm).limit(1).prepare()
  const anyDone = db.select(id).from(handling).where(isDone).limit(1).prepare()
  const doneBetween = db.select(id).from(handling).where(and(isDone, within)).prepare()
  const between = db
    .select({ ...id, state: handling.state, note: handling.note })
    .from(handling)
    .where(and(ofForm, within))
    .prepare()
  return { one, any, anyDone, doneBetween, between }
}

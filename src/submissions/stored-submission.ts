import { and, asc, desc, eq, gte, lt } from 'drizzle-orm'
import { createdAt } from '../base/id.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { param, submissions } from '../storage/tables.ts'
import { inList, type List } from './lists.ts'

type Columns = typeof submissions.$inferSelect
type Row<Names extends readonly (keyof Columns)[]> = { readonly [I in keyof Names]: Columns[Names[I]] }

/** Columns that every reader of submissions gets, in the order of `toRow`. */
const names = ['id', 'data', 'reason'] as const

/** The columns that a submission keeps when it is imported. Rows that wait for it in `staged_rows` have them, too. */
export const importedNames = ['id', 'data'] as const satisfies readonly (typeof names)[number][]

/** What these rows have besides, in columns of these names: texts, null for most. */
export const stagedBeside = ['notes'] as const
export type StagedBeside<Value> = Readonly<Record<(typeof stagedBeside)[number], Value>>

export const stagedNames = [...importedNames, ...stagedBeside] as const

/** In the order of these. What is null at the end may be left out. */
export type StagedRow = readonly [...Row<typeof importedNames>, ...beside: (string | null)[]]

/** SQL: the bytes of such a row, and whether it has what few have. */
export const stagedBytes = `octet_length(data)${stagedBeside.map((name) => ` + coalesce(octet_length(${name}), 0)`).join('')}`
export const hasMore = `is_long${stagedBeside.map((name) => ` OR ${name} IS NOT NULL`).join('')}`

/** `data` is JSON text, or empty for a long submission, whose text is in pieces. `reason` is null in the inbox. */
export type StoredSubmission = Readonly<Pick<Columns, (typeof names)[number]>>

/** Why a submission is spam: the signal that it was judged by, or `marked` by the owner. */
export type Reason = NonNullable<Columns['reason']>

export const storedColumns = Object.fromEntries(names.map((name) => [name, submissions[name]])) as Pick<
  typeof submissions,
  (typeof names)[number]
>

/** Part of a list. */
interface Part {
  /** Identifiers: from the first one on, up to the second one without it. */
  readonly from: string
  readonly before: string
  readonly limit: number
  /** How many of them to skip. */
  readonly offset?: number
}

/** Named one by one: with two spreads, a page of 20 takes 0.2 of 35 µs more. */
const parameters = ({ form, list }: List, { from, before, limit, offset = 0 }: Part) => ({
  form,
  list,
  from,
  before,
  limit,
  offset,
})

export const storedReads = oncePerConnection((db: Db) => {
  const ofList = inList(submissions)
  const one = db
    .select(storedColumns)
    .from(submissions)
    .where(and(ofList, eq(submissions.id, param('id'))))
    .prepare()
  const part = (order: typeof asc) =>
    db
      .select(storedColumns)
      .from(submissions)
      .where(and(ofList, gte(submissions.id, param('from')), lt(submissions.id, param('before'))))
      .orderBy(order(submissions.id))
      .limit(param('limit'))
      .offset(param('offset'))
      .prepare()
  const [newest, oldest] = [part(desc), part(asc)]

  return {
    findRow: (list: List, id: string): StoredSubmission | undefined => toStored(one.values({ ...list, id }))[0],

    newestFirst: (list: List, rows: Part): StoredSubmission[] => toStored(newest.values(parameters(list, rows))),

    oldestFirst: (list: List, rows: Part): StoredSubmission[] => toStored(oldest.values(parameters(list, rows))),
  }
})

/** The rows of a statement that selects `storedColumns`. Rows that bun:sqlite names itself took 17 µs for 20 instead of 14. */
export const toStored = (values: unknown[][]): StoredSubmission[] =>
  (values as unknown as Row<typeof names>[]).map(toRow)

const toRow = ([id, data, reason]: Row<typeof names>): StoredSubmission => ({ id, data, reason })

/**
 * A submission as JSON, wherever it is written.
 *
 * @param more further members, each after a comma
 * @param text its data, if it is not that of the row
 */
export const storedJson = (formId: string, { id, data }: StoredSubmission, more = '', text = data): string =>
  `{"id":"${id}","formId":"${formId}","data":${text},"createdAt":"${createdAt(id)}"${more}}`

/** The JSON around the data of a long submission: the text before, and the text after. */
export const aroundData = (formId: string, submission: StoredSubmission, more = ''): readonly [string, string] =>
  storedJson(formId, submission, more, gap).split(gap) as [string, string]

/** In JSON text, it is escaped. */
const gap = '\0'

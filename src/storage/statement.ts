import { type Column, type GetColumnData, type SQL, sql } from 'drizzle-orm'
import { forLater } from './drizzle.ts'
import type { Db } from './open.ts'

/** The columns of each row, in the order in which the statement returns them. */
type Columns = Readonly<Record<string, Column | SQL>>

type Row<C extends Columns> = {
  [Name in keyof C]: C[Name] extends Column ? GetColumnData<C[Name]> : C[Name] extends SQL<infer T> ? T : never
}

type Values = Readonly<Record<string, unknown>>

interface Prepared<Row> {
  run(values?: Values): unknown
  get(values?: Values): Row | undefined
  all(values?: Values): Row[]
}

/** The statements in the files that are loaded, for the test that compares their columns with what SQLite returns. */
export const statementsInSql: { readonly text: string; readonly columns: Columns }[] = []

/**
 * A statement that is easier to read as SQL than as calls of Drizzle's builder. The returned function prepares it for a
 * connection.
 *
 * @param text with `$name` for each value, which is bound as drizzle.ts explains
 * @param columns what it returns: columns of tables, which have their own names in SQL, and others with the names here
 */
export const statement = <C extends Columns = Readonly<Record<never, never>>>(
  text: string,
  columns: C = {} as C,
): ((db: Db) => Prepared<Row<C>>) => {
  const params: string[] = []
  const bound = text.replaceAll(/\$(\w+)/g, (_, name) => {
    params.push(name)
    return '+?'
  })
  statementsInSql.push({ text: bound, columns })
  return (db) => forLater(db, { text: bound, params, columns }) as unknown as Prepared<Row<C>>
}

/** A column that is worked out. */
export const computed = <T>(): SQL<T> => sql<T>``

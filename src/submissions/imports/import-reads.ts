import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import { forms, imports, isNot, param } from '../../storage/tables.ts'

export interface StoredImport
  extends Pick<
    typeof imports.$inferSelect,
    'id' | 'userId' | 'state' | 'node' | 'report' | 'done' | 'added' | 'finishedAt'
  > {
  readonly formNumber: number
  readonly formId: string
}

/** One for which something is left to do. */
export type UnfinishedImport = Pick<StoredImport, 'id' | 'state' | 'node' | 'finishedAt'> &
  Pick<typeof imports.$inferSelect, 'beganAt'>

/** In the place of a machine's name: the command line imports. */
export const operatorsNode = ''

/** The source of the staged files of an import. */
export const stagedByImport = (importId: string): string => `import ${importId}`

/** For so long, an import can be taken back. */
export const takeBackMilliseconds = 3_600_000

/** One whose file is being read, or whose rows are on their way in or out. */
const running = ['staging', 'adding', 'removing'] as const

export const importReads = oncePerConnection((db: Db) => {
  const columns = {
    id: imports.id,
    formNumber: imports.form,
    formId: forms.id,
    userId: imports.userId,
    state: imports.state,
    node: imports.node,
    report: imports.report,
    done: imports.done,
    added: imports.added,
    finishedAt: imports.finishedAt,
  }
  const select = () => db.select(columns).from(imports).innerJoin(forms, eq(forms.number, imports.form))
  const one = select()
    .where(eq(imports.id, param('id')))
    .prepare()
  // Without their reports, and what is behind these in the row: this is read for each slice.
  const withRest = db
    .select({
      id: imports.id,
      state: imports.state,
      node: imports.node,
      beganAt: sql<number | null>`CASE ${imports.state} WHEN 'staging' THEN ${imports.beganAt} END`,
      finishedAt: sql<number | null>`CASE ${imports.state} WHEN 'done' THEN ${imports.finishedAt} END`,
    })
    .from(imports)
    .where(sql`has_rest`)
    .orderBy(asc(imports.id))
    .prepare()
  const plansOf = db
    .select({
      id: imports.id,
      formId: forms.id,
      hasFile: sql<number>`json_type(${imports.report}, '$.given') IS NOT NULL`,
    })
    .from(imports)
    .innerJoin(forms, eq(forms.number, imports.form))
    .where(and(sql`has_rest`, eq(imports.userId, param('userId')), eq(imports.state, sql`'planned'`)))
    .orderBy(asc(imports.id))
    .limit(100)
    .prepare()
  const ofForm = select()
    .where(eq(imports.form, param('form')))
    .orderBy(desc(imports.id))
    .limit(10)
    .prepare()
  const runningOf = db
    .select({ id: imports.id })
    .from(imports)
    .where(
      and(
        sql`has_rest`,
        isNot(imports.node, operatorsNode),
        eq(imports.userId, param('userId')),
        inArray(imports.state, [...running]),
      ),
    )
    .limit(1)
    .prepare()

  return {
    /** @param form number of its form, if it must be of that one */
    find(form: number | undefined, id: string): StoredImport | undefined {
      const found = one.get({ id })
      return found && (form === undefined || found.formNumber === form) ? found : undefined
    },
    /** The newest ones of a form. */
    list: (form: number): StoredImport[] => ofForm.all({ form }),
    /** Identifier of one of the user's that is under way. */
    findRunning: (userId: string): string | undefined => runningOf.get({ userId })?.id,
    /** Those that the user has planned and not carried out, the oldest first. The files of those only checked are gone. */
    plansOf: (userId: string) => plansOf.all({ userId }),
    /** All for which something is left to do, the oldest first. */
    withRest: (): UnfinishedImport[] => withRest.all(),
  }
})

import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { type Db, oncePerConnection } from '../../storage/open.ts'
import {
  files,
  given,
  givens,
  importedPages,
  imports,
  literal,
  param,
  params,
  stagedRows,
} from '../../storage/tables.ts'
import { stagedNames } from '../stored-submission.ts'

/** The statements that change the rows of imports. */
export const importStatements = oncePerConnection((db: Db) => {
  const byId = eq(imports.id, param('id'))
  const insert = db
    .insert(imports)
    .values(params('id', 'form', 'userId', 'state', 'node', 'report', 'beganAt', 'hasRest'))
    .prepare()
  const begin = db
    .update(imports)
    .set({ ...givens('userId', 'node', 'report', 'beganAt'), state: 'staging' })
    .where(byId)
    .prepare()
  const insertRow = db
    .insert(stagedRows)
    .values(params('importId', 'isLong', ...stagedNames))
    .onConflictDoNothing()
    .prepare()
  const count = db
    .select({ count: sql<number>`count(*)` })
    .from(stagedRows)
    .where(eq(stagedRows.importId, param('importId')))
    .prepare()
  const countStaged = db
    .update(imports)
    .set({ done: sql`${imports.done} + ${param('by')}` })
    .where(byId)
    .prepare()
  const countAdded = db
    .update(imports)
    .set({ done: sql`${imports.done} + ${param('by')}`, added: sql`${imports.added} + ${param('added')}` })
    .where(byId)
    .prepare()
  const setState = db
    .update(imports)
    .set({ ...givens('state', 'report', 'finishedAt'), done: literal(0) })
    .where(byId)
    .prepare()
  const removeOne = db.delete(imports).where(byId).prepare()
  const keepFile = db
    .update(files)
    .set({ stagedUntil: given('keepUntil') })
    .where(and(eq(files.id, param('id')), isNotNull(files.stagedUntil)))
    .prepare()
  const noRest = db.update(imports).set({ hasRest: false }).where(byId).prepare()
  const addPage = db
    .insert(importedPages)
    .values(params('importId', 'page', 'ids'))
    .prepare()
  return { insert, begin, insertRow, count, countStaged, countAdded, setState, removeOne, noRest, addPage, keepFile }
})

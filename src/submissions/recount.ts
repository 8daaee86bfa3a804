import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { Db } from '../storage/open.ts'
import { param, submissions, tallies } from '../storage/tables.ts'
import { inList, type List } from './lists.ts'
import { levels } from './tally.ts'

/**
 * Makes the tallies exact again after many submissions were added to a list, wherever they belong: each stretch of the
 * upper level that got some is cut anew. One by one they would all go into a stretch that is there, however full.
 *
 * @returns a function of the list and of what finds the first added identifier that does not sort before a text
 */
export const recountAdded = (db: Db) => {
  const { holding, next, starts, count, remove, insert } = statements(db)

  const cutAnew = (list: List, from: string, to: string): void => {
    remove.run({ ...list, from, to })
    const total = count.get({ ...list, from, to })?.count ?? 0
    for (const { id, position } of starts.all({ ...list, from, to }))
      for (const { level, capacity } of levels)
        if (position % capacity === 0) insert.run({ ...list, level, id, count: Math.min(capacity, total - position) })
  }

  return (list: List, nextAdded: (from: string) => string | undefined): void => {
    for (let id = nextAdded(''); id !== undefined; ) {
      // Those that are older than all others get stretches of their own.
      const from = holding.get({ ...list, id })?.firstId ?? ''
      const to = next.get({ ...list, from })?.firstId ?? afterEveryId
      cutAnew(list, from, to)
      id = nextAdded(to)
    }
  }
}

const statements = (db: Db) => {
  const ofList = inList(tallies)
  const upper = and(ofList, eq(tallies.level, levels[1].level))
  const holding = db
    .select({ firstId: tallies.firstId })
    .from(tallies)
    .where(and(upper, lte(tallies.firstId, param('id'))))
    .orderBy(desc(tallies.firstId))
    .limit(1)
    .prepare()
  const next = db
    .select({ firstId: tallies.firstId })
    .from(tallies)
    .where(and(upper, gt(tallies.firstId, param('from'))))
    .orderBy(asc(tallies.firstId))
    .limit(1)
    .prepare()
  const within = and(inList(submissions), gte(submissions.id, param('from')), lt(submissions.id, param('to')))
  const position = sql`row_number() over (order by ${submissions.id}) - 1`.as('position')
  const numbered = db.select({ id: submissions.id, position }).from(submissions).where(within).as('numbered')
  const starts = db
    .select({ id: sql<string>`id`, position: sql<number>`position` })
    .from(numbered)
    .where(sql`position % ${levels[0].capacity} = 0`)
    .orderBy(sql`position`)
    .prepare()
  const count = db.select({ count: sql<number>`count(*)` }).from(submissions).where(within).prepare()
  const remove = db
    .delete(tallies)
    .where(and(ofList, gte(tallies.firstId, param('from')), lt(tallies.firstId, param('to'))))
    .prepare()
  const insert = db
    .insert(tallies)
    .values({
      form: param('form'),
      list: param('list'),
      level: param('level'),
      firstId: param('id'),
      count: param('count'),
    })
    .prepare()
  return { holding, next, starts, count, remove, insert }
}

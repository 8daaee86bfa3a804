import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import type { Db } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { param, params, submissions, tallies } from '../storage/tables.ts'
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
  const count = db.select({ count: sql<number>`count(*)` }).from(submissions).where(within).prepare()
  const remove = db
    .delete(tallies)
    .where(and(ofList, gte(tallies.firstId, param('from')), lt(tallies.firstId, param('to'))))
    .prepare()
  const insert = db
    .insert(tallies)
    .values({
      ...params('form', 'list', 'level', 'count'),
      firstId: param('id'),
    })
    .prepare()
  return { holding, next, starts: starts(db), count, remove, insert }
}

const starts = statement(
  `SELECT id, position FROM (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS position FROM submissions
    WHERE form = $form AND list = $list AND id >= $from AND id < $to) AS numbered
  WHERE position % ${levels[0].capacity} = 0
  ORDER BY position`,
  { id: submissions.id, position: computed<number>() },
)

import { desc, eq, sql } from 'drizzle-orm'
import { hourMilliseconds } from '../base/durations.ts'
import type { ListPage } from '../base/list-page.ts'
import type { Db } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { param, params, trail, users } from '../storage/tables.ts'
import type { FormTo } from './access.ts'

type Deed = (typeof trail.$inferSelect)['what']

interface Done {
  readonly userId: string
  /** Unix milliseconds. */
  readonly at: number
  readonly what: Deed
  readonly detail?: string | null
  readonly count?: number
}

/** A reader can do no more different things than export in each format. */
const comparedRows = 20

/**
 * Writes down what someone has done with a form, without anything that visitors sent. Must run in the transaction that does
 * it. What someone does again and again within an hour is one row, also between other deeds, so that no one fills the file with
 * it, or pushes what others did out of sight.
 */
export const trailWrites = (db: Db): ((form: number, done: Done) => void) => {
  const newest = db
    .select()
    .from(trail)
    .where(eq(trail.form, param('form')))
    .orderBy(desc(trail.number))
    .limit(comparedRows)
    .prepare()
  const add = db
    .update(trail)
    .set({
      count: sql`${trail.count} + ${param('count')}`,
      detail: sql`iif(${trail.detail} is ${param('detail')}, ${trail.detail}, null)`,
    })
    .where(eq(trail.number, param('number')))
    .prepare()
  const insert = db
    .insert(trail)
    .values(params('form', 'at', 'userId', 'what', 'detail', 'count'))
    .prepare()

  return (form, { userId, at, what, detail = null, count = 1 }) => {
    // A reader chooses the names of keys.
    const isSame = (row: typeof trail.$inferSelect): boolean =>
      row.userId === userId &&
      row.what === what &&
      (row.detail === detail || what === 'key') &&
      Math.abs(at - row.at) < hourMilliseconds
    const before = newest.all({ form }).find(isSame)
    if (before) add.run({ number: before.number, count, detail })
    else insert.run({ form, at, userId, what, detail, count })
  }
}

/** An action in the list. */
export interface ListedDeed extends Pick<typeof trail.$inferSelect, 'at' | 'what' | 'detail' | 'count'> {
  /** Address of the user; null if the user was deleted. */
  readonly by: string | null
}

/** At a million of one form, counting them took 20 ms of the main thread for each page. */
const maxListed = 10_000

const countLately = statement(
  `SELECT count(*) AS count FROM (SELECT 1 FROM trail WHERE form = $form LIMIT ${maxListed}) AS lately`,
  { count: computed<number>() },
)

export type ListTrail = ReturnType<typeof trailReader>

/** Lists what was done with a form in the last 90 days, newest first: the newest 10,000. `total` counts what is on all pages. */
export const trailReader = (db: Db) => {
  const ofForm = eq(trail.form, param('form'))
  const newest = db
    .select({ at: trail.at, what: trail.what, detail: trail.detail, count: trail.count, by: users.email })
    .from(trail)
    .leftJoin(users, eq(users.id, trail.userId))
    .where(ofForm)
    .orderBy(desc(trail.number))
    .limit(param('limit'))
    .offset(param('offset'))
    .prepare()
  const count = countLately(db)
  return ({ number: form }: FormTo<'share'>, { page, perPage }: ListPage) => {
    const total = count.get({ form })?.count ?? 0
    const offset = (page - 1) * perPage
    const limit = Math.min(perPage, total - offset)
    const deeds: readonly ListedDeed[] = limit <= 0 ? [] : newest.all({ form, limit, offset })
    return { total, deeds }
  }
}

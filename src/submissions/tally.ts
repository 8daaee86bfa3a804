import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm'
import { afterEveryId } from '../base/id.ts'
import { changesOf, type Db, oncePerConnection } from '../storage/open.ts'
import { computed, statement } from '../storage/statement.ts'
import { given, literal, param, params, submissions, tallies } from '../storage/tables.ts'
import { inList, type List } from './lists.ts'

// The submissions of a list are counted in stretches, in the order of their identifiers: up to 128 submissions on the lower
// level, up to 16,384 on the upper. The row of a stretch says where it begins and how many submissions it has now. So
// finding the position of an identifier, or the identifier at a position, takes three short sums however many
// submissions there are: a million make 61 stretches on the upper level, with up to 128 of the lower level in each. A
// stretch of the upper level always begins where one of the lower level does.
export const levels = [
  { level: 0, capacity: 128 },
  { level: 1, capacity: 128 * 128 },
] as const

/** Counting this many rows takes no longer than adding up the stretches does. */
const maxLowerCount = 8 * levels[0].capacity

/** Keeps the tallies exact. Must run in the transaction that adds or removes the submissions. */
export const tallyWrites = oncePerConnection((db: Db) => {
  const { holding, first, add, begin, moveStart, newer, removeStretch, removeBefore } = writeStatements(db)

  /** Adds `by` to the counts of the stretches, one on each level, that contain this identifier. @param lower the one below, if known */
  const addTo = (list: List, id: string, by: number, lower = holding.get({ ...list, level: 0, id })?.firstId): void => {
    const upper = holding.get({ ...list, level: 1, id })?.firstId
    const counted = changesOf(add.run({ ...list, level: 0, firstId: lower, by }))
    if (counted + changesOf(add.run({ ...list, level: 1, firstId: upper, by })) !== levels.length)
      throw new Error(`form ${list.form} has no stretch on a level`)
  }

  const beginStretch = (list: List, level: number, firstId: string): void => {
    begin.run({ ...list, level, firstId })
  }

  /** For an identifier before all others (the clock was set back): moves the start of the first stretches. */
  const moveStarts = (list: List, id: string): void => {
    for (const { level } of levels) {
      const oldest = first.get({ ...list, level })
      if (oldest) moveStart.run({ ...list, level, firstId: oldest.firstId, id })
      else beginStretch(list, level, id)
    }
  }

  /**
   * How many identifiers from this one on fit in its stretch, and where that begins, if it is the last one. If that is full,
   * begins a new one.
   */
  const makeRoom = (list: List, id: string): { readonly room: number; readonly lower?: string } => {
    const last = holding.get({ ...list, level: 0, id: afterEveryId })
    // This happens only after the clock was set back, and to the first one. Such identifiers are added one by one.
    if (!last || id < last.firstId) {
      if (!holding.get({ ...list, level: 0, id })) moveStarts(list, id)
      return { room: 1 }
    }
    const free = levels[0].capacity - last.count
    if (free > 0) return { room: free, lower: last.firstId }
    if (newer.get({ ...list, id })) return { room: 1 }
    const upper = holding.get({ ...list, level: 1, id })
    if (upper && upper.count >= levels[1].capacity) beginStretch(list, 1, id)
    beginStretch(list, 0, id)
    return { room: levels[0].capacity, lower: id }
  }

  return {
    /** Call it before the submissions are inserted. @param ids in ascending order */
    add(list: List, ids: readonly string[]): void {
      for (let rest = ids; rest.length > 0; ) {
        const id = rest[0] as string
        const { room, lower } = makeRoom(list, id)
        const by = Math.min(room, rest.length)
        addTo(list, id, by, lower)
        rest = rest.slice(by)
      }
    },
    remove(list: List, id: string): void {
      const lower = holding.get({ ...list, level: 0, id })
      const upper = holding.get({ ...list, level: 1, id })
      if (!lower || !upper) throw new Error(`form ${list.form} has a submission that is in no tally`)
      add.run({ ...list, level: 0, firstId: lower.firstId, by: -1 })
      add.run({ ...list, level: 1, firstId: upper.firstId, by: -1 })
      // Empty stretches are removed. Otherwise a form that is emptied as fast as it fills would collect more and more
      // of them. The lower stretch at the start of an upper one stays as long as the upper one.
      if (upper.count === 1) {
        removeStretch.run({ ...list, level: 1, firstId: upper.firstId })
        removeStretch.run({ ...list, level: 0, firstId: upper.firstId })
      }
      if (lower.count === 1 && lower.firstId !== upper.firstId)
        removeStretch.run({ ...list, level: 0, firstId: lower.firstId })
    },
    /** Whether the stretch of this identifier has far more than it should, because of identifiers before others. */
    isCrowded: (list: List, id: string): boolean =>
      (holding.get({ ...list, level: 0, id })?.count ?? 0) > maxLowerCount,
    /** Removes the stretches of a list that is removed, if they begin before this identifier. */
    removeBefore(list: List, end: string): void {
      for (const { level } of levels) removeBefore.run({ ...list, level, end })
    },
  }
})

const writeStatements = (db: Db) => {
  const list = inList(tallies)
  const level = eq(tallies.level, param('level'))
  const stretch = and(list, level, eq(tallies.firstId, param('firstId')))
  const columns = { firstId: tallies.firstId, count: tallies.count }
  const at = lte(tallies.firstId, param('id'))
  const holding = db
    .select(columns)
    .from(tallies)
    .where(and(list, level, at))
    .orderBy(desc(tallies.firstId))
    .limit(1)
    .prepare()
  const first = db
    .select(columns)
    .from(tallies)
    .where(and(list, level))
    .orderBy(asc(tallies.firstId))
    .limit(1)
    .prepare()
  const add = db
    .update(tallies)
    .set({ count: sql`${tallies.count} + ${param('by')}` })
    .where(stretch)
    .prepare()
  const begin = db
    .insert(tallies)
    .values({
      ...params('form', 'list', 'level', 'firstId'),
      count: literal(0),
    })
    .prepare()
  const moveStart = db
    .update(tallies)
    .set({ firstId: given('id') })
    .where(stretch)
    .prepare()
  const newer = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), gt(submissions.id, param('id'))))
    .limit(1)
    .prepare()
  const removeStretch = db.delete(tallies).where(stretch).prepare()
  const removeBefore = db
    .delete(tallies)
    .where(and(list, level, lt(tallies.firstId, param('end'))))
    .prepare()
  return { holding, first, add, begin, moveStart, newer, removeStretch, removeBefore }
}

export const tallyReads = oncePerConnection((db: Db) => {
  const { counts, starts, skip } = readStatements(db)
  const { one, all } = countStatements(db)

  return {
    /** For each identifier, which may be a prefix, in ascending order: how many of the list's submissions have a smaller one. */
    countsBefore: (list: List, ids: readonly string[]): number[] =>
      all.all({ ...list, ids: JSON.stringify(ids) }).map(({ count }) => count),

    countBefore: (list: List, id: string): number => one.get({ ...list, ids: JSON.stringify([id]) })?.count as number,

    /** The identifier at this position, counted from 0; undefined if there are not that many. */
    idAt(list: List, position: number): string | undefined {
      let rest = position
      const stretchAt = (level: number, from: string, to: string): [from: string, to: string] => {
        const all: number[] = JSON.parse(counts.get({ ...list, level, from, to })?.json ?? '[]')
        let offset = 0
        for (; offset < all.length - 1 && rest >= (all[offset] as number); offset++) rest -= all[offset] as number
        const [first, next] = starts.all({ ...list, level, from, to, offset })
        return [first?.firstId ?? from, next?.firstId ?? to]
      }
      const [from] = stretchAt(0, ...stretchAt(1, '', afterEveryId))
      return skip.get({ ...list, from, offset: rest })?.id
    },
  }
})

const readStatements = (db: Db) => {
  const list = inList(tallies)
  const level = eq(tallies.level, param('level'))
  const from = gte(tallies.firstId, param('from'))
  const to = lt(tallies.firstId, param('to'))
  const stretches = and(list, level, from, to)
  // In the order of the key, because SQLite reads them in that order. As rows, the counts of 128 stretches took twice as
  // long.
  const counts = db
    .select({ json: sql<string>`json_group_array(${tallies.count})` })
    .from(tallies)
    .where(stretches)
    .prepare()
  const starts = db
    .select({ firstId: tallies.firstId })
    .from(tallies)
    .where(stretches)
    .orderBy(asc(tallies.firstId))
    .limit(2)
    .offset(param('offset'))
    .prepare()
  const skip = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), gte(submissions.id, param('from'))))
    .orderBy(asc(submissions.id))
    .limit(1)
    .offset(param('offset'))
    .prepare()
  return { counts, starts, skip }
}

/**
 * One statement for all identifiers, which are in ascending order: with five for each, the 31 of a plot took 600 µs in a form
 * of a million, and take 240. From one to the next, it adds up the stretches between them: from the first stretch on for each,
 * it took 850 µs in a form of ten million. For one identifier, that and the list of one would take as long as the rest.
 */
const countStatements = (db: Db) => ({ one: countBeforeOne(db), all: countBeforeAll(db) })

const list = 'form = $form AND list = $list'
const holding = (level: number): string => `coalesce((SELECT first_id FROM tallies
      WHERE ${list} AND level = ${level} AND first_id <= value ORDER BY first_id DESC LIMIT 1), '')`
// Without a limit, SQLite would look for the stretches again wherever they are named.
const found = `(SELECT value AS id, ${holding(1)} AS upper_start, ${holding(0)} AS lower_start
    FROM json_each($ids) LIMIT -1)`
const inUpper = (from: string): string => `coalesce((SELECT sum(count) FROM tallies
      WHERE ${list} AND level = 1 AND first_id >= ${from} AND first_id < upper_start), 0)`
const inLower = `coalesce((SELECT sum(count) FROM tallies
    WHERE ${list} AND level = 0 AND first_id >= upper_start AND first_id < lower_start), 0)`
const within = `(SELECT count(*) FROM submissions
    WHERE ${list} AND submissions.id >= lower_start AND submissions.id < found.id)`

const countBeforeOne = statement(`SELECT ${inUpper("''")} + ${inLower} + ${within} AS count FROM ${found} AS found`, {
  count: computed<number>(),
})
const countBeforeAll = statement(
  `SELECT sum(${inUpper('upper_before')}) OVER (ORDER BY id) + ${inLower} + ${within} AS count FROM (
    SELECT *, lag(upper_start, 1, '') OVER (ORDER BY id) AS upper_before FROM ${found}) AS found`,
  { count: computed<number>() },
)

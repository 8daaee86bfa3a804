import { expect, test } from 'bun:test'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { timePrefix } from '../../src/base/id.ts'
import { type ExpiryName, expiryNames, expiryOf, expiryReader, maxExpiredRows } from '../../src/upkeep/expiries.ts'
import { removeExpired } from '../../src/upkeep/jobs/remove-rows.ts'
import { openData } from '../storage/data.ts'
import { stepsOf } from './slices.ts'

const hour = 3_600_000
const day = 24 * hour
const noon = Date.UTC(2026, 5, 3, 12)

/** What stands in the column of the last row that is removed, and of the first one that stays. */
const bounds: { readonly [Name in ExpiryName]: readonly [gone: number | string, kept: number | string] } = {
  challenges: [noon - hour, noon - hour + 1],
  invitations: [noon, noon + 1],
  trail: [noon - 90 * day - 1, noon - 90 * day],
  endedShares: [noon - 30 * day - 1, noon - 30 * day],
  idempotencyKeys: [Math.floor(noon / day) - 2, Math.floor(noon / day) - 1],
  imports: [noon - 90 * day - 1, noon - 90 * day],
  mailHours: [noon - day - 1, noon - day],
  mailedInvitations: [noon - day - 1, noon - day],
  lessons: [noon - 365 * day - 1, noon - 365 * day],
}

/** A file with rows of each kind, and a clock that was right at noon. */
const open = () => {
  const { db, run, userId, formId } = openData()
  const { number: form } = db.$client.query('SELECT number FROM forms WHERE id = ?').get(formId) as { number: number }

  /** Inserts a row with this in its column. Whatever else it must have differs from row to row. */
  const insert = (name: ExpiryName, value: number | string, nth: number): void => {
    const { table, column } = expiryOf(name)
    const config = getTableConfig(table)
    const columns = config.columns.filter(
      (one) => one === column || one.notNull || (name === 'invitations' && one.name === 'invite_hash'),
    )
    const known: Record<string, number | string | Buffer> = {
      form,
      user_id: userId,
      role: 'reader',
      what: 'exported',
      reason: 'deleted',
      tokens: Buffer.alloc(4),
      state: 'done',
    }
    const values = columns.map((one) => {
      if (one === column) return value
      return known[one.name] ?? (one.dataType === 'string' ? `${nth}` : nth)
    })
    const names = columns.map((one) => one.name).join()
    db.$client.query(`INSERT INTO ${config.name} (${names}) VALUES (${values.map(() => '?').join()})`).run(...values)
  }

  const left = (name: ExpiryName): unknown[] => {
    const { table, column } = expiryOf(name)
    const text = `SELECT ${column.name} FROM ${getTableConfig(table).name} WHERE ${column.name} IS NOT NULL`
    return db.$client.query(text).values().flat()
  }

  run('checkClock', { now: noon })
  const steps = (now: number) =>
    stepsOf(run, (needs) => removeExpired({ ...needs, hasRows: expiryReader(db), now: () => now }))
  return { db, insert, left, steps }
}

test.each(expiryNames)('removes %s, in slices, and none that are newer', async (name) => {
  const { db, insert, left, steps } = open()
  const [gone, kept] = bounds[name]
  const count = 2 * maxExpiredRows + 100
  db.$client.transaction(() => {
    for (let i = 1; i <= count; i++) insert(name, gone, i)
    insert(name, kept, count + 1)
  })()
  expect(await steps(noon)).toEqual(['checkClock', 'removeExpired', 'removeExpired', 'removeExpired'])
  expect(left(name)).toEqual([kept])
})

test('writes nothing while there are no such rows', async () => {
  expect(await open().steps(noon)).toEqual([])
})

test('removes nothing for a day after the clock was set', async () => {
  const { insert, left, steps } = open()
  for (const name of expiryNames)
    insert(name, typeof bounds[name][0] === 'string' ? timePrefix(noon) : bounds[name][1], 1)
  const isLeftAt = async (now: number): Promise<boolean> => {
    await steps(now)
    return expiryNames.every((name) => left(name).length === 1)
  }
  const ahead = noon + 365 * day
  expect(await isLeftAt(ahead)).toBe(true)
  expect(await isLeftAt(ahead + day - 1)).toBe(true)
  expect(await isLeftAt(noon)).toBe(true)
  // The clock goes as it should for more than a day.
  await steps(noon + day)
  await steps(noon + 2 * day)
  expect(expiryNames.flatMap(left)).toEqual([])
})

import { isNotNull } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { dayMilliseconds, hourMilliseconds } from '../base/durations.ts'
import { toldMilliseconds } from '../forms/ended-shares.ts'
import { dayOf } from '../storage/idempotency.ts'
import { type Connection, type Db, hasRows } from '../storage/open.ts'
import {
  endedShares,
  idempotencyKeys,
  imports,
  lessons,
  mailedInvitations,
  mailHours,
  members,
  spentChallenges,
  trail,
} from '../storage/tables.ts'

/** Rows that are of no use some time after what stands in one of their columns. */
interface Expiry {
  readonly table: SQLiteTable
  readonly column: SQLiteColumn
  /** Tells rows apart. */
  readonly key: readonly SQLiteColumn[]
  /** Rows with a smaller value are removed. @param now Unix milliseconds */
  readonly before: (now: number) => number | string
}

export type ExpiryName = keyof typeof expiries

/** The rows that are removed once an hour, a line for each kind. */
const expiries = {
  /** An hour longer than they could be used, in case the clock is set back. */
  challenges: {
    table: spentChallenges,
    column: spentChallenges.expiresAt,
    key: [spentChallenges.expiresAt, spentChallenges.random],
    before: (now: number) => now - hourMilliseconds + 1,
  },
  /** No one has accepted them. */
  invitations: {
    table: members,
    column: members.inviteEndsAt,
    key: [members.id],
    before: (now: number) => now + 1,
  },
  trail: { table: trail, column: trail.at, key: [trail.number], before: (now: number) => now - 90 * dayMilliseconds },
  endedShares: {
    table: endedShares,
    column: endedShares.at,
    key: [endedShares.number],
    before: (now: number) => now - toldMilliseconds,
  },
  /** Requests that may no longer be repeated, up to a day after that. */
  idempotencyKeys: {
    table: idempotencyKeys,
    column: idempotencyKeys.day,
    key: [idempotencyKeys.day, idempotencyKeys.keyHash],
    before: (now: number) => dayOf(now) - 1,
  },
  /** Their reports can be read as long as the trail. */
  imports: {
    table: imports,
    column: imports.finishedAt,
    key: [imports.id],
    before: (now: number) => now - 90 * dayMilliseconds,
  },
  mailHours: {
    table: mailHours,
    column: mailHours.startsAt,
    key: [mailHours.person],
    before: (now: number) => now - dayMilliseconds,
  },
  mailedInvitations: {
    table: mailedInvitations,
    column: mailedInvitations.at,
    key: [mailedInvitations.id],
    before: (now: number) => now - dayMilliseconds,
  },
  lessons: {
    table: lessons,
    column: lessons.at,
    key: [lessons.number],
    before: (now: number) => now - 365 * dayMilliseconds,
  },
} satisfies Readonly<Record<string, Expiry>>

export const expiryNames = Object.keys(expiries) as ExpiryName[]

export const expiryOf = (name: ExpiryName): Expiry => expiries[name]

export const maxExpiredRows = 500

/** Whether any rows may expire. If not, the command below need not run. */
export const expiryReader = (db: Db): ((name: ExpiryName) => boolean) => {
  const readers = expiryNames.map((name) => {
    const { table, column } = expiryOf(name)
    return { name, has: hasRows(db, table, isNotNull(column)) }
  })
  return (wanted) => readers.some(({ name, has }) => name === wanted && has())
}

export type ExpiryWrites = ReturnType<typeof expiryWrites>

export const expiryWrites = (db: Connection) => ({
  /** Removes rows whose column is less than that, the oldest first. Returns how many. */
  removeExpired({ name, before, maxRows }: { name: ExpiryName; before: number | string; maxRows: number }): number {
    const { table, column, key } = expiryOf(name)
    const keys = key.map((one) => one.name).join()
    const from = getTableConfig(table).name
    const old = `SELECT ${keys} FROM ${from} WHERE ${column.name} < ?1 ORDER BY ${column.name}, ${keys} LIMIT ?2`
    return db.$client.query(`DELETE FROM ${from} WHERE (${keys}) IN (${old})`).run(before, maxRows).changes
  },
})

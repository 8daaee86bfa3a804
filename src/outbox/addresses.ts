import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, inLowerCase, param, receivers, users } from '../db/tables.ts'
import { type AppError, invalid } from '../errors.ts'
import { derivedId, timePrefix } from '../id.ts'
import { mailHost, maxReceivers, receiverReader, receiverRoom, receiverSwitch } from './receivers.ts'

interface Form {
  readonly number: number
  readonly id: string
  readonly userId: string | null
}

/**
 * Keeps the e-mail addresses that a form tells in step with its setting `notify`. An address that is not the owner's is
 * told that it was added.
 */
export const addressWrites = (db: Db) => {
  const { findEarlier, ownerOf, insert, insertAdded, countPending, restore } = statements(db)
  const { remove, recount } = receiverSwitch(db)
  const receiversOf = receiverReader(db)
  const hasRoom = receiverRoom(db)

  const add = (form: Form, address: string, now: number): void => {
    const earlier = findEarlier.get({ form: form.number, address: address.toLowerCase() })
    if (!earlier && !hasRoom(form.number)) throw noRoom()
    const id = derivedId(form.id, address.toLowerCase())
    const { number } = earlier ?? insert.get({ form: form.number, id, target: address })
    if (earlier) restore.run({ number, target: address })
    if (earlier || ownerOf.get({ userId: form.userId })?.email === address.toLowerCase()) return
    // The last two of the first twelve characters are the order within the millisecond.
    insertAdded.run({ form: form.number, id: derivedId(`${timePrefix(now)}00`, id, 'added'), receiver: number })
    countPending.run({ number })
  }

  /** @param now Unix milliseconds */
  return (form: Form, addresses: readonly string[], now: number): void => {
    const before = receiversOf(form.number).filter(({ kind }) => kind === 'email')
    for (const { number, target } of before) if (!addresses.includes(target)) remove(number, now)
    for (const address of addresses) if (!before.some(({ target }) => target === address)) add(form, address, now)
    recount(form.number)
  }
}

const noRoom = (): AppError =>
  invalid({
    field: 'notify',
    message: `must be addresses that the form has had: it has told ${maxReceivers} addresses and webhooks, whose deliveries are kept`,
    path: '/notify',
  })

const statements = (db: Db) => {
  const findEarlier = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(
      and(
        eq(inLowerCase(receivers.target), param('address')),
        eq(receivers.form, param('form')),
        sql`${receivers.kind} = 'email'`,
      ),
    )
    .orderBy(asc(receivers.number))
    .limit(1)
    .prepare()
  const ownerOf = db
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, param('userId')))
    .prepare()
  const insert = db
    .insert(receivers)
    .values({
      form: param('form'),
      id: param('id'),
      kind: sql`'email'`,
      target: param('target'),
      host: sql`${sql.raw(`'${mailHost}'`)}`,
    })
    .returning({ number: receivers.number })
    .prepare()
  const insertAdded = db
    .insert(deliveries)
    .values({ form: param('form'), id: param('id'), receiver: param('receiver'), kind: sql`'added'` })
    .prepare()
  const byNumber = eq(receivers.number, param('number'))
  const countPending = db
    .update(receivers)
    .set({ pendingCount: sql`${receivers.pendingCount} + 1` })
    .where(byNumber)
    .prepare()
  const restore = db
    .update(receivers)
    .set({ target: sql`${param('target')}`, isEnabled: sql`1`, removedAt: sql`null` })
    .where(byNumber)
    .prepare()
  return { findEarlier, ownerOf, insert, insertAdded, countPending, restore }
}

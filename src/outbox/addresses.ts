import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers, users } from '../db/tables.ts'
import { derivedId, timePrefix } from '../id.ts'
import { mailHost, receiverSwitch } from './receivers.ts'

interface Form {
  readonly number: number
  readonly id: string
  readonly userId: string | null
}

/**
 * Keeps the e-mail addresses that a form tells in step with its setting `notify`. An address that is not the owner's is
 * told once that it was added.
 */
export const addressWrites = (db: Db) => {
  const { known, ownerOf, insert, insertAdded, countPending, restore } = statements(db)
  const { remove, recount } = receiverSwitch(db)

  const add = (form: Form, address: string, now: number): void => {
    const id = derivedId(form.id, address)
    const { number } = insert.get({ form: form.number, id, target: address })
    if (ownerOf.get({ userId: form.userId })?.email === address.toLowerCase()) return
    // The last two of the first twelve characters are the order within the millisecond.
    insertAdded.run({ form: form.number, id: derivedId(`${timePrefix(now)}00`, id, 'added'), receiver: number })
    countPending.run({ number })
  }

  /** @param now Unix milliseconds */
  return (form: Form, addresses: readonly string[], now: number): void => {
    const before = known.all({ form: form.number })
    for (const { number, target, removedAt } of before)
      if (removedAt === null && !addresses.includes(target)) remove(number, now)
    for (const address of addresses) {
      const earlier = before.find(({ target }) => target === address)
      if (!earlier) add(form, address, now)
      else if (earlier.removedAt !== null) restore.run({ number: earlier.number })
    }
    recount(form.number)
  }
}

const statements = (db: Db) => {
  const known = db
    .select({ number: receivers.number, target: receivers.target, removedAt: receivers.removedAt })
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), sql`${receivers.kind} = 'email'`))
    .orderBy(asc(receivers.number))
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
  const restore = db.update(receivers).set({ isEnabled: sql`1`, removedAt: sql`null` }).where(byNumber).prepare()
  return { known, ownerOf, insert, insertAdded, countPending, restore }
}

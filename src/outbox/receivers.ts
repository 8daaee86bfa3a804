import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param, receivers } from '../db/tables.ts'

/** What all mail shares one limit of attempts under way as (see `receivers.host`). */
export const mailHost = 'mail'

export type Receiver = typeof receivers.$inferSelect

/**
 * Switches receivers on and off. Whoever writes `is_enabled` calls `recount`: a form with a count of 0 does not look for
 * receivers when a submission is stored.
 */
export const receiverSwitch = (db: Db) => {
  const byNumber = eq(receivers.number, param('number'))
  const disabling = db
    .update(receivers)
    .set({ isEnabled: sql`0`, disabledReason: sql`${param('reason')}` })
    .where(byNumber)
    .returning({ form: receivers.form })
    .prepare()
  const removing = db
    .update(receivers)
    .set({ isEnabled: sql`0`, removedAt: sql`${param('now')}`, secret: sql`null`, oldSecrets: sql`'[]'` })
    .where(byNumber)
    .returning({
      form: receivers.form,
      told: sql<number>`${receivers.pendingCount} + ${receivers.deliveredCount} + ${receivers.failedCount}`,
    })
    .prepare()
  const forget = db.delete(receivers).where(byNumber).prepare()
  const enabled = db
    .select({ count: sql`count(*)` })
    .from(receivers)
    .where(and(eq(receivers.form, forms.number), eq(receivers.isEnabled, sql`1`), isNull(receivers.removedAt)))
  const count = db
    .update(forms)
    .set({ receiverCount: sql`(${enabled})` })
    .where(eq(forms.number, param('form')))
    .prepare()

  const recount = (form: number | undefined): void => {
    if (form !== undefined) count.run({ form })
  }

  return {
    recount,
    /** @param reason why Formbox does so, in words for the owner */
    disable: (number: number, reason: string): void => recount(disabling.get({ number, reason })?.form),
    /** Takes a receiver away. What it was told stays readable, and what waits for it fails (see give-up.ts). */
    remove(number: number, now: number): void {
      const removed = removing.get({ number, now })
      if (removed?.told === 0) forget.run({ number })
      recount(removed?.form)
    },
  }
}

/** Webhooks and addresses that a form may have, with those that were taken away but have deliveries. */
export const maxReceivers = 1000

/** Whether a form may have another receiver. */
export const receiverRoom = (db: Db): ((form: number) => boolean) => {
  const last = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(eq(receivers.form, param('form')))
    .limit(1)
    .offset(maxReceivers - 1)
    .prepare()
  return (form) => last.get({ form }) === undefined
}

/** The receivers of a form that were not taken away, in the order in which they were added. */
export const receiverReader = (db: Db): ((form: number) => Receiver[]) => {
  const ofForm = db
    .select()
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), isNull(receivers.removedAt)))
    .orderBy(receivers.number)
    .prepare()
  return (form) => ofForm.all({ form })
}

export type FoundReceiver = NonNullable<ReturnType<ReturnType<typeof receiverOfDelivery>>>

/** A receiver and its form, as long as both are there. */
export const receiverOfDelivery = (db: Db) => {
  const byNumber = db
    .select({
      receiver: receivers,
      form: { number: forms.number, id: forms.id, title: forms.title },
    })
    .from(receivers)
    .innerJoin(forms, and(eq(forms.number, receivers.form), isNull(forms.deletedAt)))
    .where(eq(receivers.number, param('number')))
    .prepare()
  return (number: number) => byNumber.get({ number })
}

import { and, eq, getTableColumns, isNull } from 'drizzle-orm'
import { sha256 } from '../base/hash.ts'
import { derivedId } from '../base/id.ts'
import { type Db, hasRows, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import {
  addresses,
  deliveries,
  forms,
  given,
  is,
  literal,
  param,
  params,
  receivers,
  replies,
  users,
} from '../storage/tables.ts'
import { deliveryCount } from './counts.ts'
import { mailKindsText } from './kinds.ts'
import { derivedSecret } from './webhook-secret.ts'

/** The host of all mail, which shares one limit of attempts under way (see `receivers.host`). */
export const mailHost = 'mail'

/** The host of mail that leaves by another sender: what is wrong with that one delays no one else. */
const mailHostOf = (sender: string | null): string => (sender === null ? mailHost : `${mailHost} of ${sender}`)

/** Lets all mail of a form leave by its sender. What adds a receiver for mail calls it afterwards. */
export const mailHostWrites = oncePerConnection((db: Db) => {
  const set = setMailHost(db)
  return (formNumber: number, sender: string | null): void =>
    void set.run({ form: formNumber, host: mailHostOf(sender) })
})

const setMailHost = statement(
  `UPDATE receivers SET host = $host WHERE form = $form AND removed_at IS NULL AND kind IN (${mailKindsText}) AND host <> $host`,
)

export type Receiver = typeof receivers.$inferSelect

/**
 * Switches receivers on and off. What writes `is_enabled` or `only` calls `recount`: a form with a count of 0 does not look
 * for receivers when a submission is stored, and nothing is decided for one without conditions.
 */
export const receiverSwitch = oncePerConnection((db: Db) => {
  const byNumber = eq(receivers.number, param('number'))
  const disabling = db
    .update(receivers)
    .set({ isEnabled: literal(0), disabledReason: given('reason') })
    .where(byNumber)
    .returning({ form: receivers.form })
    .prepare()
  const removing = db
    .update(receivers)
    .set({
      isEnabled: literal(0),
      removedAt: given('now'),
      secret: literal(null),
      oldSecrets: literal('[]'),
      headers: literal(null),
      urlToken: literal(null),
    })
    .where(byNumber)
    .returning({
      form: receivers.form,
      deliveries: deliveryCount,
    })
    .prepare()
  const forget = db.delete(receivers).where(byNumber).prepare()
  const count = countReceivers(db)

  const recount = (formNumber: number | undefined): void => {
    if (formNumber !== undefined) count.run({ form: formNumber })
  }

  return {
    recount,
    /** @param reason why Formbox does so, in words for the owner */
    disable: (number: number, reason: string): void => recount(disabling.get({ number, reason })?.form),
    /** Takes a receiver away. Its deliveries stay readable, and those that wait fail (see `giveUpSlice`). */
    remove(number: number, now: number): void {
      const removed = removing.get({ number, now })
      if (removed?.deliveries === 0) forget.run({ number })
      recount(removed?.form)
    },
  }
})

const inUse = 'receivers.form = forms.number AND is_enabled = 1 AND removed_at IS NULL'
const countReceivers = statement(`
  UPDATE forms SET
    receiver_count = (SELECT count(*) FROM receivers WHERE ${inUse}),
    conditions = (SELECT nullif(json_group_array(only), '[]') FROM (
      SELECT only FROM receivers WHERE ${inUse} AND only IS NOT NULL ORDER BY number) AS meant)
  WHERE number = $form`)

/** Identifies conditions: a part of their hash. @param conditions see `forms.conditions` */
export const conditionsId = (conditions: string): string => sha256(conditions, 'base64url').slice(0, 22)

/** Webhooks and addresses that a form may have, with those that were taken away but have deliveries. */
export const maxReceivers = 1000

/** Whether a form may have another receiver. */
export const receiverLimit = (db: Db): ((formNumber: number) => boolean) => {
  const last = db
    .select({ number: receivers.number })
    .from(receivers)
    .where(eq(receivers.form, param('form')))
    .limit(1)
    .offset(maxReceivers - 1)
    .prepare()
  return (formNumber) => last.get({ form: formNumber }) === undefined
}

/** The receivers of a form that were not taken away, in the order in which they were added. */
export const receiverReader = oncePerConnection((db: Db): ((formNumber: number) => Receiver[]) => {
  const ofForm = db
    .select()
    .from(receivers)
    .where(and(eq(receivers.form, param('form')), isNull(receivers.removedAt)))
    .orderBy(receivers.number)
    .prepare()
  return (formNumber) => ofForm.all({ form: formNumber })
})

export type FoundReceiver = NonNullable<ReturnType<ReturnType<typeof receiverOfDelivery>>>

/** A receiver and its form, as long as both are there. */
export const receiverOfDelivery = (db: Db) => {
  const byNumber = db
    .select({ receiver: receivers, form: { ...getTableColumns(forms), ownerEmail: users.email } })
    .from(receivers)
    .innerJoin(forms, and(eq(forms.number, receivers.form), isNull(forms.deletedAt)))
    .leftJoin(users, eq(users.id, forms.userId))
    .where(eq(receivers.number, param('number')))
    .prepare()
  return (number: number) => byNumber.get({ number })
}

/** What a copy has as its original: everything but the state of its deliveries, its secret, and its name in files. */
const copied = (() => {
  const { number, form, id, secret, oldSecrets, name, digest, digestId, hourStart, removedAt, failingSince, ...rest } =
    getTableColumns(receivers)
  const { pendingCount, deliveredCount, failedCount, skippedCount, ...same } = rest
  return Object.keys(same) as (keyof typeof same)[]
})()

/** Gives a copied form the webhooks of its original, with secrets of their own. @param seed see `derivedSecret` */
export const webhookCopier = (db: Db) => {
  const receiversOf = receiverReader(db)
  const { recount } = receiverSwitch(db)
  const insert = db
    .insert(receivers)
    .values(params('form', 'id', 'secret', ...copied))
    .prepare()

  return (original: number, copy: { readonly number: number; readonly id: string }, seed: string): void => {
    const webhooks = receiversOf(original).filter(({ kind }) => kind === 'webhook')
    if (webhooks.length === 0) return
    for (const webhook of webhooks) {
      const id = derivedId(copy.id, webhook.id)
      insert.run({ ...webhook, form: copy.number, id, secret: derivedSecret(seed, id) })
    }
    recount(copy.number)
  }
}

/** Whether there is anything to do, so that a server without receivers gives the writer no commands for nothing. */
export const outboxReads = (db: Db) => {
  const hasReceiver = hasRows(db, receivers)
  const hasAddress = hasRows(db, addresses)
  const hasReply = hasRows(db, replies)
  return {
    hasPending: hasRows(db, deliveries, is(deliveries.state, 'pending')),
    /** True also for what is known of addresses, and for replies and mails that are counted. */
    hasReceivers: (): boolean => hasReceiver() || hasAddress() || hasReply(),
  }
}

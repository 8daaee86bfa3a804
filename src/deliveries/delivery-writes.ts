import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { deliveries, param, receivers } from '../db/tables.ts'
import { invalid, notFound } from '../errors.ts'
import { formOwnership, formReader } from '../forms/ownership.ts'
import { type RetrySlice, retryAllSlice } from './retry-all.ts'

interface OfForm {
  readonly userId: string
  readonly formId: string
}

interface OfDelivery extends OfForm {
  readonly id: string
}

type OfDeliveries = OfForm & Omit<RetrySlice, 'form'>

export type DeliveryWrites = ReturnType<typeof deliveryWrites>

export const deliveryWrites = (db: Db) => {
  const { findOwnForm } = formOwnership(formReader(db))
  const retryAll = retryAllSlice(db)
  const byKey = and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')))
  const find = db
    .select({
      receiver: deliveries.receiver,
      state: deliveries.state,
      isEnabled: receivers.isEnabled,
      removedAt: receivers.removedAt,
    })
    .from(deliveries)
    .innerJoin(receivers, eq(receivers.number, deliveries.receiver))
    .where(byKey)
    .prepare()
  const makeDue = db.update(deliveries).set({ state: sql`'pending'`, dueAt: sql`0` }).where(byKey).prepare()
  const count = db
    .update(receivers)
    .set({
      pendingCount: sql`${receivers.pendingCount} + 1`,
      deliveredCount: sql`${receivers.deliveredCount} - ${param('delivered')}`,
      failedCount: sql`${receivers.failedCount} - ${param('failed')}`,
    })
    .where(eq(receivers.number, param('receiver')))
    .prepare()

  return {
    /**
     * Makes a delivery due now, also one that was delivered. One that failed after its last attempt gets one more.
     *
     * @throws AppErrors `not_found` and `forbidden` for the form, `not_found` for the delivery, `invalid` if nobody would
     *   be told
     */
    retryDelivery({ userId, formId, id }: OfDelivery): void {
      const { number: form } = findOwnForm(userId, formId)
      const found = find.get({ form, id })
      if (!found) throw notFound('Delivery')
      if (found.removedAt !== null)
        throw invalid({ field: 'deliveryId', message: 'must be a delivery to a receiver that the form still has' })
      if (!found.isEnabled)
        throw invalid({ field: 'deliveryId', message: 'must be a delivery to a webhook that is switched on' })
      makeDue.run({ form, id })
      if (found.state === 'pending') return
      count.run({
        receiver: found.receiver,
        delivered: Number(found.state === 'delivered'),
        failed: Number(found.state === 'failed'),
      })
    },

    /** See `retryAllSlice`. @throws AppErrors `not_found` and `forbidden` for the form */
    retryDeliveries: ({ userId, formId, ...slice }: OfDeliveries) =>
      retryAll({ form: findOwnForm(userId, formId).number, ...slice }),
  }
}

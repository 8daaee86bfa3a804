import { and, asc, eq, gte, sql } from 'drizzle-orm'
import type { Db } from '../storage/open.ts'
import { deliveries, literal, param, receivers } from '../storage/tables.ts'
import { type Claim, type ClaimInput, claimer } from './claim.ts'
import { deliveryCount } from './counts.ts'
import { type Finished, finisher } from './finish.ts'
import { isToVisitor } from './kinds.ts'
import { oldAddressRemoval } from './known-addresses.ts'
import { deliveryRemoval } from './removal.ts'
import { oldReplyRemoval } from './replies.ts'

/** How far the removal of old deliveries has come. */
export interface SweepPosition {
  readonly form: number
  /** Deliveries of the form from this identifier on are still to be looked at. */
  readonly from: string
}

interface Sweep extends SweepPosition {
  /** Unix milliseconds. */
  readonly now: number
  /** Delivered deliveries with a lesser identifier are removed. */
  readonly deliveredBefore: string
  /** Failed deliveries with a lesser identifier are removed. */
  readonly failedBefore: string
  /** How many forms and rows to look at, at most. */
  readonly maxForms: number
  readonly maxRows: number
}

export type OutboxWrites = ReturnType<typeof outboxWrites>

export const outboxWrites = (db: Db) => {
  const claim = claimer(db)
  const finish = finisher(db)
  const removal = deliveryRemoval(db)
  const removeAddresses = oldAddressRemoval(db)
  const removeReplies = oldReplyRemoval(db)
  const release = db
    .update(deliveries)
    .set({ dueAt: literal(0), claimedBy: literal(null) })
    .where(eq(deliveries.claimedBy, param('node')))
    .prepare()
  const begin = db
    .update(deliveries)
    .set({ count: sql`coalesce(${deliveries.count}, 0) + 1` })
    .where(and(eq(deliveries.form, param('form')), eq(deliveries.id, param('id')), isToVisitor))
    .prepare()
  const formsFrom = db
    .selectDistinct({ form: receivers.form })
    .from(receivers)
    .where(gte(receivers.form, param('form')))
    .orderBy(asc(receivers.form))
    .limit(param('limit'))
    .prepare()
  const removeUnused = db
    .delete(receivers)
    .where(and(eq(receivers.form, param('form')), sql`${receivers.removedAt} is not null`, sql`${deliveryCount} = 0`))
    .prepare()

  return {
    claimDeliveries: (input: ClaimInput): Claim => claim(input),

    /** Makes due at once what this machine was attempting when it died. It does so before it claims anything. */
    releaseClaims({ node }: { readonly node: string }): void {
      release.run({ node })
    },

    /**
     * Counts a mail to a visitor before it is sent, until its end is known: if the server dies, it may have arrived. Must be
     * on the disk before the mail server gets anything.
     */
    beginReply: (reply: { readonly form: number; readonly id: string }): void => void begin.run(reply),

    finishDeliveries: (finished: readonly Finished[]): void => finish(finished),

    /**
     * Removes a part of the old deliveries of all forms, of the addresses that were added long ago, and of the replies and
     * mails that count no more. Returns where to continue; null after the last form.
     */
    removeOldDeliveries({ now, form: start, from, maxForms, maxRows, ...before }: Sweep): SweepPosition | null {
      const forgotten = removeAddresses(now, maxRows) + removeReplies(now, maxRows)
      if (forgotten >= maxRows) return { form: start, from }
      const found = formsFrom.all({ form: start, limit: maxForms })
      let rest = maxRows
      for (const { form } of found) {
        const { looked, next } = removal.ofFormBefore({
          form,
          from: form === start ? from : '',
          maxRows: rest,
          ...before,
        })
        if (next !== null) return { form, from: next }
        removeUnused.run({ form })
        rest -= looked
      }
      const last = found.length === maxForms ? found.at(-1) : undefined
      return last ? { form: last.form + 1, from: '' } : null
    },
  }
}

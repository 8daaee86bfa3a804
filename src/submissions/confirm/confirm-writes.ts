import { type Form, formReader } from '../../forms/form.ts'
import type { Decision } from '../../outbox/condition.ts'
import { confirmDayCounter, confirmMails } from '../../outbox/confirm-mails.ts'
import type { DigestTimes } from '../../outbox/digest-times.ts'
import { undecidedFor } from '../../outbox/enqueue.ts'
import { deliveryRemoval } from '../../outbox/removal.ts'
import type { VisitorReply } from '../../outbox/replies.ts'
import type { Db } from '../../storage/open.ts'
import { arrivals } from '../arrival.ts'
import { claimWrites } from '../limits/claim-writes.ts'
import type { Hashes } from '../limits/once.ts'
import { listOf } from '../lists.ts'
import { submissionRows } from '../rows.ts'
import { wholeReader } from '../whole-text.ts'
import { confirmRows } from './confirm-rows.ts'
import { type ConfirmState, leadsTo, stateOf } from './moves.ts'

/** A submission that a link may be about. */
interface OfLink {
  readonly formId: string
  readonly id: string
  /** Unix milliseconds. */
  readonly now: number
}

/** What no command can find out about a submission that is held. */
export interface Ready {
  readonly id: string
  readonly decision?: Decision | undefined
  readonly once?: Hashes | undefined
  /** The automatic reply, if there is one, and whether it goes to the address that is confirmed. */
  readonly reply?: VisitorReply | undefined
  readonly isConfirmed: boolean
}

interface Confirmed extends OfLink {
  readonly ready: readonly Ready[]
  readonly digestAt?: DigestTimes | undefined
}

/** What a link did: nothing, where a state is returned that it cannot change. */
type Outcome =
  | { readonly state: Exclude<ConfirmState, 'held'>; readonly isDone: false }
  /** It has to be sent again, with all that is held now, and as the form is now. */
  | { readonly state: 'unready'; readonly ids: readonly string[] }
  | {
      readonly state: ConfirmState
      readonly isDone: true
      readonly count: number
      /** How many of them are in the inbox now. */
      readonly arrived: number
      /** Whether pieces of what was deleted are left. */
      readonly isMoreLeft?: boolean
    }

export const confirmWrites = (db: Db) => {
  const findForm = formReader(db)
  const rows = submissionRows(db)
  const known = confirmRows(db)
  const mails = confirmMails(db)
  const claims = claimWrites(db)
  const deliveries = deliveryRemoval(db)
  const { arriveFromList } = arrivals(db)
  const countDay = confirmDayCounter(db)
  const readWhole = wholeReader(db)

  /** Finds what a link is about, and all that is held for the same address, if the move is one. */
  const open = (move: 'confirm' | 'withdraw', { formId, id, now }: OfLink) => {
    const form = findForm(formId)
    const found = form && known.find.get({ form: form.number, submission: id })
    const state = stateOf(found, now)
    const to = leadsTo(move, state)
    if (!form || !found || to === undefined) return { state, isDone: false } as const
    const ids = known.together(found).filter(({ endsAt }) => now < endsAt)
    return { form, person: found.person, to, ids: ids.map(({ submission }) => submission) }
  }

  /** Moves one to where it belongs. Returns whether that is the inbox. */
  const moveOne = (form: Form, { id, once }: Ready, taking: ReturnType<typeof claims.open>): boolean => {
    const asked = taking?.placesIn(readWhole(listOf(form, 'unconfirmed'), id)?.data ?? '{}') ?? []
    claims.free(form.number, [id])
    const isRepeated = (taking?.repeated(once) ?? []).length > 0
    const reason = isRepeated ? 'repeated' : null
    rows.move(form, 'unconfirmed', isRepeated ? 'spam' : 'inbox', id, { reason, markedAt: null })
    if (!isRepeated) taking?.take(id, asked, once)
    return !isRepeated
  }

  return {
    /**
     * Moves all that is held for the address of this submission into the inbox, as if it came now. A form that is closed or
     * full by now takes it. What has a value that comes once and that another one has goes into the spam.
     */
    confirmSubmissions(input: Confirmed): Outcome {
      const opened = open('confirm', input)
      if ('state' in opened) return opened as Outcome
      const { form, ids, to } = opened
      const { ready, now, digestAt } = input
      const byId = new Map(ready.map((one) => [one.id, one]))
      const taking = claims.open(form)
      const isReady = (id: string): boolean => {
        const one = byId.get(id)
        return one !== undefined && !undecidedFor(form, one.decision) && !taking?.unhashed(one.once)
      }
      if (!ids.every(isReady)) return { state: 'unready', ids }
      const subjects = new Map(ids.map((id) => [id, known.find.get({ form: form.number, submission: id })]))
      const arrived = ids.filter((id) => moveOne(form, byId.get(id) as Ready, taking))
      taking?.write()
      for (const submission of ids) {
        known.confirm.run({ form: form.number, submission, at: now })
        mails.end(form.number, submission, true)
      }
      countDay(form.number, now, 'confirmed', ids.length)
      if (arrived.length > 0)
        arriveFromList(
          form,
          arrived.map((id, position) => {
            const { subject = null } = subjects.get(id) ?? {}
            const { decision, reply, isConfirmed } = byId.get(id) as Ready
            const first = { isConfirmed: isConfirmed && position === 0 }
            return { id, at: now, decision, digestAt, reply, subject, ...first }
          }),
        )
      return { state: to, isDone: true, count: ids.length, arrived: arrived.length }
    },

    /** Deletes all that is held for the address of this submission. Its person gets no more mails that ask to confirm it. */
    withdrawSubmissions(input: OfLink): Outcome {
      const opened = open('withdraw', input)
      if ('state' in opened) return opened as Outcome
      const { form, ids, person, to } = opened
      const isMoreLeft = rows.remove(form, 'unconfirmed', new Set(ids))
      deliveries.ofSubmissions(form.number, ids)
      known.withdraw.run({ form: form.number, person, at: input.now })
      countDay(form.number, input.now, 'withdrawn', ids.length)
      return { state: to, isDone: true, count: ids.length, arrived: 0, isMoreLeft }
    },

    /** Deletes some of what waited for too long. Returns how many, and whether pieces of them are left. */
    removeUnconfirmed({ now, maxRows }: { readonly now: number; readonly maxRows: number }) {
      const ended = known.ended.all({ now, limit: maxRows })
      let isMoreLeft = false
      for (const [number, ofForm] of Map.groupBy(ended, ({ number }) => number)) {
        const [form] = ofForm
        const ids = new Set(ofForm.map(({ submission }) => submission))
        if (form && rows.remove(form, 'unconfirmed', ids)) isMoreLeft = true
        deliveries.ofSubmissions(number, ids)
      }
      return { removed: ended.length, isMoreLeft }
    },
  }
}

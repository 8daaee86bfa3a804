import { dayMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import type { Claimed } from '../outbox/claim.ts'
import type { Finished } from '../outbox/finish.ts'
import { delayAfter } from '../outbox/schedule.ts'
import { limits } from '../upkeep/jobs/send-deliveries.ts'
import type { PastService } from './past-service.ts'

/** How long ago the printer broke down that the webhook reaches: a webhook that fails for five days is switched off. */
const brokenMilliseconds = 4.7 * dayMilliseconds
/** What Jonas typed in place of his address. */
const mistyped = 'jnas@example.org'

/** Gives deliveries results that could have been, each at its time. Nothing is sent. */
export const openResults = ({ writer, setClock }: PastService, present: number) => {
  let retries: number[] = []

  const endDue = async (at: number): Promise<void> => {
    setClock(at)
    retries = retries.filter((time) => time > at)
    const place = { node: 'this', lostAt: at + minuteMilliseconds, after: 0, pausedHosts: [], underWay: [] }
    const { claimed } = await writer.run('claimDeliveries', { ...limits, ...place, now: at, limit: claimedAtOnce })
    if (claimed.length === 0) return
    const isBroken = at > present - brokenMilliseconds
    const finished = claimed.map((one): Finished => {
      const { form, id, attempts, kind, target } = one
      const result =
        target === mistyped ? noMailbox : kind !== 'webhook' ? mailed : isBroken ? offline(one, at) : printed
      const { status, error = null, answer, ...rest } = result
      const log = { at, milliseconds: 90 + ((at + attempts) % 150), status, error, answer }
      if (rest.outcome.state === 'pending') retries.push(rest.outcome.dueAt)
      return { form, id, attempt: attempts, disabledReason: null, ...rest, log }
    })
    await writer.run('finishDeliveries', finished)
  }

  /** Ends what is due up to a time, to which the clock is then set. @param until Unix milliseconds */
  return async (until: number): Promise<void> => {
    for (let next = Math.min(...retries); next < until; next = Math.min(...retries)) await endDue(next)
    await endDue(until)
  }
}

const claimedAtOnce = 10

type Result = Pick<Finished, 'outcome' | 'isAddressRefused'> & {
  readonly status: number
  readonly error?: string
  readonly answer: string
}

const mailed: Result = { outcome: { state: 'delivered' }, status: 250, answer: '250 2.0.0 Ok: queued' }
const printed: Result = { outcome: { state: 'delivered' }, status: 200, answer: 'printed' }
const noMailbox: Result = {
  outcome: { state: 'failed' },
  isAddressRefused: true,
  status: 550,
  error: 'The address does not exist',
  answer: '550 5.1.1 No such mailbox',
}
const offline = ({ attempts }: Claimed, at: number): Result => {
  const delay = delayAfter(attempts, 0, null)
  return {
    outcome: delay === null ? { state: 'failed' } : { state: 'pending', dueAt: at + delay },
    status: 503,
    error: 'The receiver responded with 503',
    answer: 'printer offline',
  }
}

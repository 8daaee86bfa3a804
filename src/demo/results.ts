import { dayMilliseconds, hourMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import type { Claimed } from '../outbox/claim.ts'
import type { Finished } from '../outbox/finish.ts'
import { isMailKind } from '../outbox/kinds.ts'
import { delayAfter } from '../outbox/schedule.ts'
import type { MadeUpAnswer } from '../remote/offline.ts'
import { limits } from '../upkeep/jobs/send-deliveries.ts'
import { kitchen } from './forms.ts'
import type { PastService } from './past-service.ts'

/**
 * The printer that the webhook reaches has broken down before the demo starts, so that one failure is there to see, and is
 * repaired while it runs: a webhook that fails for five days is switched off.
 */
const broken = { before: 4.7 * dayMilliseconds, after: 6 * hourMilliseconds }

/** @param present when the demo starts, in Unix milliseconds */
const isBroken = (at: number, present: number): boolean => at > present - broken.before && at < present + broken.after

const printerOffline: MadeUpAnswer = { status: 503, answer: 'printer offline' }

/** What receivers answer while the demo runs. Only the printer does not take what it gets, at first. */
export const demoAnswers =
  (present: number, now: () => number) =>
  (host: string): MadeUpAnswer =>
    host === kitchen && isBroken(now(), present) ? printerOffline : { status: 200, answer: 'Demo: not really sent' }

/** Gives deliveries results that could have been, each at its time. Nothing is sent. */
export const openResults = ({ writer, setClock }: PastService, present: number) => {
  let retries: number[] = []

  const endDue = async (at: number): Promise<void> => {
    setClock(at)
    retries = retries.filter((time) => time > at)
    const place = { node: 'this', lostAt: at + minuteMilliseconds, after: 0, pausedHosts: [], underWay: [] }
    const { claimed } = await writer.run('claimDeliveries', { ...limits, ...place, now: at, limit: claimedAtOnce })
    if (claimed.length === 0) return
    const finished = claimed.map((one): Finished => {
      const { form, id, attempts, kind } = one
      const result = isMailKind(kind) ? mailed : isBroken(at, present) ? offline(one, at) : printed
      const { status, error = null, answer, outcome } = result
      const log = { at, milliseconds: 90 + ((at + attempts) % 150), status, error, answer }
      if (outcome.state === 'pending') retries.push(outcome.dueAt)
      return { form, id, attempt: attempts, disabledReason: null, outcome, log }
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

type Result = Pick<Finished, 'outcome'> & {
  readonly status: number
  readonly error?: string
  readonly answer: string
}

const mailed: Result = { outcome: { state: 'delivered' }, status: 250, answer: '250 2.0.0 Ok: queued' }
const printed: Result = { outcome: { state: 'delivered' }, status: 200, answer: 'printed' }
const offline = ({ attempts }: Claimed, at: number): Result => {
  const delay = delayAfter(attempts, 0, null)
  return {
    outcome: delay === null ? { state: 'failed' } : { state: 'pending', dueAt: at + delay },
    ...printerOffline,
    error: 'The receiver responded with 503',
  }
}

import { minuteMilliseconds } from '../../base/durations.ts'
import { cannot } from '../../base/operator-errors.ts'
import type { Claimed } from '../../outbox/claim.ts'
import type { Attempt, Finished } from '../../outbox/finish.ts'
import { deliveryKinds, receiverKinds } from '../../outbox/kinds.ts'
import type { OutboxWrites } from '../../outbox/outbox-writes.ts'
import type { SkipReason } from '../../outbox/replies.ts'
import { delayAfter } from '../../outbox/schedule.ts'
import { type Look, type LookInput, nextLookMilliseconds } from '../../outbox/waiting.ts'
import type { Writer } from '../../storage/writer/writer.ts'
import { createJob, type Job, type JobOptions } from './job.ts'

/** The result of an attempt. */
export interface Attempted extends Omit<Attempt, 'at' | 'milliseconds'> {
  /** `refused`: no further attempt would do better. `skipped`: there was none, and is to be none. */
  readonly result: 'delivered' | 'later' | 'refused' | 'skipped'
  /** Whether a mail was begun whose end is known now, for a reply. */
  readonly wasBegun?: boolean
  /** Why it was skipped. */
  readonly skipReason?: SkipReason
  /** How long the receiver asked to wait. */
  readonly retryAfterMilliseconds?: number | null
  /** Why the receiver is to be switched off. */
  readonly disabledReason?: string | null
  /** Nothing reaches this host at all, because the server is set up wrongly. The attempt does not count. */
  readonly isOurFault?: boolean
  /** Whether that is so for this form alone, so that other mail to the host goes on. */
  readonly isOfForm?: boolean
  /** Whether this mail or its address was answered, which need not be so for others. */
  readonly isOfMail?: boolean
  /** The mail server of a visitor will never take a mail to this address. */
  readonly isAddressRefused?: boolean
  /** The error with details for the operator only, in place of `error`. */
  readonly operatorError?: string | null
}

interface Attempts {
  /** Sends the message of a delivery. Ends soon after the signal, and throws only for a defect. */
  attempt(claimed: Claimed, signal: AbortSignal): Promise<Attempted>
  /** Ends what is open to receivers. Attempts under way fail. */
  close(): void | Promise<void>
}

interface Options extends Pick<JobOptions, 'now' | 'onFailure' | 'retryMilliseconds'> {
  readonly writer: Writer<OutboxWrites>
  /** Name of this machine, which no other machine that works through this outbox has, and which it keeps. */
  readonly node: string
  /** Whether anything is in the outbox that was not delivered. */
  readonly hasPending: () => boolean
  /** Finds out whether a claim has something to do. */
  readonly look: (input: LookInput) => Look
  readonly attempts: Attempts
  /**
   * When to look again, if nothing wakes the job: a command of the command line or another machine of a cluster may have
   * added deliveries, or died with some.
   */
  readonly lookMilliseconds?: number | undefined
  /** Called after each attempt, for the metrics. */
  readonly onAttempted?: (kind: Claimed['kind'], attempted: Attempted, milliseconds: number) => void
}

interface SendingJob extends Job {
  /** Ends all pauses: someone has put it right, and does not want to wait. */
  resume(): void
}

/** A long message takes up to 10 MB while it is made and sent. */
export const limits = { maxUnderWay: 64, maxPerHost: 4, maxLong: 4 }
/** A long one counts as this many: 2 MiB are read, signed and sent in 4 to 10 ms. */
const longCount = 10
/** No attempt takes longer: those of webhooks end after 15 s. */
const attemptMilliseconds = 45_000
/** An attempt without a result after this long counts as lost, because the machine died and did not come back. */
const lostAfterMilliseconds = minuteMilliseconds
/** How long nothing is sent to a host where the fault is ours: a wrong password too often gets one locked out. */
const pauseMilliseconds = 5 * minuteMilliseconds

/** How long a mail that was taken shows that the settings are right: longer than a pause, after which all wait at once. */
const takenMilliseconds = 2 * pauseMilliseconds
/** How long attempts may take when the server stops. The others are due again when it starts. */
const graceMilliseconds = 2000

/** Sends what is in the outbox: claims deliveries that are due, attempts them, and stores the results. */
export const sendDeliveries = ({
  writer,
  node,
  hasPending,
  look,
  attempts,
  lookMilliseconds = minuteMilliseconds,
  onAttempted,
  now,
  ...options
}: Options): SendingJob => {
  const underWay = new Set<Claimed>()
  const stopping = new AbortController()
  const pace = createPace()
  const pauses = openHostPauses({ now, onFailure: options.onFailure })
  let finished: Finished[] = []
  let lookedTo = 0
  /** A round of looks that has found nothing so far: the receiver after which it began, and when the next delivery is due. */
  let round: { readonly end: number; readonly nextDueAt: number } | undefined
  let isReleased = false
  /** Whether no attempt may begin, whatever is due, until one ends or the next tenth of a second begins. */
  let isBusy = false

  const carryOut = async (claimed: Claimed): Promise<void> => {
    underWay.add(claimed)
    const at = now()
    const startedAt = performance.now()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(attemptMilliseconds)])
    const attempted = await attempts.attempt(claimed, signal).catch(failed)
    const milliseconds = Math.round(performance.now() - startedAt)
    onAttempted?.(claimed.kind, attempted, milliseconds)
    const isBrokenOff = stopping.signal.aborted
    if (!isBrokenOff) pauses.note(claimed, attempted)
    finished.push(toFinished(claimed, attempted, { at, milliseconds, now: now(), isBrokenOff }))
    underWay.delete(claimed)
    round = undefined
    job.wake()
  }

  /** A defect of ours must not look like the receiver's, and not lose the delivery. */
  const failed = (error: unknown): Attempted => {
    options.onFailure(cannot('make a delivery', error).message)
    return {
      result: 'later',
      status: null,
      error: 'Formbox could not create the message. The log of the server has the reason.',
      answer: '',
    }
  }

  const job = createJob({
    ...options,
    task: 'write down what was delivered',
    now,
    async step() {
      await writeFinished()
      const isFull = underWay.size >= limits.maxUnderWay
      const limit = Math.min(limits.maxUnderWay - underWay.size, pace.allowed())
      isBusy = limit < 1
      // With all slots taken, the end of an attempt wakes the job.
      if (isBusy) return isFull ? null : now() + paceMilliseconds
      const nextLookAt = now() + lookMilliseconds
      if (!isReleased) {
        if (!hasPending()) return nextLookAt
        await writer.run('releaseClaims', { node })
        isReleased = true
      }
      const ours = [...underWay].map(({ form, id, host, userId, isLong }) => ({ form, id, host, userId, isLong }))
      const input = { ...limits, now: now(), pausedHosts: pauses.hosts(), underWay: ours, after: lookedTo }
      const seen = look({ ...input, end: round?.end ?? lookedTo })
      if (!seen.isDue) return Math.min(...pauses.times(), goOn(seen), nextLookAt)
      round = undefined
      const lostAt = now() + lostAfterMilliseconds
      const { claimed, nextDueAt, ...claim } = await writer.run('claimDeliveries', { ...input, node, lostAt, limit })
      lookedTo = claim.lookedTo
      pace.take(claimed.reduce((sum, { isLong }) => sum + (isLong ? longCount : 1), 0))
      for (const one of claimed) void carryOut(one)
      if (claimed.length === limit) return now()
      return Math.min(...pauses.times(), nextDueAt ?? nextLookAt, nextLookAt)
    },
  })

  /** Where a look has found nothing to claim, the next one goes on. Returns when it does. */
  const goOn = (seen: Look): number => {
    const nextDueAt = Math.min(seen.nextDueAt, round?.nextDueAt ?? seen.nextDueAt)
    round = seen.isPart ? { end: round?.end ?? lookedTo, nextDueAt } : undefined
    lookedTo = seen.lookedTo
    isBusy = seen.isPart
    return seen.isPart ? now() + nextLookMilliseconds : nextDueAt
  }

  const writeFinished = async (): Promise<void> => {
    if (finished.length === 0) return
    const written = finished
    finished = []
    try {
      await writer.run('finishDeliveries', written)
    } catch (error) {
      finished = [...written, ...finished]
      throw error
    }
  }

  /** Until no attempt is under way, or the time is over. */
  const ended = async (): Promise<void> => {
    const end = performance.now() + graceMilliseconds
    while (underWay.size > 0 && performance.now() < end) await Bun.sleep(10)
  }

  return {
    ...job,
    resume: pauses.clear,
    /** At some 20,000 submissions a second, steps that could begin nothing took 1.2 µs for each of them. */
    wake() {
      round = undefined
      if (!isBusy) job.wake()
    },
    /** Breaks off attempts that take too long. They are due at once when the server starts again. */
    async stop() {
      await job.stop()
      await ended()
      stopping.abort()
      await attempts.close()
      await ended()
      await writeFinished().catch(() => {})
    },
  }
}

/**
 * The hosts to which nothing is sent for a while. One answer to a mail or to its address pauses nothing while the host takes
 * others: a visitor chooses what stands in a mail, and must not stop those of everyone.
 */
const openHostPauses = ({ now, onFailure }: Pick<Options, 'now' | 'onFailure'>) => {
  /** When each may be tried again. */
  const paused = new Map<string, number>()
  /** When each last took a mail. */
  const taken = new Map<string, number>()
  const isTaking = (host: string): boolean =>
    Math.abs(now() - (taken.get(host) ?? Number.NEGATIVE_INFINITY)) < takenMilliseconds

  const hosts = (): string[] => {
    // A time too far ahead is one of a clock that was set back since.
    for (const [host, until] of paused) if (until <= now() || until > now() + pauseMilliseconds) paused.delete(host)
    return [...paused.keys()]
  }

  return {
    hosts,

    /** When they may be tried again. */
    times: () => [...paused.values()],

    clear: () => paused.clear(),

    /** Of several attempts that were under way at the time, only the first is reported to the operator. */
    note({ host, kind }: Pick<Claimed, 'host' | 'kind'>, attempted: Attempted): void {
      const { result, error, operatorError = null, isOurFault, isOfForm, isOfMail } = attempted
      if (result === 'delivered' && receiverKinds[deliveryKinds[kind].to].isMail) taken.set(host, now())
      if (!isOurFault || isOfForm || (isOfMail && isTaking(host)) || hosts().includes(host)) return
      paused.set(host, now() + pauseMilliseconds)
      const next = `the next try is in ${pauseMilliseconds / minuteMilliseconds} minutes`
      onFailure(`cannot send ${host}: ${operatorError ?? error}; ${next}`)
    },
  }
}

const toFinished = (
  { form, id, attempts, endsAt }: Claimed,
  {
    result,
    status,
    error,
    answer,
    retryAfterMilliseconds = null,
    disabledReason = null,
    isOurFault = false,
    isAddressRefused = false,
    wasBegun = false,
    skipReason = 'stopped',
  }: Attempted,
  { at, milliseconds, now, isBrokenOff }: { at: number; milliseconds: number; now: number; isBrokenOff: boolean },
): Finished => {
  const delay = delayAfter(attempts, Math.random(), retryAfterMilliseconds)
  const dueAt = isOurFault ? now + pauseMilliseconds : delay === null ? null : now + delay
  const isLast = dueAt === null || (endsAt !== null && dueAt >= endsAt)
  const failed = { state: 'failed' } as const
  const outcomes: Readonly<Record<Attempted['result'], Finished['outcome']>> = {
    delivered: { state: 'delivered' },
    refused: failed,
    skipped: { state: 'skipped', reason: skipReason },
    later: isBrokenOff
      ? { state: 'brokenOff' }
      : isLast
        ? failed
        : { state: 'pending', dueAt, ...(isOurFault && { isUncounted: true }) },
  }
  const log = { at, milliseconds, status, error, answer }
  const about = { isAddressRefused, wasBegun }
  return { form, id, attempt: attempts, outcome: outcomes[result], ...about, disabledReason, log }
}

/** An attempt costs some 1 ms of CPU with a new TLS connection. So after an outage, requests keep nine tenths. */
const attemptsPerSecond = 100

/** Attempts start in bursts of this length. */
const paceMilliseconds = 100

/** Limits how many attempts start in a tenth of a second, however many are due. */
const createPace = () => {
  const most = (attemptsPerSecond * paceMilliseconds) / 1000
  let startedAt = 0
  let begun = 0
  return {
    allowed(): number {
      const passed = Math.floor((performance.now() - startedAt) / paceMilliseconds)
      if (passed > 0) {
        startedAt = performance.now()
        begun = Math.max(0, begun - passed * most)
      }
      return most - begun
    },
    /** Counts attempts that start. More than this tenth of a second allows are taken off the next ones. */
    take(count: number): void {
      begun += count
    },
  }
}

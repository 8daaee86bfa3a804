import { type AppError, describeError, unavailable } from '../../base/errors.ts'
import type { FileCheck } from '../file-check.ts'
import { type Batch, type Outcome, refusedOutcome, toError } from './batch.ts'
import { fromReply } from './messages.ts'
import type { Queue, Waiting } from './queue.ts'

interface Options {
  readonly queue: Queue
  /** Sends a batch to the Worker. @param queuedAt when its oldest command was queued, by `performance.now()` */
  readonly send: (batch: Batch, queuedAt: number) => void
  /** A command that was not sent by then is refused. Undefined for no limit. */
  readonly maxQueuedMilliseconds: number | undefined
  /** Called when a batch was committed or refused, before its promises are settled. */
  readonly onSettled: () => void
  /** Asked before a batch is sent, unless it was just asked, and before it is answered. If the file is gone, it is refused. */
  readonly fileCheck: Pick<FileCheck, 'isKept'>
}

/**
 * If commits take long, because the disk is slow or the machine is busy, the next batch waits for more commands: as long
 * as they keep coming, but at most a quarter of the time that the last commit took. Clients that are answered together
 * send their next requests together, but not at the same instant. With an fsync of 20 ms, they fell into two halves, and
 * each half waited for the commit of the other.
 */
const gatherShare = 0.25
const maxGatherMilliseconds = 10

/** Milliseconds for which a batch is sent without a new look at the file. A look takes 2 µs, as much as 1 % of one submission. */
const betweenLooks = 1

/**
 * Sends the queued commands to the Worker, one batch at a time: commands gather in the queue, are under way in the Worker,
 * and then have their promises settled. The Worker gets its next batch before the promises of the last one are settled.
 */
export class Dispatch {
  private isGathering = false
  private underWay: readonly Waiting[] = []
  private sentAt = 0
  private lookedAt = Number.NEGATIVE_INFINITY
  private lastMilliseconds = 0
  private lastBatchFailed = false
  private whenIdle: PromiseWithResolvers<void> | undefined
  private readonly results = new Settling(() => this.checkIdle())
  private readonly refusals = new Settling(() => this.checkIdle())

  constructor(private readonly options: Options) {}

  /**
   * To be called when a command was queued. Sends the queued commands when no more of them come: on a fast disk, in this
   * turn of the event loop.
   */
  gather(): void {
    if (this.isGathering || this.underWay.length > 0) return
    this.isGathering = true
    const wait = this.longestWait()
    if (wait >= 1) this.gatherUntil(performance.now() + wait, this.options.queue.length())
    else setImmediate(() => this.endGathering())
  }

  /** Looks again after a millisecond whether more commands were queued than the last time. */
  private gatherUntil(endAt: number, seen: number): void {
    setTimeout(() => {
      const queued = this.options.queue.length()
      if (queued === seen || performance.now() >= endAt) this.endGathering()
      else this.gatherUntil(endAt, queued)
    }, 1)
  }

  private endGathering(): void {
    this.isGathering = false
    this.sendNext()
  }

  private longestWait(): number {
    return Math.min(this.lastMilliseconds * gatherShare, maxGatherMilliseconds)
  }

  /** Sends what is queued at once, unless a batch is under way. */
  sendNext(): void {
    const { queue, send, maxQueuedMilliseconds } = this.options
    if (this.underWay.length > 0 || queue.length() === 0) return
    if (maxQueuedMilliseconds !== undefined) this.refuseLate(maxQueuedMilliseconds)
    this.underWay = queue.takeBatch()
    this.sentAt = performance.now()
    const [oldest] = this.underWay
    if (!oldest) return
    if (this.sentAt - this.lookedAt > betweenLooks && !this.isKept()) return void this.settleAll(this.refusalOfAll())
    try {
      send(
        this.underWay.map(({ name, input }) => [name, input]),
        oldest.queuedAt,
      )
    } catch (error) {
      this.settleAll(this.underWay.map(() => ({ failed: describeError(error) })))
    }
  }

  /** Nothing of these was carried out, or will be. */
  private refuseLate(maxMilliseconds: number): void {
    const late = this.options.queue.takeQueuedBefore(performance.now() - maxMilliseconds)
    if (late.length === 0) return
    const outcome = refusedOutcome(unavailable(5))
    this.refusals.put(
      late,
      late.map(() => outcome),
    )
    this.refusals.start()
  }

  /** To be called with the Worker's reply to the batch under way. */
  settle(reply: string): void {
    this.settleAll(this.isKept() ? fromReply(reply, this.underWay.length) : this.refusalOfAll())
  }

  private isKept(): boolean {
    const isKept = this.options.fileCheck.isKept()
    // What is gone is looked for each time: it may be put back.
    this.lookedAt = isKept ? performance.now() : Number.NEGATIVE_INFINITY
    return isKept
  }

  /** Of a batch that was or would be written to a file that the next start does not find. */
  private refusalOfAll(): Outcome[] {
    const outcome = refusedOutcome(unavailable(5))
    return this.underWay.map(() => outcome)
  }

  private settleAll(outcomes: readonly Outcome[]): void {
    this.options.onSettled()
    // If the disk cannot be written, all commands of the batch are refused.
    this.lastBatchFailed = outcomes.every((outcome) => 'refused' in outcome && outcome.refused.code === 'unavailable')
    this.results.put(this.underWay, outcomes)
    this.underWay = []
    this.lastMilliseconds = performance.now() - this.sentAt
    if (this.longestWait() < 1) this.sendNext()
    else if (this.options.queue.length() > 0) this.gather()
    this.results.start()
  }

  /** Whether the last batch could not be written to the disk. */
  isFailing(): boolean {
    return this.lastBatchFailed
  }

  /** Commands that wait for their commit. */
  waiting(): number {
    return this.underWay.length + this.options.queue.length()
  }

  /** Resolves when no command waits and all promises are settled, or when the commands were rejected. */
  async idle(): Promise<void> {
    if (this.isIdle()) return
    this.whenIdle ??= Promise.withResolvers()
    await this.whenIdle.promise
  }

  private isIdle(): boolean {
    return this.waiting() === 0 && !this.results.isUnderWay() && !this.refusals.isUnderWay()
  }

  private checkIdle(): void {
    if (this.isIdle()) this.whenIdle?.resolve()
  }

  /** Rejects all commands that wait for their commit, because the Worker has ended. */
  reject(error: AppError): void {
    const rejected = [...this.underWay, ...this.options.queue.takeAll()]
    this.underWay = []
    for (const { reject } of rejected) reject(error)
    this.whenIdle?.resolve()
  }
}

/**
 * How many promises are settled in a row: settling 256 took 3 ms, in which no read was answered. With 32, and with 96, fewer
 * submissions are stored in the same time.
 */
const maxSettled = 64

/** Settles the promises of writes with their outcomes, in portions, in the order in which the writes came. */
class Settling {
  private batch: readonly Waiting[] = []
  private outcomes: readonly Outcome[] = []
  private settled = 0
  private isRunning = false

  constructor(private readonly onEnd: () => void) {}

  isUnderWay(): boolean {
    return this.settled < this.batch.length
  }

  /** Takes the outcomes of a batch. Only one batch is held: the rest of the batch before it is settled at once. */
  put(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    this.settleUntil(this.batch.length)
    this.batch = batch
    this.outcomes = outcomes
    this.settled = 0
  }

  start(): void {
    if (!this.isRunning) this.settlePortion()
  }

  private settlePortion(): void {
    this.settleUntil(Math.min(this.settled + maxSettled, this.batch.length))
    this.isRunning = this.isUnderWay()
    if (this.isRunning) setImmediate(() => this.settlePortion())
    else this.onEnd()
  }

  private settleUntil(end: number): void {
    for (; this.settled < end; this.settled++) {
      const { resolve, reject } = this.batch[this.settled] as Waiting
      const outcome = this.outcomes[this.settled] as Outcome
      if ('result' in outcome) resolve(outcome.result as never)
      else reject(toError(outcome))
    }
  }
}

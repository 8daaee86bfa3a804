import { describeError, unavailable } from '../../errors.ts'
import { type Outcome, refusedOutcome } from './batch.ts'
import { createGathering } from './gathering.ts'
import { fromReply, toMessage } from './messages.ts'
import type { Queue, Waiting } from './queue.ts'
import { createTelling } from './telling.ts'

interface Options {
  readonly queue: Queue
  /** Sends a batch to the Worker. @param queuedAt when its oldest command was queued, by `performance.now()` */
  readonly send: (message: string, queuedAt: number) => void
  /** A command that was not sent by then is refused. Undefined for no limit. */
  readonly maxQueuedMilliseconds: number | undefined
  /** Called when a batch was committed or refused, before the callers are told. */
  readonly onSettled: () => void
  /** Called when nothing is queued or under way any more and all callers were told. */
  readonly onIdle: () => void
}

/** Sends the queued commands to the Worker, one batch at a time, and tells their callers the results. */
export const createDispatch = ({ queue, send, maxQueuedMilliseconds, onSettled, onIdle }: Options) => {
  let underWay: readonly Waiting[] = []
  let sentAt = 0
  let isFailing = false

  const sendNext = (): void => {
    if (underWay.length > 0 || queue.length() === 0) return
    if (maxQueuedMilliseconds !== undefined) refuseLate(maxQueuedMilliseconds)
    underWay = queue.takeBatch()
    sentAt = performance.now()
    const [oldest] = underWay
    if (!oldest) return
    try {
      send(toMessage(underWay.map(({ name, input }) => [name, input])), oldest.queuedAt)
    } catch (error) {
      settle(underWay.map(() => ({ failed: describeError(error) })))
    }
  }

  /** Nothing of these was carried out, or will be. */
  const refuseLate = (maxMilliseconds: number): void => {
    const late = queue.takeQueuedBefore(performance.now() - maxMilliseconds)
    if (late.length === 0) return
    refusing.put(
      late,
      late.map(() => refusedOutcome(unavailable(5))),
    )
    refusing.start()
  }

  const settle = (outcomes: readonly Outcome[]): void => {
    onSettled()
    // If the disk cannot be written, all commands of the batch are refused.
    isFailing = outcomes.every((outcome) => 'refused' in outcome && outcome.refused.code === 'unavailable')
    telling.put(underWay, outcomes)
    underWay = []
    // The Worker gets its next batch before the callers of this one are told.
    gathering.beginNext(performance.now() - sentAt)
    telling.start()
  }

  const isIdle = (): boolean =>
    underWay.length === 0 && queue.length() === 0 && !telling.isUnderWay() && !refusing.isUnderWay()
  const tellIdle = (): void => {
    if (isIdle()) onIdle()
  }

  const gathering = createGathering({ queued: queue.length, send: sendNext })
  const telling = createTelling(tellIdle)
  const refusing = createTelling(tellIdle)

  return {
    /** To be called when a command was queued. */
    gather(): void {
      if (underWay.length === 0) gathering.begin()
    },
    sendNext,
    settle: (reply: string): void => settle(fromReply(reply, underWay.length)),
    isIdle,
    isFailing: (): boolean => isFailing,
    /** Commands that wait for their commit. */
    waiting: (): number => underWay.length + queue.length(),
    /** Takes away the commands that wait for their commit, and returns them. */
    abandon(): readonly Waiting[] {
      const abandoned = [...underWay, ...queue.takeAll()]
      underWay = []
      return abandoned
    },
  }
}

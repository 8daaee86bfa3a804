import { describeError } from '../../errors.ts'
import type { Outcome } from './batch.ts'
import { createGathering } from './gathering.ts'
import { fromReply, toMessage } from './messages.ts'
import type { Queue, Waiting } from './queue.ts'
import { createTelling } from './telling.ts'

interface Options {
  readonly queue: Queue
  /** Sends a batch to the Worker. */
  readonly send: (message: string) => void
  /** Called when a batch was committed or refused, before those who wait for it are told. */
  readonly onSettled: () => void
  /** Called when nothing is queued or under way any more, and everybody was told. */
  readonly onIdle: () => void
}

/** Takes what is queued to the Worker, one batch at a time, and its results back to those who wait. */
export const createDispatch = ({ queue, send, onSettled, onIdle }: Options) => {
  let underWay: readonly Waiting[] = []
  let sentAt = 0
  let isFailing = false

  const sendNext = (): void => {
    if (underWay.length > 0 || queue.length() === 0) return
    underWay = queue.takeBatch()
    sentAt = performance.now()
    try {
      send(toMessage(underWay.map(({ name, input }) => [name, input])))
    } catch (error) {
      settle(underWay.map(() => ({ failed: describeError(error) })))
    }
  }

  const settle = (outcomes: readonly Outcome[]): void => {
    onSettled()
    // What keeps one command from the disk keeps the whole batch from it.
    isFailing = outcomes.every((outcome) => 'refused' in outcome && outcome.refused.code === 'unavailable')
    telling.put(underWay, outcomes)
    underWay = []
    // The Worker has its next batch before anybody is told of this one.
    gathering.beginNext(performance.now() - sentAt)
    telling.start()
  }

  const isIdle = (): boolean => underWay.length === 0 && queue.length() === 0 && !telling.isUnderWay()

  const gathering = createGathering({ queued: queue.length, send: sendNext })
  const telling = createTelling(() => isIdle() && onIdle())

  return {
    /** To be called when something was queued. */
    gather(): void {
      if (underWay.length === 0) gathering.begin()
    },
    sendNext,
    settle: (reply: string): void => settle(fromReply(reply, underWay.length)),
    isIdle,
    isFailing: (): boolean => isFailing,
    /** Commands that wait for their commit. */
    waiting: (): number => underWay.length + queue.length(),
    /** Gives up those that wait for their commit, and returns them. */
    abandon(): readonly Waiting[] {
      const abandoned = [...underWay, ...queue.takeAll()]
      underWay = []
      return abandoned
    },
  }
}

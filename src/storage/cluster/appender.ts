import { unavailable } from '../../base/errors.ts'
import { because } from '../../languages/texts.ts'
import { type Outcome, refusedOutcome } from '../writer/batch.ts'
import { toMessage, toReply, toReplyForAll } from '../writer/messages.ts'
import { firstPauseMilliseconds, longerPause, type Machine, type OwnBatch } from './machine.ts'
import { isReady, steadyNow } from './state.ts'

const usualAnswerMilliseconds = 10_000

/**
 * Appends the batches of this machine to the log.
 *
 * @param instance begins the identifier of each row
 * @param answerMilliseconds longest time that a write waits
 */
export const createAppender = (machine: Machine, instance: string, answerMilliseconds = usualAnswerMilliseconds) => {
  const { state, version } = machine
  let appended = 0
  /** `performance.now()` after which no write waits. */
  let waitsEndAt = Number.POSITIVE_INFINITY

  return {
    /**
     * The reply to a batch, after its row is durable in the log and was executed here.
     *
     * @param since when its oldest write began to wait, by `steadyNow`
     */
    submit(batch: string, since = steadyNow()): Promise<string> {
      const milliseconds = Math.min(since + answerMilliseconds - steadyNow(), waitsEndAt - performance.now())
      // Nothing is appended that this machine could not execute soon, or behind a row that the log does not take.
      const isBlocked = state.get('appendingSince') > 0
      if (!machine.isRunning() || milliseconds <= 0 || isBlocked || !isReady(state))
        return Promise.resolve(toReplyForAll(refusedOutcome(unavailable(5))))
      const row = { id: `${instance}-${++appended}`, version, batch }
      return new Promise((resolve) => {
        const own = createOwnBatch(row, (reply) => {
          machine.own = undefined
          resolve(reply)
        })
        own.settleWithin(milliseconds)
        machine.own = own
        void append(machine, own)
      })
    },
    /** From now on, all writes wait for this long in total: the server is about to end. */
    limitWaits(milliseconds: number): void {
      waitsEndAt = performance.now() + milliseconds
      machine.own?.settleWithin(milliseconds)
    },
  }
}

const createOwnBatch = (row: OwnBatch['row'], onReply: (reply: string) => void): OwnBatch => {
  let answer: ReturnType<OwnBatch['answer']>
  let timer: Timer | undefined
  const settle = (outcomes: Outcome[] | 'unknown'): void => {
    if (answer) return
    answer = outcomes === 'unknown' ? outcomes : 'outcomes'
    clearTimeout(timer)
    onReply(outcomes === 'unknown' ? toReplyForAll(refusedOutcome(unanswered())) : toReply(outcomes))
  }
  return {
    row,
    settle,
    answer: () => answer,
    settleWithin(milliseconds) {
      clearTimeout(timer)
      timer = setTimeout(settle, milliseconds, 'unknown')
    },
  }
}

/** The log did not respond in time. The row may be in it all the same, or come into it later. */
const unanswered = () => unavailable(5, 'it may have been stored all the same', because('uncertain'))

/** Appends the row until that has worked, and executes it if it is the next one. */
const append = async (machine: Machine, own: OwnBatch): Promise<void> => {
  for (let pause = firstPauseMilliseconds; machine.isRunning(); pause = longerPause(pause)) {
    // Reading has found it: only the response of the log got lost.
    if (own.answer() === 'outcomes') return machine.faults.end('appending')
    // A write that was refused may be sent again. A row without commands shows when the log takes rows again.
    const isLate = own.answer() === 'unknown'
    const row = isLate ? { ...own.row, id: `${own.row.id}-late`, batch: toMessage([]) } : own.row
    try {
      await appendOnce(machine, row)
      return machine.faults.end('appending')
    } catch (error) {
      if (!machine.mayRetry('appending', error)) return
      // The row is in the log, or it may be. Reading on finds it.
      machine.wake()
      await Bun.sleep(pause)
    }
  }
}

const appendOnce = async (machine: Machine, row: OwnBatch['row']): Promise<void> => {
  const { log, state, position } = machine
  const startedAt = performance.now()
  state.set('appendingSince', state.get('appendingSince') || steadyNow())
  const { seq, previousId } = await log.append(row)
  state.appendSeconds.observe((performance.now() - startedAt) / 1000)
  state.set('appendingSince', 0)
  state.set('end', Math.max(state.get('end'), seq))
  const last = position()
  const isNext = seq === last.seq + 1 && previousId === last.id
  if (!isNext || machine.isHalted()) return machine.wake()
  machine.execute([{ ...row, seq }])
  state.set('caughtUpAt', steadyNow())
}

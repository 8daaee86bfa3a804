import { type Outcome, refusedOutcome } from '../db/writer/batch.ts'
import { toMessage, toReply, toReplyForAll } from '../db/writer/messages.ts'
import { unavailable } from '../errors.ts'
import { OperatorError } from '../operator-errors.ts'
import { beginText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import type { LogExecutor } from './execute.ts'
import { Halt } from './halt.ts'
import { type ClusterLog, type LogRow, LogUnavailable } from './log.ts'
import { type ClusterState, isReady, steadyNow } from './state.ts'
import { createTrouble, type OnTrouble, type Task } from './trouble.ts'
import { createWaking } from './waking.ts'

interface Options {
  readonly log: ClusterLog
  readonly executor: LogExecutor
  readonly state: ClusterState
  /** Differs for each process: the identifiers of its rows begin with it. */
  readonly instance: string
  readonly version: number
  readonly fingerprint: () => string
  /** Called once, when this machine can execute nothing more of the log. */
  readonly onHalt: (halt: Halt) => void
  /** Told in one line when the log or the disk fails, and when they work again. */
  readonly onTrouble: OnTrouble
  /** How long a write waits at most. */
  readonly answerMilliseconds?: number
}

export type Follower = ReturnType<typeof startFollower>

const defaultAnswerMilliseconds = 10_000
/** How often the log is read if the engine tells nothing. */
const pollMilliseconds = 1000
const retryMilliseconds = { first: 50, most: 1000 }

/** A batch of this machine that waits for its row to be executed. */
interface Own {
  readonly row: Omit<LogRow, 'seq'>
  settle(outcomes: Outcome[] | 'unknown'): void
  /** What its caller was answered, if it was. */
  answer(): 'outcomes' | 'unknown' | undefined
  /** Settles it with `unknown` after so long at the latest. */
  settleWithin(milliseconds: number): void
}

/** Executes the log as it grows, and appends the batches of this machine. One batch is under way at a time. */
export const startFollower = ({ log, executor, state, instance, version, fingerprint, ...options }: Options) => {
  const { onHalt, onTrouble, answerMilliseconds = defaultAnswerMilliseconds } = options
  const waking = createWaking()
  const trouble = createTrouble(onTrouble)
  let own: Own | undefined
  let isPrepared = false
  let appended = 0
  let halted: Halt | undefined
  let isClosed = false
  /** `performance.now()` after which no write waits. */
  let end = Number.POSITIVE_INFINITY
  state.set('applied', executor.position().seq)

  const follow = async (): Promise<void> => {
    for (let delay = retryMilliseconds.first; !isClosed && !halted; ) {
      try {
        const isAtEnd = await readOn()
        trouble.over('reading')
        delay = retryMilliseconds.first
        if (isAtEnd) await waking.next(pollMilliseconds)
      } catch (error) {
        if (!handle('reading', error)) return
        await waking.next(delay)
        delay = Math.min(delay * 2, retryMilliseconds.most)
      }
    }
  }

  /** Reads and executes what follows. Returns whether that was all. */
  const readOn = async (): Promise<boolean> => {
    if (!isPrepared) await log.prepare()
    isPrepared = true
    const from = executor.position()
    const readAt = steadyNow()
    const { rows, end } = await log.readFrom(from.seq)
    state.set('end', end)
    if (from.seq === 0 && end === 0) {
      await begin()
      return false
    }
    for (let following = rowsAfter(from, rows, end); following.length > 0; ) {
      // What was executed while the log was read.
      following = following.filter(({ seq }) => seq > executor.position().seq)
      if (following.length === 0) break
      following = following.slice(execute(following))
      // Batches of this machine, reports and the end of the process get their turn.
      await new Promise(setImmediate)
    }
    if (executor.position().seq < end) return false
    state.set('caughtUpAt', readAt)
    return true
  }

  /** Machines with the same data append the same row, which is one. */
  const begin = async (): Promise<void> => {
    const ofData = fingerprint()
    await log.append({ id: `begin-${ofData}`, version, batch: beginText(ofData) })
  }

  const execute = (rows: readonly LogRow[]): number => {
    const { taken, outcomes } = executor.execute(rows, own?.row.id)
    state.set('executed', state.get('executed') + taken)
    state.set('applied', executor.position().seq)
    state.set('failing', 0)
    if (outcomes) {
      own?.settle(outcomes)
      state.set('appendingSince', 0)
    }
    return taken
  }

  const halt = (reason: Halt): void => {
    if (halted) return
    halted = reason
    state.set('caughtUpAt', 0)
    own?.settle('unknown')
    onHalt(reason)
  }

  /** @returns whether to try again */
  const handle = (what: Task, error: unknown): boolean => {
    if (isClosed) return false
    if (error instanceof Halt) {
      halt(error)
      return false
    }
    if (error instanceof LogUnavailable) state.set('errors', state.get('errors') + 1)
    else if (!(error instanceof OperatorError)) state.set('failing', 1)
    trouble.is(what, error)
    return true
  }

  /** Appends the row until that has worked, and executes it if it is the next one. */
  const append = async (one: Own): Promise<void> => {
    for (
      let delay = retryMilliseconds.first;
      !isClosed && !halted;
      delay = Math.min(delay * 2, retryMilliseconds.most)
    ) {
      // Reading has found it: only the answer of the log got lost.
      if (one.answer() === 'outcomes') return trouble.over('appending')
      // Whoever sent it may send it again. A row without commands shows when the log takes rows again.
      const row = one.answer() === 'unknown' ? { id: `${one.row.id}-late`, version, batch: toMessage([]) } : one.row
      try {
        const startedAt = performance.now()
        state.set('appendingSince', state.get('appendingSince') || steadyNow())
        const { seq, previousId } = await log.append(row)
        state.appendSeconds.observe((performance.now() - startedAt) / 1000)
        state.set('appendingSince', 0)
        state.set('end', Math.max(state.get('end'), seq))
        const { seq: at, id } = executor.position()
        if (seq === at + 1 && previousId === id && !halted) {
          execute([{ ...row, seq }])
          state.set('caughtUpAt', steadyNow())
        } else waking.wake()
        trouble.over('appending')
        return
      } catch (error) {
        if (!handle('appending', error)) return
        // The row is in the log, or it may be. Reading on finds it.
        waking.wake()
        await Bun.sleep(delay)
      }
    }
  }

  log.onAppended((seq) => {
    if (seq === null || seq > state.get('applied')) waking.wake()
  })
  const following = follow()

  return {
    /** Stops everything but reads of the file. */
    halt,
    /**
     * The reply to a batch, after its row is durable in the log and was executed here.
     *
     * @param since when its oldest write began to wait, by `steadyNow`
     */
    submit(batch: string, since = steadyNow()): Promise<string> {
      const milliseconds = Math.min(since + answerMilliseconds - steadyNow(), end - performance.now())
      // Nothing is appended that this machine could not execute soon, or behind a row that the log does not take.
      const isWaited = state.get('appendingSince') > 0
      if (halted || isClosed || milliseconds <= 0 || isWaited || !isReady(state))
        return Promise.resolve(toReplyForAll(refusedOutcome(unavailable(5))))
      return new Promise((resolve) => {
        let answer: ReturnType<Own['answer']>
        const settle = (outcomes: Outcome[] | 'unknown'): void => {
          if (answer) return
          answer = outcomes === 'unknown' ? outcomes : 'outcomes'
          clearTimeout(timer)
          own = undefined
          resolve(outcomes === 'unknown' ? toReplyForAll(refusedOutcome(unanswered())) : toReply(outcomes))
        }
        let timer: Timer | undefined
        const settleWithin = (longest: number): void => {
          clearTimeout(timer)
          timer = setTimeout(settle, longest, 'unknown')
        }
        settleWithin(milliseconds)
        const row = { id: `${instance}-${++appended}`, version, batch }
        own = { row, settle, answer: () => answer, settleWithin }
        void append(own)
      })
    },
    /** From now on, all writes together wait for so long at most: this machine is about to end. */
    hurry(milliseconds: number): void {
      end = performance.now() + milliseconds
      own?.settleWithin(milliseconds)
    },
    async close(): Promise<void> {
      isClosed = true
      own?.settle('unknown')
      waking.wake()
      await log.close()
      await following
    },
  }
}

/** The log did not answer in time. The row may be in it all the same, or come into it later. */
const unanswered = () => unavailable(5, 'it may have been stored all the same')

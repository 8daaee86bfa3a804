import { type Outcome, refusedOutcome } from '../db/writer/batch.ts'
import { toReply, toReplyForAll } from '../db/writer/messages.ts'
import { OperatorError, unavailable } from '../errors.ts'
import { beginText } from './batch-text.ts'
import { rowsAfter } from './chain.ts'
import type { LogExecutor } from './execute.ts'
import { Halt } from './halt.ts'
import { type ClusterLog, type LogRow, LogUnavailable } from './log.ts'
import { type ClusterState, isBehind, steadyNow } from './state.ts'
import { createTrouble, type Task } from './trouble.ts'

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
  readonly onTrouble: (line: string) => void
  /** How long a write waits for its row at most. */
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
  isSettled(): boolean
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
    if (outcomes) own?.settle(outcomes)
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

  /** Appends the row until that has worked or its caller was answered, and executes it if it is the next one. */
  const append = async (one: Own): Promise<void> => {
    for (let delay = retryMilliseconds.first; !one.isSettled(); delay = Math.min(delay * 2, retryMilliseconds.most)) {
      try {
        const startedAt = performance.now()
        const { seq, previousId } = await log.append(one.row)
        state.appendSeconds.observe((performance.now() - startedAt) / 1000)
        state.set('end', Math.max(state.get('end'), seq))
        const { seq: at, id } = executor.position()
        if (seq === at + 1 && previousId === id && !halted) {
          execute([{ ...one.row, seq }])
          state.set('caughtUpAt', steadyNow())
        } else if (!one.isSettled()) waking.wake()
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
    /** The reply to a batch, after its row is durable in the log and was executed here. */
    submit(batch: string): Promise<string> {
      // Nothing is appended that this machine could not execute soon.
      const milliseconds = Math.min(answerMilliseconds, end - performance.now())
      if (halted || isClosed || milliseconds <= 0 || isBehind(state))
        return Promise.resolve(toReplyForAll(refusedOutcome(unavailable(5))))
      return new Promise((resolve) => {
        let isSettled = false
        const settle = (outcomes: Outcome[] | 'unknown'): void => {
          if (isSettled) return
          isSettled = true
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
        own = { row, settle, isSettled: () => isSettled, settleWithin }
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

/** Lets a loop wait for the next call, or for a time. A call while nobody waits is not lost. */
const createWaking = () => {
  let isWoken = false
  let end: (() => void) | undefined
  return {
    wake(): void {
      isWoken = true
      end?.()
    },
    async next(milliseconds: number): Promise<void> {
      if (!isWoken) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, milliseconds)
        end = resolve
        await promise
        clearTimeout(timer)
        end = undefined
      }
      isWoken = false
    },
  }
}

import { describeError } from '../../base/errors.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import type { Outcome } from '../writer/batch.ts'
import type { LogExecutor } from './execute.ts'
import { type ClusterLog, Halt, type LogRow, LogUnavailable } from './log.ts'
import type { ClusterState } from './state.ts'

export interface MachineOptions {
  readonly log: ClusterLog
  readonly executor: LogExecutor
  readonly state: ClusterState
  readonly version: number
  /** Called once, when this machine can execute nothing more of the log. */
  readonly onHalt: (halt: Halt) => void
  readonly onFault: OnFault
}

/** A batch of this machine that waits for its row to be executed. */
export interface OwnBatch {
  readonly row: Omit<LogRow, 'seq'>
  settle(outcomes: Outcome[] | 'unknown'): void
  /** The kind of response that its caller got; undefined if none yet. */
  answer(): 'outcomes' | 'unknown' | undefined
  /** Settles it with `unknown` after this time at the latest. */
  settleWithin(milliseconds: number): void
}

export type Machine = ReturnType<typeof createMachine>

/** This machine of the cluster, for the two loops that execute rows: one reads the log, one appends to it. */
export const createMachine = ({ log, executor, state, version, onHalt, onFault }: MachineOptions) => {
  const waking = createWaking()
  const faults = createFaults(onFault)
  let isHalted = false
  let isStopped = false
  state.set('applied', executor.position().seq)

  const machine = {
    log,
    state,
    version,
    faults,
    own: undefined as OwnBatch | undefined,
    position: executor.position,
    isRunning: () => !isStopped && !isHalted,
    isHalted: () => isHalted,
    /** Ends the pause of the loop that reads. */
    wake: waking.wake,
    woken: waking.next,

    /** Executes the first ones of these rows. Returns how many. */
    execute(rows: readonly LogRow[]): number {
      const { taken, outcomes } = executor.execute(rows, machine.own?.row.id)
      state.set('executed', state.get('executed') + taken)
      state.set('applied', executor.position().seq)
      state.set('failing', 0)
      if (outcomes) {
        machine.own?.settle(outcomes)
        state.set('appendingSince', 0)
      }
      return taken
    },

    /** Takes note of what was thrown. Returns whether to try again. */
    mayRetry(task: Task, error: unknown): boolean {
      if (isStopped) return false
      if (error instanceof Halt) {
        machine.halt(error)
        return false
      }
      if (error instanceof LogUnavailable) state.set('errors', state.get('errors') + 1)
      else if (!(error instanceof OperatorError)) state.set('failing', 1)
      faults.begin(task, error)
      return true
    },

    halt(reason: Halt): void {
      if (isHalted) return
      isHalted = true
      state.set('caughtUpAt', 0)
      machine.own?.settle('unknown')
      onHalt(reason)
    },

    stop(): void {
      isStopped = true
      machine.own?.settle('unknown')
      waking.wake()
    },
  }
  return machine
}

/** The pause after a first failure. */
export const firstPauseMilliseconds = 50
const longestPauseMilliseconds = 1000

export const longerPause = (milliseconds: number): number => Math.min(milliseconds * 2, longestPauseMilliseconds)

/** Lets a loop wait for the next call, or for a time. A call before the wait is not lost. */
const createWaking = () => {
  let isWoken = false
  let endWait: (() => void) | undefined
  return {
    wake(): void {
      isWoken = true
      endWait?.()
    },
    async next(milliseconds: number): Promise<void> {
      if (!isWoken) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, milliseconds)
        endWait = resolve
        await promise
        clearTimeout(timer)
        endWait = undefined
      }
      isWoken = false
    },
  }
}

/** Writes may fail while reading works: they wait for a standby, and reads do not. */
type Task = 'reading' | 'appending'

/** Kinds of faults for which an operator does different things. Those of the set-up last until one does. */
type FaultKind = 'engine' | 'set-up' | 'machine'

/** Called with one line when the log or the disk begins to fail, and without a kind when they work again. */
type OnFault = (line: string, kind?: FaultKind) => void

/** Reports each kind of fault once, until none is left. */
const createFaults = (onFault: OnFault) => {
  const failing = new Set<Task>()
  const reported = new Set<FaultKind>()
  return {
    begin(task: Task, error: unknown): void {
      failing.add(task)
      const [kind, reason] = inWords(error)
      if (!reported.has(kind))
        onFault(`the log of the cluster: ${reason}; writes are refused until it works again`, kind)
      reported.add(kind)
    },
    end(task: Task): void {
      if (!failing.delete(task) || failing.size > 0) return
      reported.clear()
      onFault('the log of the cluster works again')
    },
  }
}

const inWords = (error: unknown): readonly [kind: FaultKind, reason: string] => {
  if (error instanceof LogUnavailable) return ['engine', error.message]
  if (error instanceof OperatorError) return ['set-up', error.message]
  return ['machine', `this machine cannot execute it: ${describeError(error)}`]
}

import { createHistogram, type Histogram, histogramLength } from '../../base/histogram.ts'

/** State of the log that the writer's thread writes to memory, and the main thread reads. */
export interface ClusterState {
  readonly memory: SharedArrayBuffer
  /** Duration of each append, until its row was durable. */
  readonly appendSeconds: Histogram
  get(name: keyof typeof positions): number
  set(name: keyof typeof positions, value: number): void
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const positions = {
  /** Number of the row that was executed last. */
  applied: 0,
  /** Number of the last row of the log, as far as is known. */
  end: 1,
  /** Time at which this machine had last executed the whole log, by `steadyNow`; 0 for never. */
  caughtUpAt: 2,
  /** Number of calls to which the engine did not respond. */
  errors: 3,
  /** Rows executed since the start. */
  executed: 4,
  /** 1 if this machine could not execute the last row that it tried, such as with a full disk. */
  failing: 5,
  /** Time since which an append has not been answered, by `steadyNow`; 0 if none waits. */
  appendingSince: 6,
} as const
const count = Object.keys(positions).length

/** Makes one, or opens that of the other thread in its `memory`. */
export const openClusterState = (
  memory = new SharedArrayBuffer((count + histogramLength(seconds)) * Float64Array.BYTES_PER_ELEMENT),
): ClusterState => {
  const numbers = new Float64Array(memory)
  return {
    memory,
    appendSeconds: createHistogram(seconds, numbers.subarray(count)),
    get: (name) => numbers[positions[name]] as number,
    set(name, value) {
      numbers[positions[name]] = value
    },
  }
}

/** A machine takes no writes after it has been behind the log, or has waited for an append, for this long. */
const lateMilliseconds = 5000

/** It reads the log once a second. After this time without it, others may have written something. */
const unsureMilliseconds = 2000

/** Whether this machine takes writes. */
export const isReady = (state: ClusterState): boolean =>
  isSince(state.get('caughtUpAt'), lateMilliseconds) &&
  (state.get('appendingSince') === 0 || isSince(state.get('appendingSince'), lateMilliseconds))

/** Whether others may have written what this machine does not know yet. */
export const isBehind = (state: ClusterState): boolean =>
  state.get('applied') < state.get('end') || !isSince(state.get('caughtUpAt'), unsureMilliseconds)

const isSince = (time: number, milliseconds: number): boolean => time >= steadyNow() - milliseconds

/**
 * Unix milliseconds of a clock that is never set while a thread runs. Two threads agree, unless the system's clock was set
 * between their starts.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now()

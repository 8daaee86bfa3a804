import { AppError } from '../errors.ts'
import { cannot } from '../operator-errors.ts'

/** Work that the server does by itself, one step after the other. */
export interface Job {
  /** Takes the first step at once. */
  start(): void
  /**
   * Says that there may be work. The next step then follows at once, or right after the one under way. It does nothing
   * before `start`, after `stop`, and after an error: then the job waits for its retry.
   */
  wake(): void
  /** Takes no further step. Resolves when the one under way has ended. */
  stop(): Promise<void>
}

export interface JobOptions {
  /** What it does, as in `cannot back up the data file`. */
  readonly task: string
  /**
   * Does what is due, or a part of it that is short enough to keep nobody waiting. It is also called when nothing is due:
   * after a retry, and at least once an hour.
   *
   * @param stopping is aborted when the job is stopped, so that a long step ends early
   * @returns when the next step is due, as Unix time in milliseconds: at once when that has passed; null when there is
   *   nothing to do until the job is woken
   * @throws whatever kept it from its work: the next step follows after `retryMilliseconds`
   */
  readonly step: (stopping: AbortSignal) => Promise<number | null>
  readonly retryMilliseconds?: number
  readonly now: () => number
  /** Told in one line why a step failed and when the next one follows. */
  readonly onFailure: (reason: string) => void
}

/** Timers do not run while the machine sleeps, and do not notice that the clock was set. So no wait is longer. */
const longestWaitMilliseconds = 3_600_000

const minuteMilliseconds = 60_000

export const createJob = (options: JobOptions): Job => {
  const { task, step, retryMilliseconds = minuteMilliseconds, now, onFailure } = options
  const stopping = new AbortController()
  let underWay: Promise<void> | undefined
  let timer: Timer | undefined
  /** Whether the timer may be cut short. */
  let isResting = false
  let isWoken = false

  const run = (): void => {
    clearTimeout(timer)
    isResting = false
    underWay = takeSteps().then(rest, retryLater)
  }

  /** Until none is due; returns how long to wait. */
  const takeSteps = async (): Promise<number> => {
    let wait = 0
    while (!stopping.signal.aborted && (isWoken || wait <= 0)) {
      isWoken = false
      const dueAt = await step(stopping.signal)
      wait = dueAt === null ? longestWaitMilliseconds : Math.min(dueAt - now(), longestWaitMilliseconds)
    }
    return wait
  }

  const rest = (milliseconds: number): void => {
    if (stopping.signal.aborted) return
    isResting = true
    timer = setTimeout(run, milliseconds)
  }

  const retryLater = (error: unknown): void => {
    if (stopping.signal.aborted) return
    timer = setTimeout(run, retryMilliseconds)
    if (isOutOfService(error)) return
    const { message } = cannot(task, error)
    onFailure(`${message}; the next try is in ${inMinutes(retryMilliseconds)}`)
  }

  return {
    start: run,
    wake() {
      isWoken = true
      if (isResting) run()
    },
    async stop() {
      stopping.abort()
      isResting = false
      clearTimeout(timer)
      await underWay
    },
  }
}

/** The disk or the queue is full. `/healthz` says so, and so does every write that is refused. */
const isOutOfService = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable'

const inMinutes = (milliseconds: number): string => {
  const minutes = milliseconds / minuteMilliseconds
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

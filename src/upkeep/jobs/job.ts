import { hourMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { AppError } from '../../base/errors.ts'
import { cannot } from '../../base/operator-errors.ts'

/** Work that the server does by itself, step by step. Two steps never run at the same time. */
export interface Job {
  /** Takes the first step at once. */
  start(): void
  /**
   * Call this when there may be work: the next step follows at once, or right after the one under way. It has no effect
   * before `start`, after `stop`, and while the job waits to retry a step that failed.
   */
  wake(): void
  /** Takes no further step. Resolves when the one under way has ended. */
  stop(): Promise<void>
}

export interface JobOptions {
  /** The work of the job, for its error message: `cannot` and these words. */
  readonly task: string
  /**
   * Does what is due, or a part of it that is short enough not to delay other writes. It is called at least once an hour,
   * so there may be nothing to do.
   *
   * @param stopping is aborted when the job is stopped, so that a long step can end early
   * @returns when the next step is due, as Unix time in milliseconds: at once if that has passed; null if there is
   *   nothing to do until the job is woken
   * @throws if it failed; the next step follows after `retryMilliseconds`, sooner if the writer was out of service and
   *   says so
   */
  readonly step: (stopping: AbortSignal) => Promise<number | null>
  /** Asked before each step whether this machine is to do it: null if so, otherwise when to ask again (see lease.ts). */
  readonly lease?: ((task: string) => Promise<number | null>) | undefined
  readonly retryMilliseconds?: number
  readonly now: () => number
  /** Called with one line that says why a step failed and when the next try is. */
  readonly onFailure: (reason: string) => void
}

/** A timer stands still while the machine sleeps, and does not notice that the clock was set. So no wait is longer. */
const longestWaitMilliseconds = hourMilliseconds

export const createJob = (options: JobOptions): Job => {
  const { task, step, lease, retryMilliseconds = minuteMilliseconds, now, onFailure } = options
  const stopping = new AbortController()
  let underWay: Promise<void> | undefined
  let timer: Timer | undefined
  /** Whether the job waits for its next step, and may be woken. */
  let isResting = false
  let isWoken = false

  const run = (): void => {
    clearTimeout(timer)
    isResting = false
    underWay = takeSteps().then(rest, retryLater)
  }

  /** Takes steps until none is due, and returns how long to wait for the next one. */
  const takeSteps = async (): Promise<number> => {
    let wait = 0
    while (!stopping.signal.aborted && (isWoken || wait <= 0)) {
      isWoken = false
      const elsewhere = lease ? await lease(task) : null
      const dueAt = elsewhere ?? (await step(stopping.signal))
      wait = dueAt === null ? longestWaitMilliseconds : Math.min(dueAt - now(), longestWaitMilliseconds)
    }
    return wait
  }

  const rest = (milliseconds: number): void => {
    if (stopping.signal.aborted) return
    // The job may have been woken between the end of the last step and now.
    if (isWoken) return void run()
    isResting = true
    timer = setTimeout(run, milliseconds)
  }

  const retryLater = (error: unknown): void => {
    if (stopping.signal.aborted) return
    const soon = outOfServiceMilliseconds(error)
    timer = setTimeout(run, Math.min(retryMilliseconds, soon ?? retryMilliseconds))
    if (soon !== undefined) return
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

/** The disk or the queue is full. This is not reported: `/healthz` and each refused write say so. */
const outOfServiceMilliseconds = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'unavailable' ? (error.retryAfterSeconds ?? 0) * 1000 : undefined

const inMinutes = (milliseconds: number): string => {
  const minutes = milliseconds / minuteMilliseconds
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

import type { Context } from 'elysia'
import { type AppError, invalid } from '../errors.ts'

/** Idle connections are closed after so many seconds, and so is one over which a body comes slower than 16 KiB/s. */
export const idleTimeoutSeconds = 30

export interface BodyTimes {
  /** So long may a body take. */
  readonly maxMilliseconds: number
  /** So long may it pause. Half of it is less than the idle timeout, which is lengthened then. */
  readonly graceMilliseconds: number
  /** Each so many bytes give it another second. */
  readonly minBytesPerSecond: number
}

/**
 * 400 kB at 5 kB/s take 80 seconds: what somebody typed on a bad line gets through. A larger body that pauses for half
 * a minute is ended, and so is one that comes slower than 4 kB/s for longer.
 */
const bodyTimes: BodyTimes = { maxMilliseconds: 180_000, graceMilliseconds: 30_000, minBytesPerSecond: 4000 }

/** What a stage of a request knows of who sends its body. Where the server is null, nobody lengthens the idle timeout. */
export interface Asked {
  readonly request: Request
  readonly server: Pick<NonNullable<Context['server']>, 'timeout'> | null
  /** Whose share of the memory it takes. Asked for only where it takes any. */
  readonly owner: () => string
}

export interface ArrivingBody {
  readonly asked: Asked
  /** `performance.now()` */
  readonly startedAt: number
  /** Undefined where a body is too small to be held to a speed. */
  readonly receivedBytes: number | undefined
  /** Whether it may take longer than the idle timeout. */
  hasMoreTime: boolean
  /** Called once, before it gets more time. @throws AppError `unavailable` when there is no room for another slow one */
  onSlow(): void
  /** Stops reading: `read` rejects with this. */
  giveUp(error: AppError): void
}

/**
 * Looks after the bodies that are being read: lengthens the time that Bun gives them, and ends those that are too slow.
 * It looks at all of them once a second, so that a body that is there at once needs no timer and no call of Bun.
 */
export const watchArrivingBodies = (times: BodyTimes = bodyTimes) => {
  const { maxMilliseconds, graceMilliseconds, minBytesPerSecond } = times
  // In the order in which they began.
  const bodies = new Set<ArrivingBody>()
  let timer: Timer | undefined

  const look = (): void => {
    const now = performance.now()
    for (const body of bodies) {
      const milliseconds = now - body.startedAt
      if (milliseconds < graceMilliseconds / 2) break
      const fault = faultOf(body, milliseconds) ?? (body.hasMoreTime ? undefined : giveMoreTime(body, milliseconds))
      if (fault) body.giveUp(fault)
    }
    if (bodies.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const faultOf = ({ receivedBytes }: ArrivingBody, milliseconds: number): AppError | undefined => {
    if (milliseconds >= maxMilliseconds)
      return invalid({ field: 'body', message: `must be sent within ${maxMilliseconds / 1000} seconds` })
    if (receivedBytes === undefined) return undefined
    if (milliseconds < graceMilliseconds + (receivedBytes / minBytesPerSecond) * 1000) return undefined
    return invalid({ field: 'body', message: `must be sent with at least ${minBytesPerSecond} bytes a second` })
  }

  const giveMoreTime = (body: ArrivingBody, milliseconds: number): AppError | undefined => {
    try {
      body.onSlow()
    } catch (error) {
      return error as AppError
    }
    body.hasMoreTime = true
    setIdleTimeout(body, Math.ceil((maxMilliseconds - milliseconds) / 1000) + idleTimeoutSeconds)
    return undefined
  }

  return {
    begin(body: ArrivingBody): void {
      bodies.add(body)
      timer ??= setInterval(look, graceMilliseconds / 30).unref()
    },
    /** However it ended. */
    end(body: ArrivingBody): void {
      bodies.delete(body)
      if (body.hasMoreTime) setIdleTimeout(body, idleTimeoutSeconds)
    },
  }
}

/** Bun takes up to 255 seconds, and keeps them for the requests that follow on the connection. */
const setIdleTimeout = ({ asked }: ArrivingBody, seconds: number): void => asked.server?.timeout(asked.request, seconds)

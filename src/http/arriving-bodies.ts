import type { Context } from 'elysia'
import { type AppError, invalid } from '../errors.ts'

/** Bun closes a connection after this time without traffic, or if a body arrives slower than 16 KiB/s. */
export const idleTimeoutSeconds = 30

export interface BodyTimes {
  /** Longest time for a whole body. */
  readonly maxMilliseconds: number
  /** Time before the minimum speed counts. Half of it must be less than the idle timeout, which is extended then. */
  readonly graceMilliseconds: number
  /** Each time this many bytes arrive, the body gets another second. */
  readonly minBytesPerSecond: number
}

/**
 * 400 kB at 5 kB/s take 80 seconds, so a text sent over a bad connection arrives. A larger body fails if it pauses for
 * half a minute, or stays below 4 kB/s for longer.
 */
const bodyTimes: BodyTimes = { maxMilliseconds: 180_000, graceMilliseconds: 30_000, minBytesPerSecond: 4000 }

/** The request whose body is read. Without a server, the idle timeout is not extended. */
export interface Asked {
  readonly request: Request
  readonly server: Pick<NonNullable<Context['server']>, 'timeout'> | null
  /** The user or address whose share of the memory the body takes. Called only if it takes any. */
  readonly owner: () => string
}

export interface ArrivingBody {
  readonly asked: Asked
  /** `performance.now()` */
  readonly startedAt: number
  /** Undefined if the body is too small to need a minimum speed. */
  readonly receivedBytes: number | undefined
  /** Whether it may take longer than the idle timeout. */
  hasMoreTime: boolean
  /**
   * Called once, before the body gets more time.
   *
   * @throws AppError `unavailable` if there is no room for another slow body
   */
  onSlow(): void
  /** Stops reading: `read` rejects with this. */
  giveUp(error: AppError): void
}

/**
 * Watches the bodies that are being read: extends Bun's timeout for them, and ends those that are too slow. It checks
 * all of them once a second, so a body that arrives at once needs no timer and no call to Bun.
 */
export const watchArrivingBodies = (times: BodyTimes = bodyTimes) => {
  const { maxMilliseconds, graceMilliseconds, minBytesPerSecond } = times
  // Oldest first.
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
    /** Must be called, whether the body was read or failed. */
    end(body: ArrivingBody): void {
      bodies.delete(body)
      if (body.hasMoreTime) setIdleTimeout(body, idleTimeoutSeconds)
    },
  }
}

/** Bun allows up to 255 seconds. The timeout also applies to later requests on the connection. */
const setIdleTimeout = ({ asked }: ArrivingBody, seconds: number): void => asked.server?.timeout(asked.request, seconds)

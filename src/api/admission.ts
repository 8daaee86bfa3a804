import { AppError, forbidden, tooManyRequests } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { bearerToken } from '../http/headers.ts'
import { type RateLimiter, secondsUntil } from '../http/rate-limit.ts'
import type { Caller, KeyStore } from '../keys/store.ts'

interface Options {
  readonly keys: Pick<KeyStore, 'findCaller' | 'isLive'>
  readonly limiter: RateLimiter
  readonly now: () => number
}

export type Admission = ReturnType<typeof createAdmission>

export const createAdmission = ({ keys, limiter, now }: Options) => {
  const authenticate = ({ request }: Exchange): Caller => {
    const key = bearerToken(request)
    const caller = key !== undefined && isKey(key) ? keys.findCaller(key) : null
    if (!caller) throw new AppError('unauthenticated', 'Invalid or expired API key')
    return caller
  }

  const countRequest = ({ headers }: Exchange, keyId: string): void => {
    const { allowed, limit, remaining, resetsAt } = limiter.take(keyId)
    if (limit > 0) {
      headers['x-ratelimit-limit'] = String(limit)
      headers['x-ratelimit-remaining'] = String(remaining)
      headers['x-ratelimit-reset'] = String(Math.ceil(resetsAt / 1000))
    }
    if (!allowed) throw tooManyRequests(secondsUntil(resetsAt, now()))
  }

  return {
    /**
     * Lets a request in, and counts it against the limit of its key.
     *
     * @throws AppError `unauthenticated`, `rate_limited`, or `forbidden` if a read-only key is used to write
     */
    admit(exchange: Exchange): Caller {
      const caller = authenticate(exchange)
      exchange.caller = caller
      countRequest(exchange, caller.keyId)
      const { method } = exchange.request
      if (caller.isReadOnly && method !== 'GET' && method !== 'HEAD') throw forbidden()
      return caller
    },

    /**
     * Checks the key again, which takes 0.3 µs. A body may take minutes to arrive, and a key that was revoked in the
     * meantime must not change anything.
     *
     * @throws AppError `unauthenticated`
     */
    readmit: authenticate,

    /** Whether the key of a request that was let in still works. For answers that take long to send. */
    isLive: keys.isLive,
  }
}

/** False for a token that no key can be, so that it need not be looked up. */
const isKey = (token: string): boolean => /^api_[0-9a-z]{32,100}$/i.test(token)

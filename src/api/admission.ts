import type { Caller, KeyStore } from '../accounts/keys/store.ts'
import { AppError, forbidden, tooManyRequests } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Exchange } from '../http/exchange.ts'
import { bearerToken } from '../http/headers.ts'
import { createRateLimiter, secondsUntil } from '../http/rate-limit.ts'

interface Options {
  readonly keys: Pick<KeyStore, 'findCaller' | 'isLive'>
  /** Whether a user may no longer read a form. */
  readonly isShutOut: FormAccess['isShutOut']
  readonly config: Pick<Config, 'rateLimit'>
  readonly now: () => number
}

export type Admission = ReturnType<typeof createAdmission>

/** Finds out who calls the API, and whether they may go on. */
export const createAdmission = ({ keys, isShutOut, config, now }: Options) => {
  const limiter = createRateLimiter(config.rateLimit, now)

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
     * @param isRead whether it only reads, whatever its method
     * @throws AppError `unauthenticated`, `rate_limited`, or `forbidden` if a read-only key is used to write
     */
    admit(exchange: Exchange, isRead = false): Caller {
      const caller = authenticate(exchange)
      exchange.caller = caller
      countRequest(exchange, caller.keyId)
      const { method } = exchange.request
      if (caller.isReadOnly && !isRead && method !== 'GET' && method !== 'HEAD') throw forbidden()
      return caller
    },

    /**
     * Checks the key again, which takes 0.3 µs. A body may take minutes to arrive, and a key that was revoked in the
     * meantime must not change anything.
     *
     * @throws AppError `unauthenticated`
     */
    readmit: authenticate,

    /**
     * Whether the key of a request that was let in still works, and its user may still read the form. Checked while a long
     * response is sent.
     */
    mayRead: (caller: Caller, formId: string | undefined): boolean =>
      keys.isLive(caller) && (formId === undefined || !isShutOut(caller.userId, formId)),
  }
}

/** False for a token that no key can be, so that it need not be looked up. */
const isKey = (token: string): boolean => /^api_[0-9a-z]{32,100}$/i.test(token)

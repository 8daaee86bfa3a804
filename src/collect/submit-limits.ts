import { tooManyRequests } from '../base/errors.ts'
import { amount } from '../base/short-text.ts'
import type { Form } from '../forms/form.ts'
import { submitLimitOf } from '../forms/settings/settings.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRateLimiter, secondsUntil } from '../http/rate-limit.ts'

/** An address may send this many times as much to all forms as to one of them. */
const timesForAllForms = 5

interface Options {
  /** The operator's limit for one form and one address, in a minute; 0 for none. */
  readonly submitLimit: number
  readonly addressOf: (exchange: Exchange) => string
  readonly now: () => number
}

/**
 * Counts requests to `POST /s/:formId` by address, and by form and address, so that one form cannot use up what its
 * visitors may send to others. There is no limit for all addresses: a sender with many of them could then close a form
 * for everyone.
 */
export const openSubmitLimits = ({ submitLimit, addressOf, now }: Options) => {
  const limitOfAll = timesForAllForms * submitLimit
  const toAll = createRateLimiter(limitOfAll, now)
  const toOne = createRateLimiter(submitLimit, now)

  return {
    /**
     * All forms that do not exist count as one. What a form refuses does not count for its address.
     *
     * @throws AppError `rate_limited`
     */
    count(exchange: Exchange, form: Pick<Form, 'number' | 'settings'> | undefined): void {
      const limit = form ? submitLimitOf(form, submitLimit) : submitLimit
      if (limit === 0) return
      const address = addressOf(exchange)
      const all = toAll.take(address)
      if (!all.allowed)
        throw tooManyRequests(secondsUntil(all.resetsAt, now()), `All forms together take ${perMinute(limitOfAll)}`)
      const one = toOne.take(`${form?.number ?? 0} ${address}`, limit)
      if (one.allowed) return
      toAll.putBack(address)
      const named = limit === submitLimit ? undefined : `This form takes ${perMinute(limit)}`
      throw tooManyRequests(secondsUntil(one.resetsAt, now()), named)
    },
  }
}

const perMinute = (limit: number): string => `${amount(limit, 'submission')} a minute from one address`

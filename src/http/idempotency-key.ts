import { type AppError, invalid, unavailable } from '../errors.ts'
import { keyName, type Once } from '../once/once.ts'
import type { Exchange } from './exchange.ts'

/**
 * The header `Idempotency-Key`; undefined if there is none.
 *
 * @throws AppError `invalid`, also for two of them: they arrive as one text with a space in it
 */
export const idempotencyKey = (request: Request): string | undefined => {
  const key = request.headers.get(keyName)
  return key === null ? undefined : checkKey(key, keyName)
}

/** @param field where the key comes from @throws AppError `invalid` */
export const checkKey = (key: string, field: string): string => {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalid({ field, message: 'must be 1 to 255 visible ASCII characters, sent once' })
}

const retryAfterSeconds = 1

/**
 * A function that refuses a request while the first one with its key is carried out by this process ("Concurrent Request"
 * in the draft). What it does not notice, the command decides. It remembers a key for no longer than a write waits in the
 * writer's queue, which is bounded.
 */
export const createUnderWay = () => {
  const underWay = new Set<string>()
  return async <T>(once: Once | undefined, carryOut: () => Promise<T>): Promise<T> => {
    if (!once) return carryOut()
    const { keyHash } = once
    if (underWay.has(keyHash)) throw stillUnderWay()
    underWay.add(keyHash)
    try {
      return await carryOut()
    } finally {
      underWay.delete(keyHash)
    }
  }
}

const stillUnderWay = (): AppError =>
  unavailable(retryAfterSeconds, `the first request with this ${keyName} is still being carried out`)

/** Says in the answer that the request was carried out before. */
export const markReplayed = ({ headers }: Exchange): void => {
  headers['idempotency-replayed'] = 'true'
}

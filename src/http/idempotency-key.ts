import { checkKey, keyName } from '../storage/idempotency.ts'

/**
 * The header `Idempotency-Key`; undefined if there is none.
 *
 * @throws AppError `invalid`, also for two of them: they arrive as one text with a space in it
 */
export const idempotencyKey = ({ headers }: Request): string | undefined => {
  const key = headers.get(keyName)
  return key === null ? undefined : checkKey(key, keyName)
}

/** On the response to a repeat: `true`. */
export const replayedHeader = 'idempotency-replayed'

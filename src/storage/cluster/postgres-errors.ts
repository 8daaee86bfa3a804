import { OperatorError } from '../../base/operator-errors.ts'
import { LogUnavailable } from './log.ts'

/** Whether the connection is of no use after this: it is lost, it hangs, or its server no longer accepts writes. */
export const closesConnection = (error: unknown): boolean => {
  const state = stateOf(error)
  return state === null || /^(08|57|25006|XX)/.test(state)
}

/** Whether a row with this identifier, or this number, is there already. */
export const isDuplicate = (error: unknown): boolean => stateOf(error) === '23505'

/** @param label the server's host and port */
export const toLogError = (error: unknown, label: string): Error => {
  if (error instanceof OperatorError || (error instanceof LogUnavailable && error.message.startsWith(start)))
    return error
  const { code, message } = error as { code?: unknown; message: string }
  const reason = words.find(([known]) => known === code)?.[1] ?? message.split('\n', 1)[0]
  const line = `${start} at ${label}: ${reason}`
  return isSetUp(error) ? new OperatorError(line, { cause: error }) : new LogUnavailable(line, { cause: error })
}
const start = 'PostgreSQL'

const words: readonly (readonly [string, string])[] = [
  ['ERR_POSTGRES_CONNECTION_REFUSED', 'connection refused, or no such host'],
  ['ERR_POSTGRES_CONNECTION_TIMEOUT', 'no response in time'],
  ['ERR_POSTGRES_CONNECTION_CLOSED', 'connection closed'],
]

/**
 * A wrong user or password, no such database or schema, missing rights or tables, or a certificate that is not trusted:
 * it stays like this until an operator changes something.
 */
const isSetUp = (error: unknown): boolean => {
  const state = stateOf(error)
  if (state !== null) return /^(28|3D|3F|42|0A)/.test(state)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /CERT|TLS|ALTNAME|SASL|CHANNEL_BINDING|AUTHENTICATION/.test(code)
}

/** SQLSTATE, if the server answered at all. */
const stateOf = (error: unknown): string | null => {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  return code === 'ERR_POSTGRES_SERVER_ERROR' && typeof errno === 'string' ? errno : null
}

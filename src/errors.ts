/** Every way in which a request can be refused. What each means in HTTP is decided in `http/error-response.ts`. */
export type ErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

export interface Issue {
  /** Names the field and what it must be: `title: must be 1 to 255 characters`. */
  readonly message: string
  /** JSON pointer (RFC 6901) to the value in the body, where there is one. */
  readonly path?: string
}

interface ErrorDetails {
  readonly issues?: readonly Issue[]
  /** How long to wait before the next try: whole seconds, at least 1. */
  readonly retryAfterSeconds?: number
}

/** An error that the client may read. Anything else that is thrown is logged and answered as `internal`. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message)
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

export const invalid = (...issues: Issue[]): AppError => new AppError('invalid', 'Invalid input data', { issues })

/** @param maxBytes what the body may have */
export const tooLarge = (maxBytes: number): AppError =>
  new AppError('too_large', 'Invalid input data', { issues: [{ message: `body: must be at most ${maxBytes} bytes` }] })

export const notFound = (what?: 'Form' | 'Submission' | 'Key'): AppError =>
  new AppError('not_found', what ? `${what} not found` : 'Not found')

export const forbidden = (): AppError => new AppError('forbidden', 'Insufficient access')

export const unavailable = (retryAfterSeconds: number): AppError =>
  new AppError('unavailable', `Temporarily unable to write, retry after ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  })

/** A command line or a setting that cannot be used: one line on standard error, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * What stands in the way is outside: the data folder, a file, another process. One line on standard error, exit code 1.
 * It names paths, so no client ever reads it.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/**
 * One line for the log. Without the stack; without the message of an error of the system or of Drizzle, which would
 * show paths, SQL and what visitors typed.
 */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'something that is no Error was thrown'
  if (error.cause instanceof Error) return describeError(error.cause)
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof syscall === 'string') return `${code} in ${syscall}`
  const kind = [...(error.name === 'Error' ? [] : [error.name]), ...(typeof code === 'string' ? [code] : [])].join(' ')
  const message = error.message.split('\n', 1)[0] as string
  return kind === '' ? message : `${kind}: ${message}`
}

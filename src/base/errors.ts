/** Every way in which a request can be refused. `http/error-response.ts` has the HTTP status of each. */
export type ErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'closed'
  | 'wrong_origin'
  | 'unsolved'
  | 'not_found'
  | 'too_large'
  | 'unsatisfiable'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

/** The name of a text for a visitor, and its arguments. `because` makes it, which knows the texts. */
export type Reason = readonly [name: string, ...given: unknown[]] & { readonly isReason: true }

/** A problem of the input. The page, the API and the command line each show it in their own way. */
export interface Issue {
  /** The subject of the message: `title`, `forms.3.id`, `FORMBOX_PORT`. Absent where the message names it. */
  readonly field?: string | undefined
  /** The requirement: `must be 1 to 255 characters`. */
  readonly message: string
  /** JSON pointer (RFC 6901) to the value in the body, where there is one. */
  readonly path?: string
  /** Which rule it breaks, for a script. */
  readonly rule?: string
  /** The message for a visitor, in a language of the visitor's. */
  readonly text?: string
  /** For the page of a visitor, who reads nothing else of it. */
  readonly reason?: Reason
}

interface ErrorDetails {
  readonly issues?: readonly Issue[]
  /** How long to wait before the next attempt: whole seconds, at least 1. */
  readonly retryAfterSeconds?: number
  /** For the page of a visitor, unless an issue has one or the code says it all. */
  readonly reason?: Reason | undefined
  readonly isOfAddress?: boolean
  /** A defect that is to be reported. */
  readonly cause?: unknown
}

/** An error whose message the client may read. Any other error is logged and answered as `internal`. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined
  readonly reason: Reason | undefined
  /** Whether there is nothing at the address at all, rather than no form or key with this identifier. */
  readonly isOfAddress: boolean
  /** The work that was done before the error, as members of the error's body beside its own. */
  done: object | undefined

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: ErrorDetails = {},
  ) {
    super(message, { cause: details.cause })
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.reason = details.reason ?? this.issues.find(({ reason }) => reason)?.reason
    this.isOfAddress = details.isOfAddress ?? false
  }
}

export const invalid = (...issues: Issue[]): AppError => new AppError('invalid', 'Invalid input data', { issues })

/**
 * Does one part of some work, and returns its result. If its input is invalid, adds what is wrong to the issues of the
 * other parts instead, so that all of it can be said at once.
 *
 * @param toIssue how an issue of this part is said, for example with a longer name of the field
 */
export const collecting = <T>(
  issues: Issue[],
  work: () => T,
  toIssue = (issue: Issue): Issue => issue,
): T | undefined => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    issues.push(...error.issues.map(toIssue))
    return undefined
  }
}

/** The result of work that may end with an error for which its caller has a use. */
type Expected<T, Code extends ErrorCode> =
  | { readonly state: 'done'; readonly value: T }
  | { [C in Code]: { readonly state: C; readonly error: AppError } }[Code]

/** Does some work, and returns an error with one of these codes as its result. Throws any other. */
export const expecting = async <T, Code extends ErrorCode>(
  codes: readonly Code[],
  work: () => T | Promise<T>,
): Promise<Expected<T, Code>> => {
  try {
    return { state: 'done', value: await work() }
  } catch (error) {
    const state = error instanceof AppError && codes.find((code) => code === error.code)
    if (!state) throw error
    return { state, error } as Expected<T, Code>
  }
}

/** An issue in one line: `title: must be 1 to 255 characters`. */
export const issueLine = ({ field, message }: Issue): string => (field === undefined ? message : `${field}: ${message}`)

/** @param maxBytes the limit @param reason for a visitor */
export const tooLarge = (maxBytes: number, reason?: Reason): AppError =>
  new AppError('too_large', 'Invalid input data', {
    issues: [{ field: 'body', message: `must be at most ${maxBytes} bytes` }],
    reason,
  })

/** @param what such as `Form`; absent if there is nothing at the address */
export const notFound = (what?: string): AppError =>
  new AppError('not_found', what ? `${what} not found` : 'Not found', { isOfAddress: what === undefined })

export const forbidden = (): AppError => new AppError('forbidden', 'Insufficient access')

/** @param limit which one it is, in words, where there are several @param reason for a visitor */
export const tooManyRequests = (retryAfterSeconds: number, limit?: string, reason?: Reason): AppError =>
  new AppError('rate_limited', `Too many requests, retry after ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
    ...(limit !== undefined && { issues: [{ message: limit }] }),
    reason,
  })

/** @param remark what else the client should know, such as that it may have been stored @param reason for a visitor */
export const unavailable = (retryAfterSeconds: number, remark?: string, reason?: Reason): AppError =>
  new AppError(
    'unavailable',
    `Temporarily unable to write, retry after ${retryAfterSeconds} seconds${remark ? `; ${remark}` : ''}`,
    { retryAfterSeconds, reason },
  )

/**
 * One line for the log. It leaves out the stack, and the message of a system or Drizzle error, which could contain
 * paths, SQL or what visitors typed.
 */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown'
  if (error.cause instanceof Error) return describeError(error.cause)
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof syscall === 'string') return `${code} in ${syscall}`
  const kind = [...(error.name === 'Error' ? [] : [error.name]), ...(typeof code === 'string' ? [code] : [])].join(' ')
  const message = error.message.split('\n', 1)[0] as string
  return kind === '' ? message : `${kind}: ${message}`
}

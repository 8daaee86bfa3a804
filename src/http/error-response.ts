import { type Context, NotFoundError, ParseError, ValidationError } from 'elysia'
import { AppError, describeError, type ErrorCode, type Issue, invalid, issueLine, notFound } from '../errors.ts'
import { messagePage } from '../html/message-page.ts'
import type { Exchange, OnAnswer } from './exchange.ts'
import { isBrowser } from './is-browser.ts'
import { isCleanText } from './text.ts'

/** Is told of every error that is nobody's input: what went wrong, in one line, and in which request. */
export type Reporter = (message: string, requestId: string) => void

/** The one table from what went wrong to what HTTP says. */
const answers: Record<ErrorCode, { status: number; code: string; title: string }> = {
  invalid: { status: 400, code: 'BAD_REQUEST', title: 'That could not be read' },
  unauthenticated: { status: 401, code: 'UNAUTHORIZED', title: 'Not signed in' },
  forbidden: { status: 403, code: 'FORBIDDEN', title: 'Not allowed' },
  not_found: { status: 404, code: 'NOT_FOUND', title: 'Not found' },
  too_large: { status: 413, code: 'BAD_REQUEST', title: 'Too large' },
  rate_limited: { status: 429, code: 'TOO_MANY_REQUESTS', title: 'Too many requests' },
  unavailable: { status: 503, code: 'INTERNAL_SERVER_ERROR', title: 'Please try again' },
  internal: { status: 500, code: 'INTERNAL_SERVER_ERROR', title: 'Something went wrong' },
}

interface ErrorContext {
  readonly error: unknown
  readonly set: Context['set']
  readonly exchange: Exchange
  readonly path: string
  readonly route: string | undefined
}

/** Elysia `onError` hook: every error of every route is answered here. */
export const errorResponse =
  (report: Reporter, onAnswer: OnAnswer | undefined) =>
  ({ error, set, exchange, path, route }: ErrorContext): Response => {
    const known = toAppError(error)
    if (!known) report(describeError(error), exchange.requestId)
    const appError = known ?? new AppError('internal', 'Internal server error')
    const { status, title } = answers[appError.code]
    set.status = status
    if (appError.retryAfterSeconds !== undefined) set.headers['retry-after'] = String(appError.retryAfterSeconds)
    if (appError.code === 'unauthenticated') set.headers['www-authenticate'] = 'Bearer'
    const isForReading = !path.startsWith('/api/') && isBrowser(exchange.request)
    const answer = isForReading ? messagePage(status, title, sentences(appError)) : jsonAnswer(status, appError)
    onAnswer?.(exchange, route, status, answer)
    exchange.isReported = true
    return answer
  }

const jsonAnswer = (status: number, error: AppError): Response => {
  const body = JSON.stringify(toBody(error))
  const length = String(Buffer.byteLength(body))
  return new Response(body, { status, headers: { 'content-type': 'application/json', 'content-length': length } })
}

/** The error body of the API: flat and wrapped at once, since the contract shows both. */
export const toBody = ({ code, message, issues }: AppError) => {
  const error = { code: answers[code].code, message }
  return { ...error, issues: issues.map(toJsonIssue), error }
}

const toJsonIssue = (issue: Issue) => ({
  message: issueLine(issue),
  ...(issue.path !== undefined && { path: issue.path }),
})

const toAppError = (error: unknown): AppError | undefined => {
  if (error instanceof AppError) return error
  // What a parse hook throws arrives wrapped.
  if (error instanceof ParseError)
    return toAppError(error.cause) ?? invalid({ field: 'body', message: 'could not be read' })
  if (error instanceof ValidationError) return error.type === 'response' ? undefined : invalid(...toIssues(error))
  if (error instanceof NotFoundError) return notFound()
  return undefined
}

interface Found {
  readonly path: string
  readonly message: string
  readonly value: unknown
  readonly schema?: { readonly error?: string }
}

/** One issue a field. A bulk body has thousands of them: the first 20 are enough to mend it. */
const toIssues = (error: ValidationError): Issue[] => {
  const issues = new Map<string, Issue>()
  for (const { path, message, value, schema } of error.all as Found[]) {
    if (issues.size === 20) break
    if (issues.has(path)) continue
    const field = path.slice(1).replaceAll('/', '.') || error.type
    const isUnreadable = typeof value === 'string' && !isCleanText(value)
    const expected = isUnreadable && error.type === 'body' ? 'must be well-formed Unicode without NUL' : schema?.error
    const issue = { field, message: expected ?? message.charAt(0).toLowerCase() + message.slice(1) }
    issues.set(path, error.type === 'body' ? { ...issue, path } : issue)
  }
  return [...issues.values()]
}

const sentences = ({ message, issues }: AppError): string[] => {
  if (issues.length > 0) return issues.map(issueLine)
  return [message === 'Not found' ? 'There is nothing at this address.' : `${message}.`]
}

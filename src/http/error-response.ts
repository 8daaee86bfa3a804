import { type Context, NotFoundError } from 'elysia'
import { AppError, describeError, type ErrorCode, type Issue, issueLine, notFound } from '../base/errors.ts'
import { apiPath, visitorsPlaceAt } from '../config/addresses.ts'
import { pageOfUser } from '../html/frame.ts'
import { messagePage } from '../html/message-page.ts'
import { type Exchange, isBrowser, type OnAnswer } from './exchange.ts'
import { bearerToken } from './headers.ts'
import { visitorError } from './visitor-error.ts'

/** Called for every unexpected error: what went wrong, in one line, and in which request. */
export type Reporter = (message: string, requestId: string) => void

/** The HTTP status, the `code` in JSON and the title of the page for each kind of error. */
const answers: Record<ErrorCode, { status: number; code: string; title: string }> = {
  invalid: { status: 400, code: 'BAD_REQUEST', title: 'Invalid input' },
  unauthenticated: { status: 401, code: 'UNAUTHORIZED', title: 'Not signed in' },
  forbidden: { status: 403, code: 'FORBIDDEN', title: 'Not allowed' },
  wrong_origin: { status: 403, code: 'FORBIDDEN', title: 'Your message was not sent' },
  unsolved: { status: 400, code: 'BAD_REQUEST', title: 'Your message was not sent' },
  closed: { status: 403, code: 'FORBIDDEN', title: 'This form is closed' },
  not_found: { status: 404, code: 'NOT_FOUND', title: 'Not found' },
  too_large: { status: 413, code: 'BAD_REQUEST', title: 'Too large' },
  unsatisfiable: { status: 416, code: 'BAD_REQUEST', title: 'No such part' },
  rate_limited: { status: 429, code: 'TOO_MANY_REQUESTS', title: 'Too many requests' },
  unavailable: { status: 503, code: 'INTERNAL_SERVER_ERROR', title: 'Please try again later' },
  internal: { status: 500, code: 'INTERNAL_SERVER_ERROR', title: 'Something went wrong' },
}

export const statusOf = ({ code }: AppError): number => answers[code].status

/**
 * Reports a defect in a write whose success the response does not depend on. An error with a response of its own is no
 * defect, above all that nothing can be written at present, for example on a full disk.
 */
export const reportDefect =
  (report: Reporter, { requestId }: Exchange) =>
  (error: unknown): void => {
    if (!toAppError(error)) report(describeError(error), requestId)
  }

interface ErrorContext {
  readonly error: unknown
  readonly set: Context['set']
  readonly exchange: Exchange
  readonly route: string | undefined
}

/**
 * Elysia `onError` hook: answers every error of every route.
 *
 * @param isBehind whether other machines of a cluster may have written what this one does not know yet
 */
export const errorResponse =
  (report: Reporter, onAnswer: OnAnswer | undefined, isBehind: () => boolean) =>
  async ({ error, set, exchange, route }: ErrorContext): Promise<Response | string> => {
    const path = pathOf(exchange.request)
    const isEarly = mayBeUnknownHere(error, exchange.request) && isBehind()
    const known = isEarly ? notCaughtUp() : toAppError(error)
    if (!known || known.cause !== undefined) report(describeError(error), exchange.requestId)
    const appError = known ?? new AppError('internal', 'Internal server error')
    const { status, title } = answers[appError.code]
    set.status = status
    if (appError.retryAfterSeconds !== undefined) set.headers['retry-after'] = String(appError.retryAfterSeconds)
    if (appError.code === 'unauthenticated') set.headers['www-authenticate'] = 'Bearer'
    const isForReading = !path.startsWith(`${apiPath.route}/`) && isBrowser(exchange)
    const place = visitorsPlaceAt(path)
    const answer = !isForReading
      ? jsonAnswer(status, appError)
      : place
        ? await visitorError(exchange, appError, place)
        : errorPage(exchange, status, appError, title)
    onAnswer?.(exchange, route ?? 'none', status, answer)
    exchange.isReported = true
    return answer
  }

const errorPage = ({ user }: Exchange, status: number, error: AppError, title: string): Response => {
  const make = () => messagePage(status, error.code === 'closed' ? error.message : title, sentences(error), user?.email)
  // After an error of the server, nothing may be readable.
  return user && status < 500 ? pageOfUser.run(user.bar, make) : make()
}

/** The error of a machine of a cluster that may find later what it does not find now. */
const notCaughtUp = (): AppError =>
  new AppError('unavailable', 'This machine has not caught up yet, retry after 5 seconds', { retryAfterSeconds: 5 })

/** Whether the error says that there is no such form, key or anything else that is stored. A path without a route is not one. */
const mayBeUnknownHere = (error: unknown, request: Request): boolean =>
  error instanceof AppError &&
  (error.code === 'not_found' ||
    (error.code === 'unauthenticated' && request.headers.has('authorization') && bearerToken(request) !== undefined))

/** With the query. Not Elysia's own, which would make every request slower. */
const pathOf = ({ url }: Request): string =>
  url.startsWith('/') ? url : url.slice(url.indexOf('/', 'https://'.length))

const jsonAnswer = (status: number, error: AppError): Response => {
  const body = JSON.stringify(toBody(error))
  const length = String(Buffer.byteLength(body))
  return new Response(body, { status, headers: { 'content-type': 'application/json', 'content-length': length } })
}

/** The error body of the API. It is flat and wrapped at the same time, because the contract shows both. */
export const toBody = ({ code, message, issues, done }: AppError) => {
  const error = { code: answers[code].code, message }
  return { ...error, issues: issues.map(toJsonIssue), error, ...done }
}

const toJsonIssue = (issue: Issue) => {
  const { path, rule, text } = issue
  return {
    message: issueLine(issue),
    ...(path !== undefined && { path }),
    ...(rule !== undefined && { rule }),
    ...(text !== undefined && { text }),
  }
}

const toAppError = (error: unknown): AppError | undefined => {
  if (error instanceof AppError) return error
  if (error instanceof NotFoundError) return notFound()
  return undefined
}

const sentences = ({ code, message, issues, isOfAddress }: AppError): string[] => {
  const lines = issues.map((issue) => `${issueLine(issue)}.`)
  if (code === 'closed') return ['It takes no messages at the moment.']
  if (code === 'rate_limited') return [`${message}.`, ...lines, goBack]
  if (lines.length > 0) return lines
  return [isOfAddress ? 'There is no page at this address.' : `${message}.`]
}

const goBack = 'Go back with your browser’s back button, and send it again then. What you typed is still there.'

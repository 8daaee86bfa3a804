// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import { AppError, forbidden, invalid, notFound, tooManyRequests, unavailable } from '../../base/errors.ts'
import { toBody } from '../../http/error-response.ts'
import { thumbnailKinds } from '../../http/file-answer.ts'
import type { Operation } from '../operation.ts'
import { ErrorSchema, SuccessSchema } from '../response-schemas.ts'
import { toContent } from './to-schema.ts'

type Json = any

interface DocumentedError {
  /** The response's, in the document. */
  readonly name: string
  readonly description: string
  /** Gives a body exactly as the service sends it; undefined for Bun's own response, which Formbox does not see. */
  readonly error?: AppError
}

const errors: Readonly<Record<number, DocumentedError>> = {
  400: {
    name: 'BadRequest',
    description: 'Invalid input or request parameters',
    error: invalid({ field: 'title', message: 'must be 1 to 255 characters, not only white space', path: '/title' }),
  },
  401: {
    name: 'Unauthorized',
    description: 'Missing or invalid API key',
    error: new AppError('unauthenticated', 'Invalid or expired API key'),
  },
  403: {
    name: 'Forbidden',
    description: "Another user's form, a role that is not enough, or a key that may not do this",
    error: forbidden(),
  },
  404: {
    name: 'NotFound',
    description: 'The form, submission, file, webhook or delivery does not exist',
    error: notFound('Form'),
  },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'The file ends before the part that `Range` names',
    error: new AppError('unsatisfiable', 'The file has 81234 bytes'),
  },
  429: { name: 'TooManyRequests', description: 'Rate limit exceeded', error: tooManyRequests(27) },
  431: {
    name: 'HeadersTooLarge',
    description: 'The URL and the headers together exceed 64 KiB. The response has no body and no `X-Request-Id`.',
  },
  500: {
    name: 'ServerError',
    description: 'Server error',
    error: new AppError('internal', 'Internal server error'),
  },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unable to write, or a machine of a cluster that has not caught up with the others yet',
    error: unavailable(1),
  },
}

/** The responses of an operation. Those that several operations have are references. */
export const toResponses = (operation: Operation): Json => {
  const statuses = operation.answer === 'file' ? [200, 206, 304] : [200]
  return {
    ...Object.fromEntries(statuses.map((status) => [status, toSuccess(operation, status)])),
    ...Object.fromEntries(operation.errors.map((status) => [status, referenceTo(errors[status]?.name ?? '')])),
  }
}

export const isIdempotent = (operation: Operation): boolean => operation.isIdempotent === true

const referenceTo = (name: string) => ({ $ref: `#/components/responses/${name}` })

const toSuccess = (operation: Operation, status: number): Json => {
  const { answer, otherAnswers, links } = operation
  if (answer === SuccessSchema) return referenceTo('Succeeded')
  const isFile = answer === 'file'
  return {
    description: successes[status],
    headers: {
      ...always,
      ...limited,
      ...(isIdempotent(operation) && { 'Idempotency-Replayed': header('IdempotencyReplayed') }),
      ...(isFile && { ETag: header('ETag') }),
      ...(status === 206 && { 'Content-Range': header('ContentRange') }),
    },
    ...(status !== 304 && {
      content:
        typeof answer === 'string'
          ? toTexts(isFile ? ofFile : { 'application/zip': null })
          : { ...(otherAnswers && toTexts(otherAnswers)), ...toContent(answer) },
    }),
    ...(status === 200 && { links }),
  }
}

const successes: Readonly<Record<number, string>> = {
  200: 'Success',
  206: 'The part that `Range` names',
  304: 'The file that `If-None-Match` names, which the client has already. No body.',
}

/** The media types of a file's response. */
const ofFile = Object.fromEntries(['application/octet-stream', ...thumbnailKinds].map((type) => [type, null]))

const toTexts = (examples: Readonly<Record<string, string | null>>): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([mediaType, example]) => [
      mediaType,
      example === null ? { schema: { type: 'string', format: 'binary' } } : { schema: { type: 'string' }, example },
    ]),
  )

export const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

/** The headers of the document, by name. */
export const headers = {
  RequestId: { description: 'Identifies the request in the server’s log', schema: { type: 'string' } },
  RateLimitLimit: {
    description: 'Requests per minute that the key may make',
    schema: { type: 'integer', format: 'int32' },
  },
  RateLimitRemaining: {
    description: 'Requests left in the current window',
    schema: { type: 'integer', format: 'int32' },
  },
  RateLimitReset: {
    description: 'When the window ends: Unix time in seconds',
    schema: { type: 'integer', format: 'int64' },
  },
  RetryAfter: {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
  IdempotencyReplayed: {
    description: '`true` if the request was carried out before',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: { description: 'Names the file: it never changes', schema: { type: 'string' } },
  ContentRange: { description: 'The part that follows, and the size of the file', schema: { type: 'string' } },
} as const

export const always = { 'X-Request-Id': header('RequestId') }
const limited = {
  'X-RateLimit-Limit': header('RateLimitLimit'),
  'X-RateLimit-Remaining': header('RateLimitRemaining'),
  'X-RateLimit-Reset': header('RateLimitReset'),
}

const toError = (status: number, { description, error }: DocumentedError): Json => {
  if (!error) return { description }
  const partHeaders = status === 416 && { 'Content-Range': header('ContentRange') }
  return errorResponse(description, error, { ...(status !== 401 && limited), ...partHeaders })
}

/** A response with an error, with the headers of all responses and these. */
export const errorResponse = (description: string, error: AppError, others: Json = {}): Json => ({
  description,
  headers: {
    ...always,
    ...others,
    ...(error.retryAfterSeconds !== undefined && { 'Retry-After': header('RetryAfter') }),
  },
  content: toContent(ErrorSchema, toBody(error)),
})

/** The responses that several operations have, by name. */
export const responses: Readonly<Record<string, Json>> = {
  Succeeded: { description: successes[200], headers: { ...always, ...limited }, content: toContent(SuccessSchema) },
  ...Object.fromEntries(
    Object.entries(errors).map(([status, documented]) => [documented.name, toError(Number(status), documented)]),
  ),
}

import { Type } from '@sinclair/typebox'
import type { Context } from 'elysia'
import type { Reporter } from '../http/error-response.ts'
import { jsonText } from '../http/json-text.ts'
import { type Part, streamedJson } from '../http/streamed.ts'
import { Pagination } from './pagination.ts'
import { JsonText } from './schema-types.ts'

const code = Type.Unsafe<string>({
  type: 'string',
  enum: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR'],
  example: 'NOT_FOUND',
})
const message = Type.String({ example: 'Form not found' })

const ErrorBody = JsonText(
  Type.Object({
    code,
    message,
    issues: Type.Array(
      Type.Object({
        message: Type.String({ description: 'Names the field and what it must be' }),
        path: Type.Optional(Type.String({ description: 'JSON pointer to the value in the body' })),
      }),
      { description: 'What is wrong with the input, empty when that is not the trouble', example: [] },
    ),
    error: Type.Object({ code, message }, { description: 'The same again, for clients that expect it wrapped' }),
  }),
)

export const Id = Type.Object({ id: Type.String({ example: '01kahp5x2r00v7m3k9qd4tznwe8c' }) })
export const Ids = Type.Object({ ids: Type.Array(Type.String(), { example: ['01kahp5x2r00v7m3k9qd4tznwe8c'] }) })
export const Success = Type.Object({ success: Type.Literal(true, { example: true }) })

const error = 'Error'

/** What every operation can answer beside success. */
export const readErrors = { 400: error, 401: error, 403: error, 404: error, 429: error, 500: error } as const
/** The same for an operation that writes. */
export const writeErrors = { ...readErrors, 503: error } as const
/** The same where there is nothing to be found yet. */
export const createErrors = { 400: error, 401: error, 403: error, 429: error, 500: error, 503: error } as const

/** The schemas of answers that the operations name. */
export const answerModels = { Error: ErrorBody, Id, Ids, Success, Pagination }

/** What an operation answers that has nothing to tell. */
export const success = { success: true } as const

/** The same, and in pieces where it is long. @param report is told of errors in the middle of an answer */
export const jsonAnswerer =
  (report: Reporter) =>
  (set: Context['set'], json: string | Iterator<Part, void>): string | Response =>
    typeof json === 'string' ? jsonText(set, json) : streamedJson(set, json, { report })

export type AnswerJson = ReturnType<typeof jsonAnswerer>

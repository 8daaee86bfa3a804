import { Type } from '@sinclair/typebox'

const code = Type.Unsafe<string>({
  type: 'string',
  enum: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR'],
  example: 'NOT_FOUND',
})
const message = Type.String({ example: 'Form not found' })

/** The body of every error. */
export const ErrorSchema = Type.Object({
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
})

export const IdSchema = Type.Object({ id: Type.String({ example: '01kahp5x2r00v7m3k9qd4tznwe8c' }) })
export const IdsSchema = Type.Object({ ids: Type.Array(Type.String(), { example: ['01kahp5x2r00v7m3k9qd4tznwe8c'] }) })
export const SuccessSchema = Type.Object({ success: Type.Literal(true, { example: true }) })

/** What an operation answers that has nothing to tell. */
export const success = { success: true } as const

/** What every operation can answer beside success. */
export const readErrors = [400, 401, 403, 404, 429, 500]
/** The same for an operation that writes. */
export const writeErrors = [...readErrors, 503]
/** The same where there is nothing to be found yet. */
export const createErrors = [400, 401, 403, 429, 500, 503]

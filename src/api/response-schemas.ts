import { Type } from '@sinclair/typebox'
import { fieldRules } from '../forms/fields/field-problem.ts'
import { NamedObject } from './kind-schema.ts'

const ErrorCodeSchema = Type.Unsafe<string>({
  name: 'ErrorCode',
  type: 'string',
  enum: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'INTERNAL_SERVER_ERROR'],
  example: 'NOT_FOUND',
})
const message = Type.String({ example: 'Form not found' })

const IssueSchema = NamedObject('Issue', {
  message: Type.String({ description: 'Names the field and says what it must be' }),
  path: Type.Optional(Type.String({ description: 'JSON pointer to the value in the body' })),
  rule: Type.Optional(
    // Without a name: as a constant of one package, `repeated` is also a reason of spam.
    Type.Unsafe<string>({
      type: 'string',
      enum: [...fieldRules],
      description: 'Of a submission: which rule of the form’s fields it breaks',
    }),
  ),
  text: Type.Optional(Type.String({ description: 'Of a submission: the same for the visitor, in their language' })),
})

const ErrorDetailSchema = NamedObject(
  'ErrorDetail',
  { code: ErrorCodeSchema, message },
  { description: 'The same code and message again, for clients that expect them in an `error` object' },
)

/** The body of every error. */
export const ErrorSchema = NamedObject('Error', {
  code: ErrorCodeSchema,
  message,
  issues: Type.Array(IssueSchema, {
    description: 'What is wrong with the input; empty if the error has another cause',
    example: [],
  }),
  error: ErrorDetailSchema,
})

export const IdSchema = NamedObject('Id', { id: Type.String({ example: '01kahp5x2r00v7m3k9qd4tznwe8c' }) })
export const IdsSchema = NamedObject('Ids', {
  ids: Type.Array(Type.String(), { example: ['01kahp5x2r00v7m3k9qd4tznwe8c'] }),
})
export const SuccessSchema = NamedObject('Success', { success: Type.Literal(true, { example: true }) })

/** The response to a submission that was collected. */
export const SubmittedSchema = NamedObject('Submitted', {
  id: Type.String({ description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' }),
  formId: Type.String({ example: '01kahp5x2r00v7m3k9qd4tznwe8c' }),
  ok: Type.Boolean({ description: 'Always true, for scripts that were made for Formspree', example: true }),
})

/** The response of `GET /s/{formId}/challenge`. */
export const ChallengeSchema = NamedObject('Challenge', {
  challenge: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description:
      'What is to be solved; null if the form asks for no proof of work, and then the other members are absent',
    example: null,
  }),
  puzzles: Type.Optional(Type.Integer({ description: 'How many puzzles it has', maximum: 32 })),
  bits: Type.Optional(Type.Integer({ description: 'Zero bits with which each hash must begin', maximum: 31 })),
  expiresIn: Type.Optional(Type.Integer({ description: 'Seconds for which it is valid', maximum: 3600 })),
})

/** The statuses of errors of every operation. One that reads is answered with 503 by a machine that is behind the others. */
export const commonErrors = [400, 401, 403, 404, 429, 500, 503]
/** The statuses of operations whose query may be too long for Bun, which responds before Formbox sees the request. */
export const bulkDeleteErrors = [...commonErrors, 431]
/** The statuses of operations whose request names nothing that could be missing. */
export const createErrors = [400, 401, 403, 429, 500, 503]

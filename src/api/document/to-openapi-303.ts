// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document made by a plugin

import type { TSchema } from '@sinclair/typebox'
import { AppError, forbidden, invalid, notFound, tooManyRequests, unavailable } from '../../errors.ts'
import { toBody } from '../../http/error-response.ts'
import { thumbnailKinds } from '../../http/file-answer.ts'
import { ErrorSchema } from '../answer-schemas.ts'
import type { Operation } from '../operation.ts'

type Json = any

const prefix = '/api/v1'
const descriptions: Record<string, string> = {
  200: 'Success',
  206: 'The part that `Range` names',
  304: 'The file that `If-None-Match` names, which the client has already. No body.',
  400: 'Invalid input or request parameters',
  401: 'Missing or invalid API key',
  403: "Another user's form, or a read-only key on an operation that writes",
  404: 'The form, submission, file, webhook or delivery does not exist',
  416: 'The file ends before the part that `Range` names',
  429: 'Rate limit exceeded',
  431: 'The URL and the headers together exceed 64 KiB. The response has no body and no `X-Request-Id`.',
  500: 'Server error',
  503: 'Temporarily unable to write',
}

/**
 * Corrects the document of `@elysiajs/swagger` 1.3.1, which is not valid OpenAPI 3.0.3: it has three content types for
 * each body, responses without a description, `$id` inside schemas, references by bare name, required parameters with a
 * default, and TypeBox's own keys. Paths become relative to the server's URL, which ends in `/api/v1`.
 */
export const toOpenApi303 = (
  document: Json,
  operations: readonly Operation[],
  names: ReadonlyMap<TSchema, string>,
): Json => {
  const byName = new Map(operations.map((operation) => [operation.operationId, operation]))
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, toSchema(schema)]),
  )
  const paths: Json = {}
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const relative = path.slice(prefix.length).replace(/(.)\/$/, '$1')
    paths[relative] = Object.fromEntries(
      Object.entries<Json>(item).map(([method, written]) => [
        method,
        toOperation(byName.get(written.operationId) as Operation, written, { names, schemas }),
      ]),
    )
  }
  const headers = {
    RequestId,
    RateLimitLimit,
    RateLimitRemaining,
    RateLimitReset,
    RetryAfter,
    IdempotencyReplayed,
    ETag,
    ContentRange,
  }
  return { ...document, paths, components: { ...document.components, schemas, headers } }
}

/** The schemas of the document, and their names. */
interface Named {
  readonly names: ReadonlyMap<TSchema, string>
  readonly schemas: Json
}

const toOperation = (operation: Operation, { parameters = [], responses: _, ...rest }: Json, named: Named): Json => {
  const body = operation.method === 'GET' ? undefined : operation.body
  return {
    ...rest,
    ...((parameters.length > 0 || isIdempotent(operation)) && {
      parameters: [...parameters.map(toParameter), ...(isIdempotent(operation) ? [idempotencyKey] : [])],
    }),
    ...(body && {
      requestBody: {
        description: `At most ${body.maxBytes / 1024 / 1024} MiB of UTF-8, not compressed, nested at most 64 levels deep`,
        required: !body.isOptional,
        content: toContent(body.schema, named),
      },
    }),
    responses: Object.fromEntries(
      [...statusesOf(operation), ...operation.errors.map(String)].map((status) => [
        status,
        toResponse(operation, status, named),
      ]),
    ),
  }
}

const statusesOf = ({ answer }: Operation): readonly string[] => (answer === 'file' ? ['200', '206', '304'] : ['200'])

const isIdempotent = (operation: Operation): boolean => operation.method !== 'GET' && operation.isIdempotent === true

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat the request. Within 24 hours, a request of the same user with the same key, path and body ' +
    'gets the first answer again and changes nothing more. With another path or body, the key gets 400. While the first ' +
    'request is being carried out, it gets 503.',
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
}

const pathParameters: Record<string, Json> = {
  formId: { description: 'Form identifier', example: '01kahp5x2r00v7m3k9qd4tznwe8c' },
  submissionId: { description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' },
  fileId: { description: 'File identifier', example: '01kahp6a8d00m3k9qd4tznwe8c5x' },
  sheetId: { description: 'Sheet identifier', example: '01kahp5x2r00sheet4tznwe8cm3k' },
  memberId: { description: 'Member identifier', example: '01kahp5x2r00member4znwe8cm3k' },
  webhookId: { description: 'Webhook identifier', example: '01kahp5x2r00q2s4tznwe8cm3k9f' },
  deliveryId: { description: 'Delivery identifier', example: '01kahp6a8d00x5tznwe8cm3k9f2q' },
}

const toParameter = ({ name, in: location, required, description, schema }: Json): Json => {
  const { example, ...rest } = toSchema(schema)
  return {
    name,
    in: location,
    required: required === true && rest.default === undefined,
    description,
    example: example ?? rest.default,
    ...(location === 'path' && pathParameters[name]),
    schema: rest,
  }
}

/** Refers to the schema by name if it has one. Only a body that may be absent has none. */
const toContent = (schema: TSchema, { names, schemas }: Named, example?: Json): Json => {
  const name = names.get(schema)
  const written = toSchema(name === undefined ? schema : { $ref: name })
  return { 'application/json': { schema: written, example: example ?? exampleOf(written, schemas) } }
}

const toResponse = (operation: Operation, status: string, named: Named): Json => {
  // Bun's own answer, which Formbox does not see.
  if (status === '431') return { description: descriptions[status] }
  const { answer, links, otherAnswers } = operation
  const isSuccess = Number(status) < 400
  const replays = status === '200' && isIdempotent(operation)
  const hasKey = status !== '401'
  const limited = { 'X-RateLimit-Limit': limit, 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': reset }
  const waits = status === '429' || status === '503'
  return {
    description: descriptions[status],
    headers: {
      'X-Request-Id': requestId,
      ...(hasKey && limited),
      ...(waits && { 'Retry-After': retryAfter }),
      ...(replays && { 'Idempotency-Replayed': replayed }),
      ...(answer === 'file' && isSuccess && { ETag: etag }),
      ...((status === '206' || status === '416') && { 'Content-Range': contentRange }),
    },
    ...(status !== '304' && {
      content:
        typeof answer === 'string' && isSuccess
          ? toTexts(answer === 'file' ? ofFile : { 'application/zip': null })
          : {
              // First, because generated clients read an answer in the format that is listed first, and CSV is the default.
              ...(isSuccess && otherAnswers && toTexts(otherAnswers)),
              ...toContent(
                isSuccess && typeof answer !== 'string' ? answer : ErrorSchema,
                named,
                errorExamples[status],
              ),
            },
    }),
    ...(status === '200' && { links }),
  }
}

/** What a file is answered as. */
const ofFile = Object.fromEntries(['application/octet-stream', ...thumbnailKinds].map((type) => [type, null]))

const toTexts = (examples: Readonly<Record<string, string | null>>): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([mediaType, example]) => [
      mediaType,
      example === null ? { schema: { type: 'string', format: 'binary' } } : { schema: { type: 'string' }, example },
    ]),
  )

const toSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(toSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') return { $ref: `#/components/schemas/${schema.$ref.split('/').at(-1)}` }
  const {
    $id: _id,
    error: _error,
    const: only,
    additionalProperties,
    example,
    preset,
    properties,
    documented,
    ...rest
  } = schema
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toSchema(value)])),
    ...documented,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, toSchema(value)])),
    }),
    // Elysia closes every object. A client must accept fields that a later version adds.
    ...(additionalProperties && { additionalProperties: toSchema(additionalProperties) }),
    ...(only !== undefined && { enum: [only] }),
    ...(preset !== undefined && { default: preset }),
    ...(example !== undefined && { example }),
  }
}

const header = (description: string, schema: Json) => ({ description, schema })
const RequestId = header('Identifies the request in the server’s log', { type: 'string' })
const RateLimitLimit = header('Requests per minute that the key may make', { type: 'integer' })
const RateLimitRemaining = header('Requests left in the current window', { type: 'integer' })
const RateLimitReset = header('When the window ends: Unix time in seconds', { type: 'integer', format: 'int64' })
const RetryAfter = header('Seconds to wait before trying again', { type: 'integer', minimum: 1 })
const IdempotencyReplayed = header('`true` if the request was carried out before', { type: 'string', enum: ['true'] })

const ETag = header('Names the file: it never changes', { type: 'string' })
const ContentRange = header('The part that follows, and the size of the file', { type: 'string' })

const requestId = { $ref: '#/components/headers/RequestId' }
const limit = { $ref: '#/components/headers/RateLimitLimit' }
const remaining = { $ref: '#/components/headers/RateLimitRemaining' }
const reset = { $ref: '#/components/headers/RateLimitReset' }
const retryAfter = { $ref: '#/components/headers/RetryAfter' }
const replayed = { $ref: '#/components/headers/IdempotencyReplayed' }
const etag = { $ref: '#/components/headers/ETag' }
const contentRange = { $ref: '#/components/headers/ContentRange' }

/** An example that matches the schema, put together from the examples of its parts. */
const exampleOf = (schema: Json, schemas: Json): Json => {
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)], schemas)
  if (schema.example !== undefined) return schema.example
  if (schema.type === 'array') return [exampleOf(schema.items, schemas)]
  return Object.fromEntries(
    Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property, schemas)]),
  )
}

/** Bodies exactly as the service sends them with these statuses. */
const errorExamples: Record<string, ReturnType<typeof toBody>> = {
  400: toBody(
    invalid({ field: 'title', message: 'must be 1 to 255 characters, not only white space', path: '/title' }),
  ),
  401: toBody(new AppError('unauthenticated', 'Invalid or expired API key')),
  403: toBody(forbidden()),
  404: toBody(notFound('Form')),
  416: toBody(new AppError('unsatisfiable', 'The file has 81234 bytes')),
  429: toBody(tooManyRequests(27)),
  500: toBody(new AppError('internal', 'Internal server error')),
  503: toBody(unavailable(1)),
}

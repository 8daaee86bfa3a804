// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document made by a plugin

import { apiPath } from '../../config/addresses.ts'
import type { Operation } from '../operation.ts'
import { idempotencyKey, toParameter } from './parameters.ts'
import { headers, isIdempotent, responses, toResponses } from './responses.ts'
import { toContent } from './to-schema.ts'

type Json = any

const prefix = apiPath.route

/**
 * Corrects the document of `@elysiajs/swagger` 1.3.1, which is not valid OpenAPI 3.0.3: it has three content types for
 * each body, responses without a description, required parameters with a default, and TypeBox's own keys. Paths become
 * relative to the server's URL, which ends in `/api/v1`.
 */
export const toOpenApi303 = (document: Json, operations: readonly Operation[]): Json => {
  const byName = new Map(operations.map((operation) => [operation.operationId, operation]))
  const paths: Json = {}
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const relative = path.slice(prefix.length).replace(/(.)\/$/, '$1')
    paths[relative] = Object.fromEntries(
      Object.entries<Json>(item).map(([method, written]) => [
        method,
        toOperation(byName.get(written.operationId) as Operation, written),
      ]),
    )
  }
  return { ...document, paths, components: { ...document.components, headers, responses } }
}

const fileContent = ({ mediaTypes, example }: NonNullable<Operation['takesFile']>): Json => ({
  ...Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  'application/json': { schema: { type: 'array', items: { type: 'object', additionalProperties: true } }, example },
})

const toOperation = (operation: Operation, { parameters = [], responses: _, ...rest }: Json): Json => {
  const body = operation.method === 'GET' ? undefined : operation.body
  return {
    ...rest,
    ...((parameters.length > 0 || isIdempotent(operation)) && {
      parameters: [
        ...parameters.map((parameter: Json) => toParameter(operation, parameter)),
        ...(isIdempotent(operation) ? [idempotencyKey] : []),
      ],
    }),
    ...(body && {
      requestBody: {
        description: `At most ${body.maxBytes / 1024 / 1024} MiB of UTF-8, not compressed, nested at most 64 levels deep`,
        required: !body.isOptional,
        content: toContent(body.schema),
      },
    }),
    ...(operation.takesFile && {
      requestBody: {
        description: 'The file, not compressed',
        required: true,
        content: fileContent(operation.takesFile),
      },
    }),
    responses: toResponses(operation),
  }
}

// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import type { Operation } from '../operation.ts'
import { toSchema } from './to-schema.ts'

type Json = any

/** @param description what a repeat gets */
export const idempotencyKeyFor = (description: string) => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description,
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
})

export const idempotencyKey = idempotencyKeyFor(
  'Makes it safe to repeat the request. Within 24 hours, a request of the same user with the same key, path and body ' +
    'gets the first response again and changes nothing more. With another path or body, the key gets 400. While the first ' +
    'request is being carried out, it gets 503.',
)

const pathParameters: Record<string, Json> = {
  formId: { description: 'Form identifier', example: '01kahp5x2r00v7m3k9qd4tznwe8c' },
  submissionId: { description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' },
  fileId: { description: 'File identifier', example: '01kahp6a8d00m3k9qd4tznwe8c5x' },
  noteId: { description: 'Note identifier', example: '01kahp5x2r00note4tznwe8cm3kq' },
  importId: { description: 'Import identifier', example: '01kahp5x2r00mp0rt4tznwe8cm3k' },
  sheetId: { description: 'Sheet identifier', example: '01kahp5x2r00sheet4tznwe8cm3k' },
  memberId: { description: 'Member identifier', example: '01kahp5x2r00member4znwe8cm3k' },
  webhookId: { description: 'Webhook identifier', example: '01kahp5x2r00q2s4tznwe8cm3k9f' },
  deliveryId: { description: 'Delivery identifier', example: '01kahp6a8d00x5tznwe8cm3k9f2q' },
}

export const toParameter = (
  { query }: Pick<Operation, 'query'>,
  { name, in: location, required, schema: found }: Json,
): Json => {
  // The plugin's copy has its keys in another order, by which the name of a schema is not found.
  const own: Json = query?.schema.properties[name] ?? found
  const { description: _description, example: _example, ...schema } = toSchema(own)
  return {
    name,
    in: location,
    required: required === true && own.preset === undefined,
    description: own.description,
    example: own.example ?? own.preset,
    ...(location === 'path' && pathParameters[name]),
    schema,
  }
}

/** Moves the parameters that several operations have into `components`, and refers to them. */
export const withSharedParameters = (document: Json): Json => {
  const operations = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item))
  const texts: string[] = operations.flatMap(({ parameters = [] }) =>
    parameters.map((one: Json) => JSON.stringify(one)),
  )
  const parameters: Record<string, Json> = {}
  for (const text of new Set(texts.filter((text, position) => texts.indexOf(text) !== position))) {
    const parameter = JSON.parse(text)
    parameters[nameOf(parameter)] ??= parameter
  }
  const names = new Map(Object.entries(parameters).map(([name, parameter]) => [JSON.stringify(parameter), name]))
  const refer = (parameter: Json): Json => {
    const name = names.get(JSON.stringify(parameter))
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
  }
  for (const operation of operations) if (operation.parameters) operation.parameters = operation.parameters.map(refer)
  return { ...document, components: { ...document.components, parameters } }
}

/** Such as `FormId`, `PageQuery`, `IdempotencyKeyHeader`: some generators give schemas and parameters one name space. */
const nameOf = ({ name, in: location }: Json): string => {
  const words: string[] = [...name.split('-'), ...(location === 'path' ? [] : [location])]
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

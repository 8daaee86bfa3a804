import type { Static, TSchema } from '@sinclair/typebox'
import { invalid } from '../errors.ts'
import type { BodyMemory } from '../http/body-memory.ts'
import type { Exchange } from '../http/exchange.ts'
import { mediaType } from '../http/headers.ts'
import { freeBytes, maxBodyBytes, readBody } from '../http/read-body.ts'
import { decodeJson, isObject, parseJson } from '../json.ts'
import type { OnBody, RequestBody } from './operation.ts'
import { schemaCheck } from './schema-check.ts'

/** The body of an operation on a single form: a JSON object. */
export const jsonBody = <T extends TSchema>(schema: T): RequestBody<Static<T>> => ({
  schema,
  isOptional: false,
  maxBytes: maxBodyBytes,
  receive: async (exchange, onBody) => ({
    value: await readJson(exchange, { maxBytes: maxBodyBytes, isOptional: false, onBody }),
    release: nothingToRelease,
  }),
  parse: schemaCheck(schema, 'body'),
})

const nothingToRelease = (): void => {}

interface Reading {
  readonly maxBytes: number
  readonly isOptional: boolean
  readonly memory?: BodyMemory
  readonly onBody?: OnBody | undefined
}

/**
 * The JSON object in the body. If it is optional, null stands for a body that is empty, or is `null` itself: generated
 * clients send that. While it is read, it takes memory from the caller's share.
 *
 * @throws AppError `invalid` or `unavailable`
 */
export const readJson = async (
  { request, server, caller }: Exchange,
  { maxBytes, isOptional, memory, onBody }: Reading,
): Promise<object | null> => {
  const bytes = await readBody({ request, server, owner: () => caller?.userId ?? '' }, maxBytes, memory)
  if (bytes === 'too large') throw invalid({ field: 'body', message: `must be at most ${maxBytes} bytes` })
  if (bytes.length === 0) {
    if (isOptional) return null
    throw invalid({ field: 'body', message: 'must be a JSON object, is empty' })
  }
  const contentType = mediaType(request)
  if (contentType !== 'application/json')
    throw invalid({ field: 'body', message: `must have Content-Type application/json, has ${contentType || 'none'}` })
  onBody?.(bytes)
  const text = decodeJson(bytes)
  freeBytes(bytes)
  const value: unknown = parseJson(text)
  if (isOptional && value === null) return null
  if (!isObject(value)) throw invalid({ field: 'body', message: 'must be a JSON object' })
  return value
}

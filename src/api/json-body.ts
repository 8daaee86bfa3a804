import { invalid } from '../errors.ts'
import type { Asked } from '../http/arriving-bodies.ts'
import type { BodyMemory } from '../http/body-memory.ts'
import type { Exchange } from '../http/exchange.ts'
import { isObject, parseJson } from '../http/json.ts'
import { mediaType } from '../http/media-type.ts'
import { freeBytes, maxBodyBytes, readBody } from '../http/read-body.ts'
import { decodeJson } from '../http/text.ts'

/** Elysia `parse` hook of an operation that takes a JSON object. */
export const jsonBody = async ({ exchange }: Parsing): Promise<object> =>
  refuseEmpty(await readJson(askedBy(exchange), maxBodyBytes))

/** What a `parse` hook behind the guard takes of its context. */
export interface Parsing {
  readonly exchange: Exchange
}

/** The body of a user, whose share of the memory it takes. */
export const askedBy = ({ request, server, caller }: Exchange): Asked => ({
  request,
  server,
  owner: () => caller?.userId ?? '',
})

/** The JSON object in the body, or null where there is none. @throws AppError `invalid` or `unavailable` */
export const readJson = async (
  asked: Asked,
  maxBytes: number,
  memory?: BodyMemory | undefined,
): Promise<object | null> => {
  const bytes = await readBody(asked, maxBytes, memory)
  if (bytes === 'too large') throw invalid({ field: 'body', message: `must be at most ${maxBytes} bytes` })
  if (bytes.length === 0) return null
  const contentType = mediaType(asked.request)
  if (contentType !== 'application/json')
    throw invalid({ field: 'body', message: `must have Content-Type application/json, has ${contentType || 'none'}` })
  const text = decodeJson(bytes)
  freeBytes(bytes)
  const value: unknown = parseJson(text)
  if (!isObject(value)) throw invalid({ field: 'body', message: 'must be a JSON object' })
  return value
}

export const refuseEmpty = (body: object | null): object => {
  if (body === null) throw invalid({ field: 'body', message: 'must be a JSON object, is empty' })
  return body
}

/** Elysia `parse` hook of an operation that takes no body: whatever is sent with it is not read. */
export const ignoredBody = (): null => null

import type { Context } from 'elysia'
import { invalid } from '../errors.ts'
import type { Asked } from './arriving-bodies.ts'
import type { BodyMemory } from './body-memory.ts'
import { freeBytes, readBody } from './read-body.ts'
import type { Logged } from './request-log.ts'

/** Of a single operation; the fields of one form at their longest take a hundredth of it. */
const maxBytes = 1024 * 1024
/** Deeper than anything that is sent on purpose; JSON.stringify overflows the stack at 40,000. */
export const maxDepth = 64

/** 1,000 forms that are sent back whole have 500,000 keys; 5,000,000 empty objects would take 470 MB. */
const maxItems = 600_000

/** Elysia `parse` hook of an operation that takes a JSON object. */
export const jsonBody = async ({ request, server, set }: Parsing): Promise<object> =>
  refuseEmpty(await readJson(askedBy({ request, server, set }), maxBytes))

/** What a `parse` hook behind the guard takes of its context. */
export interface Parsing extends Pick<Asked, 'request' | 'server'> {
  readonly set: Context['set'] & Logged
}

/** The body of a user, whose share of the memory it takes. */
export const askedBy = ({ request, server, set }: Parsing): Asked => ({
  request,
  server,
  owner: () => set.userId ?? '',
})

/** The JSON object in the body, or null where there is none. @throws AppError `invalid` or `unavailable` */
export const readJson = async (
  asked: Asked,
  maxBytes: number,
  memory?: BodyMemory | undefined,
): Promise<object | null> => {
  const bytes = await readBody(asked, maxBytes, memory)
  if (bytes === 'too large') throw invalid({ message: `body: must be at most ${maxBytes} bytes` })
  if (bytes.length === 0) return null
  const contentType = mediaType(asked.request)
  if (contentType !== 'application/json')
    throw invalid({ message: `body: must have Content-Type application/json, has ${contentType || 'none'}` })
  const text = decodeJson(bytes)
  freeBytes(bytes)
  const value: unknown = parseJson(text)
  if (!isObject(value)) throw invalid({ message: 'body: must be a JSON object' })
  return value
}

export const refuseEmpty = (body: object | null): object => {
  if (body === null) throw invalid({ message: 'body: must be a JSON object, is empty' })
  return body
}

/** Elysia `parse` hook of an operation that takes no body: whatever is sent with it is not read. */
export const ignoredBody = (): null => null

/** The media type of the body in lower case, without its parameters (RFC 9110 section 8.3.1). */
export const mediaType = (request: Request): string =>
  ((request.headers.get('content-type') ?? '').split(';', 1)[0] as string).trim().toLowerCase()

/** With a byte order mark, where there is one. @throws AppError `invalid` */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ message: 'body: must be UTF-8' })
  }
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Without a byte order mark, which RFC 8259 section 8.1 lets a reader ignore. */
export const decodeJson = (bytes: Uint8Array): string => decodeUtf8(bytes).replace(/^\ufeff/, '')

/** @throws AppError `invalid` when the text is not JSON (RFC 8259) or is nested too deeply. */
export const parseJson = (text: string): unknown => {
  const { depth, items } = measure(text)
  if (items > maxItems) throw invalid({ message: `body: must hold at most ${maxItems} values` })
  if (depth > maxDepth) throw invalid({ message: `body: must be nested at most ${maxDepth} levels deep` })
  try {
    return JSON.parse(text)
  } catch {
    throw invalid({ message: 'body: must be valid JSON' })
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Depth and number of values, never less than the real ones: what stands inside strings does not count. */
const measure = (text: string): { depth: number; items: number } => {
  let items = 1
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // a string: on to the quote that ends it
        for (i++; i < text.length && text.charCodeAt(i) !== 0x22; i++) if (text.charCodeAt(i) === 0x5c) i++
        break
      case 0x5b:
      case 0x7b:
        if (++depth > deepest) deepest = depth
        break
      case 0x5d:
      case 0x7d:
        depth--
        break
      case 0x2c:
        items++
    }
  }
  return { depth: deepest, items }
}

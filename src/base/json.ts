import { invalid } from './errors.ts'
import { type JsonScan, scanJson } from './json-scan.ts'

/** Deeper than anything that is sent on purpose. JSON.stringify overflows the stack at 40,000. */
const maxDepth = 64

/** 1,000 forms that are sent back whole have 500,000 keys. 5,000,000 empty objects would take 470 MB. */
const maxValues = 600_000

/** @throws AppError `invalid` if the text is not JSON (RFC 8259), is nested too deeply or has too many values */
export const parseJson = (text: string, { values, depth }: JsonScan = scanJson(text)): unknown => {
  if (values > maxValues) throw invalid({ field: 'body', message: `must hold at most ${maxValues} values` })
  if (depth > maxDepth) throw invalid({ field: 'body', message: `must be nested at most ${maxDepth} levels deep` })
  try {
    return JSON.parse(text)
  } catch {
    throw invalid({ field: 'body', message: 'must be valid JSON' })
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keeps a byte order mark. @throws AppError `invalid` */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ field: 'body', message: 'must be UTF-8' })
  }
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Drops a byte order mark, as RFC 8259 section 8.1 allows. */
export const decodeJson = (bytes: Uint8Array): string => decodeUtf8(bytes).replace(/^\ufeff/, '')

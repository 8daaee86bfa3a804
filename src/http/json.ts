import { invalid } from '../errors.ts'

/** Deeper than anything that is sent on purpose; JSON.stringify overflows the stack at 40,000. */
export const maxDepth = 64

/** 1,000 forms that are sent back whole have 500,000 keys; 5,000,000 empty objects would take 470 MB. */
const maxItems = 600_000

/** @throws AppError `invalid` when the text is not JSON (RFC 8259) or is nested too deeply. */
export const parseJson = (text: string): unknown => {
  const { depth, items } = measure(text)
  if (items > maxItems) throw invalid({ field: 'body', message: `must hold at most ${maxItems} values` })
  if (depth > maxDepth) throw invalid({ field: 'body', message: `must be nested at most ${maxDepth} levels deep` })
  try {
    return JSON.parse(text)
  } catch {
    throw invalid({ field: 'body', message: 'must be valid JSON' })
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

import type { Field } from './fields.ts'
import { endOfNumber, isDigit } from './numbers.ts'

/**
 * The members of a JSON object as they are written, also where a name stands twice. `JSON.parse` would round long
 * numbers and keep only the last of two members of one name.
 *
 * @param text a valid JSON object
 * @param maxMembers where to stop
 * @throws AppError `invalid` for a number, however deep inside, that many a reader of JSON could not parse
 */
export const members = (text: string, maxMembers = Number.POSITIVE_INFINITY): Field[] => {
  const found: Field[] = []
  let at = text.indexOf('{') + 1
  while (found.length < maxMembers) {
    const nameStart = text.indexOf('"', at)
    if (nameStart === -1 || isEnd(text, at)) return found
    const nameEnd = endOfString(text, nameStart)
    const name: string = JSON.parse(text.slice(nameStart, nameEnd))
    const valueStart = text.indexOf(':', nameEnd) + 1
    const valueEnd = endOfValue(text, valueStart, name)
    found.push({ name, json: text.slice(valueStart, valueEnd).trim() })
    at = valueEnd + 1
  }
  return found
}

/** Whether nothing but white space comes before the object's closing brace. */
const isEnd = (text: string, from: number): boolean => {
  let at = from
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at++
  return at >= text.length || text[at] === '}'
}

const endOfString = (text: string, start: number): number => {
  let at = text.indexOf('"', start + 1)
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at + 1
}

/** Whether an odd number of backslashes stands before it. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

/** The comma or brace behind the value of the field. */
const endOfValue = (text: string, start: number, field: string): number => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) {
      at = endOfNumber(text, at, field) - 1
      continue
    }
    switch (code) {
      case 0x22: // "
        at = endOfString(text, at) - 1
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 0) return at
        depth--
        break
      case 0x2c: // ,
        if (depth === 0) return at
    }
  }
  return text.length
}

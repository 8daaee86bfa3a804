import type { Field } from './fields.ts'

/**
 * The members of a JSON object as they are written, also where a name stands twice. `JSON.parse` would round long
 * numbers, make Infinity (and so null) of `1e400`, and keep only the last of two members of one name.
 *
 * @param text a valid JSON object
 * @param maxMembers where to stop
 */
export const members = (text: string, maxMembers = Number.POSITIVE_INFINITY): Field[] => {
  const found: Field[] = []
  let at = text.indexOf('{') + 1
  while (found.length < maxMembers) {
    const nameStart = text.indexOf('"', at)
    if (nameStart === -1 || isEnd(text, at)) return found
    const nameEnd = endOfString(text, nameStart)
    const valueStart = text.indexOf(':', nameEnd) + 1
    const valueEnd = endOfValue(text, valueStart)
    found.push({
      name: JSON.parse(text.slice(nameStart, nameEnd)),
      json: text.slice(valueStart, valueEnd).trim(),
    })
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

/** The comma or brace behind the value. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at) - 1
        break
      case '[':
      case '{':
        depth++
        break
      case ']':
      case '}':
        if (depth === 0) return at
        depth--
        break
      case ',':
        if (depth === 0) return at
    }
  }
  return text.length
}

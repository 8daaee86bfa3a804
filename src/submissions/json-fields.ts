import { invalid } from '../base/errors.ts'
import { isObject, parseJson } from '../base/json.ts'
import { type JsonScan, memberCuts, scanJson } from '../base/json-scan.ts'
import { checkText, type Field, maxFields, shown } from './fields.ts'

/** @throws AppError `invalid` if it is not a JSON object, or contains something that no submission may contain */
export const jsonFields = (text: string): Field[] => {
  const scan = scanJson(text, maxFields + 1)
  if (!isObject(parseJson(text, scan))) throw invalid({ field: 'body', message: 'must be a JSON object' })
  const fields = members(text, scan)
  for (const { name, json } of fields) {
    checkEscapes(name, json)
    checkText(name, name)
  }
  return fields
}

/**
 * The members of a JSON object exactly as written, including repeated names. `JSON.parse` would round long numbers and
 * keep only the last member of a name.
 *
 * @param text a valid JSON object
 * @throws AppError `invalid` for a number at any depth that many JSON parsers cannot read
 */
export const members = (text: string, { cuts, badNumber }: JsonScan): Field[] =>
  memberCuts(cuts).map(([start, colon, end]) => {
    const quoted = text.slice(start + 1, colon).trim()
    const name: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
    if (badNumber && badNumber.at < end) throw invalid({ field: shown(name), message: badNumber.problem })
    return { name, json: text.slice(colon + 1, end).trim() }
  })

/** In valid UTF-8 and valid JSON, NUL and half a surrogate pair can only be written as escapes. */
const checkEscapes = (field: string, json: string): void => {
  if (!json.includes('\\u')) return
  const escapes = /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|.)/gi
  for (const [, , , code] of json.matchAll(escapes))
    if (code) checkText(field, String.fromCharCode(Number.parseInt(code, 16)))
}

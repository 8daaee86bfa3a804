import { invalid } from '../errors.ts'
import type { JsonScan } from '../json-scan.ts'
import { type Field, shown } from './fields.ts'

/**
 * The members of a JSON object exactly as written, including repeated names. `JSON.parse` would round long numbers and
 * keep only the last member of a name.
 *
 * @param text a valid JSON object
 * @throws AppError `invalid` for a number at any depth that many JSON parsers cannot read
 */
export const members = (text: string, { cuts, badNumber }: JsonScan): Field[] => {
  const found: Field[] = []
  for (let i = 0; i + 2 < cuts.length; i += 2) {
    const [start, colon, end] = cuts.slice(i, i + 3) as [number, number, number]
    const name: string = JSON.parse(text.slice(start + 1, colon))
    if (badNumber && badNumber.at < end) throw invalid({ field: shown(name), message: badNumber.problem })
    found.push({ name, json: text.slice(colon + 1, end).trim() })
  }
  return found
}

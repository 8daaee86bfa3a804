import { isObject } from '../../base/json.ts'
import { accepted, type Kind, type Problem, refused } from '../settings/kind.ts'

export type Places = Readonly<Record<string, number>>

export const maxPlaces = 1_000_000

const inWords = `a whole number from 0 to ${maxPlaces}`

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxPlaces

/** How often each option is given. A page asks for it in lines such as `Morning | 70`. */
export const places: Kind<Places> = {
  problems(value) {
    if (!isObject(value)) return [{ at: '', message: 'must be an object with a number for an option', value }]
    return Object.entries(value)
      .filter(([, count]) => !isCount(count))
      .map(
        ([option, count]): Problem => ({
          at: `/${option.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          message: `must be ${inWords}`,
          value: count,
        }),
      )
  },
  toStored: (sent) => sent,
  input: 'lines',
  isOptional: true,
  toText: (value) =>
    Object.entries(value)
      .map(([option, count]) => `${option} | ${count}`)
      .join('\n'),
  fromText(text) {
    const found: [string, number][] = []
    for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
      const at = line.lastIndexOf('|')
      const count = line.slice(at + 1).trim()
      if (at === -1 || !/^\d{1,7}$/.test(count) || !isCount(Number(count)))
        return refused(`each line must be an option, then | and ${inWords}`, line)
      const option = line.slice(0, at).trim()
      if (found.some(([known]) => known === option))
        return refused(`each option must have one line; got “${option}” again`)
      found.push([option, Number(count)])
    }
    return accepted(Object.fromEntries(found))
  },
  schema: { type: 'object', additionalProperties: { type: 'integer', minimum: 0, maximum: maxPlaces } },
}

/** The problem of places whose options are not those of their field. */
export const problemOfPlaces = (sent: Places, options: readonly string[]): string | undefined => {
  const known = new Set(options.map((option) => option.trim()))
  const seen = new Set<string>()
  for (const name of Object.keys(sent)) {
    const option = name.trim()
    if (!known.has(option)) return `must name options of the field; “${name}” is none`
    if (seen.has(option)) return `must name each option once; got “${name}” again`
    seen.add(option)
  }
  return undefined
}

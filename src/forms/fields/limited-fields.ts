import type { FormField } from './form-field.ts'

/** A field that has options with places. */
interface LimitedField {
  readonly name: string
  /** How often each option is given, which is without white space at its ends. */
  readonly places: ReadonlyMap<string, number>
}

/** The fields of a form that limit something, by name. */
export type LimitedFields = ReadonlyMap<string, LimitedField>

/** Undefined for a form that limits nothing: then nothing is counted. */
export const limitedFields = (fields: readonly FormField[]): LimitedFields | undefined => {
  if (fields.length === 0) return undefined
  // `parseSettings` remembers what it parsed, so a list of fields is the same object until it is changed.
  const known = remembered.get(fields)
  if (known !== undefined) return known ?? undefined
  const found = fields.flatMap(({ name, places }): LimitedField[] =>
    places === undefined
      ? []
      : [{ name, places: new Map(Object.entries(places).map(([option, most]) => [option.trim(), most])) }],
  )
  const limited = found.length === 0 ? null : new Map(found.map((field) => [field.name, field]))
  remembered.set(fields, limited)
  return limited ?? undefined
}

const remembered = new WeakMap<readonly FormField[], LimitedFields | null>()

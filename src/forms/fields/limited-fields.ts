import type { FormField } from './form-field.ts'

/** What a form limits. */
export interface Limited {
  /** How often each option is given, which is without white space at its ends, by name of the field. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** The fields of which a value may come once, and what becomes of a second one. */
  readonly once: ReadonlyMap<string, NonNullable<FormField['once']>>
}

/** Undefined for a form that limits nothing: then nothing is counted. */
export const limitedFields = (fields: readonly FormField[]): Limited | undefined => {
  if (fields.length === 0) return undefined
  // `parseSettings` remembers what it parsed, so a list of fields is the same object until it is changed.
  const known = remembered.get(fields)
  if (known !== undefined) return known ?? undefined
  const places = new Map(
    fields.flatMap(({ name, places: given }) =>
      given ? [[name, new Map(Object.entries(given).map(([option, most]) => [option.trim(), most]))]] : [],
    ),
  )
  const once = new Map(fields.flatMap(({ name, once: what }) => (what ? [[name, what]] : [])))
  const limited = places.size + once.size === 0 ? null : { places, once }
  remembered.set(fields, limited)
  return limited ?? undefined
}

const remembered = new WeakMap<readonly FormField[], Limited | null>()

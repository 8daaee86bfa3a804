import type { Limited } from '../../forms/fields/limited-fields.ts'
import { itemsIn, type SubmittedField, textIn } from '../sent-fields.ts'

/** An option that a submission has chosen, and that has places. */
export interface ChosenPlace {
  /** Name of the field. */
  readonly field: string
  readonly option: string
}

/**
 * The places that the fields of a submission ask for, in their order: one for each option, however often it was sent. What
 * `trim` removes has been the same in all versions of Unicode since 2013, so commands may call this.
 */
export const placesIn = (
  limited: Pick<Limited, 'places'>,
  fields: readonly Pick<SubmittedField, 'name' | 'json'>[],
): readonly ChosenPlace[] =>
  fields.flatMap(({ name, json }) => {
    const places = limited.places.get(name)
    if (!places) return []
    const chosen = new Set(itemsIn(json).map((item) => textIn(item.json)?.trim() ?? ''))
    return [...chosen].filter((option) => places.has(option)).map((option) => ({ field: name, option }))
  })

import { parseSettings } from '../settings/settings.ts'
import { labelOf } from './form-field.ts'

/** Fields as people read them: with the label of the form in the place of the name, where there is one. */
export const withLabels = <T extends { readonly name: string }>(
  fields: readonly T[],
  settings: string | null,
): readonly T[] => {
  const labels = new Map(parseSettings(settings).fields.map((field) => [field.name, labelOf(field)]))
  return labels.size === 0 ? fields : fields.map((field) => ({ ...field, name: labels.get(field.name) ?? field.name }))
}

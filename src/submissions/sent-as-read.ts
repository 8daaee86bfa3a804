import { labelOf } from '../forms/fields/form-field.ts'
import { parseSettings } from '../forms/settings/settings.ts'

/**
 * What was sent, as people read it in mails, chats, archives and pages: with the label of the form in the place of the name, where
 * there is one.
 */
export const asRead = <T extends { readonly name: string }>(
  sent: readonly T[],
  settings: string | null,
): readonly T[] => {
  const labels = new Map(parseSettings(settings).fields.map((field) => [field.name, labelOf(field)]))
  return labels.size === 0 ? sent : sent.map((field) => ({ ...field, name: labels.get(field.name) ?? field.name }))
}

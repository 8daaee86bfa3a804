import { isId } from '../base/id.ts'
import type { Form } from './form.ts'
import { parseSettings } from './settings/settings.ts'

// The name of a form in the addresses that visitors use: `/s/summer-party`. The identifier works for ever beside it.

/** Words that are parts of Formbox's own addresses, or would read like a missing one. */
const reserved: readonly string[] = ['challenge', 'new', 'bulk', 'none']

export const addressInWords = `3 to 60 of a-z, 0-9 and single hyphens between them, no identifier, no word for a secret, and none of ${reserved.join(', ')}`

/** Whether a form can have this name. What it must not say is another question (see fishing-words.ts). */
export const isFormAddress = (text: string): boolean =>
  text.length >= 3 &&
  text.length <= 60 &&
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) &&
  !isId(text) &&
  !reserved.includes(text)

/** What stands in the addresses that owners give to visitors. */
export const visitedName = ({ id, settings }: Pick<Form, 'id' | 'settings'>): string =>
  parseSettings(settings).address ?? id

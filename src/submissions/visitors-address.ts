import { toMailAddress } from '../base/mail-address.ts'
import { replyToField } from '../forms/control-fields.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { type SubmittedField, textIn } from './sent-fields.ts'

/**
 * The address to which a reply to a submission goes, as mail needs it; null if there is none. It is in `_replyto`, `email`, the
 * field of type `email` if the form has one alone, or a field that is called as in many forms, and is one address and nothing
 * else.
 *
 * @param settings the settings of the form as they are stored
 */
export const visitorsAddress = (fields: readonly SubmittedField[], settings: string | null): string | null => {
  const [typed, another] = parseSettings(settings).fields.filter(({ type }) => type === 'email')
  const ofType = typed && !another ? [typed.name.toLowerCase()] : []
  for (const name of [replyToField, 'email', ...ofType, ...usualNames]) {
    const address = toMailAddress(textNamed(fields, name)?.trim() ?? '')
    if (address !== null) return address
  }
  return null
}

/** The last is that of Contact Form 7. */
const usualNames = ['mail', 'e-mail', 'your-email']

const textNamed = (fields: readonly SubmittedField[], name: string): string | undefined =>
  textIn(fields.find((field) => field.name.toLowerCase() === name)?.json ?? '')

import { dayMilliseconds } from '../../base/durations.ts'
import { creationTime } from '../../base/id.ts'
import { toAnswerableAddress } from '../../base/mail-address.ts'
import type { FormSettings } from '../../forms/settings/settings.ts'
import { chooseLanguage } from '../../languages/choose.ts'
import type { Language } from '../../languages/languages.ts'
import { askedLanguage, type Field } from '../fields.ts'
import { textIn } from '../sent-fields.ts'

/**
 * The address to which a form replies: the field that its setting names has to be there once, with one
 * address and nothing else. Undefined if there is none.
 */
export const answeredAddress = (
  { reply }: { readonly reply: { readonly field: string } | null },
  fields: readonly Pick<Field, 'name' | 'json'>[],
): string | undefined => {
  if (reply === null) return undefined
  const [field, second] = fields.filter(({ name }) => name === reply.field)
  return field && !second ? (toAnswerableAddress(textIn(field.json) ?? '') ?? undefined) : undefined
}

/** How old a submission may be that gets its reply when it turns out not to be spam. */
const answeredDays = 7

/** The address for spam that was marked "Not spam". @param now Unix milliseconds */
export const answeredLate = (
  settings: Pick<FormSettings, 'reply'>,
  { id, fields }: { readonly id: string; readonly fields: () => readonly Pick<Field, 'name' | 'json'>[] },
  now: number,
): string | undefined =>
  settings.reply === null || now - creationTime(id) > answeredDays * dayMilliseconds
    ? undefined
    : answeredAddress(settings, fields())

/** The language of a visitor whose browser is no longer there to say it. */
export const languageOf = (
  { language: setting }: Pick<FormSettings, 'language'>,
  fields: readonly Pick<Field, 'name' | 'json'>[],
): Language => chooseLanguage({ asked: askedLanguage(fields), setting })

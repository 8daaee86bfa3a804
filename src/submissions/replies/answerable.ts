import { dayMilliseconds } from '../../base/durations.ts'
import { creationTime } from '../../base/id.ts'
import { toAnswerableAddress } from '../../base/mail-address.ts'
import type { FormSettings } from '../../forms/settings/settings.ts'
import { chooseLanguage } from '../../languages/choose.ts'
import type { Language } from '../../languages/languages.ts'
import type { VisitorReply } from '../../outbox/replies.ts'
import { askedLanguage, type Field } from '../fields.ts'
import { textIn } from '../sent-fields.ts'

type Fields = readonly Pick<Field, 'name' | 'json'>[]

/**
 * The address to which a form replies: the field that its setting names has to be there once, with one
 * address and nothing else. Undefined if there is none.
 */
export const answeredAddress = (
  { reply }: { readonly reply: { readonly field: string } | null },
  fields: Fields,
): string | undefined => {
  if (reply === null) return undefined
  const [field, second] = fields.filter(({ name }) => name === reply.field)
  return field && !second ? (toAnswerableAddress(textIn(field.json) ?? '') ?? undefined) : undefined
}

/** The reply to a visitor with this language; undefined if there is none. */
export const replyFor = (
  settings: Pick<FormSettings, 'reply'>,
  fields: Fields,
  language: string | undefined,
): VisitorReply | undefined => {
  const to = answeredAddress(settings, fields)
  return to === undefined ? undefined : { to, language }
}

/** How old a submission may be that gets its reply when it turns out not to be spam. */
const answeredDays = 7

/** The reply for spam that was marked "Not spam". @param now Unix milliseconds */
export const answeredLate = (
  settings: Pick<FormSettings, 'reply' | 'language'>,
  { id, fields }: { readonly id: string; readonly fields: () => Fields },
  now: number,
): VisitorReply | undefined =>
  settings.reply === null || now - creationTime(id) > answeredDays * dayMilliseconds
    ? undefined
    : replyFor(settings, fields(), languageOf(settings, fields()))

/** The language of a visitor whose browser is no longer there to say it. */
export const languageOf = ({ language: setting }: Pick<FormSettings, 'language'>, fields: Fields): Language =>
  chooseLanguage({ asked: askedLanguage(fields), setting })

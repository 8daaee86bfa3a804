import { dayMilliseconds } from '../../base/durations.ts'
import { hmac, sha256 } from '../../base/hash.ts'
import { toPerson } from '../../base/mail-address.ts'
import { labelOf, sendsTick } from '../../forms/fields/form-field.ts'
import type { ConfirmSettings, FormSettings } from '../../forms/settings/settings.ts'
import { isTick } from '../check-fields.ts'
import type { Field } from '../fields.ts'
import { answeredAddress } from '../replies/answerable.ts'

/** A text and its SHA-256 in base64url. */
interface HashedText {
  readonly hash: string
  readonly text: string
}

/** All that is stored of a submission whose address has to be confirmed: an input of its command. */
export interface Asked {
  /** The address that gets the mail; absent if it can get none. */
  readonly target?: string | undefined
  /** The language of the visitor; absent for English. */
  readonly language?: string | undefined
  /** Keyed hashes, see `confirmations`. */
  readonly address: string
  readonly person: string
  /** Hash of what the browser got. */
  readonly browser: string
  /** Unix milliseconds. */
  readonly endsAt: number
  readonly mail: HashedText
  /** The labels of the boxes that were ticked. */
  readonly consent: readonly HashedText[]
}

export interface Asking extends Pick<Asked, 'language'> {
  /** See storage/secrets/signing-key.ts. */
  readonly key: Uint8Array
  readonly formId: string
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
}

/** What a submission of a form with the setting `confirm` is asked. @param sent its fields, without boxes that were not ticked */
export const toAsked = (
  confirm: ConfirmSettings,
  { fields }: Pick<FormSettings, 'fields'>,
  sent: readonly Field[],
  { key, formId, id, at, language }: Asking,
): Asked => {
  const target = answeredAddress({ reply: confirm }, sent)
  const hashOf = (what: string, text: string) =>
    hmac(key, JSON.stringify(['confirm', what, formId, text])).toString('hex')
  const labels = fields
    .filter(({ name, type }) => sendsTick(type) && sent.some((one) => one.name === name && isTick(one.json)))
    .map(labelOf)
  return {
    target,
    language,
    address: target === undefined ? '' : hashOf('address', target.toLowerCase()),
    person: target === undefined ? '' : hashOf('person', toPerson(target)),
    browser: sha256(browserToken(key, { formId, id }), 'hex'),
    endsAt: at + confirm.days * dayMilliseconds,
    mail: hashed(mailAsText(confirm)),
    consent: [...new Set(labels)].map(hashed),
  }
}

/**
 * What the browser gets that sent a submission, and no one else can make. A double click gets the same with both responses, of
 * which a browser keeps the last.
 */
export const browserToken = (key: Uint8Array, of: { readonly formId: string; readonly id: string }): string =>
  hmac(key, JSON.stringify(['browser', of.formId, of.id]))
    .toString('base64url')
    .slice(0, 22)

const hashed = (text: string): HashedText => ({ hash: sha256(text, 'base64url'), text })

/** The words of a mail. */
export type MailWords = Pick<ConfirmSettings, 'subject' | 'text'>

const mailAsText = ({ subject, text }: MailWords): string => JSON.stringify({ subject, text })

/** @param stored the result of `mailAsText` */
export const mailIn = (stored: string): MailWords => JSON.parse(stored)

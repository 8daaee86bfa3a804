import { secureCompare } from '../../base/secure-compare.ts'
import { unsubscribePath } from '../../config/addresses.ts'
import type { Language } from '../../languages/languages.ts'
import { sign } from '../../storage/secrets/signing-key.ts'

/** In place of a receiver: the mail was of none, and its link stops all mail of the server. */
export const everyForm = 'everyform'

/** The person who gets a mail. */
export interface Recipient {
  /** Identifier of the receiver: the address in the settings of one form. */
  readonly receiver: string
  /** Part of the link, which has to work when the form and the receiver are long gone. */
  readonly address: string
}

/**
 * The address of the page where the recipient stops such mails, without signing in. It does not expire.
 *
 * @param key of `openSigningKey` @param language of the page; otherwise that of the reader's browser
 */
export const unsubscribeLink = (
  publicUrl: string,
  key: Uint8Array,
  { receiver, address }: Recipient,
  language?: Language,
): string => {
  const recipient = `${receiver}.${Buffer.from(address).toString('base64url')}`
  return `${publicUrl}${unsubscribePath(`${recipient}.${sign(key, 'unsubscribe', recipient)}`)}${language === undefined ? '' : `?lang=${language}`}`
}

/** Finds the recipient whom the last part of such an address names; null if the server did not make it. */
export const findUnsubscribed = (token: string, key: Uint8Array): Recipient | null => {
  const [, receiver, address, signature] = /^([0-9a-z]{1,64})\.([\w-]{1,400})\.([\w-]{43})$/.exec(token) ?? []
  if (receiver === undefined || address === undefined || signature === undefined) return null
  if (!secureCompare(signature, sign(key, 'unsubscribe', `${receiver}.${address}`))) return null
  return { receiver, address: Buffer.from(address, 'base64url').toString() }
}

/** Headers for mail programs that have their own button (RFC 2369, RFC 8058). */
export const unsubscribeHeaders = (link: string): Readonly<Record<string, string>> => ({
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

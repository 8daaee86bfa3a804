import { secureCompare } from '../secure-compare.ts'

/**
 * The address of the page where the reader of a mail stops such mails, without signing in. It does not expire.
 *
 * @param key of `openSigningKey`
 * @param receiver identifier of whom to take out
 */
export const unsubscribeLink = (publicUrl: string, key: Uint8Array, receiver: string): string =>
  `${publicUrl}/unsubscribe/${receiver}.${sign(key, receiver)}`

/** The receiver that the last part of such an address names; null if the server did not make it. */
export const findUnsubscribed = (token: string, key: Uint8Array): string | null => {
  const [, receiver, signature] = /^([0-9a-z]{1,64})\.([\w-]{43})$/.exec(token) ?? []
  if (receiver === undefined || signature === undefined) return null
  return secureCompare(signature, sign(key, receiver)) ? receiver : null
}

/** For mail programs that have a button of their own (RFC 2369, RFC 8058). */
export const unsubscribeHeaders = (link: string): Readonly<Record<string, string>> => ({
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** The purpose is signed too, so that nothing else that the key signs will do. */
const sign = (key: Uint8Array, receiver: string): string =>
  new Bun.CryptoHasher('sha256', key).update(`unsubscribe:${receiver}`).digest('base64url')

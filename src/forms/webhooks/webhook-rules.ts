import { isIP } from 'node:net'
import { invalid } from '../../base/errors.ts'
import { httpUrlInWords, isHttpUrl, type TextRule } from '../../base/text-rules.ts'
import type { Kind } from '../settings/kind.ts'
import { hostPattern, normalText } from '../settings/kinds.ts'

const urlRule: TextRule = { minLength: 1, maxLength: 2048 }

/**
 * Whether a text is the URL of a webhook: absolute, `http:` or `https:`, without a name and a password, which would be
 * shown wherever the URL is. What a name resolves to is checked when a message is sent.
 */
export const isWebhookUrl = (text: string): boolean => {
  if (!isHttpUrl(urlRule, text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** For the document of the API. */
export const webhookUrlInWords =
  'an absolute http or https URL, valid by the WHATWG URL standard, without a user name and password'

export const webhookUrl: Kind<string> = {
  ...normalText({
    normal: (text) => (isWebhookUrl(text) ? text : null),
    inWords: `${httpUrlInWords(urlRule)}, without a user name and password, which belong in headers as "Authorization: Basic" and the Base64 of name:password`,
    schema: {
      format: 'uri',
      ...urlRule,
      documented: { pattern: `^${hostPattern}([/?#\\\\][^\\s\\x00-\\x1f\\x7f]*)?$` },
    },
  }),
  input: 'url',
}

/** Host and port of a URL: what limits how many deliveries are under way at once. */
export const hostAndPort = (url: string): string => {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/**
 * Refuses a URL whose address can be seen in it and is one that the server never connects to.
 *
 * @param isReachable whether the server connects to an address, or to this name whatever its address is
 * @throws AppError `invalid`
 */
export const refuseUnreachable = (url: string, isReachable: (address: string) => boolean): void => {
  const { hostname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = host === 'localhost' ? [host, '127.0.0.1', '::1'] : isIP(host) === 0 ? [] : [host]
  if (addresses.length === 0 || addresses.some(isReachable)) return
  throw invalid({
    field: 'url',
    message: `must be at a public address, or at one that FORMBOX_WEBHOOK_ALLOW names; ${hostname} is neither`,
    path: '/url',
  })
}

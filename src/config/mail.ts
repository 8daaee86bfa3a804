import { invalid } from '../base/errors.ts'
import { toMailAddress } from '../base/mail-address.ts'
import { type GivenOauth, type MailOauth, mailNames, toOauth } from './mail-oauth.ts'
import { type ApiServer, parseApiUrl, showApiUrl } from './mail-ways.ts'
import { parseSmtpUrl, type SmtpServer, showSmtpUrl } from './smtp-url.ts'
import { hostAndPort } from './values.ts'

/** The sender of a mail. */
interface Mailbox {
  /** Empty for none. */
  readonly name: string
  readonly address: string
}

/** How e-mail is sent. */
export interface MailConfig {
  readonly server: SmtpServer | ApiServer
  /** Null if the server needs no token. */
  readonly oauth: MailOauth | null
  readonly from: Mailbox
  /** Begins the links in a mail. */
  readonly publicUrl: string
}

interface GivenMail {
  readonly server: MailConfig['server'] | null
  readonly oauth: GivenOauth
  readonly from: Mailbox | null
  readonly publicUrl: string | null
}

/** @throws AppError `invalid` if only some of the variables are set */
export const toMail = ({ server, oauth, from, publicUrl }: GivenMail): MailConfig | null => {
  if (!server && !from && oauth.clientId === '') return null
  if (!server && !from)
    throw invalid({ field: mailNames.url, message: `must be set, because ${mailNames.clientId} is` })
  if (!server) throw invalid({ field: 'FORMBOX_MAIL_URL', message: 'must be set, because FORMBOX_MAIL_FROM is' })
  if (!from) throw invalid({ field: 'FORMBOX_MAIL_FROM', message: 'must be set, because FORMBOX_MAIL_URL is' })
  if (!publicUrl)
    throw invalid({
      field: 'FORMBOX_URL',
      message: 'must be set, because FORMBOX_MAIL_URL is: emails have links to the pages of this server',
    })
  return Object.freeze({ server, oauth: toOauth(server, oauth, mailNames), from, publicUrl })
}

/**
 * @param name the setting
 * @throws AppError `invalid` that does not show the URL, which contains a password or a key
 */
export const parseMailUrl = (name: string, value: string): MailConfig['server'] | null =>
  value === '' ? null : (parseApiUrl(name, value) ?? parseSmtpUrl(name, value))

/** The URL without user, password or key. */
export const showMailUrl = (value: string): string => (value === '' ? '' : (showApiUrl(value) ?? showSmtpUrl(value)))

/** What stands for the server in what the operator reads. */
export const placeOf = (server: MailConfig['server']): string =>
  server.way === 'smtp' ? hostAndPort(server) : new URL(server.endpoint).host

/** @throws AppError `invalid` */
export const parseMailbox = (name: string, value: string): Mailbox | null => {
  if (value === '') return null
  const [, label = '', inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(value.trim()) ?? []
  const address = toMailAddress((inBrackets ?? value).trim())
  const text = label.trim().replace(/^"(.*)"$/, '$1')
  if (address && text.length <= 100 && text.isWellFormed() && !/[\p{Cc}"]|=\?/u.test(text))
    return Object.freeze({ name: text, address })
  throw invalid({
    field: name,
    message:
      'must be one address, such as forms@example.com or Formbox <forms@example.com>, without a " or an encoded word ' +
      `(=?…?=) in the name; got ${JSON.stringify(value)}`,
  })
}

import { invalid } from '../base/errors.ts'
import { toMailAddress } from '../base/mail-address.ts'
import { bareHost, decodeCredential, hostAndPort, isHost } from './values.ts'

/** The mail server that takes what Formbox sends. */
export interface SmtpServer {
  /** A host name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
  /** Whether the connection begins with TLS (`smtps:`). Otherwise STARTTLS is required, except on this machine. */
  readonly isTls: boolean
  readonly credentials: { readonly user: string; readonly password: string } | null
}

/** The sender of a mail. */
interface Mailbox {
  /** Empty for none. */
  readonly name: string
  readonly address: string
}

/** How e-mail is sent. */
export interface MailConfig {
  readonly server: SmtpServer
  readonly from: Mailbox
  /** Begins the links in a mail. */
  readonly publicUrl: string
}

/** @throws AppError `invalid` if only some of the variables are set */
export const toMail = ({ server, from, publicUrl }: { [Name in keyof MailConfig]: MailConfig[Name] | null }) => {
  if (!server && !from) return null
  if (!server) throw invalid({ field: 'FORMBOX_MAIL_URL', message: 'must be set, because FORMBOX_MAIL_FROM is' })
  if (!from) throw invalid({ field: 'FORMBOX_MAIL_FROM', message: 'must be set, because FORMBOX_MAIL_URL is' })
  if (!publicUrl)
    throw invalid({
      field: 'FORMBOX_URL',
      message: 'must be set, because FORMBOX_MAIL_URL is: emails have links to the pages of this server',
    })
  return Object.freeze({ server, from, publicUrl })
}

/** @throws AppError `invalid` that does not show the URL, which contains a password */
export const parseSmtpUrl = (name: string, value: string): SmtpServer | null => {
  if (value === '') return null
  const url = /^smtps?:\/\/[^\s\p{C}]+$/iu.test(value) ? URL.parse(value) : null
  const host = url ? bareHost(url) : ''
  const isComplete = isHost(host) && url?.port !== '0' && /^\/?$/.test(url?.pathname ?? '') && !/[?#]/.test(value)
  if (!url || !isComplete)
    throw invalid({
      field: name,
      message:
        'must be smtp://USER:PASSWORD@HOST:PORT or smtps://…; USER:PASSWORD@ and :PORT may be left out; ' +
        'in the user and the password, write %25 for %, %2F for /, %3A for :, %3F for ?, %23 for # and %40 for @',
    })
  const isTls = url.protocol === 'smtps:'
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port)
  return Object.freeze({ host, port, isTls, credentials: toCredentials(name, url) })
}

const toCredentials = (name: string, { username, password }: URL): SmtpServer['credentials'] => {
  if (username === '' && password === '') return null
  if (username === '' || password === '')
    throw invalid({ field: name, message: 'must have both a user and a password, or neither' })
  const decoded = { user: decodeCredential(name, username), password: decodeCredential(name, password) }
  // AUTH PLAIN separates the two with NUL (RFC 4616).
  if (/\p{Cc}/u.test(decoded.user + decoded.password))
    throw invalid({ field: name, message: 'must not have control characters in the user or the password' })
  return Object.freeze(decoded)
}

/** Hides the credentials: `smtp://***@smtp.example.com:587`. The user is hidden too: with some providers it is the password. */
export const showSmtpUrl = (value: string): string => {
  const server = parseSmtpUrl('', value)
  if (!server) return ''
  return `${server.isTls ? 'smtps' : 'smtp'}://${server.credentials ? '***@' : ''}${hostAndPort(server)}`
}

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

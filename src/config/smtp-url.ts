import { isIP } from 'node:net'
import { invalid } from '../base/errors.ts'
import { apiWays, encoding } from './mail-ways.ts'
import { isPrivate } from './networks.ts'
import { bareHost, decodeCredential, hostAndPort, isHost } from './values.ts'

/** The mail server that takes what Formbox sends. */
export interface SmtpServer {
  readonly way: 'smtp'
  /** A host name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
  /**
   * Whether the connection begins with TLS (`smtps:`). Otherwise STARTTLS is required, except on this machine, and not used
   * at all if `isPlain`: then every address of the host has to be private.
   */
  readonly isTls: boolean
  readonly isPlain: boolean
  /** The name or IP address that the certificate must be for; null for the host's. */
  readonly tlsName: string | null
  /** With an empty password, a token is used in its place. */
  readonly credentials: { readonly user: string; readonly password: string } | null
}

/** @throws AppError `invalid` that does not show the URL, which contains a password */
export const parseSmtpUrl = (name: string, value: string): SmtpServer => {
  const url = /^smtps?:\/\/[^\s\p{C}#]+$/iu.test(value) ? URL.parse(value) : null
  const host = url ? bareHost(url) : ''
  const isComplete = isHost(host) && url?.port !== '0' && /^\/?$/.test(url?.pathname ?? '') && !value.endsWith('?')
  const { tls, tlsName = null, ...others } = Object.fromEntries(url?.searchParams ?? [])
  if (!url || !isComplete || Object.keys(others).length > 0)
    throw invalid({
      field: name,
      message:
        'must be smtp://USER:PASSWORD@HOST:PORT or smtps://…, where USER:PASSWORD@ and :PORT may be left out and ?tls=off ' +
        `or ?tlsName=NAME may follow, or ${apiWays.map((way) => way.url).join(', ')}; ${encoding}`,
    })
  const isTls = url.protocol === 'smtps:'
  const isPlain = tls !== undefined
  const credentials = toCredentials(name, url)
  const isRight = !isPlain || (tls === 'off' && !isTls && tlsName === null && !credentials)
  if (!isRight || (isPlain && isIP(host) !== 0 && !isPrivate(host)))
    throw invalid({
      field: name,
      message: 'may have ?tls=off with smtp:// alone, without a user, and for a host in your own network',
    })
  if (tlsName !== null && !isHost(tlsName))
    throw invalid({ field: name, message: 'must have a host name or an IP address as tlsName' })
  const port = url.port === '' ? (isTls ? 465 : 587) : Number(url.port)
  return Object.freeze({ way: 'smtp', host, port, isTls, isPlain, tlsName, credentials })
}

/** An empty password stands for a token. */
const toCredentials = (name: string, { username, password }: URL): SmtpServer['credentials'] => {
  if (username === '' && password === '') return null
  if (username === '') throw invalid({ field: name, message: 'must have a user before the password' })
  const decoded = { user: decodeCredential(name, username), password: decodeCredential(name, password) }
  // AUTH PLAIN separates the two with NUL (RFC 4616).
  if (/\p{Cc}/u.test(decoded.user + decoded.password))
    throw invalid({ field: name, message: 'must not have control characters in the user or the password' })
  return Object.freeze(decoded)
}

/**
 * Hides the credentials: `smtp://***@smtp.example.com:587`. The user is hidden too: with some providers it is the password.
 */
export const showSmtpUrl = (value: string): string => {
  const server = parseSmtpUrl('', value)
  const query = server.isPlain ? '?tls=off' : server.tlsName === null ? '' : `?tlsName=${server.tlsName}`
  return `${server.isTls ? 'smtps' : 'smtp'}://${server.credentials ? '***@' : ''}${hostAndPort(server)}${query}`
}

import { isIP, type Socket } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { MailOauth } from '../../config/mail-oauth.ts'
import { isLoopback } from '../../config/networks.ts'
import type { SmtpServer } from '../../config/smtp-url.ts'
import { openSocket } from './smtp-socket.ts'
import { tokensOf } from './tokens.ts'
import type { WayOptions } from './way.ts'

export interface SmtpOptions extends WayOptions {
  readonly server: SmtpServer
  readonly oauth: MailOauth | null
  readonly publicUrl: string
}

/** What the library needs to open connections. */
export const toConnections = (
  { server, oauth, publicUrl, patience, resolver }: SmtpOptions,
  maxConnections: number,
) => ({
  host: server.host,
  port: server.port,
  // The library would choose the name of the machine, or a loopback address in a container, which relays refuse.
  name: toEhloName(publicUrl),
  getSocket: (_options: unknown, callback: (error: Error | null, found?: { connection: Socket }) => void) => {
    openSocket(server, resolver, patience.connect).then(
      (connection) => callback(null, { connection }),
      (error: Error) => callback(error),
    )
  },
  secure: server.isTls,
  ignoreTLS: server.isPlain,
  // Without it, a password goes out in clear text if the server, or someone between, offers no encryption.
  requireTLS: !server.isTls && !server.isPlain && (!isLoopback(server.host) || server.tlsName !== null),
  tls: {
    minVersion: 'TLSv1.2' as const,
    // A mail server on this machine has a certificate for another name, if any.
    rejectUnauthorized: !isLoopback(server.host) || server.tlsName !== null,
    ...(server.tlsName !== null && toIdentity(server.tlsName)),
  },
  ...(server.credentials && { auth: toAuth(server.credentials, oauth), forceAuth: true }),
  pool: true as const,
  maxConnections,
  // The caller decides when to try again. After a broken connection, a mail may have arrived.
  maxRequeues: 0,
  connectionTimeout: patience.connect + patience.greeting,
  greetingTimeout: patience.greeting,
  socketTimeout: patience.answer,
  idleTimeout: 10_000,
  // More than any response needs that we read.
  maxResponseSize: 64 * 1024,
})

/** An address is not sent in the greeting of TLS (RFC 6066 section 3), and compared all the same. */
const toIdentity = (name: string) => ({
  ...(isIP(name) === 0 && { servername: name }),
  checkServerIdentity: (_host: string, certificate: PeerCertificate) => checkServerIdentity(name, certificate),
})

const toAuth = ({ user, password }: { user: string; password: string }, oauth: MailOauth | null) => {
  if (!oauth) return { user, pass: password }
  const provisionCallback = (
    _user: string,
    isRenewed: boolean,
    callback: (error: Error | null, token?: string, expires?: number) => void,
  ): void => {
    const tokens = tokensOf(oauth)
    if (isRenewed) tokens.refuse()
    // It is kept there alone: the library is to ask each time.
    tokens.get().then((token) => callback(null, token, 1), callback)
  }
  return { type: 'OAuth2' as const, user, provisionCallback }
}

/** RFC 5321 section 4.1.1.1: a name, or an address in brackets. */
const toEhloName = (publicUrl: string): string => {
  const host = new URL(publicUrl).hostname
  if (host.startsWith('[')) return `[IPv6:${host.slice(1)}`
  return isIP(host) === 0 ? host : `[${host}]`
}

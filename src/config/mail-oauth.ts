import { invalid } from '../base/errors.ts'
import type { ApiServer } from './mail-ways.ts'
import type { SmtpServer } from './smtp-url.ts'

/** Where tokens come from, for the client credentials grant (RFC 6749 section 4.4). */
export interface MailOauth {
  readonly tokenUrl: URL
  readonly clientId: string
  readonly clientSecret: string
  /** Empty for none. */
  readonly scope: string
}

export interface GivenOauth {
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenUrl: URL | null
  readonly scope: string
}

/** What the parts of a sender are called where they are set. */
interface MailNames {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenUrl: string
}

export const mailNames: MailNames = {
  url: 'FORMBOX_MAIL_URL',
  clientId: 'FORMBOX_MAIL_OAUTH_CLIENT_ID',
  clientSecret: 'FORMBOX_MAIL_OAUTH_CLIENT_SECRET',
  tokenUrl: 'FORMBOX_MAIL_OAUTH_TOKEN_URL',
}

/**
 * What is needed to get a token for this server; null if it needs none.
 *
 * @throws AppError `invalid` if something is missing, or set in vain
 */
export const toOauth = (server: ApiServer | SmtpServer, given: GivenOauth, names: MailNames): MailOauth | null => {
  const isNeeded = server.way === 'graph' || (server.way === 'smtp' && server.credentials?.password === '')
  const [set] = (['clientId', 'clientSecret', 'tokenUrl'] as const).filter((name) => given[name])
  if (!isNeeded && set)
    throw invalid({ field: names[set], message: `must not be set, because ${names.url} needs no token` })
  if (!isNeeded) return null
  if (!set && server.way === 'smtp')
    throw invalid({
      field: names.url,
      message: `has a user without a password: add it after a :, or set ${names.clientId} to sign in with a token`,
    })
  for (const name of ['clientId', 'clientSecret'] as const)
    if (given[name] === '')
      throw invalid({ field: names[name], message: `must be set, because ${names.url} signs in with a token` })
  const tokenUrl = given.tokenUrl ?? (server.way === 'graph' ? microsoftTokenUrl(server.place) : null)
  if (!tokenUrl)
    throw invalid({ field: names.tokenUrl, message: `must be set, because ${names.url} signs in with a token` })
  return Object.freeze({ ...given, tokenUrl, scope: given.scope || usualScope(server) })
}

const microsoftTokenUrl = (tenant: string): URL =>
  new URL(`https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`)

/** What Microsoft wants for its own hosts. Others want none, or one of their own. */
const usualScope = (server: ApiServer | SmtpServer): string => {
  if (server.way === 'graph') return 'https://graph.microsoft.com/.default'
  const isMicrosoft = server.way === 'smtp' && /(^|\.)(office365|outlook)\.com$/i.test(server.host)
  return isMicrosoft ? 'https://outlook.office365.com/.default' : ''
}

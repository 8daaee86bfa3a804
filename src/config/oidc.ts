import { invalid } from '../base/errors.ts'
import { signInOidcPath } from './addresses.ts'

/** The people who get an account at their first sign-in. */
export type OidcUsers = 'invited' | 'all' | { readonly domain: string }

/** The OpenID Connect provider through which users sign in. */
export interface OidcConfig {
  /** The issuer in the provider's metadata, apart from a slash at the end. */
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string
  /** On the button. */
  readonly name: string
  readonly users: OidcUsers
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string
}

interface Given {
  readonly issuer: URL | null
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly users: OidcUsers
  readonly isOnly: boolean
  readonly publicUrl: string | null
  readonly basePath: string
}

/** @throws AppError `invalid` if only some of the variables are set */
export const toOidc = (given: Given): { readonly oidc: OidcConfig | null; readonly onlyProvider: string | null } => {
  const { issuer, clientId, clientSecret, isOnly, publicUrl, basePath, ...rest } = given
  const required = [
    ['FORMBOX_OIDC_CLIENT_ID', clientId],
    ['FORMBOX_OIDC_CLIENT_SECRET', clientSecret],
  ] as const
  if (!issuer) {
    const [name] = required.find(([, value]) => value !== '') ?? (isOnly ? ['FORMBOX_OIDC_ONLY'] : [])
    if (name) throw invalid({ field: 'FORMBOX_OIDC_ISSUER', message: `must be set, because ${name} is` })
    return { oidc: null, onlyProvider: null }
  }
  for (const [field, value] of required)
    if (value === '') throw invalid({ field, message: 'must be set, because FORMBOX_OIDC_ISSUER is' })
  if (!publicUrl)
    throw invalid({
      field: 'FORMBOX_URL',
      message: 'must be set, because FORMBOX_OIDC_ISSUER is: the provider sends browsers back to it',
    })
  const redirectUri = `${publicUrl}${basePath}${signInOidcPath.route}`
  const oidc = Object.freeze({ issuer, clientId, clientSecret, ...rest, redirectUri })
  return { oidc, onlyProvider: isOnly ? oidc.name : null }
}

/** The identifier and the secret of the client. The message must not show the value. */
export const parseClientText = (name: string, value: string): string => {
  if (/^[\x20-\x7e]{0,500}$/.test(value)) return value
  throw invalid({ field: name, message: 'must be at most 500 visible ASCII characters' })
}

export const parseProviderName = (name: string, value: string): string => {
  if (/^[^\p{C}]{1,50}$/u.test(value)) return value
  throw invalid({ field: name, message: `must be 1 to 50 characters; got ${JSON.stringify(value.slice(0, 100))}` })
}

export const parseOidcUsers = (name: string, value: string): OidcUsers => {
  if (value === 'invited' || value === 'all') return value
  const [, domain] = /^domain:([a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/i.exec(value) ?? []
  if (domain !== undefined) return { domain: domain.toLowerCase() }
  throw invalid({
    field: name,
    message: `must be invited, all or domain: with a domain, such as domain:example.com; got ${JSON.stringify(value)}`,
  })
}

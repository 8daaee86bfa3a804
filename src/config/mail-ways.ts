import { invalid } from '../base/errors.ts'
import { decodeCredential, isSafe } from './values.ts'

/** One of the ways in which a message leaves. `formbox config`, the guide and the tests are made from this list. */
interface Way {
  readonly name: string
  readonly title: string
  /** The URL as it is shown in guides and errors. What stands for a part is in capitals. */
  readonly url: string
  /** Larger messages go with links in place of their files: bytes as in SMTP, with the files in base64. */
  readonly maxBytes: number
  /** The API for a region, or where there are none. */
  readonly endpoint: (region: string) => string
  /** What the way leaves out or changes, for the guide. */
  readonly note: string
}

const million = 1_000_000

/**
 * The ways over HTTPS, beside SMTP. Limits are those that each documents in November 2026; Graph takes requests of 4 MB, and
 * a message as base64.
 */
export const apiWays = [
  {
    name: 'graph',
    title: 'Microsoft 365',
    url: 'graph://TENANT',
    maxBytes: 2.9 * million,
    endpoint: () => 'https://graph.microsoft.com',
    note: 'Keeps a copy in Sent Items. Exchange may drop `List-ID`, `Auto-Submitted` and other headers.',
  },
  {
    name: 'resend',
    title: 'Resend',
    url: 'resend://KEY',
    maxBytes: 40 * million,
    endpoint: () => 'https://api.resend.com',
    note: 'An email is not sent twice within 24 hours. Switch tracking off for the domain.',
  },
  {
    name: 'postmark',
    title: 'Postmark',
    url: 'postmark://TOKEN',
    maxBytes: 10 * million,
    endpoint: () => 'https://api.postmarkapp.com',
    note: 'Refuses programs as files: such an email goes with links.',
  },
  {
    name: 'mailgun',
    title: 'Mailgun',
    url: 'mailgun://KEY@DOMAIN',
    maxBytes: 25 * million,
    endpoint: (region) => `https://api.${region === 'eu' ? 'eu.' : ''}mailgun.net`,
    note: 'For a domain in Europe, add `?region=eu`.',
  },
  {
    name: 'ses',
    title: 'Amazon SES',
    url: 'ses://KEY_ID:SECRET@REGION',
    maxBytes: 40 * million,
    endpoint: (region) => `https://email.${region}.amazonaws.com`,
    note: 'Sets its own `Message-ID` and `Date`.',
  },
] as const satisfies readonly Way[]

export type ApiWayName = (typeof apiWays)[number]['name']

/** A provider that takes messages over HTTPS. */
export interface ApiServer {
  readonly way: ApiWayName
  /** Scheme, host and port, without a slash at the end. */
  readonly endpoint: string
  /** The tenant, domain or region; empty for none. */
  readonly place: string
  /** Empty but for SES. */
  readonly keyId: string
  /** The key or token; empty with OAuth. */
  readonly secret: string
}

export const wayOf = (name: ApiWayName) => apiWays.find((way) => way.name === name) as (typeof apiWays)[number]

/** What the capitals in the URL of a way stand for. A secret is encoded as in any URL. */
const parts: Readonly<Record<string, string>> = {
  KEY_ID: '(?<keyId>[^/@:]+)',
  KEY: '(?<secret>[^/@:]+)',
  TOKEN: '(?<secret>[^/@:]+)',
  SECRET: '(?<secret>[^/@:]+)',
  TENANT: '(?<place>[a-z0-9.-]+)',
  DOMAIN: '(?<place>[a-z0-9.-]+)',
  REGION: '(?<place>[a-z0-9-]+)',
}

/** The way whose scheme a URL has. */
const findWay = (value: string) => apiWays.find(({ name }) => value.toLowerCase().startsWith(`${name}://`))

/**
 * Parses a URL for one of the ways above; null if it has another scheme.
 *
 * @param label the setting
 * @throws AppError `invalid` that does not show the URL, which contains a key
 */
export const parseApiUrl = (label: string, value: string): ApiServer | null => {
  const way = findWay(value)
  if (!way) return null
  const [address = '', query = '', ...rest] = value.split('?')
  const pattern = way.url.replaceAll(/[A-Z_]+/g, (part) => parts[part] as string)
  const { keyId = '', secret = '', place = '' } = new RegExp(`^${pattern}/?$`, 'i').exec(address)?.groups ?? {}
  const { endpoint, region = '', ...others } = Object.fromEntries(new URLSearchParams(query))
  const decoded = [keyId, secret].map((text) => decodeCredential(label, text)) as [string, string]
  const isComplete = (place || secret) !== '' && decoded.every((text) => /^[\x21-\x7e]{0,500}$/.test(text))
  const isRegion = region === '' || (way.name === 'mailgun' && /^(eu|us)$/.test(region))
  if (!isComplete || !isRegion || rest.length > 0 || Object.keys(others).length > 0 || value.includes('#'))
    throw invalid({
      field: label,
      message: `must be ${way.url}, where only ${way.name === 'mailgun' ? '?region=eu and ' : ''}?endpoint= may follow; ${encoding}`,
    })
  return Object.freeze({
    way: way.name,
    endpoint: endpoint === undefined ? way.endpoint(region || place) : parseEndpoint(label, endpoint),
    place,
    keyId: decoded[0],
    secret: decoded[1],
  })
}

/** What is not taken literally in a part of a URL. */
export const encoding = 'in each part, write %25 for %, %2F for /, %3A for :, %3F for ?, %23 for # and %40 for @'

const parseEndpoint = (label: string, value: string): string => {
  const url = URL.parse(value)
  if (url && isSafe(url) && url.href === `${url.origin}/`) return url.origin
  throw invalid({
    field: label,
    message: 'must have an endpoint that is an https:// URL which ends after the host or port, or http:// on loopback',
  })
}

/** Such a URL without its secrets; undefined for another scheme. */
export const showApiUrl = (value: string): string | undefined => {
  const way = findWay(value)
  if (!way) return undefined
  const { place } = parseApiUrl('', value) as ApiServer
  const [, query] = value.split('?')
  const isOpen = way.url === 'graph://TENANT'
  return `${way.name}://${isOpen ? place : `***${place === '' ? '' : `@${place}`}`}${query ? `?${query}` : ''}`
}

import { isIP } from 'node:net'
import { dayMilliseconds, hourMilliseconds, minuteMilliseconds } from '../base/durations.ts'
import { invalid } from '../base/errors.ts'
import { toMailAddress } from '../base/mail-address.ts'
import { isOwnPart } from './addresses.ts'
import { isLoopback } from './networks.ts'
import { isLinkToPort } from './read-variables.ts'

/** As in a URL, where an IPv6 address is in brackets. */
export const hostAndPort = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

// Parsers of single values. Each throws the AppError `invalid` that names the setting and what it must be. The last ones
// parse parts of a server's URL.

export const parseHost = (name: string, value: string): string => {
  if (isHost(value)) return value
  throw invalid({ field: name, message: `must be an IP address or a host name; got ${JSON.stringify(value)}` })
}

export const integerUpTo =
  (maximum: number) =>
  (name: string, value: string): number => {
    if (/^[0-9]{1,10}$/.test(value) && Number(value) <= maximum) return Number(value)
    throw invalid({ field: name, message: `must be a whole number from 0 to ${maximum}; got ${JSON.stringify(value)}` })
  }

export const parsePort = (name: string, value: string): number => {
  if (!isLinkToPort(value)) return integerUpTo(65_535)(name, value)
  throw invalid({
    field: name,
    message:
      `is ${JSON.stringify(value)}, which Kubernetes has set because of a Service named formbox; ` +
      `set enableServiceLinks: false in the pod's spec, or give ${name} a port`,
  })
}

export const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (name: string, value: string): T => {
    const chosen = choices.find((choice) => choice === value)
    if (chosen !== undefined) return chosen
    throw invalid({ field: name, message: `must be one of ${choices.join(', ')}; got ${JSON.stringify(value)}` })
  }

/** Accepts what fits in a header and is too long to guess. The message must not show the value. */
export const parseToken = (name: string, value: string): string | null => {
  if (value === '') return null
  if (/^[\x21-\x7e]{16,200}$/.test(value)) return value
  throw invalid({ field: name, message: 'must be 16 to 200 visible ASCII characters without spaces' })
}

export const parseDuration = (name: string, value: string): number | null => {
  if (value === '') return null
  const [, count, unit] = /^([1-9][0-9]{0,3})([mhd])$/.exec(value) ?? []
  if (count && unit)
    return Number(count) * { m: minuteMilliseconds, h: hourMilliseconds, d: dayMilliseconds }[unit as 'm' | 'h' | 'd']
  throw invalid({
    field: name,
    message: `must be 1 to 9999 followed by m, h or d, such as 24h; got ${JSON.stringify(value)}`,
  })
}

const bytesOf = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** @param most the largest size, as it is written */
export const sizeUpTo =
  (most: string) =>
  (name: string, value: string): number => {
    const bytes = toBytes(value)
    if (bytes !== undefined && bytes > 0 && bytes <= (toBytes(most) as number)) return bytes
    const message = `must be a size such as 512KiB, 25MiB or 1GiB, at most ${most}; got ${JSON.stringify(value)}`
    throw invalid({ field: name, message })
  }

/** Takes 0 too. */
export const sizeOrZeroUpTo =
  (most: string) =>
  (name: string, value: string): number =>
    value === '0' ? 0 : sizeUpTo(most)(name, value)

const toBytes = (size: string): number | undefined => {
  const [, count, unit] = /^([1-9][0-9]{0,3})([KMG]iB)$/.exec(size) ?? []
  return count && unit ? Number(count) * bytesOf[unit as keyof typeof bytesOf] : undefined
}

export const parseFolder = (name: string, value: string): string => {
  if (value !== '' && !value.includes('\0')) return value
  throw invalid({ field: name, message: `must be the path of a folder; got ${JSON.stringify(value)}` })
}

/** Quotes a URL that is refused, for a message, without its user and password. */
export const quoteUrl = (value: string): string => JSON.stringify(value.replace(/:\/\/.*@/su, '://***@'))

export const parseOrigin = (name: string, value: string): string | null => {
  if (value === '') return null
  const url = URL.parse(value)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw invalid({
    field: name,
    message: `must be an http:// or https:// URL that ends after the host or port; got ${quoteUrl(value)}`,
  })
}

/** Whether no one on the way can read or change what is sent there. */
export const isSafe = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))

/** Takes a path too. */
export const safeUrl =
  (without: '' | ' without a query') =>
  (name: string, value: string): URL | null => {
    if (value === '') return null
    const url = URL.parse(value)
    const isPlain = url && url.hash === '' && url.username === '' && url.password === ''
    if (isPlain && isSafe(url) && (without === '' || !/[?#]/.test(value))) return url
    throw invalid({
      field: name,
      message: `must be an https:// URL${without}, or http:// on a loopback address; got ${quoteUrl(value)}`,
    })
  }

/** Where browsers find the server. */
interface PublicUrl {
  /** Scheme, host and port, without a slash at the end; null if it is not set. */
  readonly publicUrl: string | null
  /** The path below which everything is, such as `/formbox`; empty at the root of the host. */
  readonly basePath: string
}

/** A path may have several parts. None has a character that some proxies write otherwise. */
const basePathShape = /^(?:\/[\w.~-]{1,100}){0,5}\/?$/

export const parsePublicUrl = (name: string, value: string): PublicUrl => {
  if (value === '') return { publicUrl: null, basePath: '' }
  const url = URL.parse(value)
  const isShort = url && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname
  if (!isShort || !basePathShape.test(url.pathname))
    throw invalid({
      field: name,
      message:
        'must be an http:// or https:// URL that ends after the host or port, or after a path of letters, digits, ' +
        `- . _ and ~; got ${quoteUrl(value)}`,
    })
  const [, first = ''] = url.pathname.split('/')
  // A proxy may take the path away, so that no one could say which of both it was.
  if (isOwnPart(first))
    throw invalid({
      field: name,
      message: `must not have a path that begins with /${first}, as pages of Formbox do; take another, such as /formbox`,
    })
  return { publicUrl: url.origin, basePath: url.pathname.replace(/\/$/, '') }
}

/** A mail address or an https URL, as a URL. */
export const parseContact = (name: string, value: string): string | null => {
  if (value === '') return null
  const address = toMailAddress(value)
  if (address !== null) return `mailto:${encodeURIComponent(address).replace('%40', '@')}`
  const url = value.length <= 2048 ? URL.parse(value) : null
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href
  throw invalid({ field: name, message: `must be an email address or an https:// URL; got ${quoteUrl(value)}` })
}

/** Whether it is an IP address, without brackets, or a host name. */
export const isHost = (host: string): boolean => isIP(host) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)

/** The host of a URL without the brackets of an IPv6 address. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The user or the password in a URL.
 *
 * @param name the setting
 * @throws AppError `invalid` that does not show the text
 */
export const decodeCredential = (name: string, text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid({ field: name, message: 'has a % in the user or the password that is not part of a code; write %25' })
  }
}

import { isIP } from 'node:net'
import { UsageError } from './errors.ts'
import { type Networks, parseNetworks } from './http/client-address.ts'

/** What the operator can set. Made once at the start and never changed. */
export interface Config {
  readonly host: string
  /** 0 lets the system choose a free one. */
  readonly port: number
  readonly dataFolder: string
  /** Scheme, host and port under which browsers reach the server, without a slash at the end; null when not set. */
  readonly publicUrl: string | null
  /** API requests a key and minute; 0 for no limit. */
  readonly rateLimit: number
  /** Submissions a client address and minute; 0 for no limit. */
  readonly submitLimit: number
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: Networks
  /** How long after a backup the server makes the next one; null for none. */
  readonly backupEveryMilliseconds: number | null
  /** Backups of its own that the server keeps; 0 for all. */
  readonly backupKeep: number
}

export interface Setting {
  readonly name: string
  readonly default: string
  readonly help: string
}

/** The settings in the order of `--help` and the README. */
export const settings = [
  { name: 'FORMBOX_HOST', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'FORMBOX_PORT', default: '8080', help: 'port to listen on, 0 for any free one' },
  { name: 'FORMBOX_DATA', default: './formbox-data', help: 'data folder, made when missing' },
  { name: 'FORMBOX_URL', default: '', help: 'public address, such as https://forms.example.com' },
  { name: 'FORMBOX_RATE_LIMIT', default: '100', help: 'API requests a key and minute, 0 for no limit' },
  { name: 'FORMBOX_SUBMIT_LIMIT', default: '60', help: 'submissions a client address and minute, 0 for no limit' },
  { name: 'FORMBOX_TRUST_PROXY', default: '', help: 'proxies whose X-Forwarded-For counts: addresses and CIDR ranges' },
  { name: 'FORMBOX_BACKUP_EVERY', default: '', help: 'how often to make a backup, such as 30m, 24h or 7d' },
  { name: 'FORMBOX_BACKUP_KEEP', default: '7', help: 'backups to keep, 0 for all' },
] as const satisfies readonly Setting[]

type Name = (typeof settings)[number]['name']
export type Environment = Readonly<Record<string, string | undefined>>

/** @throws UsageError that names the setting and what it must be. */
export const parseConfig = (
  environment: Environment,
  flags: Partial<Record<Name, string | undefined>> = {},
): Config => {
  const known = new Set<string>(settings.map((setting) => setting.name))
  for (const name of Object.keys(environment))
    if (name.startsWith('FORMBOX_') && !known.has(name)) throw new UsageError(`${name}: there is no such setting`)
  const value = (name: Name): string =>
    flags[name] ?? (environment[name] || settings.find((setting) => setting.name === name)?.default || '')
  return Object.freeze({
    host: parseHost('FORMBOX_HOST', value('FORMBOX_HOST')),
    port: parseInteger('FORMBOX_PORT', value('FORMBOX_PORT'), 65_535),
    dataFolder: parseFolder('FORMBOX_DATA', value('FORMBOX_DATA')),
    publicUrl: parsePublicUrl('FORMBOX_URL', value('FORMBOX_URL')),
    rateLimit: parseInteger('FORMBOX_RATE_LIMIT', value('FORMBOX_RATE_LIMIT'), maxLimit),
    submitLimit: parseInteger('FORMBOX_SUBMIT_LIMIT', value('FORMBOX_SUBMIT_LIMIT'), maxLimit),
    trustedProxies: parseNetworks('FORMBOX_TRUST_PROXY', value('FORMBOX_TRUST_PROXY')),
    backupEveryMilliseconds: parseDuration('FORMBOX_BACKUP_EVERY', value('FORMBOX_BACKUP_EVERY')),
    backupKeep: parseInteger('FORMBOX_BACKUP_KEEP', value('FORMBOX_BACKUP_KEEP'), 100_000),
  })
}

const maxLimit = 1_000_000_000

const parseHost = (name: Name, value: string): string => {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)) return value
  throw new UsageError(`${name}: must be an IP address or a host name, is ${JSON.stringify(value)}`)
}

const parseInteger = (name: Name, value: string, maximum: number): number => {
  if (/^[0-9]{1,10}$/.test(value) && Number(value) <= maximum) return Number(value)
  throw new UsageError(`${name}: must be a whole number from 0 to ${maximum}, is ${JSON.stringify(value)}`)
}

const parseDuration = (name: Name, value: string): number | null => {
  if (value === '') return null
  const [, count, unit] = /^([1-9][0-9]{0,3})([mhd])$/.exec(value) ?? []
  if (count && unit) return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd']
  throw new UsageError(
    `${name}: must be a number from 1 to 9999 with m, h or d, such as 24h, is ${JSON.stringify(value)}`,
  )
}

const parseFolder = (name: Name, value: string): string => {
  if (value !== '' && !value.includes('\0')) return value
  throw new UsageError(`${name}: must name a folder`)
}

const parsePublicUrl = (name: Name, value: string): string | null => {
  if (value === '') return null
  const url = URL.parse(value)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new UsageError(
    `${name}: must be http:// or https:// with a host and nothing after it, is ${JSON.stringify(value)}`,
  )
}

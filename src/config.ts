import { isIP } from 'node:net'
import { UsageError } from './errors.ts'
import { type Networks, parseNetworks } from './http/client-address.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './http/log-lines.ts'

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
  readonly log: { readonly format: LogFormat; readonly level: LogLevel }
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
  { name: 'FORMBOX_LOG', default: 'text', help: 'format of the request log on standard output: text or json' },
  {
    name: 'FORMBOX_LOG_LEVEL',
    default: 'info',
    help: 'least important lines logged: info, warn (4xx), error (5xx), off',
  },
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
  // What was typed is what the message shall name.
  const label = (name: Name): string =>
    flags[name] === undefined ? name : `--${name.slice('FORMBOX_'.length).toLowerCase()}`
  return Object.freeze({
    host: parseHost(label('FORMBOX_HOST'), value('FORMBOX_HOST')),
    port: parseInteger(label('FORMBOX_PORT'), value('FORMBOX_PORT'), 65_535),
    dataFolder: parseFolder(label('FORMBOX_DATA'), value('FORMBOX_DATA')),
    publicUrl: parsePublicUrl(label('FORMBOX_URL'), value('FORMBOX_URL')),
    rateLimit: parseInteger(label('FORMBOX_RATE_LIMIT'), value('FORMBOX_RATE_LIMIT'), maxLimit),
    submitLimit: parseInteger(label('FORMBOX_SUBMIT_LIMIT'), value('FORMBOX_SUBMIT_LIMIT'), maxLimit),
    trustedProxies: parseNetworks(label('FORMBOX_TRUST_PROXY'), value('FORMBOX_TRUST_PROXY')),
    log: Object.freeze({
      format: parseChoice(label('FORMBOX_LOG'), value('FORMBOX_LOG'), logFormats),
      level: parseChoice(label('FORMBOX_LOG_LEVEL'), value('FORMBOX_LOG_LEVEL'), logLevels),
    }),
    backupEveryMilliseconds: parseDuration(label('FORMBOX_BACKUP_EVERY'), value('FORMBOX_BACKUP_EVERY')),
    backupKeep: parseInteger(label('FORMBOX_BACKUP_KEEP'), value('FORMBOX_BACKUP_KEEP'), 100_000),
  })
}

const maxLimit = 1_000_000_000

const parseHost = (name: string, value: string): string => {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)) return value
  throw new UsageError(`${name}: must be an IP address or a host name, is ${JSON.stringify(value)}`)
}

const parseInteger = (name: string, value: string, maximum: number): number => {
  if (/^[0-9]{1,10}$/.test(value) && Number(value) <= maximum) return Number(value)
  throw new UsageError(`${name}: must be a whole number from 0 to ${maximum}, is ${JSON.stringify(value)}`)
}

const parseChoice = <T extends string>(name: string, value: string, choices: readonly T[]): T => {
  const chosen = choices.find((choice) => choice === value)
  if (chosen !== undefined) return chosen
  throw new UsageError(`${name}: must be one of ${choices.join(', ')}, is ${JSON.stringify(value)}`)
}

const parseDuration = (name: string, value: string): number | null => {
  if (value === '') return null
  const [, count, unit] = /^([1-9][0-9]{0,3})([mhd])$/.exec(value) ?? []
  if (count && unit) return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd']
  throw new UsageError(
    `${name}: must be a number from 1 to 9999 with m, h or d, such as 24h, is ${JSON.stringify(value)}`,
  )
}

const parseFolder = (name: string, value: string): string => {
  if (value !== '' && !value.includes('\0')) return value
  throw new UsageError(`${name}: must name a folder`)
}

const parsePublicUrl = (name: string, value: string): string | null => {
  if (value === '') return null
  const url = URL.parse(value)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new UsageError(
    `${name}: must be http:// or https:// with a host and nothing after it, is ${JSON.stringify(value)}`,
  )
}

import { isIP } from 'node:net'
import { UsageError } from './errors.ts'
import { type Networks, parseNetworks } from './networks.ts'
import { type Environment, type Given, readSettings, type Setting } from './settings.ts'

const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** From the least important to none at all: a level lets through its own lines and those of the levels after it. */
export const logLevels = ['info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof logLevels)[number]

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
  /** Who may read `/metrics`; there is none without a token and an address. */
  readonly metrics: { readonly token: string | null; readonly allowed: Networks }
  /** How long a server that was told to stop goes on serving while `/readyz` says that it is not ready. */
  readonly stopDelaySeconds: number
  readonly log: { readonly format: LogFormat; readonly level: LogLevel }
  /** How long after a backup the server makes the next one; null for none. */
  readonly backupEveryMilliseconds: number | null
  /** Backups of its own that the server keeps; 0 for all. */
  readonly backupKeep: number
}

/** The settings in the order of `--help` and docs/configuration.md. */
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
  { name: 'FORMBOX_METRICS_TOKEN', default: '', help: 'bearer token that opens /metrics', secret: true },
  { name: 'FORMBOX_METRICS_ALLOW', default: '', help: 'who reads /metrics without it: addresses and CIDR ranges' },
  { name: 'FORMBOX_STOP_DELAY', default: '0', help: 'seconds to go on serving when told to stop, not ready any more' },
  { name: 'FORMBOX_BACKUP_EVERY', default: '', help: 'how often to make a backup, such as 30m, 24h or 7d' },
  { name: 'FORMBOX_BACKUP_KEEP', default: '7', help: 'backups to keep, 0 for all' },
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

/** @throws UsageError that names the setting and what it must be. */
export const parseConfig = (
  environment: Environment,
  flags: Partial<Record<SettingName, string | undefined>> = {},
): Config => toConfig(readSettings(settings, environment, flags))

/** @throws UsageError that names the setting and what it must be. */
export const toConfig = (given: Readonly<Record<SettingName, Given>>): Config => {
  const parse = <T>(name: SettingName, parser: (label: string, value: string) => T): T =>
    parser(given[name].label, given[name].value)
  return Object.freeze({
    host: parse('FORMBOX_HOST', parseHost),
    port: parse('FORMBOX_PORT', integerUpTo(65_535)),
    dataFolder: parse('FORMBOX_DATA', parseFolder),
    publicUrl: parse('FORMBOX_URL', parsePublicUrl),
    rateLimit: parse('FORMBOX_RATE_LIMIT', integerUpTo(maxLimit)),
    submitLimit: parse('FORMBOX_SUBMIT_LIMIT', integerUpTo(maxLimit)),
    trustedProxies: parse('FORMBOX_TRUST_PROXY', parseNetworks),
    metrics: Object.freeze({
      token: parse('FORMBOX_METRICS_TOKEN', parseToken),
      allowed: parse('FORMBOX_METRICS_ALLOW', parseNetworks),
    }),
    stopDelaySeconds: parse('FORMBOX_STOP_DELAY', integerUpTo(300)),
    log: Object.freeze({
      format: parse('FORMBOX_LOG', oneOf(logFormats)),
      level: parse('FORMBOX_LOG_LEVEL', oneOf(logLevels)),
    }),
    backupEveryMilliseconds: parse('FORMBOX_BACKUP_EVERY', parseDuration),
    backupKeep: parse('FORMBOX_BACKUP_KEEP', integerUpTo(100_000)),
  })
}

const maxLimit = 1_000_000_000

const parseHost = (name: string, value: string): string => {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)) return value
  throw new UsageError(`${name}: must be an IP address or a host name, is ${JSON.stringify(value)}`)
}

const integerUpTo =
  (maximum: number) =>
  (name: string, value: string): number => {
    if (/^[0-9]{1,10}$/.test(value) && Number(value) <= maximum) return Number(value)
    throw new UsageError(`${name}: must be a whole number from 0 to ${maximum}, is ${JSON.stringify(value)}`)
  }

const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (name: string, value: string): T => {
    const chosen = choices.find((choice) => choice === value)
    if (chosen !== undefined) return chosen
    throw new UsageError(`${name}: must be one of ${choices.join(', ')}, is ${JSON.stringify(value)}`)
  }

/** What a header can carry and nobody guesses. The message must not show it. */
const parseToken = (name: string, value: string): string | null => {
  if (value === '') return null
  if (/^[\x21-\x7e]{16,200}$/.test(value)) return value
  throw new UsageError(`${name}: must be 16 to 200 visible ASCII characters without spaces`)
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

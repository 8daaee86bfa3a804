import { isIP } from 'node:net'
import { invalid } from '../errors.ts'
import { type ClusterConfig, parseEngine, parseNode, showEngine } from './cluster-settings.ts'
import { type Mailbox, parseMailbox, parseSmtpUrl, type SmtpServer, showSmtpUrl } from './mail-settings.ts'
import { type Networks, parseNetworks } from './networks.ts'
import {
  parseS3Endpoint,
  parseS3Key,
  parseS3Prefix,
  parseS3Region,
  type S3Access,
  type S3Place,
} from './s3-settings.ts'
import { type Environment, type Given, readSettings, type Setting } from './settings.ts'

const logFormats = ['text', 'json'] as const
export type LogFormat = (typeof logFormats)[number]

/** In rising order. A level logs its own lines and those of the levels after it. */
export const logLevels = ['info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof logLevels)[number]

/** Everything the operator can set. Created once at the start and never changed. */
export interface Config {
  readonly host: string
  /** 0 lets the system choose a free port. */
  readonly port: number
  readonly dataFolder: string
  /** Scheme, host and port that browsers use, without a slash at the end; null if not set. */
  readonly publicUrl: string | null
  /** API requests per minute for each key; 0 for no limit. */
  readonly rateLimit: number
  /** Submissions per minute from each client address to one form, see collect/submit-limits.ts; 0 for no limit. */
  readonly submitLimit: number
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: Networks
  /** Who may read `/metrics`. It is off if there is neither a token nor an address. */
  readonly metrics: { readonly token: string | null; readonly allowed: Networks }
  /** How long the server keeps serving after a stop signal, while `/readyz` says that it is not ready. */
  readonly stopDelaySeconds: number
  readonly log: { readonly format: LogFormat; readonly level: LogLevel }
  /** Time between automatic backups; null for none. */
  readonly backupEveryMilliseconds: number | null
  /** Automatic backups to keep; 0 for all. */
  readonly backupKeep: number
  /** Where automatic backups are also put; null for nowhere. Then there is `s3`, too. */
  readonly backupS3: S3Place | null
  /** The server of `s3://` URLs; null if not set. */
  readonly s3: S3Access | null
  /** How e-mail is sent; null for not at all. */
  readonly mail: MailConfig | null
  /** Addresses that are not public and that a webhook's URL may lead to nevertheless. */
  readonly webhookAllowed: Networks
  /** The cluster that this machine is a part of; null if it is on its own. */
  readonly cluster: ClusterConfig | null
}

export interface MailConfig {
  readonly server: SmtpServer
  readonly from: Mailbox
  /** What links in a mail begin with. */
  readonly publicUrl: string
}

/** The settings in the order of `--help` and docs/configuration.md. */
export const settings = [
  { name: 'FORMBOX_HOST', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'FORMBOX_PORT', default: '8080', help: 'port to listen on; 0 picks a free one' },
  { name: 'FORMBOX_DATA', default: './formbox-data', help: 'data folder, created if missing' },
  { name: 'FORMBOX_URL', default: '', help: 'public URL, such as https://forms.example.com' },
  { name: 'FORMBOX_RATE_LIMIT', default: '100', help: 'API requests per minute for each key; 0 for no limit' },
  {
    name: 'FORMBOX_SUBMIT_LIMIT',
    default: '60',
    help: 'submissions per minute from an address to a form; 0 for no limit',
  },
  {
    name: 'FORMBOX_TRUST_PROXY',
    default: '',
    help: 'proxies whose X-Forwarded-For is trusted: addresses and CIDR ranges',
  },
  { name: 'FORMBOX_LOG', default: 'text', help: 'format of the request log on standard output: text or json' },
  {
    name: 'FORMBOX_LOG_LEVEL',
    default: 'info',
    help: 'lowest level to log: info, warn (4xx), error (5xx) or off',
  },
  { name: 'FORMBOX_METRICS_TOKEN', default: '', help: 'bearer token for /metrics', secret: true },
  {
    name: 'FORMBOX_METRICS_ALLOW',
    default: '',
    help: 'addresses and CIDR ranges that may read /metrics without the token',
  },
  {
    name: 'FORMBOX_STOP_DELAY',
    default: '0',
    help: 'seconds to serve after a stop signal, while /readyz answers 503',
  },
  {
    name: 'FORMBOX_BACKUP_EVERY',
    default: '',
    help: 'time between automatic backups, such as 24h or 30m; none if not set',
  },
  { name: 'FORMBOX_BACKUP_KEEP', default: '7', help: 'automatic backups to keep; 0 for all' },
  {
    name: 'FORMBOX_BACKUP_S3',
    default: '',
    help: 'S3 bucket for automatic backups: s3://BUCKET or s3://BUCKET/PREFIX',
  },
  {
    name: 'FORMBOX_BACKUP_S3_ENDPOINT',
    default: '',
    help: 'S3 server, such as https://s3.example.com; Amazon if not set',
  },
  { name: 'FORMBOX_BACKUP_S3_REGION', default: 'us-east-1', help: 'region of the bucket' },
  { name: 'FORMBOX_BACKUP_S3_KEY_ID', default: '', help: 'access key ID for S3', secret: true },
  { name: 'FORMBOX_BACKUP_S3_SECRET', default: '', help: 'secret access key for S3', secret: true },
  {
    name: 'FORMBOX_SMTP_URL',
    default: '',
    help: 'mail server, such as smtps://user:pass@host',
    secret: true,
    show: showSmtpUrl,
  },
  { name: 'FORMBOX_MAIL_FROM', default: '', help: 'sender of mails, such as Formbox <forms@example.com>' },
  {
    name: 'FORMBOX_WEBHOOK_ALLOW',
    default: '',
    help: 'addresses and CIDR ranges that webhooks may use though not public',
  },
  {
    name: 'FORMBOX_CLUSTER',
    default: '',
    help: 'PostgreSQL or rqlite that joins machines',
    secret: true,
    show: showEngine,
  },
  { name: 'FORMBOX_NODE', default: '', help: 'name of this machine in the cluster; the host name if not set' },
  {
    name: 'FORMBOX_NODE_URL',
    default: '',
    help: 'URL at which the other machines of the cluster reach this one',
  },
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']

/** @throws AppError `invalid` that names the setting and what it must be */
export const parseConfig = (
  environment: Environment,
  flags: Partial<Record<SettingName, string | undefined>> = {},
): Config => toConfig(readSettings(settings, environment, flags))

/** @throws AppError `invalid` that names the setting and what it must be */
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
    ...toBackupS3({
      place: parse('FORMBOX_BACKUP_S3', parseS3Prefix),
      endpoint: parse('FORMBOX_BACKUP_S3_ENDPOINT', parseS3Endpoint),
      region: parse('FORMBOX_BACKUP_S3_REGION', parseS3Region),
      accessKeyId: parse('FORMBOX_BACKUP_S3_KEY_ID', parseS3Key),
      secretAccessKey: parse('FORMBOX_BACKUP_S3_SECRET', parseS3Key),
      isScheduled: given.FORMBOX_BACKUP_EVERY.value !== '',
    }),
    mail: toMail({
      server: parse('FORMBOX_SMTP_URL', parseSmtpUrl),
      from: parse('FORMBOX_MAIL_FROM', parseMailbox),
      publicUrl: parse('FORMBOX_URL', parsePublicUrl),
    }),
    webhookAllowed: parse('FORMBOX_WEBHOOK_ALLOW', parseNetworks),
    cluster: toCluster({
      engine: parse('FORMBOX_CLUSTER', parseEngine),
      node: given.FORMBOX_NODE,
      url: parse('FORMBOX_NODE_URL', parsePublicUrl),
    }),
  })
}

const toMail = ({ server, from, publicUrl }: { [Name in keyof MailConfig]: MailConfig[Name] | null }) => {
  if (!server && !from) return null
  if (!server) throw invalid({ field: 'FORMBOX_SMTP_URL', message: 'must be set, because FORMBOX_MAIL_FROM is' })
  if (!from) throw invalid({ field: 'FORMBOX_MAIL_FROM', message: 'must be set, because FORMBOX_SMTP_URL is' })
  if (!publicUrl)
    throw invalid({
      field: 'FORMBOX_URL',
      message: 'must be set, because FORMBOX_SMTP_URL is: mails have links to the pages of this server',
    })
  return Object.freeze({ server, from, publicUrl })
}

const toCluster = ({ engine, node, url }: { engine: readonly string[] | null; node: Given; url: string | null }) => {
  if (engine) return Object.freeze({ engine, node: parseNode(node.label, node.value), url })
  for (const [name, isSet] of [
    ['FORMBOX_NODE', node.value !== ''],
    ['FORMBOX_NODE_URL', url !== null],
  ] as const)
    if (isSet) throw invalid({ field: name, message: 'means nothing without FORMBOX_CLUSTER' })
  return null
}

interface GivenS3 {
  readonly place: S3Place | null
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
  readonly isScheduled: boolean
}

/** The place may be missing while the rest is set: `formbox restore` needs no more. */
const toBackupS3 = (given: GivenS3): Pick<Config, 'backupS3' | 's3'> => {
  const { place, endpoint, region, accessKeyId, secretAccessKey, isScheduled } = given
  if (!place && !accessKeyId && !secretAccessKey) return { backupS3: null, s3: null }
  for (const [name, isSet] of [
    ['FORMBOX_BACKUP_S3_KEY_ID', accessKeyId],
    ['FORMBOX_BACKUP_S3_SECRET', secretAccessKey],
  ] as const)
    if (!isSet) throw invalid({ field: name, message: 'must be set, because other settings for S3 are' })
  // Otherwise its operator would believe that there are backups.
  if (place && !isScheduled)
    throw invalid({ field: 'FORMBOX_BACKUP_EVERY', message: 'must be set, because FORMBOX_BACKUP_S3 is' })
  return {
    backupS3: place,
    s3: Object.freeze({ endpoint, region, accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' }),
  }
}

const maxLimit = 1_000_000_000

const parseHost = (name: string, value: string): string => {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)) return value
  throw invalid({ field: name, message: `must be an IP address or a host name; got ${JSON.stringify(value)}` })
}

const integerUpTo =
  (maximum: number) =>
  (name: string, value: string): number => {
    if (/^[0-9]{1,10}$/.test(value) && Number(value) <= maximum) return Number(value)
    throw invalid({ field: name, message: `must be a whole number from 0 to ${maximum}; got ${JSON.stringify(value)}` })
  }

const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (name: string, value: string): T => {
    const chosen = choices.find((choice) => choice === value)
    if (chosen !== undefined) return chosen
    throw invalid({ field: name, message: `must be one of ${choices.join(', ')}; got ${JSON.stringify(value)}` })
  }

/** Accepts what fits in a header and is too long to guess. The message must not show the value. */
const parseToken = (name: string, value: string): string | null => {
  if (value === '') return null
  if (/^[\x21-\x7e]{16,200}$/.test(value)) return value
  throw invalid({ field: name, message: 'must be 16 to 200 visible ASCII characters without spaces' })
}

const parseDuration = (name: string, value: string): number | null => {
  if (value === '') return null
  const [, count, unit] = /^([1-9][0-9]{0,3})([mhd])$/.exec(value) ?? []
  if (count && unit) return Number(count) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'm' | 'h' | 'd']
  throw invalid({
    field: name,
    message: `must be 1 to 9999 followed by m, h or d, such as 24h; got ${JSON.stringify(value)}`,
  })
}

const parseFolder = (name: string, value: string): string => {
  if (value !== '' && !value.includes('\0')) return value
  throw invalid({ field: name, message: `must be the path of a folder; got ${JSON.stringify(value)}` })
}

const parsePublicUrl = (name: string, value: string): string | null => {
  if (value === '') return null
  const url = URL.parse(value)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw invalid({
    field: name,
    message: `must be an http:// or https:// URL that ends after the host or port; got ${JSON.stringify(value)}`,
  })
}

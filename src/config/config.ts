import { invalid } from '../base/errors.ts'
import { type ClusterConfig, parseEngine, toCluster } from './cluster.ts'
import { type MailConfig, parseMailbox, parseMailUrl, toMail } from './mail.ts'
import { type Networks, parseNetworks, parseReceivers } from './networks.ts'
import { type OidcConfig, parseClientText, parseOidcUsers, parseProviderName, toOidc } from './oidc.ts'
import { parseProxies, type TrustedProxies } from './proxies.ts'
import { type Environment, type Given, readVariables } from './read-variables.ts'
import {
  parseS3Endpoint,
  parseS3Key,
  parseS3Prefix,
  parseS3Region,
  parseS3Token,
  type S3Access,
  toOffSite,
} from './s3.ts'
import type { Sender } from './sender.ts'
import {
  integerUpTo,
  oneOf,
  parseContact,
  parseDuration,
  parseFolder,
  parseHost,
  parseOrigin,
  parsePort,
  parsePublicUrl,
  parseToken,
  safeUrl,
  sizeOrZeroUpTo,
  sizeUpTo,
} from './values.ts'
import { type VariableName, variables } from './variables.ts'

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
  /** The path below which everything is; `putAddressesBelow` of addresses.ts has to know it. Empty if there is none. */
  readonly basePath: string
  /** Whether accounts that begin with an invitation may own forms. */
  readonly invitedMayOwnForms: boolean
  /** API requests per minute for each key; 0 for no limit. */
  readonly rateLimit: number
  /** Submissions per minute from each client address to one form, see collect/submit-limits.ts; 0 for no limit. */
  readonly submitLimit: number
  /** Bytes of one file that a visitor sends. */
  readonly fileLimitBytes: number
  /** Bytes of one multipart body with files. */
  readonly uploadLimitBytes: number
  /** Files are taken only while this many bytes are free on the disk of the data folder. */
  readonly minFreeBytes: number
  /** Whether forms may have pages. */
  readonly formPages: boolean
  /** A URL, also `mailto:`, at which visitors of such a page report it; null for none. */
  readonly abuseContact: string | null
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: TrustedProxies
  /** Clients that may read `/metrics`. It is off if there is neither a token nor an address. */
  readonly metrics: { readonly token: string | null; readonly allowed: Networks }
  /** Time for which the server keeps serving after a stop signal, while `/readyz` says that it is not ready. */
  readonly stopDelaySeconds: number
  readonly log: { readonly format: LogFormat; readonly level: LogLevel }
  /** Time between automatic backups; null for none. */
  readonly backupEveryMilliseconds: number | null
  /** Automatic backups to keep; 0 for all. */
  readonly backupKeep: number
  /** The start of the URLs of automatic backups that are put elsewhere too; null for none. If it is set, so is `s3`. */
  readonly offSiteUrl: string | null
  /** The server of `s3://` URLs; null if not set. */
  readonly s3: S3Access | null
  /** Settings for e-mail; null if none is sent. */
  readonly mail: MailConfig | null
  /** The file with other senders; empty for none. */
  readonly sendersFile: string
  /** Those that `withSenders` has read in it. */
  readonly senders: readonly Sender[]
  /** Addresses that are not public and that a webhook's URL may lead to nevertheless. */
  readonly webhookAllowed: Networks
  /** The provider through which users sign in; null for none. */
  readonly oidc: OidcConfig | null
  /** Name of what alone signs people in, so that no page asks for a new password; null where passwords do, too. */
  readonly onlyProvider: string | null
  /** The cluster of this machine; null if it is standalone. */
  readonly cluster: ClusterConfig | null
  /** Whether it is the demo, which no setting makes of a server. */
  readonly isDemo: boolean
}

/** @throws AppError `invalid` that names the setting and what it must be */
export const parseConfig = (
  environment: Environment,
  flags: Partial<Record<VariableName, string | undefined>> = {},
): Config => toConfig(readVariables(variables, environment, flags))

/**
 * The address at which the server listens. Reads no secrets: a user that checks a server need not be allowed to do so.
 *
 * @throws AppError `invalid` that names the setting and what it must be
 */
export const parseAddress = (
  environment: Environment,
  flags: Partial<Record<VariableName, string | undefined>>,
): Pick<Config, 'host' | 'port'> => {
  const given = readVariables(variables, environment, flags, ['FORMBOX_HOST', 'FORMBOX_PORT'])
  return {
    host: parseHost(given.FORMBOX_HOST.label, given.FORMBOX_HOST.value),
    port: parsePort(given.FORMBOX_PORT.label, given.FORMBOX_PORT.value),
  }
}

/** Pages say how large a file may be, so it must fit into a submission. The default is lowered where it does not. */
const toUploadLimits = (file: Given, upload: Given): Pick<Config, 'fileLimitBytes' | 'uploadLimitBytes'> => {
  const uploadLimitBytes = sizeUpTo(maxUpload)(upload.label, upload.value)
  const fileLimitBytes = sizeUpTo(maxUpload)(file.label, file.value)
  if (file.source !== 'default' && fileLimitBytes > uploadLimitBytes)
    throw invalid({ field: file.label, message: `must be at most FORMBOX_UPLOAD_LIMIT, which is ${upload.value}` })
  return { fileLimitBytes: Math.min(fileLimitBytes, uploadLimitBytes), uploadLimitBytes }
}

/** @throws AppError `invalid` that names the setting and what it must be */
export const toConfig = (given: Readonly<Record<VariableName, Given>>): Config => {
  const parse = <T>(name: VariableName, parser: (label: string, value: string) => T): T =>
    parser(given[name].label, given[name].value)
  const { publicUrl, basePath } = parse('FORMBOX_URL', parsePublicUrl)
  return Object.freeze({
    host: parse('FORMBOX_HOST', parseHost),
    port: parse('FORMBOX_PORT', parsePort),
    dataFolder: parse('FORMBOX_DATA', parseFolder),
    publicUrl,
    basePath,
    invitedMayOwnForms: parse('FORMBOX_INVITED_MAY_CREATE', oneOf(['true', 'false'])) === 'true',
    rateLimit: parse('FORMBOX_RATE_LIMIT', integerUpTo(maxLimit)),
    submitLimit: parse('FORMBOX_SUBMIT_LIMIT', integerUpTo(maxLimit)),
    ...toUploadLimits(given.FORMBOX_FILE_LIMIT, given.FORMBOX_UPLOAD_LIMIT),
    minFreeBytes: parse('FORMBOX_MIN_FREE', sizeOrZeroUpTo('9999GiB')),
    formPages: parse('FORMBOX_FORM_PAGES', oneOf(['true', 'false'])) === 'true',
    abuseContact: parse('FORMBOX_ABUSE_CONTACT', parseContact),
    trustedProxies: parse('FORMBOX_TRUST_PROXY', parseProxies),
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
    ...toOffSite({
      offSiteUrl: parse('FORMBOX_BACKUP_S3', parseS3Prefix),
      endpoint: parse('FORMBOX_BACKUP_S3_ENDPOINT', parseS3Endpoint),
      region: parse('FORMBOX_BACKUP_S3_REGION', parseS3Region),
      accessKeyId: parse('FORMBOX_BACKUP_S3_KEY_ID', parseS3Key),
      secretAccessKey: parse('FORMBOX_BACKUP_S3_SECRET', parseS3Key),
      sessionToken: parse('FORMBOX_BACKUP_S3_TOKEN', parseS3Token),
      isScheduled: given.FORMBOX_BACKUP_EVERY.value !== '',
    }),
    mail: toMail({
      server: parse('FORMBOX_MAIL_URL', parseMailUrl),
      oauth: {
        clientId: parse('FORMBOX_MAIL_OAUTH_CLIENT_ID', parseClientText),
        clientSecret: parse('FORMBOX_MAIL_OAUTH_CLIENT_SECRET', parseClientText),
        tokenUrl: parse('FORMBOX_MAIL_OAUTH_TOKEN_URL', safeUrl('')),
        scope: parse('FORMBOX_MAIL_OAUTH_SCOPE', parseClientText),
      },
      from: parse('FORMBOX_MAIL_FROM', parseMailbox),
      publicUrl,
    }),
    sendersFile: given.FORMBOX_SENDERS_FILE.value,
    senders: [],
    webhookAllowed: parse('FORMBOX_WEBHOOK_ALLOW', parseReceivers),
    ...toOidc({
      issuer: parse('FORMBOX_OIDC_ISSUER', safeUrl(' without a query')),
      clientId: parse('FORMBOX_OIDC_CLIENT_ID', parseClientText),
      clientSecret: parse('FORMBOX_OIDC_CLIENT_SECRET', parseClientText),
      name: parse('FORMBOX_OIDC_NAME', parseProviderName),
      users: parse('FORMBOX_OIDC_USERS', parseOidcUsers),
      isOnly: parse('FORMBOX_OIDC_ONLY', oneOf(['false', 'true'])) === 'true',
      publicUrl,
      basePath,
    }),
    cluster: toCluster({
      engine: parse('FORMBOX_CLUSTER', parseEngine),
      node: given.FORMBOX_NODE,
      url: parse('FORMBOX_NODE_URL', parseOrigin),
    }),
    isDemo: false,
  })
}

const maxLimit = 1_000_000_000
const maxUpload = '100MiB'

/** The name of this machine in its cluster; the same for every machine that stands alone. */
export const nodeOf = ({ cluster }: Pick<Config, 'cluster'>): string => cluster?.node ?? 'this'

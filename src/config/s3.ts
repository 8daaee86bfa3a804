import { invalid } from '../base/errors.ts'
import { quoteUrl } from './values.ts'

/** An S3 server, and the credentials for it. */
export interface S3Access {
  /** URL such as `https://s3.example.com`, without a slash at the end; null for Amazon. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of keys for a while, such as those of AWS STS; undefined if they are for good. */
  readonly sessionToken?: string | undefined
}

/** An object in a bucket, or those whose keys begin so. */
export interface S3Location {
  readonly bucket: string
  /** Empty, or without a slash at the start. */
  readonly key: string
}

interface GivenS3 {
  readonly offSiteUrl: string | null
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
  readonly sessionToken: string | null
  readonly isScheduled: boolean
}

/** The URL may be missing while the rest is set: `formbox restore` needs no more. */
export const toOffSite = (given: GivenS3): { readonly offSiteUrl: string | null; readonly s3: S3Access | null } => {
  const { offSiteUrl, endpoint, region, accessKeyId, secretAccessKey, sessionToken, isScheduled } = given
  if (!offSiteUrl && !accessKeyId && !secretAccessKey && !sessionToken) return { offSiteUrl, s3: null }
  for (const [name, isSet] of [
    ['FORMBOX_BACKUP_S3_KEY_ID', accessKeyId],
    ['FORMBOX_BACKUP_S3_SECRET', secretAccessKey],
  ] as const)
    if (!isSet) throw invalid({ field: name, message: 'must be set, because other settings for S3 are' })
  // Otherwise its operator would believe that there are backups.
  if (offSiteUrl && !isScheduled)
    throw invalid({ field: 'FORMBOX_BACKUP_EVERY', message: 'must be set, because FORMBOX_BACKUP_S3 is' })
  return {
    offSiteUrl,
    s3: Object.freeze({
      endpoint,
      region,
      accessKeyId: accessKeyId ?? '',
      secretAccessKey: secretAccessKey ?? '',
      ...(sessionToken && { sessionToken }),
    }),
  }
}

export const isS3Url = (text: string): boolean => text.startsWith('s3://')

/**
 * Takes the text after the bucket as it is, as all tools do that have such URLs.
 *
 * @throws AppError `invalid`
 */
export const parseS3Url = (name: string, value: string): S3Location => {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/:@]+)(?:\/(.*))?$/u.exec(value) ?? []
  if (bucket !== '' && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw invalid({
      field: name,
      message: `the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or digit at each end; got ${JSON.stringify(bucket)}`,
    })
  // `.` and `..` would lead elsewhere in a URL.
  const isUsual = key
    .split('/')
    .every((part, at, { length }) => (part !== '' || at === length - 1) && !/^\.\.?$/.test(part))
  if (bucket && isUsual && key.length <= maxKeyLength && key.isWellFormed() && !/\p{Cc}/u.test(key))
    return Object.freeze({ bucket, key })
  throw invalid({ field: name, message: `must be s3://BUCKET or s3://BUCKET/PREFIX; got ${quoteUrl(value)}` })
}

/** S3 allows 1,024 bytes. */
const maxKeyLength = 250

/** Parses as `parseS3Url` does, but a prefix, with or without the slash at its end. Returns its URL, with the slash. */
export const parseS3Prefix = (name: string, value: string): string | null => {
  if (value === '') return null
  const { bucket, key } = parseS3Url(name, value)
  return toS3Url({ bucket, key: key === '' || key.endsWith('/') ? key : `${key}/` })
}

export const toS3Url = ({ bucket, key }: S3Location): string => `s3://${bucket}/${key}`

export const parseS3Endpoint = (name: string, value: string): string | null => {
  if (value === '') return null
  const url = /^https?:\/\/[^\s\p{C}?#@]+$/iu.test(value) ? URL.parse(value) : null
  if (url) return url.href.replace(/\/+$/, '')
  throw invalid({
    field: name,
    message: `must be an http:// or https:// URL without a user or a query; got ${quoteUrl(value)}`,
  })
}

export const parseS3Region = (name: string, value: string): string => {
  if (/^[a-z0-9-]{1,64}$/i.test(value)) return value
  throw invalid({
    field: name,
    message: `must be 1 to 64 letters, digits and hyphens; got ${JSON.stringify(value)}`,
  })
}

const parseSecret =
  (maxLength: number) =>
  (name: string, value: string): string | null => {
    if (value === '') return null
    if (value.length <= maxLength && /^[\x21-\x7e]+$/.test(value)) return value
    // The message must not show the value.
    throw invalid({ field: name, message: `must be 1 to ${maxLength} visible ASCII characters without spaces` })
  }

export const parseS3Key = parseSecret(256)
/** AWS names no limit, and gives some 400 to 2,000 characters. */
export const parseS3Token = parseSecret(4096)

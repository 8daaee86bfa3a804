import { hmac, sha256 } from '../../base/hash.ts'
import type { S3Access } from '../../config/s3.ts'

interface Unsigned {
  readonly method: string
  readonly url: URL
  /** Names in lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Unix time in milliseconds. */
  readonly at: number
}

interface Signing extends Pick<S3Access, 'region' | 'accessKeyId' | 'secretAccessKey' | 'sessionToken'> {
  /** S3 if absent. */
  readonly service?: string
}

/**
 * The headers of a request with a signature of version 4, which covers its body: a server refuses bytes that were changed
 * on the way. The path and the query of the URL must be encoded by `encodePath` and `encodeQuery`.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export const signedHeaders = (
  { method, url, headers, body, at }: Unsigned,
  { service = 's3', region, accessKeyId, secretAccessKey, sessionToken }: Signing,
): Record<string, string> => {
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  const day = time.slice(0, 8)
  const all = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': sha256(body, 'hex'),
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const sorted = Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1))
  const names = sorted.map(([name]) => name).join(';')
  const lines = sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join('')
  const request = [method, url.pathname, url.search.slice(1), lines, names, all['x-amz-content-sha256']].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request, 'hex')].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (key, part) => hmac(key, part),
    `AWS4${secretAccessKey}`,
  )
  const { host: _, ...sent } = all
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`,
  }
}

/** Encodes a key, but not its slashes. */
export const encodePath = (key: string): string => key.split('/').map(encode).join('/')

/** In the order that the signature needs. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')

/** Everything but the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

import { eq } from 'drizzle-orm'
import { hmac } from '../../base/hash.ts'
import type { Reader } from '../reader.ts'
import { param, secrets } from '../tables.ts'
import type { Writer } from '../writer/writer.ts'
import type { SecretWrites } from './secret-writes.ts'

interface Options {
  readonly reader: Reader
  readonly writer: Pick<Writer<SecretWrites>, 'run'>
}

const name = 'signing'

/**
 * The key with which this installation signs what it hands out, such as links in mails: 32 random bytes, made when it is
 * first needed and the same from then on.
 */
export const openSigningKey = ({ reader, writer }: Options): (() => Promise<Buffer>) => {
  const find = reader.db
    .select({ value: secrets.value })
    .from(secrets)
    .where(eq(secrets.name, param('name')))
    .prepare()
  const read = (): Buffer | undefined => {
    const value = find.get({ name })?.value
    return value === undefined ? undefined : Buffer.from(value, 'base64')
  }

  return async () => {
    const known = read()
    if (known) return known
    const random = crypto.getRandomValues(Buffer.alloc(32))
    await writer.run('createSecret', { name, value: random.toString('base64') })
    return read() ?? random
  }
}

/** Signs with this key, or with another one. The purpose is signed too: what is signed for one is worth nothing for another. */
export const sign = (key: string | Uint8Array, purpose: Purpose, content: string): string =>
  hmac(key, `${purpose}:${content}`).toString('base64url')

type Purpose =
  | 'address'
  | 'challenge'
  | 'confirm'
  | 'device'
  | 'file'
  | 'oidc'
  | 'second-factor'
  | 'setup'
  | 'unsubscribe'

import { secureCompare } from '../../base/secure-compare.ts'
import { sign } from '../../storage/secrets/signing-key.ts'

/** A sign-in through a provider that was begun in a browser. */
export interface Begun {
  readonly secret: string
  /** The session of a user who connects the account with a person at the provider; null for a sign-in. */
  readonly session: string | null
  /** The page to go on to. */
  readonly next: string
}

interface Options {
  readonly signingKey: () => Promise<Uint8Array>
  readonly now: () => number
}

/** How long it may take. */
export const begunSeconds = 600

/** Of a token. */
export const begunShape = /^\d{13}\.[\w-]{43}\.(?:[0-9a-z]{28})?\.[\w-]{0,1600}\.[\w-]{43}$/

/** The token that brings it back. It is signed: nothing is stored, and every machine of a cluster knows it. */
export const openBegunSignIns = ({ signingKey, now }: Options) => ({
  async toToken({ secret, session, next }: Begun): Promise<string> {
    const expiresAt = now() + begunSeconds * 1000
    const content = `${expiresAt}.${secret}.${session ?? ''}.${Buffer.from(next).toString('base64url')}`
    return `${content}.${sign(await signingKey(), 'oidc', content)}`
  },

  /** Null if the token is forged or has expired. */
  async find(token: string): Promise<Begun | null> {
    if (!begunShape.test(token)) return null
    const [expiresAt, secret = '', session, next = '', signature = ''] = token.split('.')
    const content = token.slice(0, -signature.length - 1)
    const isOurs = secureCompare(signature, sign(await signingKey(), 'oidc', content))
    if (!isOurs || Number(expiresAt) <= now()) return null
    return { secret, session: session || null, next: Buffer.from(next, 'base64url').toString() }
  },
})

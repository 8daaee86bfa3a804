// An OpenID Connect provider for tests: what it says can be changed at every place, as a hostile or broken one would.
import { createHmac, type webcrypto } from 'node:crypto'
import { afterThisTest } from './harness.ts'

type Json = Record<string, unknown>

/** What a test changes. Each gets what an honest provider would send. */
interface Changes {
  metadata?: (honest: Json) => Json
  /** What comes back with the browser. */
  callback?: (honest: URLSearchParams) => void
  claims?: (honest: Json) => Json
  header?: (honest: Json) => Json
  /** The signature, or the signed token, in place of the honest one. */
  token?: (honest: string, signed: string) => string
  answer?: (honest: Json) => Json
  keys?: (honest: Json[]) => Json[]
  userinfo?: (honest: Json) => Json
  /** Answers a path itself. */
  respond?: (path: string, request: Request) => Response | Promise<Response> | undefined
}

const algorithms = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  PS256: {
    name: 'RSA-PSS',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    saltLength: 32,
  },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const
export type Algorithm = keyof typeof algorithms

export const base64url = (content: string | Uint8Array | object): string =>
  Buffer.from(
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  ).toString('base64url')

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

const client = { id: 'formbox', secret: 'a secret of the client: %+' } as const

const pairs = new Map<Algorithm, [next: Promise<webcrypto.CryptoKeyPair>, after: Promise<webcrypto.CryptoKeyPair>]>()

/** To make a key for RSA takes 0.1 s. Two take turns, so that two providers of one test have different ones. */
const nextPair = (alg: Algorithm): Promise<webcrypto.CryptoKeyPair> => {
  const make = () =>
    crypto.subtle.generateKey(algorithms[alg] as never, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>
  const [next, after] = pairs.get(alg) ?? [make(), make()]
  pairs.set(alg, [after, next])
  return next
}

export const startProvider = async (alg: Algorithm = 'RS256') => {
  const pair = await nextPair(alg)
  const publicKey = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey as never)), kid: 'one', use: 'sig', alg }
  const sign = async (input: string): Promise<string> =>
    base64url(
      new Uint8Array(await crypto.subtle.sign(algorithms[alg] as never, pair.privateKey as never, Buffer.from(input))),
    )

  const person: Json = { sub: 'person-1', email: 'ada@example.com', email_verified: true }
  const changes: Changes = {}
  const asked: string[] = []
  const codes = new Map<string, { nonce: string; challenge: string; redirect: string }>()
  let count = 0

  const json = (body: unknown, status = 200) => Response.json(body, { status })

  const token = async (nonce: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const honest = { iss: issuer, aud: client.id, iat: now, exp: now + 300, nonce, ...person }
    const header = changes.header?.({ alg, kid: 'one' }) ?? { alg, kid: 'one' }
    const signed = `${base64url(header)}.${base64url(changes.claims?.(honest) ?? honest)}`
    const whole = `${signed}.${await sign(signed)}`
    return changes.token?.(whole, signed) ?? whole
  }

  const exchange = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text())
    const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    const [id, secret] = Buffer.from(basic, 'base64')
      .toString()
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    const isClient =
      (id === client.id && secret === client.secret) ||
      (form.get('client_id') === client.id && form.get('client_secret') === client.secret)
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = new Bun.CryptoHasher('sha256').update(form.get('code_verifier') ?? '').digest('base64url')
    if (!isClient) return json({ error: 'invalid_client' }, 401)
    if (code?.challenge !== verifier || code.redirect !== form.get('redirect_uri'))
      return json({ error: 'invalid_grant' }, 400)
    const honest = { access_token: 'access', token_type: 'Bearer', id_token: await token(code.nonce) }
    return json(changes.answer?.(honest) ?? honest)
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 30,
    async fetch(request) {
      const url = new URL(request.url)
      asked.push(url.pathname)
      const changed = await changes.respond?.(url.pathname, request)
      if (changed) return changed
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return json(changes.metadata?.(metadata()) ?? metadata())
        case '/authorize': {
          const code = `code-${++count}`
          const redirect = url.searchParams.get('redirect_uri') ?? ''
          const nonce = url.searchParams.get('nonce') ?? ''
          codes.set(code, { nonce, challenge: url.searchParams.get('code_challenge') ?? '', redirect })
          const answer = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' })
          changes.callback?.(answer)
          return new Response(null, { status: 302, headers: { location: `${redirect}?${answer}` } })
        }
        case '/token':
          return exchange(request)
        case '/keys':
          return json({ keys: changes.keys?.([publicKey]) ?? [publicKey] })
        case '/userinfo':
          return json(changes.userinfo?.(person) ?? person)
        default:
          return json({}, 404)
      }
    },
  })
  afterThisTest(() => server.stop(true))
  const issuer = `http://127.0.0.1:${server.port}`
  const metadata = (): Json => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: [alg],
  })

  return {
    issuer,
    publicKey,
    /** Who signs in there. */
    person,
    changes,
    /** The paths that were asked for. */
    asked,
    codes,
    stop: () => server.stop(true),
    settings: {
      FORMBOX_URL: 'https://forms.example.com',
      FORMBOX_OIDC_ISSUER: issuer,
      FORMBOX_OIDC_CLIENT_ID: client.id,
      FORMBOX_OIDC_CLIENT_SECRET: client.secret,
      FORMBOX_OIDC_NAME: 'Example ID',
    },
  }
}

/** Signs a token as who knows only the public key could. */
export const hs256 = (signed: string, key: string): string =>
  `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`

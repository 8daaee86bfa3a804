import type { AuthorizationServer, ClientAuth } from 'oauth4webapi'
import { hourMilliseconds, minuteMilliseconds } from '../../base/durations.ts'
import { describeError } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import { lazily } from '../../base/lazily.ts'
import type { Networks } from '../../config/networks.ts'
import type { OidcConfig } from '../../config/oidc.ts'
import type { providerRequest } from './provider-request.ts'

/** Someone whom the provider has signed in. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  /** The address that the provider says it has verified; null if it says neither. */
  readonly verifiedEmail: string | null
}

/**
 * Why no one was signed in. `false`: the browser brought a callback that the provider did not send it, or brought it twice.
 * `denied`: the provider says no. `unreachable`: it sends no response. `invalid`: what it sends is wrong.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'

  /** @param message for the operator; of `denied`, the provider's code for it in brackets, or nothing */
  constructor(
    readonly kind: 'false' | 'denied' | 'unreachable' | 'invalid',
    message: string,
  ) {
    super(message)
  }
}

interface Options {
  readonly config: OidcConfig
  /** Addresses that are not public, and that the provider may name nevertheless. */
  readonly allowed: Networks
  readonly now: () => number
}

/**
 * Signatures with a public key alone. With `HS256`, anyone who knows the client's secret could forge a token; `none` has
 * none.
 */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
const toleratedSeconds = 60
const metadataMilliseconds = hourMilliseconds
/** Keys are asked for at most once in this time, whatever tokens name, and however the last attempt ended. */
const keysMilliseconds = minuteMilliseconds
/** A provider that is down is asked again after this time. */
const retryMilliseconds = 5000

/** A moment in the future is over: the clock was ahead, and was set back. */
const isWithin = (milliseconds: number, at: number, moment: number): boolean =>
  at <= moment && moment < at + milliseconds

type Library = typeof import('../oauth-library.ts')

/**
 * Signs people in with OpenID Connect: the code flow with PKCE, by `oauth4webapi`, which checks what the provider sends.
 * Nothing is asked of the provider before someone wants to sign in.
 */
export const openProvider = ({ config, allowed, now }: Options) => {
  const { issuer, clientId, clientSecret, redirectUri } = config
  // The clients of HTTP and DNS come with it: a start should not wait for them.
  const sender = lazily(async () => (await import('./provider-request.ts')).providerRequest({ issuer, allowed }))
  const send: Send = async (...request) => (await sender())(...request)
  const request = remembering(send, now)
  const optionsOf = ({ allowInsecureRequests, customFetch }: Library) => ({
    [customFetch]: request.send,
    // `providerRequest` allows it to loopback addresses only.
    [allowInsecureRequests]: issuer.protocol === 'http:',
  })

  let known: { readonly metadata: AuthorizationServer; readonly at: number } | undefined
  let asking: Promise<AuthorizationServer> | undefined
  let failed: { readonly error: unknown; readonly at: number } | undefined

  const ask = async (): Promise<AuthorizationServer> => {
    try {
      const library = await import('../oauth-library.ts')
      const answer = await library.discoveryRequest(new URL(issuer), optionsOf(library))
      const metadata = await library.processDiscoveryResponse(issuer, answer)
      if (metadata.jwks_uri) request.remember(metadata.jwks_uri)
      const supported = metadata.id_token_signing_alg_values_supported ?? ['RS256']
      const checked = {
        ...metadata,
        id_token_signing_alg_values_supported: supported.filter((name) => algorithms.includes(name)),
      }
      known = { metadata: checked, at: now() }
      return checked
    } catch (error) {
      failed = { error, at: now() }
      throw error
    } finally {
      asking = undefined
    }
  }

  const discover = async (): Promise<AuthorizationServer> => {
    if (known && isWithin(metadataMilliseconds, known.at, now())) return known.metadata
    if (failed && isWithin(retryMilliseconds, failed.at, now())) throw failed.error
    asking ??= ask()
    return await asking
  }

  return {
    /**
     * The address at the provider that a browser has to open.
     *
     * @param secret random; state, nonce and the verifier of PKCE follow from it
     * @throws ProviderError
     */
    async toAuthorizationUrl(secret: string): Promise<string> {
      const { state, nonce, verifier } = derive(secret)
      const { authorization_endpoint: endpoint } = await discover().catch(rethrow)
      if (endpoint === undefined) throw new ProviderError('invalid', 'The metadata has no authorization_endpoint')
      const url = URL.parse(endpoint)
      if (!url || !/^https?:$/.test(url.protocol))
        throw new ProviderError('invalid', 'The authorization_endpoint is not a URL')
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: sha256(verifier, 'base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },

    /**
     * Exchanges the code that the provider gave the browser, and checks the token.
     *
     * @param query of the address at which the browser came back
     * @throws ProviderError
     */
    async finish(query: URLSearchParams, secret: string): Promise<Person> {
      const { state, nonce, verifier } = derive(secret)
      try {
        const library = await import('../oauth-library.ts')
        // The library keeps keys for an object, for a minute of its own: after `remembering`'s, that would be two.
        const metadata = { ...(await discover()) }
        const client = { client_id: clientId, [library.clockTolerance]: toleratedSeconds }
        const options = optionsOf(library)
        const callback = validateCallback(() => library.validateAuthResponse(metadata, client, query, state))
        const authentication = authenticationOf(library, metadata, clientSecret)
        const answer = await library.authorizationCodeGrantRequest(
          metadata,
          client,
          authentication,
          callback,
          redirectUri,
          verifier,
          options,
        )
        const tokens = await library.processAuthorizationCodeResponse(metadata, client, answer, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
        await library.validateApplicationLevelSignature(metadata, answer, options)
        const claims = library.getValidatedIdTokenClaims(tokens)
        if (!claims || !/^.{1,255}$/su.test(claims.sub))
          throw new ProviderError('invalid', 'The token has no usable sub')
        let person: Claims = claims as Claims
        // Some providers have it there alone.
        if (claims.email === undefined && metadata.userinfo_endpoint !== undefined) {
          const info = await library.userInfoRequest(metadata, client, tokens.access_token, options)
          person = await library.processUserInfoResponse(metadata, client, claims.sub, info)
        }
        return { issuer: metadata.issuer, subject: claims.sub, verifiedEmail: verifiedEmailOf(person) }
      } catch (error) {
        return rethrow(error)
      }
    },

    /** Whether a browser comes back with the answer to a question that was asked with this secret. */
    isAnswerTo: (query: URLSearchParams, secret: string): boolean => query.get('state') === derive(secret).state,
  }
}

interface Claims {
  readonly email?: unknown
  readonly email_verified?: unknown
}

/** An address that is not verified could be anyone's. */
const verifiedEmailOf = ({ email, email_verified }: Claims): string | null =>
  typeof email === 'string' && email_verified === true ? email : null

/** Hashes, so that the browser, the provider and its logs see the secret of none of the others. */
const derive = (secret: string) => ({
  state: sha256(`state ${secret}`, 'base64url'),
  nonce: sha256(`nonce ${secret}`, 'base64url'),
  verifier: sha256(`verifier ${secret}`, 'base64url'),
})

const authenticationOf = (library: Library, metadata: AuthorizationServer, secret: string): ClientAuth => {
  const methods = metadata.token_endpoint_auth_methods_supported
  return methods && !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    ? library.ClientSecretPost(secret)
    : library.ClientSecretBasic(secret)
}

type Send = ReturnType<typeof providerRequest>

/** Sends requests, and remembers the response from one address for a minute, also that there was none. */
const remembering = (send: Send, now: () => number) => {
  interface Remembered {
    readonly at: number
    readonly answer: Promise<{ readonly bytes: ArrayBuffer; readonly init: { status: number; headers: Headers } }>
  }
  let url: string | undefined
  let last: Remembered | undefined

  return {
    remember(address: string): void {
      const { href } = new URL(address)
      if (href !== url) last = undefined
      url = href
    },

    send: async (address: string, init: Parameters<Send>[1]): Promise<Response> => {
      if (address !== url) return await send(address, init)
      if (!last || !isWithin(keysMilliseconds, last.at, now())) {
        const answer = send(address, init).then(async (response) => ({
          bytes: await response.arrayBuffer(),
          init: { status: response.status, headers: response.headers },
        }))
        last = { at: now(), answer }
      }
      const { bytes, init: rest } = await last.answer
      return new Response(bytes, rest)
    },
  }
}

/** @throws ProviderError `false` or `denied`: anyone can make up a callback, so it says nothing of the provider */
const validateCallback = (validate: () => URLSearchParams): URLSearchParams => {
  try {
    const callback = validate()
    const [code, ...others] = callback.getAll('code')
    if (code && others.length === 0) return callback
  } catch (error) {
    const { code, error: reason } = error as { code?: unknown; error?: unknown }
    if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') throw new ProviderError('denied', inBrackets(reason))
  }
  throw new ProviderError('false', 'the callback is not valid')
}

/** Says for any error what it means for the person who wants to sign in. */
const rethrow = (error: unknown): never => {
  if (error instanceof ProviderError) throw error
  const { code, error: reason } = error as { code?: unknown; error?: unknown }
  // The code is made up, was used, or was given to another browser.
  if (reason === 'invalid_grant') throw new ProviderError('false', 'the provider does not know the code')
  if (error instanceof Error && typeof code === 'string' && code.startsWith('OAUTH_'))
    throw new ProviderError('invalid', `${error.message}${inBrackets(reason)}`)
  throw new ProviderError('unreachable', describeError(error))
}

/** The provider's code of the error, such as `invalid_client`. Anything else could forge a line of the log. */
const inBrackets = (reason: unknown): string =>
  typeof reason === 'string' && /^[\w.-]{1,100}$/.test(reason) ? ` (${reason})` : ''

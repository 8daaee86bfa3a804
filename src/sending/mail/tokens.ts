import type { IncomingMessage } from 'node:http'
import { minuteMilliseconds } from '../../base/durations.ts'
import type { MailOauth } from '../../config/mail-oauth.ts'
import { anywhere } from '../../config/networks.ts'
import { sendGuarded } from '../../remote/guarded-request.ts'
import { readAnswer } from '../../remote/read-answer.ts'
import { AnswerError, netLineOf } from './failure.ts'

interface Tokens {
  /** A token that is valid for a while. Rejects with an AnswerError. */
  get(): Promise<string>
  /** Says that a server did not take the last one. */
  refuse(): void
}

/** Tokens are kept in memory, for each configuration of this process, so that all that wait share one. */
const opened = new WeakMap<MailOauth, Tokens>()

export const tokensOf = (oauth: MailOauth): Tokens => {
  const tokens = opened.get(oauth) ?? openTokens(oauth)
  opened.set(oauth, tokens)
  return tokens
}

/** A token is renewed when it has this left, or a tenth of its time, if that is less. */
const renewedBefore = 5 * minuteMilliseconds
/** RFC 6749 section 5.1 recommends that a server says how long one is valid. Microsoft's are so for an hour. */
const usualSeconds = 600

/** @param now monotonic, in milliseconds */
export const openTokens = (oauth: MailOauth, now: () => number = () => performance.now()): Tokens => {
  let kept: { readonly token: string; readonly at: number; readonly until: number; isRefused?: boolean } | undefined
  let refusal: { readonly error: AnswerError; readonly at: number } | undefined
  let asking: Promise<string> | undefined

  const ask = async (): Promise<string> => {
    const at = now()
    try {
      const { token, seconds } = await fetchToken(oauth)
      const life = seconds * 1000
      kept = { token, at, until: at + life - Math.min(renewedBefore, life / 10) }
      return token
    } catch (error) {
      if (error instanceof AnswerError && error.about.status !== null) refusal = { error, at }
      throw error
    } finally {
      asking = undefined
    }
  }

  return {
    async get() {
      if (kept && now() < kept.until && !(kept.isRefused && now() - kept.at >= minuteMilliseconds)) return kept.token
      // An account is locked after too many requests that are wrong. A copy, because the library writes into errors.
      if (refusal && now() - refusal.at < minuteMilliseconds) throw new AnswerError(refusal.error.about)
      asking ??= ask()
      return await asking
    },
    refuse() {
      if (kept) kept.isRefused = true
    },
  }
}

const maxMilliseconds = 10_000
const limits = { maxBytes: 64 * 1024, maxPieces: 1000 }

/** Asks for a token by the client credentials grant (RFC 6749 section 4.4). */
const fetchToken = async ({ tokenUrl, clientId, clientSecret, scope }: MailOauth) => {
  const library = await import('../../remote/oauth-library.ts')
  const provider = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href }
  const client = { client_id: clientId }
  let status: number | null = null
  let text = ''
  const send = async (_url: string, init: { headers: Record<string, string>; body?: unknown }) => {
    const read = async (response: IncomingMessage): Promise<Response> => {
      const { bytes, fault } = await readAnswer(response, limits)
      if (fault) throw fault
      status = response.statusCode ?? 0
      text = new TextDecoder().decode(bytes)
      const type = response.headers['content-type'] ?? ''
      return new Response(bytes, {
        status: status < 200 || status > 599 ? 502 : status,
        headers: { 'content-type': type },
      })
    }
    const body = Buffer.from(String(init.body ?? ''))
    const signal = AbortSignal.timeout(maxMilliseconds)
    return await sendGuarded(tokenUrl, { method: 'POST', headers: init.headers, body, allowed: anywhere, signal, read })
  }
  try {
    const response = await library.clientCredentialsGrantRequest(
      provider,
      client,
      // In the body: Microsoft reads some characters of a secret in a header in its own way.
      library.ClientSecretPost(clientSecret),
      scope === '' ? {} : { scope },
      // `safeUrl` allows it to loopback addresses only.
      { [library.customFetch]: send as never, [library.allowInsecureRequests]: tokenUrl.protocol === 'http:' },
    )
    const answer = await library.processClientCredentialsResponse(provider, client, response)
    return { token: answer.access_token, seconds: answer.expires_in ?? usualSeconds }
  } catch (error) {
    if (status === null)
      throw new AnswerError({ source: 'net', line: netLineOf(error), status, answer: '', place: tokenUrl.host })
    const { error: code = '', error_description: said = '' } = parsed(text)
    const answer = typeof said === 'string' && said !== '' ? `${code}: ${said}` : String(code)
    throw new AnswerError({ source: 'oauth', line: `${status} ${answer}`, status, answer, place: tokenUrl.host })
  }
}

const parsed = (text: string): { error?: unknown; error_description?: unknown } => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

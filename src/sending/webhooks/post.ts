import type { IncomingMessage } from 'node:http'
import { dayMilliseconds } from '../../base/durations.ts'
import type { Networks } from '../../config/networks.ts'
import { hidden, type WebhookHeader } from '../../forms/webhooks/webhook-headers.ts'
import { isWebhookUrl } from '../../forms/webhooks/webhook-rules.ts'
import { sendGuarded } from '../../remote/guarded-request.ts'
import { NoAnswerError, toReason } from '../../remote/no-answer.ts'
import { answerOffline } from '../../remote/offline.ts'
import { readAnswer } from '../../remote/read-answer.ts'
import type { Resolver } from '../../remote/resolver.ts'

/** The result of one POST. */
export interface Posted {
  /** Null if there was no response. */
  readonly status: number | null
  /** Why it failed, in words for the owner of the form; null after a status of 200 to 299. */
  readonly error: string | null
  /** The beginning of the response's body, at most 500 characters, without control characters. */
  readonly answer: string
  /** How long the receiver asks to wait, at most 24 hours; null if it does not say. */
  readonly retryAfterMilliseconds: number | null
  readonly milliseconds: number
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Texts that a receiver may send back, and that no one is to see in its response. */
  readonly secrets?: readonly string[]
  /** Breaks the exchange off. */
  readonly signal?: AbortSignal
}

interface Options {
  /** Addresses that are not public, and may be connected to nevertheless. */
  readonly allowed: Networks
  readonly now?: () => number
  /** Limit of the whole exchange, from resolving the name to the end of the response. */
  readonly maxMilliseconds?: number
  readonly resolver?: Resolver
}

/** One POST to a URL that someone else chose. Never rejects. */
export type Poster = (url: string, post: Post) => Promise<Posted>

/**
 * The poster connects only to public addresses and to those that are allowed. What it holds in memory is bounded, whatever a
 * receiver does: the message, 16 KiB of headers and 2 KB of the response's body.
 */
export const openPoster =
  ({ allowed, now = Date.now, maxMilliseconds = 15_000, resolver }: Options): Poster =>
  async (url, { headers, body, secrets = [], signal }) => {
    const start = performance.now()
    const timeout = AbortSignal.timeout(maxMilliseconds)
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout
    const ended = await exchange(url, { allowed, headers, body, signal: both, resolver }).catch(failed)
    const milliseconds = Math.round(performance.now() - start)
    if (ended.state === 'failed') {
      const reason = timeout.aborted
        ? `There was no response within ${maxMilliseconds / 1000} seconds`
        : toReason(ended.error)
      return { status: null, error: reason, answer: '', retryAfterMilliseconds: null, milliseconds }
    }
    const { status, retryAfter, bytes } = ended
    return {
      status,
      error: status >= 200 && status < 300 ? null : toProblem(status),
      answer: beginningOf(bytes, [...secrets, ...pathsOf(url)]),
      retryAfterMilliseconds: retryAfterMilliseconds(retryAfter, now()),
      milliseconds,
    }
  }

const toProblem = (status: number): string =>
  status >= 300 && status < 400
    ? `The receiver redirects to another URL (${status}). Formbox does not follow redirects`
    : `The receiver responded with ${status}`

interface Answer {
  readonly state: 'answered'
  readonly status: number
  readonly retryAfter: string | undefined
  /** The first of the body, not more than are needed. */
  readonly bytes: Uint8Array
}

const failed = (error: unknown) => ({ state: 'failed' as const, error })

interface Exchange extends Post {
  readonly allowed: Networks
  readonly signal: AbortSignal
  readonly resolver: Resolver | undefined
}

/** Rejects if there is no response. Once the status is there it counts, however the rest of the response ends. */
const exchange = async (address: string, { headers, body, ...rest }: Exchange): Promise<Answer> => {
  if (!isWebhookUrl(address)) throw new NoAnswerError('The URL is not valid')
  const url = new URL(address)
  const madeUp = answerOffline(url.hostname)
  if (madeUp) return { ...madeUp, state: 'answered', retryAfter: undefined, bytes: Buffer.from(madeUp.answer) }
  return await sendGuarded(url, { method: 'POST', headers, body, ...rest, read })
}

const read = async (response: IncomingMessage): Promise<Answer> => {
  const { bytes } = await readAnswer(response, limits)
  return {
    state: 'answered',
    status: response.statusCode as number,
    retryAfter: response.headers['retry-after'],
    bytes,
  }
}

const maxCharacters = 500
/** This many bytes of UTF-8 always hold the characters that are shown. */
const beginningBytes = 4 * maxCharacters

const limits = { maxBytes: 64 * 1024, maxPieces: 1000, keptBytes: beginningBytes }

/**
 * The beginning of what a receiver answered, as text that can be stored and shown: invalid UTF-8 and control characters
 * become U+FFFD, but for tabs and line breaks.
 */
const beginningOf = (bytes: Uint8Array, secrets: readonly string[]): string => {
  const text = new TextDecoder().decode(bytes.subarray(0, beginningBytes))
  const shown = withoutSecrets(text, secrets, bytes.length >= beginningBytes)
  const clean = shown.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd')
  return [...clean.trim()].slice(0, maxCharacters).join('')
}

/**
 * The secrets in headers: their values, and the parts of those such as the token after `Bearer`, and the password in what
 * follows `Basic`; and that in the URL.
 */
export const secretsIn = (headers: readonly WebhookHeader[], urlToken: string | null): string[] =>
  headers
    .flatMap(({ value }) => [value, ...value.split(/[\s,;=]+/), passwordIn(value)])
    .concat(urlToken === null ? [] : [urlToken, decoded(urlToken)])
    .filter((text) => text.length >= minSecret)

/** Empty if there is none. */
const passwordIn = (value: string): string => {
  const [, base64 = ''] = /^Basic +(.+)$/i.exec(value) ?? []
  return Buffer.from(base64, 'base64').toString().split(':').slice(1).join(':')
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Many servers name it in a response. That of a channel is a secret, and not everyone who reads responses sees webhooks. */
const pathsOf = (address: string): string[] => {
  const { pathname = '', search = '' } = URL.parse(address) ?? {}
  return [pathname + search, pathname, decoded(pathname), search.slice(1)].filter((text) => text.length >= minSecret)
}

/** Shorter texts are in many responses by chance. */
const minSecret = 8

/** Hides secrets, also as JSON and URLs write them, and the beginning of one at the end of a text that was cut. */
const withoutSecrets = (text: string, secrets: readonly string[], isCut: boolean): string => {
  const written = secrets.flatMap((one) => [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)])
  const longestFirst = [...new Set(written)].toSorted((a, b) => b.length - a.length)
  const shown = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, hidden), text)
  if (!isCut) return shown
  const cut = longestFirst.map((secret) => {
    for (let length = Math.min(secret.length - 1, shown.length); length >= minSecret; length--)
      if (shown.endsWith(secret.slice(0, length))) return length
    return 0
  })
  return `${shown.slice(0, shown.length - Math.max(0, ...cut))}…`
}

/** No receiver can put a delivery off for longer: 24 hours. */
const maxMilliseconds = dayMilliseconds

/**
 * How long a receiver asks to wait, in milliseconds: seconds, or a date in one of the three formats of HTTP (RFC 9110
 * sections 10.2.3 and 5.6.7). Null if the header is absent or neither.
 */
export const retryAfterMilliseconds = (value: string | undefined, now: number): number | null => {
  const text = value?.trim() ?? ''
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), maxMilliseconds)
}

// Sun, 06 Nov 1994 08:49:37 GMT, Sunday, 06-Nov-94 08:49:37 GMT, Sun Nov  6 08:49:37 1994
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const time = '\\d\\d:\\d\\d:\\d\\d'
const zoned = new RegExp(`^(?:${day}, \\d\\d ${month} \\d{4}|${day}[a-z]*, \\d\\d-${month}-\\d\\d) ${time} GMT$`)
const unzoned = new RegExp(`^${day} ${month} [ \\d]\\d ${time} \\d{4}$`)

const dateOf = (text: string): number => {
  if (zoned.test(text)) return Date.parse(text)
  return unzoned.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
}

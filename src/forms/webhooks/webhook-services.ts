import { type AppError, invalid } from '../../base/errors.ts'
import { formats, type WebhookFormat } from './formats.ts'
import { hidden } from './webhook-headers.ts'

interface Target {
  readonly url: string
  readonly format: WebhookFormat
}

/** Discord takes the messages of Slack, at a path below that of the webhook which it shows, and nothing else of ours. */
const discord = {
  host: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
  path: /^\/api\/(?:v\d+\/)?webhooks\/[^/]+\/[^/]+/,
}

const isOfDiscord = ({ hostname, pathname }: URL): boolean => discord.host.test(hostname) && discord.path.test(pathname)

/** @throws AppError `invalid` if the service at this URL, or the one of the format, would take none of the messages */
export const refuseWrongForService = ({ url: text, format }: Target): void => {
  const url = new URL(text)
  const { hostname, pathname } = url
  if (isOfDiscord(url)) {
    const taken = 'to be taken by Discord'
    if (format !== 'slack') throw wrongFormat(`must be slack ${taken}`)
    if (!pathname.endsWith('/slack')) throw wrongUrl(`must end with /slack ${taken}`)
  }
  if (hostname === 'api.telegram.org' && format !== 'telegram')
    throw wrongFormat('must be telegram to be taken by Telegram')
  const wrong = formats[format].wrongUrl?.(url)
  if (wrong !== undefined) throw wrongUrl(wrong)
}

const wrongFormat = (message: string): AppError => invalid({ field: 'format', message, path: '/format' })
const wrongUrl = (message: string): AppError => invalid({ field: 'url', message, path: '/url' })

/** A URL as it is shown, and the secret in it: null if there is none, undefined if `•••` stands for the one that is stored. */
interface SplitUrl {
  readonly target: string
  readonly urlToken: string | null | undefined
}

/** Takes the secret out of the URL of a webhook. */
export const splitUrl = ({ url, format }: Target): SplitUrl => {
  const shown = url.replaceAll(encodeURIComponent(hidden), hidden)
  if (shown.includes(hidden)) return { target: shown, urlToken: undefined }
  const [, before, urlToken, after] = formats[format].secret?.exec(url) ?? []
  return urlToken ? { target: `${before}${hidden}${after}`, urlToken } : { target: url, urlToken: null }
}

/** The URL to send to. */
export const joinUrl = ({ target, urlToken }: { readonly target: string; readonly urlToken: string | null }): string =>
  urlToken === null ? target : target.replace(hidden, () => urlToken)

/** Host and port of a URL: what limits how many deliveries are under way at once. */
export const hostAndPort = (url: string): string => {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/**
 * Where a URL leads: all before its query. Many hosts have the receivers of many people, and hand on what is sent to a path
 * to its author.
 */
export const placeOf = (url: string): string => url.split(/[?#]/, 1)[0] as string

/**
 * Whether `•••` has come to another place, or is the value of another parameter: `https://ntfy.sh/mine?message=•••` would
 * send the token of someone else to the person who changed the URL.
 */
export const isTokenMoved = (before: string, after: string): boolean =>
  placeOf(after) !== placeOf(before) || after.split(hidden).length > 2 || parameterOf(after) !== parameterOf(before)

const parameterOf = (url: string): string | undefined =>
  /[?&][^?&#]*$/.exec(url.slice(0, url.indexOf(hidden)))?.[0].slice(1)

/** There is no secret that `•••` stands for, or it would be sent elsewhere, where the person who enters the URL could read it. */
export const unknownToken = (): AppError =>
  wrongUrl(
    `must have the token itself: ${hidden} stands for the one that is stored, as long as it is at the same place of the same URL`,
  )

/** Changes the URL that Discord shows, when it is pasted: the URL and the format that Discord takes. */
export const correctedForDiscord = (target: Target): Target => {
  const url = new URL(target.url)
  if (!isOfDiscord(url)) return target
  url.pathname = `${discord.path.exec(url.pathname)?.[0]}/slack`
  return { url: url.href, format: 'slack' }
}

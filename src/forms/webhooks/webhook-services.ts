import { type AppError, invalid } from '../../base/errors.ts'
import { formats, type WebhookFormat } from './formats.ts'
import { hidden } from './webhook-headers.ts'

interface Target {
  readonly url: string
  readonly format: WebhookFormat
}

/** A service that is recognised by the host of its addresses. */
interface Service {
  /** As in `to be taken by Slack`. */
  readonly name: string
  readonly host: RegExp
  /** The formats that it can do something with. The first one is chosen if none is named. */
  readonly takes: readonly [WebhookFormat, ...WebhookFormat[]]
}

const discordPath = /^\/api\/(?:v\d+\/)?webhooks\/[^/]+\/[^/]+/

const discord: Service = { name: 'Discord', host: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/, takes: ['slack'] }
const services: readonly Service[] = [
  { name: 'Slack', host: /^hooks\.slack(?:-gov)?\.com$/, takes: ['slack'] },
  // A workflow that someone else made of the same parts takes any JSON.
  {
    name: 'a workflow of Microsoft Teams',
    host: /\.(?:logic\.azure\.com|environment\.api\.powerplatform\.com)$/,
    takes: ['teams', 'standard'],
  },
  { name: 'Microsoft Teams', host: /\.webhook\.office\.com$/, takes: ['teams'] },
  { name: 'Telegram', host: /^api\.telegram\.org$/, takes: ['telegram'] },
  // Its templates read JSON.
  { name: 'ntfy', host: /^ntfy\.sh$/, takes: ['ntfy', 'standard'] },
]

/** The service at a URL; undefined if the host can be anyone's. */
const serviceAt = ({ hostname, pathname }: URL): Service | undefined =>
  discord.host.test(hostname)
    ? discordPath.test(pathname)
      ? discord
      : undefined
    : services.find(({ host }) => host.test(hostname))

/** The service at a URL; undefined if the host can be anyone's. */
export const recognised = (url: string): Pick<Service, 'name' | 'takes'> | undefined => {
  const parsed = URL.parse(url)
  return parsed ? serviceAt(parsed) : undefined
}

/** The format of a new webhook that names none. */
export const formatFor = (url: string): WebhookFormat => recognised(url)?.takes[0] ?? 'standard'

/**
 * Where messages go: the URL of Discord is completed, which takes the messages of Slack at a path below the one that it
 * shows, and nothing else of ours.
 *
 * @param format chosen by the host if it is undefined
 * @throws AppError `invalid` if the service at this URL, or the one of the format, would take none of the messages
 */
export const targetAt = (text: string, format = formatFor(text)): Target => {
  const url = new URL(text)
  const service = serviceAt(url)
  if (service && !service.takes.includes(format))
    throw wrongFormat(`must be ${service.takes.join(' or ')} to be taken by ${service.name}`)
  const wrong = formats[format].wrongUrl?.(url)
  if (wrong !== undefined) throw wrongUrl(wrong)
  if (service !== discord || url.pathname.endsWith('/slack')) return { url: text, format }
  const shown = discordPath.exec(url.pathname)?.[0]
  if (url.pathname.replace(/\/$/, '') !== shown) throw wrongUrl('must end with /slack to be taken by Discord')
  url.pathname = `${shown}/slack`
  return { url: url.href, format }
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
  const [, before, urlToken, after] = formats[format].secrets.map((one) => one.exec(url)).find(Boolean) ?? []
  return urlToken ? { target: `${before}${hidden}${after}`, urlToken } : { target: url, urlToken: null }
}

/** The URL to send to. */
export const joinUrl = ({ target, urlToken }: { readonly target: string; readonly urlToken: string | null }): string =>
  urlToken === null ? target : target.replace(hidden, () => urlToken)

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

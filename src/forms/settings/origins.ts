import { dayMilliseconds } from '../../base/durations.ts'
import { isText, type TextRule } from '../../base/text-rules.ts'
import type { Form } from '../form.ts'
import { parseSettings } from './settings.ts'

export const maxOrigins = 20
/** A host has at most 253 characters (RFC 1035 section 2.3.4), and a little more before it was encoded. */
export const originRule: TextRule = { minLength: 1, maxLength: 300 }
export const originInWords = 'an origin such as https://example.com or https://*.example.com, without a path'

/**
 * An origin of which a form takes submissions, as browsers write it in `Origin`: in lower case, in Punycode and without
 * the port that is usual. `https://*.example.com` stands for one level below. That of an app or an extension, such as
 * `capacitor://localhost`, stays as it is. Null if it is not one.
 */
export const toAllowedOrigin = (text: string): string | null => {
  if (!isText(originRule, text)) return null
  const url = originPattern.test(text) ? URL.parse(text) : null
  return url && hostPattern.test(url.hostname) ? url.origin : toAppOrigin(text.replace(/\/$/, ''))
}

/** The origin of an app or a browser extension, whose scheme is its own; null if it is not one. */
export const toAppOrigin = (text: string): string | null =>
  isText(originRule, text) && appPattern.test(text) ? text.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()) : null

// Not the schemes of the web, and none whose pages have no origin of their own.
const appPattern =
  /^(?!(?:https?|wss?|ftp|file|filesystem|data|blob|javascript|about):)[a-z][a-z\d+.-]*:\/\/\w[\w.-]*(?::\d{1,5})?$/i

const isOfWeb = (origin: string): boolean => /^https?:/.test(origin)

// The parser of URLs would take much more. An address that was copied from a browser ends with a slash.
const originPattern = /^https?:\/\/[^\s\p{Cc}/?#@\\]+\/?$/iu
const hostPattern = /^(?:(?:\*\.)?\w[\w.-]*|\[[\da-f:]+\])$/

/** @param origin as browsers write it */
export const isAllowedOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.includes(origin) || allowed.includes(origin.replace(/^(https?:\/\/)[^.]+\./, '$1*.'))

/** The origins of pages to which a submission may send the visitor's browser. */
export const nextOrigins = ({ returnUrl, settings }: Pick<Form, 'returnUrl' | 'settings'>): readonly string[] => {
  const pages = parseSettings(settings).allowedOrigins.filter(isOfWeb)
  return returnUrl ? [...pages, new URL(returnUrl).origin] : pages
}

/** The origins of pages that may frame the page of a form, and what it responds to its visitors. */
export const frameOrigins = ({ settings }: Pick<Form, 'settings'>): readonly string[] => {
  const { page, allowedOrigins } = parseSettings(settings)
  return page?.frame ? allowedOrigins : []
}

/** An origin that submissions to a form named lately, and that had no effect. */
export interface RecentOrigin {
  /** Null if it is unknown: a page keeps it secret, or `_next` is no complete URL. */
  readonly origin: string | null
  readonly count: number
}

export type RecentOrigins = ReturnType<typeof openRecentOrigins>

/**
 * Remembers which pages were refused because of `allowedOrigins`, for owners who have forgotten one, such as that with `www.`.
 * Lists those that the form would still refuse.
 */
export const openRefusedOrigins = (now: () => number): RecentOrigins =>
  openRecentOrigins(now, ({ settings }, origin) => {
    const { allowedOrigins } = parseSettings(settings)
    return allowedOrigins.length > 0 && (origin === null || !isAllowedOrigin(allowedOrigins, origin))
  })

/**
 * Remembers where visitors did not go because the form does not let `_next` lead there, for owners whose pages send it.
 * Lists what would still have no effect.
 */
export const openIgnoredNext = (now: () => number): RecentOrigins =>
  openRecentOrigins(now, (form, origin) => origin === null || !isAllowedOrigin(nextOrigins(form), origin))

/**
 * Remembers which pages sent messages that were lost, because of a form without `method="post"` or with the address of the form's
 * own page. Lists those that may send to the form.
 */
export const openLostMessages = (now: () => number): RecentOrigins =>
  openRecentOrigins(now, ({ settings }, origin) => {
    const { allowedOrigins } = parseSettings(settings)
    return allowedOrigins.length === 0 || origin === null || isAllowedOrigin(allowedOrigins, origin)
  })

interface Seen {
  count: number
  lastAt: number
}

/** With five origins of 300 characters for each, less than 5 MB. */
const maxForms = 1000
const maxOriginsOfForm = 5

/**
 * Remembers origins until a day has passed without another, in memory. Anyone may send any origin, so what is remembered is
 * bounded, and many made-up ones do not push out one that comes again and again.
 *
 * @param matters whether the owner of the form, as it is now, should know of the origin
 */
const openRecentOrigins = (
  now: () => number,
  matters: (form: Pick<Form, 'returnUrl' | 'settings'>, origin: string | null) => boolean,
) => {
  const byForm = new Map<string, Map<string | null, Seen>>()

  const seenIn = (id: string): Map<string | null, Seen> => {
    const known = byForm.get(id)
    if (known) return known
    const [oldest] = byForm.keys()
    if (oldest !== undefined && byForm.size === maxForms) byForm.delete(oldest)
    const opened = new Map<string | null, Seen>()
    byForm.set(id, opened)
    return opened
  }

  const isRecent = ({ lastAt }: Seen): boolean => lastAt > now() - dayMilliseconds

  return {
    /** @param origin as browsers write it; null if it is unknown */
    add({ id }: Pick<Form, 'id'>, origin: string | null): void {
      if (origin !== null && origin.length > originRule.maxLength) return
      const seen = seenIn(id)
      const known = seen.get(origin)
      if (!known && seen.size === maxOriginsOfForm) seen.delete(rarestOf(seen))
      seen.set(origin, { count: known && isRecent(known) ? known.count + 1 : 1, lastAt: now() })
    },

    /** The most frequent first. */
    list(form: Pick<Form, 'id' | 'returnUrl' | 'settings'>): readonly RecentOrigin[] {
      return [...(byForm.get(form.id) ?? [])]
        .filter(([origin, seen]) => matters(form, origin) && isRecent(seen))
        .map(([origin, { count }]) => ({ origin, count }))
        .sort((a, b) => b.count - a.count)
    },
  }
}

const rarestOf = (seen: ReadonlyMap<string | null, Seen>): string | null =>
  [...seen].reduce((rarest, other) => (other[1].count < rarest[1].count ? other : rarest))[0]

import { dayMilliseconds } from '../durations.ts'
import { isText, type TextRule } from '../text-rules.ts'
import type { Form } from './ownership.ts'
import { parseSettings } from './settings.ts'

export const maxOrigins = 20
/** A host has at most 253 characters (RFC 1035 section 2.3.4), and a little more before it was encoded. */
export const originRule: TextRule = { minLength: 1, maxLength: 300 }
export const originInWords = 'an origin such as https://example.com or https://*.example.com, without a path'

/**
 * An origin of which a form takes submissions, as browsers write it in `Origin`: in lower case, in Punycode and without
 * the port that is usual. `https://*.example.com` stands for one level below. Null if it is none.
 */
export const toAllowedOrigin = (text: string): string | null => {
  const url = isText(originRule, text) && originPattern.test(text) ? URL.parse(text) : null
  return url && hostPattern.test(url.hostname) ? url.origin : null
}

// The parser of URLs would take much more. An address that was copied from a browser ends with a slash.
const originPattern = /^https?:\/\/[^\s\p{Cc}/?#@\\]+\/?$/iu
const hostPattern = /^(?:(?:\*\.)?\w[\w.-]*|\[[\da-f:]+\])$/

/** @param origin as browsers write it */
export const isAllowedOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.includes(origin) || allowed.includes(origin.replace(/^(https?:\/\/)[^.]+\./, '$1*.'))

/** Pages whose submissions a form has refused lately. */
export interface RefusedOrigin {
  /** Null if the pages keep it secret. */
  readonly origin: string | null
  readonly count: number
}

export type RefusedOrigins = ReturnType<typeof openRefusedOrigins>

interface Refusals {
  count: number
  lastAt: number
}

/** With five origins of 300 characters for each, less than 5 MB. */
const maxForms = 1000
const maxOriginsOfForm = 5

/**
 * Remembers which pages were refused because of `allowedOrigins`, for owners who have forgotten one, such as that with `www.`:
 * until a day has passed without another, in memory. Anybody may send any origin, so what is remembered is bounded, and many
 * made-up ones do not push out one that is refused again and again.
 */
export const openRefusedOrigins = (now: () => number) => {
  const byForm = new Map<string, Map<string | null, Refusals>>()

  const refusalsOf = (id: string): Map<string | null, Refusals> => {
    const known = byForm.get(id)
    if (known) return known
    const [oldest] = byForm.keys()
    if (oldest !== undefined && byForm.size === maxForms) byForm.delete(oldest)
    const opened = new Map<string | null, Refusals>()
    byForm.set(id, opened)
    return opened
  }

  const isRecent = ({ lastAt }: Refusals): boolean => lastAt > now() - dayMilliseconds

  return {
    /** @param origin as browsers write it; null if the page keeps it secret */
    add({ id }: Pick<Form, 'id'>, origin: string | null): void {
      if (origin !== null && origin.length > originRule.maxLength) return
      const refusals = refusalsOf(id)
      const known = refusals.get(origin)
      if (!known && refusals.size === maxOriginsOfForm) refusals.delete(rarestOf(refusals))
      refusals.set(origin, { count: known && isRecent(known) ? known.count + 1 : 1, lastAt: now() })
    },

    /** Those that the form would still refuse, the most frequent first. */
    list({ id, settings }: Pick<Form, 'id' | 'settings'>): readonly RefusedOrigin[] {
      const { allowedOrigins } = parseSettings(settings)
      const isRefused = (origin: string | null): boolean =>
        allowedOrigins.length > 0 && (origin === null || !isAllowedOrigin(allowedOrigins, origin))
      return [...(byForm.get(id) ?? [])]
        .filter(([origin, refusals]) => isRefused(origin) && isRecent(refusals))
        .map(([origin, { count }]) => ({ origin, count }))
        .sort((a, b) => b.count - a.count)
    },
  }
}

const rarestOf = (refusals: ReadonlyMap<string | null, Refusals>): string | null =>
  [...refusals].reduce((rarest, other) => (other[1].count < rarest[1].count ? other : rarest))[0]

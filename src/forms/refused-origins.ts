import { dayMilliseconds } from '../durations.ts'
import { isAllowedOrigin, originRule } from './allowed-origins.ts'
import type { Form } from './ownership.ts'
import { parseSettings } from './settings.ts'

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

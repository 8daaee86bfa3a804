import { minuteMilliseconds } from '../durations.ts'

interface ShownOnce {
  /** Keeps a text for the page that will show it. */
  put(session: string, id: string, text: string): void
  /** Returns the text once, to the session that put it there. Null otherwise. */
  take(session: string, id: unknown): string | null
}

/** From the form to the page, a browser needs one round trip. */
const lifetimeMilliseconds = minuteMilliseconds

/**
 * What was just made or found out, until a page shows it: a new key, a secret, what came back from a test. The form
 * redirects to that page, so that reloading it neither shows the text again nor does anything twice.
 */
export const openShownOnce = (now: () => number): ShownOnce => {
  const kept = new Map<string, { session: string; text: string; endsAt: number }>()

  return {
    put(session, id, text) {
      const added = { session, text, endsAt: now() + lifetimeMilliseconds }
      kept.set(id, added)
      setTimeout(() => kept.get(id) === added && kept.delete(id), lifetimeMilliseconds).unref()
    },
    take(session, id) {
      const found = typeof id === 'string' ? kept.get(id) : undefined
      if (!found || found.session !== session || found.endsAt <= now()) return null
      kept.delete(id as string)
      return found.text
    },
  }
}

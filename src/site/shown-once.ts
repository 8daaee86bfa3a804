import { minuteMilliseconds } from '../base/durations.ts'

interface ShownOnce {
  /** Stores a text for the page that will show it. */
  put(session: string, id: string, text: string): void
  /** Returns the text once, to the session that put it there. Null otherwise. */
  take(session: string, id: unknown): string | null
}

/** A browser needs one round trip from the form to the page. */
const lifetimeMilliseconds = minuteMilliseconds

/**
 * Holds a text until a page shows it: a new key, a secret, the result of a test. The form
 * redirects to that page, so that reloading it neither shows the text again nor does anything twice.
 */
export const openShownOnce = (now: () => number): ShownOnce => {
  const texts = new Map<string, { session: string; text: string; endsAt: number }>()

  return {
    put(session, id, text) {
      const added = { session, text, endsAt: now() + lifetimeMilliseconds }
      texts.set(id, added)
      setTimeout(() => texts.get(id) === added && texts.delete(id), lifetimeMilliseconds).unref()
    },
    take(session, id) {
      const found = typeof id === 'string' ? texts.get(id) : undefined
      if (!found || found.session !== session || found.endsAt <= now()) return null
      texts.delete(id as string)
      return found.text
    },
  }
}

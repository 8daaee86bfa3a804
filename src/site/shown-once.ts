interface NewKeyValues {
  /** Keeps the value of a new key for the page that will show it. */
  put(session: string, keyId: string, value: string): void
  /** Returns the value once, to the session that created the key. Null otherwise. */
  take(session: string, keyId: string): string | null
}

/** From the form to the page, a browser needs one round trip. */
const lifetimeMilliseconds = 60_000

/**
 * Values of new keys, until a page shows them. The form redirects to that page, so that reloading it neither shows the
 * value again nor creates another key.
 */
export const openNewKeyValues = (now: () => number): NewKeyValues => {
  const kept = new Map<string, { session: string; value: string; endsAt: number }>()

  return {
    put(session, keyId, value) {
      kept.set(keyId, { session, value, endsAt: now() + lifetimeMilliseconds })
      setTimeout(() => kept.delete(keyId), lifetimeMilliseconds).unref()
    },
    take(session, keyId) {
      const found = kept.get(keyId)
      if (!found || found.session !== session || found.endsAt <= now()) return null
      kept.delete(keyId)
      return found.value
    },
  }
}

interface NewKeyValues {
  /** Keeps the value of a new key for the page that answers its creation. */
  put(session: string, keyId: string, value: string): void
  /** Hands it out, once, to the session that created the key; null when there is nothing (any more). */
  take(session: string, keyId: string): string | null
}

/** Between the form and the page that it leads to lies one round trip. */
const lifetimeMilliseconds = 60_000

/**
 * Values of keys on their way to the one page that shows them. That page is a redirect away from the form, so that
 * reloading it neither shows the value again nor creates another key.
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

interface Lazy<T> {
  /** Loads it, once. If that fails, the next call tries again. */
  (): Promise<T>
  /** Undefined as long as no one has needed it. */
  readonly loaded: () => Promise<T> | undefined
}

/**
 * Loads something when it is first needed. It is for modules that would make a start 10 ms slower, or take 5 MB at
 * rest.
 */
export const lazily = <T>(load: () => Promise<T>): Lazy<T> => {
  let loading: Promise<T> | undefined
  const get = (): Promise<T> => {
    loading ??= load().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return Object.assign(get, { loaded: () => loading })
}

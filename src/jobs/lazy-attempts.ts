import type { loadAttempts } from './attempt-delivery.ts'
import type { Attempts } from './send-deliveries.ts'

/** Loads what makes and sends messages with the first delivery: with it, a start would take 20 ms more. */
export const lazyAttempts = (options: Parameters<typeof loadAttempts>[0]): Attempts => {
  let loading: Promise<Attempts> | undefined
  const load = async (): Promise<Attempts> => (await import('./attempt-delivery.ts')).loadAttempts(options)

  return {
    async attempt(claimed, signal) {
      loading ??= load()
      const { attempt } = await loading
      return attempt(claimed, signal)
    },
    async close() {
      await (await loading)?.close()
    },
  }
}

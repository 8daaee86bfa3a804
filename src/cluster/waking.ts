/** Lets a loop wait for the next call, or for a time. A call while nobody waits is not lost. */
export const createWaking = () => {
  let isWoken = false
  let end: (() => void) | undefined
  return {
    wake(): void {
      isWoken = true
      end?.()
    },
    async next(milliseconds: number): Promise<void> {
      if (!isWoken) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, milliseconds)
        end = resolve
        await promise
        clearTimeout(timer)
        end = undefined
      }
      isWoken = false
    },
  }
}

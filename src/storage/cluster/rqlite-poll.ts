/** While rows come. */
const shortestMilliseconds = 25
const longestMilliseconds = 200

/**
 * Asks for the number of the last row, the less often the longer nothing came: rqlite does not notify.
 *
 * @param readEnd may throw; then it is asked again later
 */
export const pollEnd = (readEnd: () => Promise<number>) => {
  let wake: ((seq: number) => void) | null = null
  let timer: Timer | undefined
  let seen = 0
  let pause = shortestMilliseconds

  const look = async (): Promise<void> => {
    const end = await readEnd().catch(() => 0)
    if (!wake) return
    pause = end > seen ? shortestMilliseconds : Math.min(longestMilliseconds, pause * 1.5)
    if (end > seen) {
      seen = end
      wake(end)
    }
    timer = setTimeout(() => void look(), pause)
  }

  return {
    start(callBack: (seq: number) => void): void {
      wake = callBack
      void look()
    },
    close(): void {
      wake = null
      clearTimeout(timer)
    },
  }
}

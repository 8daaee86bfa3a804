/** An attempt costs some 1 ms of CPU with a new TLS connection. So after an outage, requests keep nine tenths. */
const attemptsPerSecond = 100

/** Attempts begin in portions of so long. */
export const paceMilliseconds = 100

/** Lets as many attempts begin in a tenth of a second as it should, however many are due. */
export const createPace = () => {
  const most = (attemptsPerSecond * paceMilliseconds) / 1000
  let startedAt = 0
  let begun = 0
  return {
    allowed(): number {
      const passed = Math.floor((performance.now() - startedAt) / paceMilliseconds)
      if (passed > 0) {
        startedAt = performance.now()
        begun = Math.max(0, begun - passed * most)
      }
      return most - begun
    },
    /** What exceeds this tenth of a second is taken off the next ones. */
    take(count: number): void {
      begun += count
    },
  }
}

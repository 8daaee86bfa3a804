// Bounds on what other work of the machine can make greater: times, above all.
import { expect } from 'bun:test'

const maxRounds = 15

/**
 * Expects a measurement to be below the limit. One that is not is repeated, up to fifteen rounds in all: other work of the
 * machine spoils single rounds, and a fault all of them.
 */
export const expectBelow = async (limit: number, measure: () => number | Promise<number>): Promise<void> => {
  let lowest = Number.POSITIVE_INFINITY
  for (let round = 0; round < maxRounds && lowest >= limit; round++) lowest = Math.min(lowest, await measure())
  expect(lowest, `the lowest of ${maxRounds} rounds`).toBeLessThan(limit)
}

/**
 * Expects work to take less than the limit, in milliseconds of a laptop that is idle. A loop that takes ten of them is
 * measured before and after the work, so that neither a slower machine nor a busy one counts.
 *
 * @param millisecondsOf of work that waits, for another thread or process; otherwise processor time is measured
 */
export const expectQuick = (
  limit: number,
  work: () => unknown,
  measure: typeof millisecondsOf = processorMillisecondsOf,
): Promise<void> =>
  expectBelow(limit, async () => {
    const before = await measure(loop)
    const took = await measure(work)
    return (took * 10) / Math.max(before, await measure(loop))
  })

const loop = (): number => {
  let text = ''
  for (let i = 0; i < 30_000; i++) text = `${i}:${text.slice(0, 40)}`
  let sum = text.length
  for (let i = 0; i < 3_000_000; i++) sum = (sum * 31 + i) | 0
  return sum
}

/** How long the work takes, in milliseconds. */
export const millisecondsOf = async (work: () => unknown): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The processor time that the work takes, in milliseconds: it is the same beside other work of the machine. */
export const processorMillisecondsOf = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** What the heap of this process holds after a collection. Other tests share the process: compare, and repeat. */
export const heapBytes = (): number => {
  Bun.gc(true)
  return process.memoryUsage().heapUsed
}

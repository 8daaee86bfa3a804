// Bounds on what other work of the machine can make greater: times, above all.
import { expect } from 'bun:test'

const maxRounds = 5

/**
 * Expects a measurement to be below the limit. One that is not is repeated, up to five rounds in all: other work of the
 * machine spoils single rounds, and a fault all of them.
 */
export const expectBelow = async (limit: number, measure: () => number | Promise<number>): Promise<void> => {
  let lowest = Number.POSITIVE_INFINITY
  for (let round = 0; round < maxRounds && lowest >= limit; round++) lowest = Math.min(lowest, await measure())
  expect(lowest, `the lowest of ${maxRounds} rounds`).toBeLessThan(limit)
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

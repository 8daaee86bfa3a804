import { type Outcome, toError } from './batch.ts'
import type { Waiting } from './queue.ts'

/** How many are told in a row: telling 256 took 3 ms, in which no read was answered. */
const maxTold = 32

/** Tells the callers the results of their writes, in portions, in the order in which the writes came. */
export const createTelling = (onTold: () => void) => {
  let settled: readonly Waiting[] = []
  let outcomes: readonly Outcome[] = []
  let told = 0
  let isTelling = false

  const tellUntil = (end: number): void => {
    for (; told < end; told++) {
      const { resolve, reject } = settled[told] as Waiting
      const outcome = outcomes[told] as Outcome
      if ('result' in outcome) resolve(outcome.result as never)
      else reject(toError(outcome))
    }
  }

  const tellOn = (): void => {
    tellUntil(Math.min(told + maxTold, settled.length))
    isTelling = told < settled.length
    if (isTelling) setImmediate(tellOn)
    else onTold()
  }

  return {
    isUnderWay: (): boolean => told < settled.length,
    /** Takes the results of a batch. Only one batch is kept: the rest of the batch before it is told at once. */
    put(batch: readonly Waiting[], results: readonly Outcome[]): void {
      tellUntil(settled.length)
      settled = batch
      outcomes = results
      told = 0
    },
    start(): void {
      if (!isTelling) tellOn()
    },
  }
}

import { type Outcome, toError } from './batch.ts'
import type { Waiting } from './queue.ts'

/** Answers in a row: 256 of them took 3 ms, during which no read was answered. */
const maxTold = 32

/** Tells those who wait what became of their writes, in portions, in the order in which the writes came. */
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
    isUnderWay: (): boolean => isTelling,
    /** Takes the results of a batch. No more than one batch is kept: the one before it is told to its end. */
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

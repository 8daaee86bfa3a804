import type { Batch, Outcome } from './batch.ts'

// What the threads send each other is text: Bun hands a string over as it is, and a clone of as many objects took a
// fifth of all that a submission takes.

export const toMessage = (batch: Batch): string => JSON.stringify(batch)

export const fromMessage = (message: string): Batch => JSON.parse(message)

/** Nothing at all when each has succeeded and none has a result, as is the case with submissions. */
export const toReply = (outcomes: readonly Outcome[]): string =>
  outcomes.every((outcome) => 'result' in outcome && outcome.result === undefined)
    ? ''
    : JSON.stringify(outcomes.map((outcome) => ('result' in outcome ? toList(outcome.result) : outcome)))

/** @param count how many commands the batch had */
export const fromReply = (reply: string, count: number): Outcome[] => {
  if (reply === '') return Array.from({ length: count }, () => ({ result: undefined }))
  const outcomes: ([unknown] | Exclude<Outcome, { result: unknown }>)[] = JSON.parse(reply)
  return outcomes.map((outcome) => (Array.isArray(outcome) ? { result: outcome[0] } : outcome))
}

/** JSON has no undefined. */
const toList = (result: unknown): unknown[] => (result === undefined ? [] : [result])

import type { Batch, Outcome } from './batch.ts'

// The threads send each other text: Bun passes a string on without copying it. Cloning the objects of a batch took a
// fifth of all the time that a submission takes.

export const toMessage = (batch: Batch): string => JSON.stringify(batch)

/**
 * A batch on a machine of a cluster, where a write may wait for the cluster's log.
 *
 * @param since when its oldest command was queued, in Unix milliseconds of a clock that nobody sets (see `steadyNow`)
 */
export const toTimedMessage = (since: number, message: string): string => `${since}${message}`

export const fromTimedMessage = (timed: string): { since: number; message: string } => {
  const start = timed.indexOf('[')
  return { since: Number(timed.slice(0, start)), message: timed.slice(start) }
}

export const fromMessage = (message: string): Batch => JSON.parse(message)

/** Empty if each command has succeeded without a result, as submissions do. */
export const toReply = (outcomes: readonly Outcome[]): string =>
  outcomes.every((outcome) => 'result' in outcome && outcome.result === undefined)
    ? ''
    : JSON.stringify(outcomes.map((outcome) => ('result' in outcome ? toList(outcome.result) : outcome)))

/** The same outcome for each command. */
export const toReplyForAll = (outcome: Exclude<Outcome, { result: unknown }>): string => JSON.stringify(outcome)

/** @param count how many commands the batch had */
export const fromReply = (reply: string, count: number): Outcome[] => {
  if (reply === '' || reply.startsWith('{')) {
    const outcome: Outcome = reply === '' ? { result: undefined } : JSON.parse(reply)
    return Array.from({ length: count }, () => outcome)
  }
  const outcomes: ([unknown] | Exclude<Outcome, { result: unknown }>)[] = JSON.parse(reply)
  return outcomes.map((outcome) => (Array.isArray(outcome) ? { result: outcome[0] } : outcome))
}

/** JSON has no undefined. */
const toList = (result: unknown): unknown[] => (result === undefined ? [] : [result])

/** Instead of a batch. */
export const emptyWalMessage = 'empty the write-ahead log'

/** Instead of a batch: no write may wait for long any more. It has no reply. */
export const limitWaitsMessage = 'limit waits'

/** The reply to `emptyWalMessage`. No reply to a batch begins like it. */
export const toWalReply = (result: boolean | { readonly failed: string }): string => `wal ${JSON.stringify(result)}`

/** Undefined for the reply to a batch. */
export const fromWalReply = (reply: string): boolean | { readonly failed: string } | undefined =>
  reply.startsWith('wal ') ? JSON.parse(reply.slice(4)) : undefined

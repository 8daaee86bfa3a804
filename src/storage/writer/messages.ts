import type { Batch, Outcome } from './batch.ts'

// The threads send each other text: Bun passes a string on without copying it. Cloning the objects of a batch took a
// fifth of all the time that a submission takes.

/** A batch as text, also for the log of a cluster. The bytes of a file are base64 there. */
export const toMessage = (batch: Batch): string => {
  const toBase64 = (bytes: Uint8Array): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return JSON.stringify(batch.some(hasBytes) ? batch.map((command) => withBytes(command, toBase64)) : batch)
}

/** A batch with bytes, for the Worker of a standalone machine: they are given to it, in the order of its commands. */
interface BytesMessage {
  readonly text: string
  readonly bytes: readonly Uint8Array<ArrayBuffer>[]
}

/** A batch for the Worker, and the memory that is no longer the sender's. Base64 would cost both threads much time. */
export const toTransfer = (batch: Batch): { message: string | BytesMessage; transferred: ArrayBuffer[] } => {
  if (!batch.some(hasBytes)) return { message: JSON.stringify(batch), transferred: [] }
  const bytes: Uint8Array<ArrayBuffer>[] = []
  const take = (value: Uint8Array): null => {
    // What is a part of something larger would take that with it.
    const isAlone = value.buffer instanceof ArrayBuffer && value.buffer.byteLength === value.length
    bytes.push(isAlone ? (value as Uint8Array<ArrayBuffer>) : value.slice())
    return null
  }
  const text = JSON.stringify(batch.map((command) => withBytes(command, take)))
  return { message: { text, bytes }, transferred: bytes.map(({ buffer }) => buffer) }
}

type WithBytes = { readonly bytes: Uint8Array }

const hasBytes = ([, input]: Batch[number]): boolean =>
  (input as Partial<WithBytes> | null)?.bytes instanceof Uint8Array

const withBytes = (command: Batch[number], convert: (bytes: Uint8Array) => string | null): Batch[number] => {
  if (!hasBytes(command)) return command
  const input = command[1] as WithBytes
  return [command[0], { ...input, bytes: convert(input.bytes) }]
}

/**
 * A batch on a machine of a cluster, where a write may wait for the cluster's log.
 *
 * @param since when its oldest command was queued, in Unix milliseconds of a clock that no one sets (see `steadyNow`)
 */
export const toTimedMessage = (since: number, message: string): string => `${since}${message}`

export const fromTimedMessage = (timed: string): { since: number; message: string } => {
  const start = timed.indexOf('[')
  return { since: Number(timed.slice(0, start)), message: timed.slice(start) }
}

export const fromMessage = (message: string | BytesMessage): Batch => {
  if (typeof message === 'string') return JSON.parse(message)
  const batch: Batch = JSON.parse(message.text)
  const [...bytes] = message.bytes
  const isPut = (input: unknown): boolean => (input as { readonly bytes?: unknown } | null)?.bytes === null
  return batch.map(([name, input]) =>
    isPut(input) ? [name, { ...(input as object), bytes: bytes.shift() }] : [name, input],
  )
}

/** Empty if each command has succeeded without a result, as submissions do. */
export const toReply = (outcomes: readonly Outcome[]): string =>
  outcomes.every((outcome) => 'result' in outcome && outcome.result === undefined)
    ? ''
    : JSON.stringify(outcomes.map((outcome) => ('result' in outcome ? toList(outcome.result) : outcome)))

/** Makes the reply if every command has the same outcome. */
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

/** Instead of a batch: no write may wait for long. It has no reply. */
export const limitWaitsMessage = 'limit waits'

/** The reply to `emptyWalMessage`. No reply to a batch begins like it. */
export const toWalReply = (result: boolean | { readonly failed: string }): string => `wal ${JSON.stringify(result)}`

/** Undefined for the reply to a batch. */
export const fromWalReply = (reply: string): boolean | { readonly failed: string } | undefined =>
  reply.startsWith('wal ') ? JSON.parse(reply.slice(4)) : undefined

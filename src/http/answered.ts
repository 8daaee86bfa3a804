import type { Context } from 'elysia'

/** What the stages of a request tell the log and each other: kept beside its status and headers, where a WeakMap would cost. */
export interface Logged {
  startedAt?: number
  socketAddress?: string
  keyId?: string
  userId?: string
  /** What Elysia makes of an error goes through `mapResponse` too, unless no route fits. */
  isTold?: true
}

interface Answered {
  readonly request: Request
  readonly route: string | undefined
  readonly set: Context['set'] & Logged
}

/** Tells the log of one request and its answer. */
export type TellAnswer = (answered: Answered, answer: unknown) => void

import type { Resolver } from '../../remote/resolver.ts'
import type { Outcome } from './failure.ts'
import type { Parcel } from './parcel.ts'

/** A way that is open. */
export interface OpenWay {
  /** Rejects as `toFailure` reads it. */
  send(parcel: Parcel, signal: AbortSignal): Promise<Outcome>
  /** Ends idle connections, and opens others with the next mail. Mails under way go on. */
  rest(): void
  /** Ends all connections. Mails under way fail. */
  close(): void
}

export interface WayOptions {
  readonly patience: Patience
  readonly resolver: Resolver
}

/** The longest times, in milliseconds. */
export interface Patience {
  /** To look up the name of the server, and to connect. */
  readonly connect: number
  /** Until the server greets, and for TLS. Some let a client wait, to see whether it is a program that sends spam. */
  readonly greeting: number
  /** The time until each response. Some servers look into the mail before the last one. */
  readonly answer: number
  /** Limit for one mail in all, also if each response arrives just in time. */
  readonly mail: number
}

import type { IncomingMessage } from 'node:http'
import type { ApiServer } from '../../config/mail-ways.ts'
import type { Parcel } from './parcel.ts'

/** A provider's API: how a message is sent, and what its answers say. */
export interface Api {
  toRequest(parcel: Parcel, access: { readonly server: ApiServer; readonly token: string }): Promise<ApiRequest>
  /** The code of an error, and its text. @param body parsed JSON; an empty object if it is none */
  readonly codeOf: (body: ErrorBody, headers: IncomingMessage['headers']) => readonly [code: string, text: string]
}

interface ApiRequest {
  /** Begins with a slash. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON a server has sent; `textIn` reads it
export type ErrorBody = any

/** What stands for a member of someone else's JSON in a line. */
export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/\s+/g, ' ').slice(0, 1000) : ''

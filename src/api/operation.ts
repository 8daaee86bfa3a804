import type { TObject, TSchema } from '@sinclair/typebox'
import type { Caller } from '../accounts/keys/store.ts'
import type { ParamsOf as NamedParamsOf } from '../config/addresses.ts'
import type { Role } from '../forms/access.ts'
import type { Exchange } from '../http/exchange.ts'
import type { FileAnswer } from '../http/file-answer.ts'
import type { PieceTaker } from '../http/read-body.ts'
import type { JsonPart, StreamedFile } from '../http/streamed.ts'
import type { IdempotentRequest } from '../storage/idempotency.ts'
import type { Tag } from './document/tags.ts'

/** An operation of the API: what the OpenAPI document says about it, and what it does. */
export type Operation = ReadOperation | SlowReadOperation | WriteOperation

/** A request to an operation that has passed every check. */
interface Call<Path extends string, Query> {
  readonly caller: Caller
  readonly params: ParamsOf<Path>
  readonly query: Query
}

interface Described<Path extends string, Query> {
  /** Path below `/api/v1`. */
  readonly path: Path
  /** The least role that may call it with a form, which the stores see to; `user` if it is not about a form that is named. */
  readonly role: Role | 'user'
  readonly operationId: string
  readonly tags: readonly Tag[]
  readonly summary: string
  readonly description: string
  readonly query?: QueryParameters<Query>
  /**
   * Which forms it is about, for keys that are limited to some. Absent if it is the one in the path; where there is none, such
   * keys may not call it. `several` if the handler itself keeps to the forms of the key, `new` if it makes one.
   */
  readonly forms?: 'several' | 'new'
  /**
   * The schema of the body with status 200, which must have a name in the document, or a file that a visitor sent, or an
   * archive.
   */
  readonly answer: TSchema | 'file' | 'zip'
  /** An example of each response with status 200 that is not JSON, by media type; null for bytes. */
  readonly otherAnswers?: Readonly<Record<string, string | null>>
  /** The statuses other than 200. */
  readonly errors: readonly number[]
  /** OpenAPI Link Objects, see links.ts. */
  readonly links?: object
}

/** What no read has. So all operations can be asked for it. */
interface ReadsOnly {
  readonly body?: undefined
  readonly takesFile?: undefined
  readonly isIdempotent?: undefined
  readonly isRead?: undefined
  readonly hasSecret?: undefined
}

export type ReadAnswer = string | Iterator<JsonPart, void> | StreamedFile | FileAnswer

/** Synchronous, so that a read needs no promise. Responds with JSON text, in parts if it is long, or with a file. */
export interface ReadOperation<Path extends string = string, Query = unknown>
  extends Described<Path, Query>,
    ReadsOnly {
  readonly method: 'GET'
  readonly isSlow?: undefined
  handle(call: Call<Path, Query>): ReadAnswer
}

/** A read that may take longer than the server's idle timeout, and lets other requests run meanwhile. */
export interface SlowReadOperation<Path extends string = string, Query = unknown>
  extends Described<Path, Query>,
    ReadsOnly {
  readonly method: 'GET'
  readonly isSlow: true
  handle(call: Call<Path, Query> & LastingCall): Promise<Exclude<ReadAnswer, FileAnswer>>
}

interface LastingCall {
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** Checks the key again. @throws AppError `unauthenticated` */
  checkAccess(): void
}

/** The result of an operation with `isIdempotent`. */
export interface Repeatable {
  /** Whether an earlier request with the same idempotency key was carried out instead. */
  readonly isRepeat?: boolean
}

/** Responds with an object, which becomes JSON, or with a file. If it resolves to nothing, that is `{"success":true}`. */
export interface WriteOperation<Path extends string = string, Query = unknown, Body = unknown>
  extends Described<Path, Query> {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly body?: RequestBody<Body>
  /** Whether the body is a file, which the handler receives. */
  readonly takesFile?: {
    readonly mediaTypes: readonly string[]
    /** As JSON. */
    readonly example: readonly object[]
  }
  /**
   * Whether it makes something new, and so must not be carried out twice if the request has an `Idempotency-Key`. Each has a
   * row in test/contract/calls-again.test.ts.
   */
  readonly isIdempotent?: true
  /** Whether it only reads, so that read-only keys may call it. It is a POST to keep what is sent out of addresses and logs. */
  readonly isRead?: true
  /** Whether it may take longer than the server's idle timeout. */
  readonly isSlow?: true
  /** Whether the response contains a secret, which nothing on the way may store. */
  readonly hasSecret?: true
  /** May resolve to a `Repeatable`, whose `isRepeat` is no part of the response. */
  handle(
    call: WriteCall<Path, Query, Body>,
    // biome-ignore lint/suspicious/noConfusingVoidType: so that it may call a function of a store that returns nothing
  ): Promise<object | void>
}

interface WriteCall<Path extends string, Query, Body> extends Call<Path, Query>, LastingCall {
  readonly body: Body
  readonly request?: IdempotentRequest | undefined
  /** The address of the server, as the client knows it. */
  readonly serverAddress: string
  /** Of the request; empty if it has none. */
  readonly mediaType: string
  /** Returns a function that reads the body, and passes it on while it arrives. */
  receiveFile(maxBytes: number): (taker: PieceTaker) => Promise<'too large' | 'complete'>
}

export interface QueryParameters<T> {
  readonly schema: TObject
  /** @throws AppError `invalid` */
  parse(given: Readonly<Record<string, string>>, url: string): T
}

export interface RequestBody<T> {
  readonly schema: TSchema
  readonly isOptional: boolean
  readonly maxBytes: number
  /**
   * Reads the JSON object; null if the body is empty.
   *
   * @param onBody called with its bytes
   * @throws AppError `invalid` or `unavailable`
   */
  receive(exchange: Exchange, onBody?: OnBody): Promise<ReceivedBody>
  /** @throws AppError `invalid` */
  parse(value: object | null): T
}

export type OnBody = (bytes: Uint8Array) => void

export interface ReceivedBody {
  readonly value: object | null
  /** Must be called when the operation has ended, whether it succeeded or failed. */
  release(): void
}

/** Of any path, every name. */
type ParamsOf<Path extends string> = string extends Path ? Readonly<Record<string, string>> : NamedParamsOf<Path>

export const readOperation = <Path extends string, Query = undefined>(
  operation: ReadOperation<Path, Query>,
): Operation => operation

export const slowReadOperation = <Path extends string, Query = undefined>(
  operation: SlowReadOperation<Path, Query>,
): Operation => operation

export const writeOperation = <Path extends string, Query = undefined, Body = undefined>(
  operation: WriteOperation<Path, Query, Body>,
): Operation => operation

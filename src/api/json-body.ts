import type { Static, TSchema } from '@sinclair/typebox'
import { invalid, unavailable } from '../base/errors.ts'
import { freeMemory } from '../base/joined-bytes.ts'
import { decodeJson, isObject, parseJson } from '../base/json.ts'
import { semaphore } from '../base/semaphore.ts'
import { type BodyMemory, createBodyMemory } from '../http/body-memory.ts'
import type { Exchange } from '../http/exchange.ts'
import { mediaType } from '../http/headers.ts'
import { announcedBytes, maxBodyBytes, readBody } from '../http/read-body.ts'
import type { OnBody, ReceivedBody, RequestBody } from './operation.ts'
import { schemaCheck } from './schema-check.ts'

/** The body of an operation on a single form: a JSON object. */
export const jsonBody = <T extends TSchema>(schema: T): RequestBody<Static<T>> => ({
  schema,
  isOptional: false,
  maxBytes: maxBodyBytes,
  receive: async (exchange, onBody) => ({
    value: await readJson(exchange, { maxBytes: maxBodyBytes, isOptional: false, onBody }),
    release: () => {},
  }),
  parse: schemaCheck(schema, 'body'),
})

/** 1,000 forms with the longest texts, in four-byte characters, take 13 MB. */
const maxBulkBytes = 16 * 1024 * 1024

/** The body of a bulk operation: a JSON object. */
export const bulkBody = <T extends TSchema>(schema: T): RequestBody<Static<T>> => ({
  schema,
  isOptional: false,
  maxBytes: maxBulkBytes,
  receive: (exchange, onBody) => receiveBulk(exchange, false, onBody),
  parse: schemaCheck(schema, 'body'),
})

/** A body that may be absent, and is null then. The operation checks it together with the query. */
export const optionalBulkBody = (schema: TSchema): RequestBody<object | null> => ({
  schema,
  isOptional: true,
  maxBytes: maxBulkBytes,
  receive: (exchange) => receiveBulk(exchange, true),
  parse: (value) => value,
})

/** The body counts towards the limits below until it is released. */
const receiveBulk = async (exchange: Exchange, isOptional: boolean, onBody?: OnBody): Promise<ReceivedBody> => {
  const { memory, release } = memoryUntilReleased(exchange.request)
  try {
    return { value: await readJson(exchange, { maxBytes: maxBulkBytes, isOptional, memory, onBody }), release }
  } catch (error) {
    release()
    throw error
  }
}

interface Reading {
  readonly maxBytes: number
  readonly isOptional: boolean
  readonly memory?: BodyMemory
  readonly onBody?: OnBody | undefined
}

/**
 * The JSON object in the body. If it is optional, null stands for a body that is empty, or is `null` itself: generated
 * clients send that. While it is read, it takes memory from the caller's share.
 *
 * @throws AppError `invalid` or `unavailable`
 */
const readJson = async (
  { request, server, caller }: Exchange,
  { maxBytes, isOptional, memory, onBody }: Reading,
): Promise<object | null> => {
  const bytes = await readBody({ request, server, owner: () => caller?.userId ?? '' }, maxBytes, memory)
  if (bytes === 'too large') throw invalid({ field: 'body', message: `must be at most ${maxBytes} bytes` })
  if (bytes.length === 0) {
    if (isOptional) return null
    throw invalid({ field: 'body', message: 'must be a JSON object, is empty' })
  }
  const contentType = mediaType(request)
  if (contentType !== 'application/json')
    throw invalid({ field: 'body', message: `must have Content-Type application/json, has ${contentType || 'none'}` })
  onBody?.(bytes)
  const text = decodeJson(bytes)
  freeMemory(bytes)
  const value: unknown = parseJson(text)
  if (isOptional && value === null) return null
  if (!isObject(value)) throw invalid({ field: 'body', message: 'must be a JSON object' })
  return value
}

/** A body is in memory this many times until it is written: as bytes, text and objects, and in the writer's thread. */
const copies = 4

/** Two bodies of the maximum size. This memory is separate, so that bulk operations cannot crowd out submissions. */
const memoryWhileReading = createBodyMemory({
  maxBytes: 2 * maxBulkBytes,
  maxBytesOfOwner: maxBulkBytes,
  maxSeconds: 15,
})

/** Bytes that each user has announced and that were not answered yet: at most one body of the maximum size. */
const announcedOf = new Map<string, number>()
const maxAnnounced = maxBulkBytes
const retryAfterSeconds = 5

/**
 * Memory for one body. If a user sends many at once, the first ones are accepted and the others refused unread. An
 * announced body counts only against its user's limit. It takes shared memory only as its bytes arrive.
 */
const memoryUntilReleased = (request: Request): { memory: BodyMemory; release: () => void } => {
  let withdraw: (() => void) | undefined
  let stopWork: (() => void) | undefined
  const memory: BodyMemory = {
    open(owner, giveUp) {
      const announced = announcedBytes(request) ?? 0
      announce(owner, announced)
      withdraw = () => announce(owner, -announced)
      const share = memoryWhileReading.open(owner, giveUp)
      let bytes = 0
      return {
        ...share,
        hold(more) {
          share.hold(more)
          bytes += more
        },
        async finish() {
          await share.finish()
          stopWork = await work.enter({ size: copies * bytes })
        },
      }
    },
  }
  const release = (): void => {
    withdraw?.()
    stopWork?.()
  }
  return { memory, release }
}

const announce = (owner: string, bytes: number): void => {
  const sum = (announcedOf.get(owner) ?? 0) + bytes
  if (sum > maxAnnounced) throw unavailable(retryAfterSeconds)
  if (sum > 0) announcedOf.set(owner, sum)
  else announcedOf.delete(owner)
}

/**
 * Carries out operations one by one, or several at a time if their sum is at most 16 MiB. The others wait.
 * Their bodies have arrived, so no client can make the wait longer. Four at a time were no faster, and took 490 MiB
 * instead of 385 in a flood by four users.
 */
const work = semaphore({ room: maxBulkBytes })

import type { Static, TSchema } from '@sinclair/typebox'
import { unavailable } from '../errors.ts'
import { type BodyMemory, createBodyMemory } from '../http/body-memory.ts'
import type { Exchange } from '../http/exchange.ts'
import { announcedBytes } from '../http/read-body.ts'
import { readJson } from './json-body.ts'
import type { OnBody, ReceivedBody, RequestBody } from './operation.ts'
import { schemaCheck } from './schema-check.ts'
import { createWorkQueue } from './work-queue.ts'

/** 1,000 forms with the longest texts, in four-byte characters, take 13 MB. */
const maxBytes = 16 * 1024 * 1024

/** The body of a bulk operation: a JSON object. */
export const bulkBody = <T extends TSchema>(schema: T): RequestBody<Static<T>> => ({
  schema,
  isOptional: false,
  maxBytes,
  receive: (exchange, onBody) => receive(exchange, false, onBody),
  parse: schemaCheck(schema, 'body'),
})

/** The same, but the body may be absent, and is null then. The operation checks it together with the query. */
export const optionalBulkBody = (schema: TSchema): RequestBody<object | null> => ({
  schema,
  isOptional: true,
  maxBytes,
  receive: (exchange) => receive(exchange, true),
  parse: (value) => value,
})

/** The body counts towards the limits below until it is released. */
const receive = async (exchange: Exchange, isOptional: boolean, onBody?: OnBody): Promise<ReceivedBody> => {
  const { memory, release } = memoryUntilReleased(exchange.request)
  try {
    return { value: await readJson(exchange, { maxBytes, isOptional, memory, onBody }), release }
  } catch (error) {
    release()
    throw error
  }
}

/** A body is in memory this many times until it is written: as bytes, text and objects, and in the writer's thread. */
const copies = 4

/** Two bodies of the maximum size. This memory is separate, so that bulk operations cannot crowd out submissions. */
const memoryWhileReading = createBodyMemory({ maxBytes: 2 * maxBytes, maxBytesOfOwner: maxBytes, maxSeconds: 15 })

/**
 * Operations are carried out one by one, or several at a time if they take at most 16 MiB together. The others wait.
 * Their bodies have arrived, so no client can make the wait longer. Four at a time were no faster, and took 490 MiB
 * instead of 385 in a flood by four users.
 */
const work = createWorkQueue(maxBytes)

/** Bytes that each user has announced and that were not answered yet: at most one body of the maximum size. */
const announcedOf = new Map<string, number>()
const maxAnnounced = maxBytes
const retryAfterSeconds = 5

/**
 * If a user sends many bodies at once, the first ones are accepted and the others are refused before they are read. An
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
          void share.finish()
          stopWork = await work.begin(copies * bytes)
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

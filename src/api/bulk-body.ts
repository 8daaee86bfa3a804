import type { Static, TSchema } from '@sinclair/typebox'
import { unavailable } from '../errors.ts'
import { type BodyMemory, createBodyMemory } from '../http/body-memory.ts'
import type { Exchange } from '../http/exchange.ts'
import { announcedBytes } from '../http/read-body.ts'
import { readJson, refuseEmpty } from './json-body.ts'
import type { ReceivedBody, RequestBody } from './operation.ts'
import { schemaCheck } from './schema-check.ts'
import { createWorkQueue } from './work-queue.ts'

/** 1,000 forms at their longest, in four-byte characters, take 13 MB. */
const maxBytes = 16 * 1024 * 1024

/** The body of a bulk operation: a JSON object. */
export const bulkBody = <T extends TSchema>(schema: T): RequestBody<Static<T>> => ({
  schema,
  isOptional: false,
  maxBytes,
  receive: (exchange) => receive(exchange, refuseEmpty),
  parse: schemaCheck(schema, 'body'),
})

/** The same where the body may be absent: then it is null. The operation checks it, with what is in its place. */
export const optionalBulkBody = (schema: TSchema): RequestBody<object | null> => ({
  schema,
  isOptional: true,
  maxBytes,
  receive: (exchange) => receive(exchange, (value) => value),
  parse: (value) => value,
})

/** Until it is released, the body counts as announced, and its work as under way. */
const receive = async (exchange: Exchange, accept: (value: object | null) => object | null): Promise<ReceivedBody> => {
  const { memory, release } = memoryUntilReleased(exchange.request)
  try {
    return { value: accept(await readJson(exchange, maxBytes, memory)), release }
  } catch (error) {
    release()
    throw error
  }
}

/** How often a body is in memory until its write is done: as bytes, as text, as objects and in the writer's thread. */
const copies = 4

/** Two bodies of the greatest size. Apart from other bodies: bulk operations refuse no submission. */
const memoryWhileReading = createBodyMemory({ maxBytes: 2 * maxBytes, maxBytesOfOwner: maxBytes, maxSeconds: 15 })

/**
 * Operations are worked on one by one, or as many as take 16 MiB together. Those behind wait: what they wait for is our
 * own work, which no client can delay, as their bodies are all there. Four at a time were no faster, and took 490 MiB in
 * a flood by four users instead of 385.
 */
const work = createWorkQueue(maxBytes)

/** What each user has announced: it is one body of the greatest size, from its announcement until the answer. */
const announcedOf = new Map<string, number>()
const maxAnnounced = maxBytes
const retryAfterSeconds = 5

/**
 * Of many that a user sends together the first go through, and the others are refused before anything of them is read.
 * An announcement counts for its user alone: what the memory holds of everybody counts when it comes.
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

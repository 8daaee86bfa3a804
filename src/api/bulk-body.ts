import { unavailable } from '../errors.ts'
import type { Asked } from '../http/arriving-bodies.ts'
import { type BodyMemory, createBodyMemory } from '../http/body-memory.ts'
import { createQueue } from '../http/queue.ts'
import { announcedBytes } from '../http/read-body.ts'
import { askedBy, type Parsing, readJson, refuseEmpty } from './json-body.ts'

/** 1,000 forms at their longest, in four-byte characters, take 13 MB. */
const maxBytes = 16 * 1024 * 1024

/** How often a body is in memory until its write is done: as bytes, as text, as objects and in the writer's thread. */
const copies = 4

/** Two bodies of the greatest size. Apart from other bodies: bulk operations refuse no submission. */
const memoryWhileReading = createBodyMemory({ maxBytes: 2 * maxBytes, maxBytesOfOwner: maxBytes, maxSeconds: 15 })

/**
 * Operations are worked on one by one, or as many as take 16 MiB together. Those behind wait: what they wait for is our
 * own work, which no client can delay, as their bodies are all there. Four at a time were no faster, and took 490 MiB in
 * a flood by four users instead of 385.
 */
const work = createQueue(maxBytes)

/** What each user has announced: it is one body of the greatest size, from its announcement until the answer. */
const announcedOf = new Map<string, number>()
const maxAnnounced = maxBytes
const retryAfterSeconds = 5

/** What is to be done when the answer is there. */
const ends = new WeakMap<Request, () => void>()

/**
 * Of many that a user sends together the first go through, and the others are refused before anything of them is read.
 * An announcement counts for its user alone: what the memory holds of everybody counts when it comes.
 */
const memoryUntilAnswer = (request: Request): BodyMemory => ({
  open(owner, giveUp) {
    const announced = announcedBytes(request) ?? 0
    announce(owner, announced)
    let stopWork: (() => void) | undefined
    ends.set(request, () => {
      announce(owner, -announced)
      stopWork?.()
    })
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
})

const announce = (owner: string, bytes: number): void => {
  const sum = (announcedOf.get(owner) ?? 0) + bytes
  if (sum > maxAnnounced) throw unavailable(retryAfterSeconds)
  if (sum > 0) announcedOf.set(owner, sum)
  else announcedOf.delete(owner)
}

const afterResponse = ({ request }: Pick<Asked, 'request'>): void => {
  ends.get(request)?.()
  ends.delete(request)
}

const read = (asked: Asked): Promise<object | null> => readJson(asked, maxBytes, memoryUntilAnswer(asked.request))

/** Elysia hooks of a bulk operation that takes a JSON object. */
export const bulkBody = {
  parse: async ({ exchange }: Parsing): Promise<object> => refuseEmpty(await read(askedBy(exchange))),
  afterResponse,
}

/** The same where the body may be absent: then it is null. */
export const optionalBulkBody = {
  parse: async ({ exchange }: Parsing): Promise<object | null> => read(askedBy(exchange)),
  afterResponse,
}

import type { Asked } from './arriving-bodies.ts'
import { readJson, refuseEmpty } from './json-body.ts'
import { type BodyMemory, createBodyMemory } from './read-body.ts'

/** 1,000 forms at their longest, in four-byte characters, take 13 MB. */
const maxBytes = 16 * 1024 * 1024

/** How often a body is in memory until its write is done: as bytes, as text, as objects and in the writer's thread. */
const copies = 4

/** One body of the greatest size, or four of 4 MB. Apart from other bodies: bulk operations refuse no submission. */
const memory = createBodyMemory(copies * maxBytes)
const held = new WeakMap<Request, number>()

/**
 * Holds until the answer what a body takes when it is parsed; all of it at once where its length is announced. Of many
 * that come together the first then go through, where otherwise each would hold a part and all but the last be refused.
 */
const memoryUntilAnswer = (request: Request): BodyMemory => {
  const hold = (bytes: number): void => {
    memory.hold(copies * bytes)
    held.set(request, (held.get(request) ?? 0) + copies * bytes)
  }
  const announced = request.headers.get('content-length')
  if (announced === null) return { hold, release() {} }
  if (Number(announced) <= maxBytes) hold(Number(announced))
  return { hold() {}, release() {} }
}

const afterResponse = ({ request }: Pick<Asked, 'request'>): void => {
  memory.release(held.get(request) ?? 0)
  held.delete(request)
}

/** Elysia hooks of a bulk operation that takes a JSON object. */
export const bulkBody = {
  parse: async ({ request, server }: Asked): Promise<object> =>
    refuseEmpty(await readJson({ request, server }, maxBytes, memoryUntilAnswer(request))),
  afterResponse,
}

/** The same where the body may be absent: then it is null. */
export const optionalBulkBody = {
  parse: async ({ request, server }: Asked): Promise<object | null> =>
    readJson({ request, server }, maxBytes, memoryUntilAnswer(request)),
  afterResponse,
}

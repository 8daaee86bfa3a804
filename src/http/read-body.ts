import { invalid, unavailable } from '../errors.ts'

/** Up to this size a body is read at once, which is less work than a stream; 10,000 of them still fit into memory. */
const maxSmallBytes = 32 * 1024
/** So long may a larger one take: whoever sends slowly keeps others from sending. */
const maxMilliseconds = 60_000
const retryAfterSeconds = 5

/** Memory that the larger bodies of one kind share. */
export interface BodyMemory {
  /** @throws AppError `unavailable` when others hold it; then nothing more is held */
  hold(bytes: number): void
  release(bytes: number): void
}

export const createBodyMemory = (maxBytes: number): BodyMemory => {
  let held = 0
  return {
    hold(bytes) {
      if (held + bytes > maxBytes) throw unavailable(retryAfterSeconds)
      held += bytes
    },
    release(bytes) {
      held -= bytes
    },
  }
}

/** For those that are being read and are gone when they are parsed: 64 submissions of the greatest size. */
const memoryWhileReading = createBodyMemory(64 * 1024 * 1024)

/**
 * The bytes of the request's body, or `too large` as soon as it is known to be longer than `maxBytes`: from
 * Content-Length without reading any of it, otherwise after the byte that is too many.
 *
 * @throws AppError `invalid` when the client goes away in the middle or takes longer than a minute, `unavailable` when
 *   others hold the memory.
 */
export const readBody = async (
  request: Request,
  maxBytes: number,
  memory = memoryWhileReading,
): Promise<Uint8Array | 'too large'> => {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > maxBytes) return 'too large'
  if (announced === null || Number(announced) > maxSmallBytes) return readStream(request, announced, maxBytes, memory)
  return new Uint8Array(await request.arrayBuffer().catch(refuseIncomplete))
}

const readStream = async (
  request: Request,
  announced: string | null,
  maxBytes: number,
  memory: BodyMemory,
): Promise<Uint8Array | 'too large'> => {
  if (request.body === null) return new Uint8Array()
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let heldBytes = 0
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel().catch(() => {})
  }, maxMilliseconds)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(refuseIncomplete)
      if (isLate) throw invalid({ message: `body: must be sent within ${maxMilliseconds / 1000} seconds` })
      if (done) return announced === null || size === Number(announced) ? Buffer.concat(chunks) : refuseIncomplete()
      size += value.length
      if (size > maxBytes) return 'too large'
      memory.hold(value.length)
      heldBytes += value.length
      chunks.push(value)
    }
  } finally {
    clearTimeout(timer)
    // After the last piece it does nothing; before, it tells the sender to stop.
    void reader.cancel().catch(() => {})
    memory.release(heldBytes)
  }
}

const refuseIncomplete = (): never => {
  throw invalid({ message: 'body: ended before it was complete' })
}

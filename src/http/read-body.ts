import { type AppError, invalid } from '../errors.ts'
import { type ArrivingBody, type Asked, type BodyTimes, watchArrivingBodies } from './arriving-bodies.ts'
import { type BodyMemory, type BodyShare, createBodyMemory } from './body-memory.ts'

/** Of a submission, and of an operation on one form, whose fields at their longest take a hundredth of it. */
export const maxBodyBytes = 1024 * 1024

/** Up to this size a body is read at once, which is less work than a stream; 10,000 of them still fit into memory. */
const maxSmallBytes = 32 * 1024

/**
 * Of those that are being read, and are gone when they are parsed: 64 submissions of the greatest size, 16 of them from
 * one address.
 */
const memoryWhileReading = createBodyMemory({
  maxBytes: 64 * maxBodyBytes,
  maxBytesOfOwner: 16 * maxBodyBytes,
  maxSeconds: 8,
})

/** A body has three minutes to arrive, or these times. */
export const createBodyReader = (times?: BodyTimes) => {
  const arriving = watchArrivingBodies(times)

  /**
   * The bytes of the request's body, or `too large` as soon as it is known to be longer than `maxBytes`: from
   * Content-Length without reading any of it, otherwise after the byte that is too many.
   *
   * @throws AppError `invalid` when the client goes away in the middle or is too slow, `unavailable` when there is
   *   no room for it in the memory.
   */
  return async (asked: Asked, maxBytes: number, memory = memoryWhileReading): Promise<Uint8Array | 'too large'> => {
    const { request } = asked
    const announced = announcedBytes(request)
    if (announced !== null && announced > maxBytes) return 'too large'
    const isSmall = announced !== null && announced <= maxSmallBytes
    if (!isSmall && request.body === null) return new Uint8Array()
    const body = isSmall ? new SmallBody(asked, announced, memory) : largeBody(asked, announced, maxBytes, memory)
    arriving.begin(body)
    try {
      return await body.read()
    } finally {
      arriving.end(body)
      body.close()
    }
  }
}

export const readBody = createBodyReader()

/**
 * What Content-Length says; null where the body ends by itself. Bun takes two equal lines of it, and tells them as `5, 5`.
 *
 * @throws AppError `invalid` when it is not one number (RFC 9110 section 8.6)
 */
export const announcedBytes = (request: Request): number | null => {
  const text = request.headers.get('content-length')
  if (text === null) return null
  if (!/^\d+$/.test(text)) throw invalid({ field: 'Content-Length', message: 'must be one whole number' })
  return Number(text)
}

interface Body extends ArrivingBody {
  read(): Promise<Uint8Array | 'too large'>
  /** Gives back what it holds. */
  close(): void
}

/** It needs memory of those that all share only when it is slow, so that there cannot be too many such. */
class SmallBody implements Body {
  readonly startedAt = performance.now()
  readonly receivedBytes = undefined
  hasMoreTime = false
  giveUp!: (error: AppError) => void
  private share: BodyShare | undefined

  constructor(
    readonly asked: Asked,
    private readonly announced: number,
    private readonly memory: BodyMemory,
  ) {}

  read(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.giveUp = reject
      this.asked.request.arrayBuffer().then(
        (bytes) => resolve(new Uint8Array(bytes)),
        () => reject(incomplete()),
      )
    })
  }

  onSlow(): void {
    this.share = this.memory.open(this.asked.owner(), this.giveUp)
    this.share.hold(this.announced)
  }

  close(): void {
    this.share?.release()
  }
}

/** Where its length is not announced, it holds nothing before it is larger than a small one, or slow. */
const largeBody = (asked: Asked, announced: number | null, maxBytes: number, memory: BodyMemory): Body => {
  const chunks: Uint8Array[] = []
  let size = 0
  let heldBytes = 0
  let fault: AppError | undefined
  const cancel = (): void => void reader.cancel().catch(() => {})
  const giveUp = (error: AppError): void => {
    fault = error
    cancel()
  }
  const open = (): BodyShare => memory.open(asked.owner(), giveUp)
  let share = announced === null ? undefined : open()
  const reader: ReadableStreamDefaultReader<Uint8Array> = (asked.request.body as ReadableStream).getReader()
  const holdAll = (): void => {
    share ??= open()
    share.hold(size - heldBytes)
    heldBytes = size
  }
  return {
    asked,
    startedAt: performance.now(),
    get receivedBytes() {
      return announced === null && size <= maxSmallBytes ? undefined : size
    },
    hasMoreTime: false,
    onSlow: holdAll,
    giveUp,
    async read() {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw incomplete()
        })
        if (fault) throw fault
        if (done) break
        size += value.length
        if (size > maxBytes) return 'too large'
        if (announced !== null || size > maxSmallBytes || this.hasMoreTime) holdAll()
        chunks.push(value)
      }
      if (announced !== null && size !== announced) throw incomplete()
      await share?.finish()
      return Buffer.concat(chunks)
    },
    close() {
      // After the last piece it does nothing; before, it tells the sender to stop.
      cancel()
      for (const piece of chunks) freeBytes(piece)
      share?.release()
    },
  }
}

/**
 * Gives memory back now, which the garbage collector would do much later where a body waited for others: without it a
 * flood of bulk operations took 580 MiB instead of 490. The bytes are gone.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  // Small ones are not worth it, and may lie in a buffer together.
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isAlone && byteLength > 8192) buffer.transfer(0)
}

const incomplete = (): AppError => invalid({ field: 'body', message: 'ended before it was complete' })

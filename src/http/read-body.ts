import { type AppError, invalid } from '../errors.ts'
import { type ArrivingBody, type Asked, type BodyTimes, watchArrivingBodies } from './arriving-bodies.ts'
import { type BodyMemory, type BodyShare, createBodyMemory } from './body-memory.ts'

/** For a submission, or an operation on one form. The fields of a form take at most a hundredth of it. */
export const maxBodyBytes = 1024 * 1024

/** Bodies up to this size are read at once, which is less work than a stream. 10,000 of them fit in memory. */
const maxSmallBytes = 32 * 1024

/**
 * For bodies that are being read; they are released after parsing. 64 submissions of the maximum size, 16 from one
 * address.
 */
const memoryWhileReading = createBodyMemory({
  maxBytes: 64 * maxBodyBytes,
  maxBytesOfOwner: 16 * maxBodyBytes,
  maxSeconds: 8,
})

/** @param times three minutes for a body by default */
export const createBodyReader = (times?: BodyTimes) => {
  const arriving = watchArrivingBodies(times)

  /**
   * Reads the request's body. Returns `too large` as soon as it is known to exceed `maxBytes`: from Content-Length
   * before reading, otherwise after the first byte too many.
   *
   * @throws AppError `invalid` if the body is compressed, or the client disconnects or is too slow; `unavailable` if there is no memory for the
   *   body
   */
  return async (asked: Asked, maxBytes: number, memory = memoryWhileReading): Promise<Uint8Array | 'too large'> => {
    const { request } = asked
    const announced = announcedBytes(request)
    if (announced !== null && announced > maxBytes) return 'too large'
    const isSmall = announced !== null && announced <= maxSmallBytes
    if (!isSmall && request.body === null) return new Uint8Array()
    if (announced !== 0) refuseCoding(request)
    const body = isSmall ? new SmallBody(asked, announced, memory) : new LargeBody(asked, announced, maxBytes, memory)
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
 * The value of Content-Length; null if it is missing. Bun accepts two equal headers and returns them as `5, 5`.
 *
 * @throws AppError `invalid` if it is not one number (RFC 9110 section 8.6)
 */
export const announcedBytes = (request: Request): number | null => {
  const text = request.headers.get('content-length')
  if (text === null) return null
  if (!/^\d+$/.test(text)) throw invalid({ field: 'Content-Length', message: 'must be one whole number' })
  return Number(text)
}

/** Refuses a compressed body: what it unpacks to has no limit. @throws AppError `invalid` */
const refuseCoding = (request: Request): void => {
  const coding = request.headers.get('content-encoding')
  if (coding === null || /^(identity)?$/i.test(coding)) return
  const message = `must be absent, is ${coding.slice(0, 100)}; compressed bodies are not supported`
  throw invalid({ field: 'Content-Encoding', message })
}

interface Body extends ArrivingBody {
  read(): Promise<Uint8Array | 'too large'>
  /** Releases the body's memory. */
  close(): void
}

/** Takes shared memory only if it is slow, which limits the number of slow bodies. */
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

/** If its length was not announced, it takes shared memory only once it is larger than a small body, or slow. */
class LargeBody implements Body {
  readonly startedAt = performance.now()
  hasMoreTime = false
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>
  private readonly chunks: Uint8Array[] = []
  private size = 0
  private heldBytes = 0
  private fault: AppError | undefined
  private share: BodyShare | undefined

  constructor(
    readonly asked: Asked,
    private readonly announced: number | null,
    private readonly maxBytes: number,
    private readonly memory: BodyMemory,
  ) {
    if (announced !== null) this.share = this.openShare()
    this.reader = (asked.request.body as ReadableStream).getReader()
  }

  get receivedBytes(): number | undefined {
    return this.announced === null && this.size <= maxSmallBytes ? undefined : this.size
  }

  async read(): Promise<Uint8Array | 'too large'> {
    for (;;) {
      const { done, value } = await this.reader.read().catch(() => {
        throw incomplete()
      })
      if (this.fault) throw this.fault
      if (done) break
      this.size += value.length
      if (this.size > this.maxBytes) return 'too large'
      if (this.announced !== null || this.size > maxSmallBytes || this.hasMoreTime) this.holdAll()
      this.chunks.push(value)
    }
    if (this.announced !== null && this.size !== this.announced) throw incomplete()
    await this.share?.finish()
    return Buffer.concat(this.chunks)
  }

  onSlow(): void {
    this.holdAll()
  }

  giveUp(error: AppError): void {
    this.fault = error
    this.cancel()
  }

  close(): void {
    // Tells the sender to stop. After the last piece this does nothing.
    this.cancel()
    for (const piece of this.chunks) freeBytes(piece)
    this.share?.release()
  }

  private holdAll(): void {
    this.share ??= this.openShare()
    this.share.hold(this.size - this.heldBytes)
    this.heldBytes = this.size
  }

  private openShare(): BodyShare {
    return this.memory.open(this.asked.owner(), (error) => this.giveUp(error))
  }

  private cancel(): void {
    void this.reader.cancel().catch(() => {})
  }
}

/**
 * Releases memory now. The garbage collector would do it much later: without this, a flood of bulk operations took 580
 * MiB instead of 490. The bytes can no longer be used.
 */
export const freeBytes = ({ buffer, byteLength }: Uint8Array): void => {
  // Small arrays are not worth it, and may share a buffer.
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isAlone && byteLength > 8192) buffer.transfer(0)
}

const incomplete = (): AppError => invalid({ field: 'body', message: 'ended before it was complete' })

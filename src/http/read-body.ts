import { type AppError, invalid, unavailable } from '../errors.ts'
import { type ArrivingBody, type Asked, type BodyTimes, watchArrivingBodies } from './arriving-bodies.ts'

/** Up to this size a body is read at once, which is less work than a stream; 10,000 of them still fit into memory. */
const maxSmallBytes = 32 * 1024
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

/** A body has three minutes to arrive, or these times. */
export const createBodyReader = (times?: BodyTimes) => {
  const arriving = watchArrivingBodies(times)

  /**
   * The bytes of the request's body, or `too large` as soon as it is known to be longer than `maxBytes`: from
   * Content-Length without reading any of it, otherwise after the byte that is too many.
   *
   * @throws AppError `invalid` when the client goes away in the middle or is too slow, `unavailable` when others hold
   *   the memory.
   */
  return async (asked: Asked, maxBytes: number, memory = memoryWhileReading): Promise<Uint8Array | 'too large'> => {
    const { request } = asked
    const announced = request.headers.get('content-length')
    if (announced !== null && Number(announced) > maxBytes) return 'too large'
    const isSmall = announced !== null && Number(announced) <= maxSmallBytes
    if (!isSmall && request.body === null) return new Uint8Array()
    const body = isSmall
      ? new SmallBody(asked, Number(announced), memory)
      : largeBody(asked, announced, maxBytes, memory)
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
    this.memory.hold(this.announced)
  }

  close(): void {
    if (this.hasMoreTime) this.memory.release(this.announced)
  }
}

const largeBody = (asked: Asked, announced: string | null, maxBytes: number, memory: BodyMemory): Body => {
  const reader: ReadableStreamDefaultReader<Uint8Array> = (asked.request.body as ReadableStream).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let heldBytes = 0
  let fault: AppError | undefined
  const cancel = (): void => void reader.cancel().catch(() => {})
  return {
    asked,
    startedAt: performance.now(),
    get receivedBytes() {
      return announced === null && size <= maxSmallBytes ? undefined : size
    },
    hasMoreTime: false,
    onSlow() {},
    giveUp(error) {
      fault = error
      cancel()
    },
    async read() {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw incomplete()
        })
        if (fault) throw fault
        if (done) {
          if (announced !== null && size !== Number(announced)) throw incomplete()
          return Buffer.concat(chunks)
        }
        size += value.length
        if (size > maxBytes) return 'too large'
        memory.hold(value.length)
        heldBytes += value.length
        chunks.push(value)
      }
    },
    close() {
      // After the last piece it does nothing; before, it tells the sender to stop.
      cancel()
      memory.release(heldBytes)
    },
  }
}

const incomplete = (): AppError => invalid({ message: 'body: ended before it was complete' })

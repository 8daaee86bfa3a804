import type { Context } from 'elysia'
import { type AppError, invalid } from '../base/errors.ts'
import { freeMemory, JoinedBytes, minPieceBytes } from '../base/joined-bytes.ts'
import { because } from '../languages/texts.ts'
import { type BodyMemory, type BodyShare, createBodyMemory } from './body-memory.ts'

/** Limit of a submission, and of an operation on one form. The fields of a form take at most a hundredth of it. */
export const maxBodyBytes = 1024 * 1024

/** Bodies up to this size are read at once, which is less work than a stream. 10,000 of them fit in memory. */
const maxSmallBytes = 32 * 1024

/**
 * Memory of bodies that are being read; they are released after parsing. It holds 64 submissions of the maximum size, 16
 * from one address.
 */
const memoryWhileReading = createBodyMemory({
  maxBytes: 64 * maxBodyBytes,
  maxBytesOfOwner: 16 * maxBodyBytes,
  maxSeconds: 8,
})

/**
 * Memory of uploads that are being read, whose files are passed on meanwhile: 96 of them that hold half a MiB, 16 from one
 * address. It is apart from that of other bodies, so that uploads take no room from texts. Bun holds up to 2 MiB of each
 * besides.
 */
const memoryOfUploads = createBodyMemory({
  maxBytes: 48 * maxBodyBytes,
  maxBytesOfOwner: 8 * maxBodyBytes,
  maxSeconds: 8,
})

/** Bun closes a connection after this time without traffic, or if a body arrives slower than 16 KiB/s. */
export const idleTimeoutSeconds = 30

/** Bun's limit. */
const maxIdleTimeoutSeconds = 255

export interface BodyTimes {
  /** Longest time for a whole body. */
  readonly maxMilliseconds: number
  /** Time before the minimum speed counts. Half of it must be less than the idle timeout, which is extended then. */
  readonly graceMilliseconds: number
  /** Each time this many bytes arrive, the body gets another second. */
  readonly minBytesPerSecond: number
}

/**
 * 400 kB at 5 kB/s take 80 seconds, so a text sent over a bad connection arrives. A larger body fails if it pauses for
 * half a minute, or stays below 4 kB/s for longer.
 */
const bodyTimes: BodyTimes = { maxMilliseconds: 180_000, graceMilliseconds: 30_000, minBytesPerSecond: 4000 }

/** 10 MB at 20 kB/s take 500 seconds. */
const uploadTimes: BodyTimes = { ...bodyTimes, maxMilliseconds: 600_000 }

/** Takes the pieces of a body while it arrives, so that it is never in memory as a whole. */
export interface PieceTaker {
  /** The next piece is read when this has resolved. The piece must not be used after that. */
  take(piece: Uint8Array): Promise<void>
  /** Bytes in memory of the pieces that were taken. */
  heldBytes(): number
}

/** The request whose body is read. Without a server, the idle timeout is not extended. */
export interface BodyRequest {
  readonly request: Request
  readonly server: Pick<NonNullable<Context['server']>, 'timeout'> | null
  /** The user or address whose share of the memory the body takes. Called only if it takes any. */
  readonly owner: () => string
}

/**
 * A function that reads bodies. It checks the time of all of them once a second, so a body that arrives at once needs no
 * timer and no call to Bun.
 */
export const createBodyReader = (times: BodyTimes = bodyTimes) => {
  const { graceMilliseconds } = times
  /** Those that are being read, the oldest first. */
  const bodies = new Set<Body>()
  let timer: Timer | undefined

  const checkTimes = (): void => {
    const now = performance.now()
    for (const body of bodies) {
      const milliseconds = now - body.startedAt
      if (milliseconds < graceMilliseconds / 2) break
      body.checkTime(milliseconds, times)
    }
    if (bodies.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /**
   * Reads the request's body. Returns `too large` as soon as it is known to exceed `maxBytes`: from Content-Length
   * before reading, otherwise after the first byte too many. With a taker, which large bodies may have, the result is empty.
   *
   * @throws AppError `invalid` if the body is compressed, or the client disconnects or is too slow; `unavailable` if
   *   there is no memory for the body. What the headers already show is thrown at once, and not by the promise.
   */
  return (
    bodyRequest: BodyRequest,
    maxBytes: number,
    memory = memoryWhileReading,
    taker?: PieceTaker,
  ): Promise<Uint8Array | 'too large'> => {
    const { request } = bodyRequest
    const announced = announcedBytes(request)
    if (announced !== null && announced > maxBytes) return Promise.resolve('too large')
    const isSmall = announced !== null && announced <= maxSmallBytes
    if (!isSmall && request.body === null) return Promise.resolve(new Uint8Array())
    if (announced !== 0) refuseCoding(request)
    const body = new Body(bodyRequest, announced, maxBytes, memory, taker)
    timer ??= setInterval(checkTimes, graceMilliseconds / 30).unref()
    return body.read(bodies)
  }
}

export const readBody = createBodyReader()

const readUploadBody = createBodyReader(uploadTimes)

/** Reads a body that may have files. Returns `too large` as `readBody` does. @throws AppError also what the taker throws */
export const readUpload = async (
  bodyRequest: BodyRequest,
  maxBytes: number,
  taker: PieceTaker,
): Promise<'too large' | 'complete'> => {
  const announced = announcedBytes(bodyRequest.request)
  if (announced === null || announced > maxSmallBytes) {
    const rest = await readUploadBody(bodyRequest, maxBytes, memoryOfUploads, taker)
    return rest === 'too large' ? rest : 'complete'
  }
  const body = await readBody(bodyRequest, maxBytes)
  if (body === 'too large') return body
  await taker.take(body)
  return 'complete'
}

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

/** A small body takes shared memory only if it is slow, which limits the number of slow bodies. */
class Body {
  readonly startedAt = performance.now()
  /** Bytes that have arrived; for a body that is read at once, all of them. */
  private size = 0
  private heldBytes = 0
  private pieces: JoinedBytes | undefined
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private share: BodyShare | undefined
  private fault: AppError | undefined
  private reject: ((fault: AppError) => void) | undefined
  /** Whether it may take longer than the idle timeout. */
  private hasMoreTime = false
  /** While it is being read. */
  private bodies: Set<Body> | undefined
  /** When Bun must be told again, in milliseconds since the start. */
  private nextTimeout = 0

  /** @throws AppError `unavailable` if a large body is announced for which there is no memory */
  constructor(
    private readonly bodyRequest: BodyRequest,
    private readonly announced: number | null,
    private readonly maxBytes: number,
    private readonly memory: BodyMemory,
    private readonly taker: PieceTaker | undefined,
  ) {
    if (this.isLarge) this.share = this.openShare()
  }

  read(bodies: Set<Body>): Promise<Uint8Array | 'too large'> {
    this.bodies = bodies
    bodies.add(this)
    return this.announced === null || this.isLarge
      ? this.readPieces().finally(() => this.end())
      : this.readAtOnce(this.announced)
  }

  /** Gives a slow body more time, or ends it. */
  checkTime(milliseconds: number, times: BodyTimes): void {
    try {
      this.refuseTooSlow(milliseconds, times)
      if (milliseconds < this.nextTimeout) return
      if (!this.hasMoreTime) this.holdAll()
      this.hasMoreTime = true
      const seconds = Math.ceil((times.maxMilliseconds - milliseconds) / 1000) + idleTimeoutSeconds
      this.setIdleTimeout(Math.min(seconds, maxIdleTimeoutSeconds))
      this.nextTimeout = milliseconds + (maxIdleTimeoutSeconds / 2) * 1000
    } catch (error) {
      this.fail(error as AppError)
    }
  }

  private end(): void {
    if (!this.bodies) return
    this.bodies.delete(this)
    this.bodies = undefined
    if (this.hasMoreTime) this.setIdleTimeout(idleTimeoutSeconds)
    // Tells the sender to stop. After the last piece this does nothing.
    this.cancel()
    this.pieces?.free()
    this.share?.release()
  }

  private readAtOnce(announced: number): Promise<Uint8Array> {
    this.size = announced
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    this.reject = reject
    this.bodyRequest.request.bytes().then(
      (bytes) => {
        resolve(bytes)
        this.end()
      },
      () => this.fail(incomplete()),
    )
    return promise
  }

  private async readPieces(): Promise<Uint8Array | 'too large'> {
    const pieces = new JoinedBytes()
    this.pieces = pieces
    this.reader = (this.bodyRequest.request.body as ReadableStream<Uint8Array>).getReader()
    for (;;) {
      const { done, value } = await this.reader.read().catch(() => {
        throw incomplete()
      })
      if (this.fault) throw this.fault
      if (done) break
      const { length } = value
      this.size += length
      if (this.size > this.maxBytes) return 'too large'
      if (this.taker) {
        await this.taker.take(value)
        freeMemory(value)
      }
      if (this.isLarge || this.hasMoreTime) this.holdAll()
      if (!this.taker) pieces.add(value)
      // In a later turn of the event loop. Until then, Bun joins what has arrived, and others are not kept waiting.
      if (length < minPieceBytes) await new Promise(setImmediate)
    }
    if (this.announced !== null && this.size !== this.announced) throw incomplete()
    await this.share?.finish()
    return pieces.join()
  }

  private get isLarge(): boolean {
    return this.size > maxSmallBytes || (this.announced ?? 0) > maxSmallBytes
  }

  private refuseTooSlow(milliseconds: number, times: BodyTimes): void {
    const { maxMilliseconds, graceMilliseconds, minBytesPerSecond } = times
    if (milliseconds >= maxMilliseconds)
      throw invalid({
        field: 'body',
        message: `must be sent within ${maxMilliseconds / 1000} seconds`,
        reason: because('interrupted'),
      })
    if (this.isLarge && milliseconds >= graceMilliseconds + (this.size / minBytesPerSecond) * 1000)
      throw invalid({
        field: 'body',
        message: `must be sent with at least ${minBytesPerSecond} bytes a second`,
        reason: because('interrupted'),
      })
  }

  /** @throws AppError `unavailable` if there is no memory for another slow or large body */
  private holdAll(): void {
    const bytes = this.taker ? this.taker.heldBytes() : this.size
    this.share ??= this.openShare()
    this.share.hold(bytes - this.heldBytes)
    this.heldBytes = bytes
  }

  private openShare(): BodyShare {
    return this.memory.open(this.bodyRequest.owner(), (fault) => this.fail(fault))
  }

  /** Stops reading: `read` rejects with this. */
  private fail(fault: AppError): void {
    this.fault = fault
    this.cancel()
    if (!this.reject) return
    this.reject(fault)
    this.end()
  }

  private cancel(): void {
    void this.reader?.cancel().catch(() => {})
  }

  /** The timeout also applies to later requests on the connection. */
  private setIdleTimeout(seconds: number): void {
    this.bodyRequest.server?.timeout(this.bodyRequest.request, seconds)
  }
}

const incomplete = (): AppError =>
  invalid({ field: 'body', message: 'ended before it was complete', reason: because('interrupted') })

import { minuteMilliseconds } from '../base/durations.ts'
import { describeError, unavailable } from '../base/errors.ts'
import type { Reporter } from './error-response.ts'
import type { Exchange } from './exchange.ts'

export interface EventStreams {
  /**
   * Responds with server-sent events: what `look` returns now, and each time that it has changed. The stream ends when
   * `look` returns null. If the owner has too many, the oldest one ends.
   *
   * @throws AppError `unavailable` if there are too many of all owners, or the server stops
   */
  open(exchange: Exchange, watched: Watched): Response
  /** Ends all streams, and refuses others from now on. */
  close(): void
}

interface Watched {
  /** User or address whose share of the streams it takes. */
  readonly owner: string
  /** State as text in one line, or null if the client may no longer see it. Called after each commit. */
  look(): string | null
}

interface Options {
  /** Returns another value when something was committed since the last call. */
  readonly version: () => unknown
  readonly report: Reporter
  readonly maxInAll?: number
  readonly maxOfOwner?: number
  readonly lookMilliseconds?: number
  /** Sends something this often, so that proxies keep the connection open and lost clients are noticed. nginx waits 60 s. */
  readonly beatMilliseconds?: number
  /** Bounds the memory for a client that reads nothing. Others connect again. */
  readonly maxMilliseconds?: number
}

const retryAfterSeconds = 30

/**
 * Streams of events for browsers. One timer looks for all of them whether something was committed, by this process or
 * another one. Without streams, there is no timer.
 */
export const openEventStreams = ({
  version,
  report,
  maxInAll = 500,
  maxOfOwner = 20,
  lookMilliseconds = 500,
  beatMilliseconds = 15_000,
  maxMilliseconds = 30 * minuteMilliseconds,
}: Options): EventStreams => {
  // Oldest first.
  const streams = new Set<EventStream>()
  let timer: Timer | undefined
  let seenVersion: unknown
  let lastBeat = 0
  let isClosed = false

  const lookAtAll = (): void => {
    const now = performance.now()
    const isBeat = now - lastBeat >= beatMilliseconds
    const present = version()
    if (present === seenVersion && !isBeat) return
    seenVersion = present
    if (isBeat) lastBeat = now
    for (const stream of streams)
      if (now - stream.startedAt >= maxMilliseconds) stream.end()
      else stream.look(isBeat)
  }

  const look = (): void => {
    try {
      lookAtAll()
    } catch (error) {
      // The file cannot be read. Clients that connect again get the same error.
      report(describeError(error), 'none')
      endAll()
    }
  }

  const endAll = (): void => {
    for (const stream of streams) stream.end()
  }

  const start = (): void => {
    seenVersion = version()
    lastBeat = performance.now()
    timer = setInterval(look, lookMilliseconds).unref()
  }

  const remove = (stream: EventStream): void => {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    open(exchange, watched) {
      const own = [...streams].filter(({ owner }) => owner === watched.owner)
      if (own.length >= maxOfOwner) own[0]?.end('end')
      if (isClosed || streams.size >= maxInAll) throw unavailable(retryAfterSeconds)
      const stream = new EventStream(watched, remove)
      streams.add(stream)
      try {
        if (!timer) start()
        stream.look(false)
      } catch (error) {
        remove(stream)
        throw error
      }
      // The connection ends with the stream, as it has no timeout from now on.
      exchange.server?.timeout(exchange.request, 0)
      exchange.whenSent = stream.whenEnded
      return new Response(stream.readable, { headers })
    },

    close() {
      isClosed = true
      endAll()
    },
  }
}

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
  // Otherwise nginx would buffer the events.
  'x-accel-buffering': 'no',
}

/** One stream. It holds nothing of the request, whose URL and headers may take 64 KiB. */
class EventStream {
  readonly startedAt = performance.now()
  readonly owner: string
  readonly readable: ReadableStream<Uint8Array>
  /** The bytes that were sent. */
  readonly whenEnded: Promise<number>
  private controller!: ReadableStreamDefaultController<Uint8Array>
  private state: string | null = null
  private sentBytes = 0
  /** Text to send next: of several states only the last one, if the client reads slowly. */
  private unsent = ''
  private onPulled: (() => void) | undefined
  private readonly resolveEnded: (sentBytes: number) => void

  constructor(
    private readonly watched: Watched,
    private readonly onEnd: (stream: EventStream) => void,
  ) {
    this.owner = watched.owner
    const { promise, resolve } = Promise.withResolvers<number>()
    this.whenEnded = promise
    this.resolveEnded = resolve
    this.readable = new ReadableStream({
      start: (controller) => {
        this.controller = controller
      },
      pull: () =>
        new Promise<void>((resolve) => {
          this.onPulled = resolve
          this.send()
        }),
      cancel: () => this.finish(),
    })
  }

  look(isBeat: boolean): void {
    const state = this.watched.look()
    if (state === null) {
      this.end('end')
      return
    }
    if (state !== this.state) this.unsent = `data: ${state}\n\n`
    else if (isBeat && this.unsent === '') this.unsent = ':\n\n'
    this.state = state
    this.send()
  }

  /** @param event tells the client not to connect again */
  end(event?: 'end'): void {
    if (event) this.enqueue(`event: ${event}\ndata:\n\n`)
    this.controller.close()
    this.finish()
  }

  private send(): void {
    if (!this.onPulled || this.unsent === '') return
    this.enqueue(this.unsent)
    this.unsent = ''
    this.onPulled()
    this.onPulled = undefined
  }

  private enqueue(text: string): void {
    const bytes = Buffer.from(text)
    this.sentBytes += bytes.length
    this.controller.enqueue(bytes)
  }

  private finish(): void {
    this.onPulled?.()
    this.onEnd(this)
    this.resolveEnded(this.sentBytes)
  }
}

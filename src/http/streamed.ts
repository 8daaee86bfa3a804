import { describeError } from '../base/errors.ts'
import type { Reporter } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import { idleTimeoutSeconds } from './read-body.ts'

/** A part of a long response: text, or bytes of UTF-8. */
export type JsonPart = string | Uint8Array

/** A response that the client saves as a file. */
export interface StreamedFile {
  readonly mediaType: string
  /** `Content-Disposition` */
  readonly disposition: string
  readonly parts: Iterator<JsonPart, void> | AsyncIterator<JsonPart, void>
  /** Whether it may take longer than the server's idle timeout to make the next part. */
  readonly isSlow?: boolean
  /** Whether the client may still read what it is made of. */
  readonly mayRead?: () => boolean
  /** Ends the sending, however little the client reads. Its reason is reported, unless it is a `BrokenOff`. */
  readonly signal?: AbortSignal
  /** Called when the file was sent, or the sending ended early. */
  close(): void
}

/**
 * Ends a response early without a report. Its source was deleted in the meantime, or the client may no longer read it,
 * which is not an error.
 */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}

const mayNoLongerRead = () => new BrokenOff('the client may no longer read the response')

interface Options {
  /**
   * Whether the client may still read the response, whose sending may take an hour. Called for each chunk, so it must not
   * take long: a file has up to 1,000 chunks a second.
   */
  readonly mayRead: () => boolean
  /** Called for every other error while parts are made. */
  readonly report: Reporter
  /** Bytes to collect before they are sent. Fewer take less memory for each client, but more time. */
  readonly minChunkBytes?: number
  /** The pause after each chunk, in which other requests are served. */
  readonly pauseMilliseconds?: number
  readonly signal?: AbortSignal
  /** Asks `mayRead` this often, too, whether or not the client reads anything and the next part is found. */
  readonly recheckMilliseconds?: number
  /** Called before each chunk is made, with 0, and then with the seconds that the client has for reading it. */
  readonly setIdleTimeout?: (seconds: number) => void
}

/**
 * Sends one part at a time. A file may have millions of lines that take some microseconds each. At full speed, the 99th
 * percentile of other requests was 20 times as long as without a file. At this pace, a million submissions take 25
 * seconds.
 */
const filePace = { minChunkBytes: 1, pauseMilliseconds: 1, recheckMilliseconds: 1000 }

/** Responds with a file, or with JSON as `streamedJson` does. */
export const streamed = (
  exchange: Exchange,
  answer: StreamedFile | Iterator<JsonPart, void>,
  options: Options,
): Response => {
  if (!('parts' in answer)) return streamedJson(exchange, answer, options)
  const { mediaType, disposition, parts, signal, isSlow, close, mayRead = () => true } = answer
  const { request, server } = exchange
  const setIdleTimeout = (seconds: number) => server?.timeout(request, seconds)
  const own = { ...(signal && { signal }), ...(isSlow && { setIdleTimeout }) }
  const paced = { ...filePace, ...options, ...own, mayRead: () => options.mayRead() && mayRead() }
  const response = streamedJson(exchange, parts, paced)
  exchange.headers['content-type'] = mediaType
  exchange.headers['content-disposition'] = disposition
  exchange.headers['cache-control'] ??= 'no-store'
  void exchange.whenSent?.then(close)
  return response
}

/**
 * Responds with JSON that is made while it is sent, and no faster than the client reads it. So only one part for each
 * client is in memory. Between two chunks, other requests are served. A client that reads nothing for as long as the
 * server's idle timeout is disconnected.
 *
 * @param parts makes each part when it is needed. If it throws, or the client may no longer read them, the connection is
 *   closed before the end of the response, so the client knows that the response is incomplete (RFC 9112 section 8).
 */
export const streamedJson = (exchange: Exchange, parts: StreamedFile['parts'], options: Options): Response => {
  const { mayRead, report, minChunkBytes = 64 * 1024, pauseMilliseconds = 0, signal, recheckMilliseconds } = options
  const { promise: sent, resolve: end } = Promise.withResolvers<number>()
  // While the client reads, only this stays in memory of the request. Its URL and headers may take 64 KiB.
  const { requestId } = exchange
  let sentBytes = 0
  let hasLeft = false
  let breakOff: (error: unknown) => void
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      breakOff = (error) => {
        if (hasLeft) return
        hasLeft = true
        controller.error(error)
        if (!(error instanceof BrokenOff)) report(describeError(error), requestId)
        end(sentBytes)
      }
      signal?.addEventListener('abort', () => breakOff(signal.reason))
      if (recheckMilliseconds === undefined) return
      const timer = setInterval(() => mayRead() || breakOff(mayNoLongerRead()), recheckMilliseconds).unref()
      void sent.then(() => clearInterval(timer))
    },
    async pull(controller) {
      // See `Reader.db`: not `setImmediate`.
      await Bun.sleep(pauseMilliseconds)
      // The client may have disconnected in the meantime, as it does after HEAD.
      if (hasLeft) return
      try {
        options.setIdleTimeout?.(0)
        const chunk = await nextChunk(parts, minChunkBytes)
        if (hasLeft) return
        options.setIdleTimeout?.(idleTimeoutSeconds)
        if (!mayRead()) throw mayNoLongerRead()
        sentBytes += chunk.length
        if (chunk.length > 0) return controller.enqueue(chunk)
        controller.close()
        end(sentBytes)
      } catch (error) {
        breakOff(error)
      }
    },
    cancel() {
      hasLeft = true
      end(sentBytes)
    },
  })
  exchange.headers['content-type'] = 'application/json'
  exchange.whenSent = sent
  return new Response(stream)
}

/** Empty if there are no more parts. */
const nextChunk = async (parts: StreamedFile['parts'], minBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < minBytes) {
    const next = parts.next()
    const { done, value } = next instanceof Promise ? await next : next
    if (done) break
    const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array)
    chunks.push(bytes)
    size += bytes.length
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

import { describeError } from '../errors.ts'
import type { Reporter } from './error-response.ts'
import type { Exchange } from './exchange.ts'

/** What a long answer consists of: text, or bytes of UTF-8. */
export type JsonPart = string | Uint8Array

/** What is saved as a file. */
export interface StreamedFile {
  readonly mediaType: string
  /** `Content-Disposition` */
  readonly disposition: string
  readonly parts: Iterator<JsonPart, void>
  /** Called when it was sent, or broken off. */
  close(): void
}

/** Ends an answer early without a report: what it was made of is gone, which is nobody's fault. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}

interface Options {
  /** Told of every other error while parts are made. */
  readonly report: Reporter
  /** Bytes that are gathered before they are sent: fewer take less memory for each client, and more time. */
  readonly minChunkBytes?: number
  /** After each chunk, so that other requests have the processor in between. */
  readonly pauseMilliseconds?: number
}

/**
 * A part at a time: a file may have millions of lines of some microseconds each. At full speed, the 99th percentile of
 * other requests was 20 times what it is while no file is sent. At this pace, a million submissions take 25 seconds.
 */
const filePace = { minChunkBytes: 1, pauseMilliseconds: 1 }

/** Answers with a file, or with JSON, as below. */
export const streamed = (
  exchange: Exchange,
  answer: StreamedFile | Iterator<JsonPart, void>,
  options: Options,
): Response => {
  if (!('parts' in answer)) return streamedJson(exchange, answer, options)
  const { mediaType, disposition, parts, close } = answer
  const response = streamedJson(exchange, parts, { ...options, ...filePace })
  exchange.headers['content-type'] = mediaType
  exchange.headers['content-disposition'] = disposition
  exchange.headers['cache-control'] = 'no-store'
  void exchange.whenSent?.then(close)
  return response
}

/**
 * Answers with JSON that is made while it is sent, and no faster than the client reads it: in memory is what one part
 * takes, for each client. Between two pieces other requests have their turn. A client that reads nothing for as long as
 * the server's idle time-out is disconnected.
 *
 * @param parts made when they are wanted. What it throws ends the connection before the end of the answer, by which
 *   clients know that it is not whole (RFC 9112 section 8).
 */
export const streamedJson = (
  exchange: Exchange,
  parts: Iterator<JsonPart, void>,
  { report, minChunkBytes = 64 * 1024, pauseMilliseconds = 0 }: Options,
): Response => {
  const { promise: sent, resolve: end } = Promise.withResolvers<number>()
  // All that is kept of the request while the client reads: a URL and headers may take 64 KiB.
  const { requestId } = exchange
  let sentBytes = 0
  let hasLeft = false
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise<void>((resolve) =>
        pauseMilliseconds > 0 ? setTimeout(resolve, pauseMilliseconds) : setImmediate(resolve),
      )
      // The client may have gone meanwhile, as after HEAD.
      if (hasLeft) return
      try {
        const chunk = nextChunk(parts, minChunkBytes)
        sentBytes += chunk.length
        if (chunk.length > 0) return controller.enqueue(chunk)
        controller.close()
      } catch (error) {
        controller.error(error)
        if (!(error instanceof BrokenOff)) report(describeError(error), requestId)
      }
      end(sentBytes)
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

/** Empty when there is no more. */
const nextChunk = (parts: Iterator<JsonPart, void>, minBytes: number): Uint8Array => {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < minBytes) {
    const { done, value } = parts.next()
    if (done) break
    const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array)
    chunks.push(bytes)
    size += bytes.length
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

import { pageHeaders } from '../html/frame.ts'
import type { Reporter } from '../http/error-response.ts'
import type { Exchange } from '../http/exchange.ts'
import { streamedJson } from '../http/streamed.ts'

/** Longer pages are sent in parts, and wait in memory for readers that are slow. */
export const maxSmallBytes = 16 * 1024
const maxWaitingBytes = 16 * 1024 * 1024

export type LongPages = ReturnType<typeof openLongPages>

/** Sends pages to visitors no faster than they read them: many who do not read would hold a copy each. */
export const openLongPages = (report: Reporter) => {
  let waitingBytes = 0

  return {
    /** Whether a page of so many bytes can be sent at present. */
    hasRoom: (bytes: number): boolean => bytes <= maxSmallBytes || waitingBytes + bytes <= maxWaitingBytes,

    /**
     * Sends the bytes one after the other; false if too much waits already.
     *
     * @param isShared whether they are in memory anyway
     */
    send(exchange: Exchange, bytes: readonly Uint8Array[], isShared = false): Response | false {
      const length = bytes.reduce((sum, part) => sum + part.length, 0)
      if (length <= maxSmallBytes) return new Response(Buffer.concat(bytes))
      const held = isShared ? 0 : length
      if (waitingBytes + held > maxWaitingBytes) return false
      waitingBytes += held
      const response = streamedJson(exchange, partsOf(bytes), { mayRead: () => true, report })
      void exchange.whenSent?.then(() => {
        waitingBytes -= held
      })
      exchange.headers['content-type'] = pageHeaders['content-type']
      return response
    },
  }
}

function* partsOf(all: readonly Uint8Array[]): Generator<Uint8Array, void> {
  for (const bytes of all)
    for (let at = 0; at < bytes.length; at += maxSmallBytes) yield bytes.subarray(at, at + maxSmallBytes)
}

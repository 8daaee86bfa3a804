import type { IncomingMessage } from 'node:http'
import { JoinedBytes } from '../base/joined-bytes.ts'
import { NoAnswerError } from './no-answer.ts'

interface Limits {
  /** More of a response is not read. */
  readonly maxBytes: number
  /** Nor are more chunks, for each of which there is an event: 64 KiB in chunks of one byte took 0.6 s. */
  readonly maxPieces: number
  /** The bytes to keep, from the beginning. */
  readonly keptBytes?: number
}

interface Read {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Why there is no more; null if that is the whole body. */
  readonly fault: Error | null
}

/** Reads the body of a response, however it is cut and however it ends. Never rejects. */
export const readAnswer = (
  response: IncomingMessage,
  { maxBytes, maxPieces, keptBytes = maxBytes }: Limits,
): Promise<Read> =>
  new Promise((resolve) => {
    const kept = new JoinedBytes()
    let [bytes, pieces] = [0, 0]
    const end = (fault: Error | null): void => {
      // Bytes that have arrived are still parsed, with an event for each piece.
      response.off('data', take).destroy()
      resolve({ bytes: kept.join(), fault })
    }
    const take = (piece: Buffer): void => {
      if (bytes < keptBytes) kept.add(piece.subarray(0, keptBytes - bytes))
      bytes += piece.length
      if (bytes > maxBytes || ++pieces > maxPieces)
        end(new NoAnswerError(`The response is larger than ${maxBytes} bytes, or in too many pieces`))
    }
    response
      .on('data', take)
      .on('end', () => end(null))
      .on('error', end)
      .on('close', () => end(new NoAnswerError('The response was cut off')))
  })

import type { IncomingMessage } from 'node:http'
import type { Networks } from '../config/networks.ts'
import { isSafe } from '../config/oidc-settings.ts'
import { JoinedBytes } from '../joined-bytes.ts'
import { noAnswerTo, sendGuarded } from '../outgoing/guarded-request.ts'
import { NoAnswerError } from '../outgoing/no-answer.ts'

interface Options {
  readonly issuer: URL
  /** Addresses that are not public, and may be connected to nevertheless. */
  readonly allowed: Networks
  readonly maxMilliseconds?: number
}

/** What the library gives to `fetch`. */
interface Init {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Metadata, keys and tokens are some kilobytes. */
const maxAnswerBytes = 256 * 1024
/** Nor more chunks, for each of which there is an event. */
const maxAnswerPieces = 5000

/**
 * Sends requests to the provider that the operator chose, and to the addresses that it names. The host of the issuer may
 * have any address, because many providers run in a private network. The other hosts have to be public or allowed, so that
 * a provider cannot lead this server to its neighbours. Time and size of an answer are bounded.
 */
export const providerRequest =
  ({ issuer, allowed, maxMilliseconds = 5000 }: Options) =>
  async (address: string, { method, headers, body }: Init): Promise<Response> => {
    const url = new URL(address)
    if (!isSafe(url)) throw new NoAnswerError('The provider names an address that is not https')
    return await sendGuarded(url, {
      method,
      headers,
      ...(method === 'POST' && { body: Buffer.from(String(body ?? '')) }),
      allowed: url.hostname === issuer.hostname ? null : allowed,
      signal: AbortSignal.timeout(maxMilliseconds),
      read: (response) => read(response, method),
    })
  }

const read = (response: IncomingMessage, method: string): Promise<Response> =>
  new Promise((resolve, reject) => {
    const joined = new JoinedBytes()
    let [bytes, pieces] = [0, 0]
    const { statusCode: status = 0, headers } = response
    const end = (): void => {
      const type = headers['content-type']
      const init = { status, headers: type === undefined ? {} : { 'content-type': type } }
      // A `Response` with these must not have a body.
      if (status < 200 || status > 599) reject(noAnswerTo(method))
      else resolve(new Response([204, 205, 304].includes(status) ? null : joined.join(), init))
    }
    const take = (piece: Buffer): void => {
      bytes += piece.length
      if (bytes <= maxAnswerBytes && ++pieces <= maxAnswerPieces) return void joined.add(piece)
      response.off('data', take).destroy()
      reject(
        new NoAnswerError(`The answer of the provider is larger than ${maxAnswerBytes} bytes, or in too many pieces`),
      )
    }
    response
      .on('data', take)
      .on('end', end)
      .on('error', reject)
      .on('close', () => reject(new NoAnswerError('The answer of the provider was cut off')))
  })

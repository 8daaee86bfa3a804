import type { IncomingMessage } from 'node:http'
import type { Networks } from '../../config/networks.ts'
import { isSafe } from '../../config/values.ts'
import { noAnswerTo, sendGuarded } from '../guarded-request.ts'
import { NoAnswerError } from '../no-answer.ts'
import { readAnswer } from '../read-answer.ts'

interface Options {
  readonly issuer: URL
  /** Addresses that are not public, and may be connected to nevertheless. */
  readonly allowed: Networks
  readonly maxMilliseconds?: number
}

/** The options with which the library calls `fetch`. */
interface Init {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Metadata, keys and tokens are some kilobytes. */
const limits = { maxBytes: 256 * 1024, maxPieces: 5000 }

/**
 * Sends requests to the provider that the operator chose, and to the addresses that it names. The host of the issuer may
 * have any address, because many providers run in a private network. The other hosts have to be public or allowed, so that
 * a provider cannot lead this server to its neighbours. Time and size of a response are bounded.
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

const read = async (response: IncomingMessage, method: string): Promise<Response> => {
  const { bytes, fault } = await readAnswer(response, limits)
  if (fault) throw fault
  const { statusCode: status = 0, headers } = response
  if (status < 200 || status > 599) throw noAnswerTo(method)
  const type = headers['content-type']
  const init = { status, headers: type === undefined ? {} : { 'content-type': type } }
  // A `Response` with these must not have a body.
  return new Response([204, 205, 304].includes(status) ? null : bytes, init)
}

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { version } from '../../package.json'
import type { Networks } from '../config/networks.ts'
import { isSafe } from '../config/oidc-settings.ts'
import { checkedLookup } from '../outgoing/checked-lookup.ts'
import { NoAnswerError, refusedAddress } from '../outgoing/no-answer.ts'
import { isReachable } from '../outgoing/public-address.ts'

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
/** Nor more chunks, each of which would take memory of its own. */
const maxAnswerPieces = 5000
const maxHeaderBytes = 16 * 1024

/**
 * Sends requests to the provider that the operator chose, and to the addresses that it names. The host of the issuer may
 * have any address, because many providers run in a private network. The other hosts have to be public or allowed, so that
 * a provider cannot lead this server to its neighbours. Redirects are not followed, nothing is decompressed, and time and
 * size of an answer are bounded.
 */
export const providerRequest =
  ({ issuer, allowed, maxMilliseconds = 5000 }: Options) =>
  (address: string, { method, headers, body }: Init): Promise<Response> =>
    new Promise((resolve, reject) => {
      const url = new URL(address)
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      if (!isSafe(url)) throw new NoAnswerError('The provider names an address that is not https')
      const isOwn = url.hostname === issuer.hostname
      if (!isOwn && isIP(host) !== 0 && !isReachable(allowed, host)) throw refusedAddress()
      const text = body === undefined || body === null ? '' : String(body)
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = send({
        method,
        host,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: {
          ...headers,
          host: url.host,
          'user-agent': `Formbox/${version}`,
          'accept-encoding': 'identity',
          ...(method === 'POST' && { 'content-length': Buffer.byteLength(text) }),
        },
        ...(!isOwn && { lookup: checkedLookup(allowed) }),
        // The shared agent would send this through a connection whose address was checked long ago.
        agent: false,
        maxHeaderSize: maxHeaderBytes,
        // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
        rejectUnauthorized: true,
        signal: AbortSignal.timeout(maxMilliseconds),
      })
      request
        .on('response', (response) => read(response).then(resolve, reject))
        .on('upgrade', (_response, socket) => {
          socket.destroy()
          reject(new NoAnswerError('What came back is no answer'))
        })
        .on('error', reject)
        .on('close', () => reject(new NoAnswerError('The connection ended before there was an answer')))
        .end(text)
    })

const read = (response: IncomingMessage): Promise<Response> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    const { statusCode: status = 0, headers } = response
    const end = (): void => {
      const type = headers['content-type']
      const init = { status, headers: type === undefined ? {} : { 'content-type': type } }
      // A `Response` with these must not have a body.
      if (status < 200 || status > 599) reject(new NoAnswerError('What came back is no answer'))
      else resolve(new Response([204, 205, 304].includes(status) ? null : Buffer.concat(pieces), init))
    }
    const take = (piece: Buffer): void => {
      bytes += piece.length
      if (bytes <= maxAnswerBytes && pieces.length < maxAnswerPieces) return void pieces.push(piece)
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

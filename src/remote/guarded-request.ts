import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { version } from '../../package.json'
import type { Networks } from '../config/networks.ts'
import { checkedLookup, usualResolver } from './checked-lookup.ts'
import { NoAnswerError, refusedAddress } from './no-answer.ts'
import { refuseOffline } from './offline.ts'
import { isReachable } from './public-address.ts'
import type { Resolver } from './resolver.ts'

interface Guarded<T> {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent for none. */
  readonly body?: Uint8Array
  /** Addresses that are not public, and may be connected to nevertheless; null for any address. */
  readonly allowed: Networks | null
  readonly signal: AbortSignal
  readonly resolver?: Resolver | undefined
  /** Reads the response, and bounds it. */
  readonly read: (response: IncomingMessage) => Promise<T>
}

const maxHeaderBytes = 16 * 1024
/** Responses such as 103 that announce another one. */
const maxInterimAnswers = 10

/**
 * One request to a URL that someone else chose, on a connection of its own, to an address that is checked at the moment of
 * connecting. Follows no redirect, decompresses nothing and ignores proxy settings. Rejects if there is no response.
 */
export const sendGuarded = <T>(
  url: URL,
  { method, headers, body, allowed, signal, resolver = usualResolver, read }: Guarded<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    refuseOffline()
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    // Node does not look an address up, so `lookup` would not check it.
    if (allowed && isIP(host) !== 0 && !isReachable(allowed, host)) throw refusedAddress()
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
        ...(body && { 'content-length': body.byteLength }),
      },
      ...(allowed && { lookup: checkedLookup(allowed, resolver) }),
      // The shared agent would send this through a connection whose address was checked long ago.
      agent: false,
      maxHeaderSize: maxHeaderBytes,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      signal,
    })
    const giveUp = (error: Error): void => {
      resolver.forget(host)
      reject(error)
      request.destroy()
    }
    let interimAnswers = 0
    request
      // From now on only `read` decides.
      .on('response', (response) => resolve(read(response)))
      .on('information', () => {
        if (++interimAnswers > maxInterimAnswers) giveUp(noAnswerTo(method))
      })
      .on('upgrade', (_response, socket) => {
        socket.destroy()
        giveUp(noAnswerTo(method))
      })
      .on('error', giveUp)
      .on('close', () => reject(new NoAnswerError('The connection ended before there was a response')))
      .end(body)
  })

export const noAnswerTo = (method: string): NoAnswerError =>
  new NoAnswerError(`The response does not fit a ${method} request`)

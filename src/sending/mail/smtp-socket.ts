import { isIP, connect as netConnect, type Socket } from 'node:net'
import { isPrivate } from '../../config/networks.ts'
import type { SmtpServer } from '../../config/smtp-url.ts'
import type { Resolver } from '../../remote/resolver.ts'

/**
 * Opens a connection to the mail server, for nodemailer, which would resolve its name otherwise than all other names are:
 * without the hosts file, and for five minutes. Rejects as nodemailer does.
 *
 * @param milliseconds the longest time, with the lookup
 */
export const openSocket = async (
  { host, port, isPlain }: Pick<SmtpServer, 'host' | 'port' | 'isPlain'>,
  resolver: Resolver,
  milliseconds: number,
): Promise<Socket> => {
  const signal = AbortSignal.timeout(milliseconds)
  try {
    const addresses = await inTime(addressesOf(host, resolver), signal)
    if (isPlain && !addresses.every(({ address }) => isPrivate(address)))
      throw Object.assign(new Error(`${host} is public`), { code: 'ETLS', originalCode: 'PUBLIC' })
    return await connect(port, host, addresses, signal)
  } catch (error) {
    resolver.forget(host)
    throw error
  }
}

const addressesOf = async (host: string, resolver: Resolver) => {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  try {
    return await resolver.resolve(host)
  } catch (error) {
    const { code = '' } = error as { readonly code?: string }
    const originalCode = code.replace(/^DNS_/, '')
    // The system knows more names than DNS, such as those of mDNS. It may take long, so only the operator's are asked for.
    const found = originalCode === 'ENOTFOUND' ? await Bun.dns.lookup(host, { backend: 'system' }).catch(() => []) : []
    if (found.length > 0) return found
    throw Object.assign(new Error(`${host} was not found`), { code: 'EDNS', originalCode })
  }
}

const inTime = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(tooLate('EDNS')))
    promise.then(resolve, reject)
  })

const connect = (
  port: number,
  host: string,
  addresses: readonly { readonly address: string; readonly family: number }[],
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = netConnect({
      port,
      host,
      autoSelectFamily: true,
      lookup: (_host, _options, callback) => callback(null, [...addresses]),
    })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    const stop = () => fail(tooLate('ETIMEDOUT'))
    signal.addEventListener('abort', stop)
    socket
      .once('connect', () => {
        signal.removeEventListener('abort', stop)
        resolve(socket)
      })
      // Stays, for errors between two listeners of nodemailer.
      .on('error', (error: Error & { code?: string }) =>
        fail(Object.assign(error, { originalCode: error.code, code: 'ESOCKET' })),
      )
  })

const tooLate = (code: string): Error => Object.assign(new Error('Connection timeout'), { code })

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError, describeError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { hostAndPort } from '../config/values.ts'
import { idleTimeoutSeconds } from '../http/read-body.ts'
import type { App } from './app.ts'

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; use --port or FORMBOX_PORT to name another one',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'permission denied; ports below 1024 usually need root',
  EAFNOSUPPORT: 'this machine has no IPv6',
  EINVAL: 'a server cannot listen on this address',
}

/** No limit: the code that reads a body has one, and answers with a reason. Unread bytes use no memory. */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER

/** Bytes of a request's line and headers: 1,000 identifiers in the query of a bulk deletion take 33,000. */
const maxHeaderBytes = 64 * 1024

/** @throws AppError `unavailable` if another process listens there, or the machine has no such host or address */
export const listen = async (app: App, { host, port }: Config) => {
  await allowLongHeaders()
  try {
    // As the image does it: a kernel without IPv6 must not keep the server from starting.
    const addresses = host === '::' ? ['::', '0.0.0.0'] : await hostAddresses(host)
    listenOnFirst(app, addresses, port)
  } catch (error) {
    const { code } = error as { code?: unknown }
    const reason = error instanceof AppError ? error.message : (listenErrors[String(code)] ?? describeError(error))
    throw new AppError('unavailable', `cannot listen on ${hostAndPort({ host, port })}: ${reason}`)
  }
  const server = app.server as NonNullable<typeof app.server>
  // The name that was given, not the address that it has at the moment.
  const url = isIP(host) ? server.url : new URL(`http://${host}:${server.port}`)
  return { server, url: url.origin }
}

/**
 * The executable has the limit as a flag of Bun (`COMPILE` in the Makefile), and a start need not load `node:http`, which
 * takes 1.5 ms. Otherwise Bun reads it from there.
 */
const allowLongHeaders = async (): Promise<void> => {
  if (process.execArgv.includes(`--max-http-header-size=${maxHeaderBytes}`)) return
  const { default: http } = await import('node:http')
  Object.assign(http, { maxHeaderSize: maxHeaderBytes })
}

/** In many containers, `localhost` also has an IPv6 address that the container lacks. Then the next address is tried. */
const listenOnFirst = (app: App, addresses: readonly string[], port: number): void => {
  const [hostname = '', ...others] = addresses
  try {
    app.listen({
      hostname,
      port,
      reusePort: false,
      development: false,
      idleTimeout: idleTimeoutSeconds,
      maxRequestBodySize,
    })
  } catch (error) {
    const isMissing = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(String((error as { code?: unknown }).code))
    if (!isMissing || others.length === 0) throw error
    listenOnFirst(app, others, port)
  }
}

/**
 * The addresses of a host to try to listen on: IPv6 first, in Bun's order. An address is returned as it is. Bun can
 * resolve names itself, but reports only the last error.
 *
 * @throws AppError `unavailable` that says why the name has no address
 */
export const hostAddresses = async (host: string): Promise<string[]> => {
  if (isIP(host)) return [host]
  try {
    const found = await lookup(host, { all: true })
    return found.sort((one, other) => other.family - one.family).map(({ address }) => address)
  } catch (error) {
    throw new AppError('unavailable', toReason((error as { code?: unknown }).code))
  }
}

/** Explains a resolver's error code to the operator. */
export const toReason = (code: unknown): string => {
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'there is no host with this name'
  return `the name cannot be resolved at the moment (${code})`
}

import type { IncomingMessage } from 'node:http'
import { describeError, invalid } from '../base/errors.ts'
import { OperatorError } from '../base/operator-errors.ts'
import { healthPath } from '../config/addresses.ts'
import { parseAddress } from '../config/config.ts'
import type { Command } from './command.ts'
import { variableFlags } from './flags.ts'

/** Docker and others start a check every few seconds. One must end before the next. */
const timeoutMilliseconds = 5000

export const healthcheck: Command = {
  words: ['healthcheck'],
  summary: 'check a running server; the exit code is 0 if it is healthy',
  flags: [
    { name: 'host', value: 'HOST', help: 'address the server listens on (FORMBOX_HOST)' },
    { name: 'port', value: 'PORT', help: 'port the server listens on (FORMBOX_PORT)' },
  ],
  run: async (flags) => {
    const { host, port } = parseAddress(process.env, variableFlags(flags))
    if (port === 0)
      throw invalid({ field: 'port', message: 'must not be 0; use --port to name the port the server listens on' })
    const [first = '', second] = (anywhere[host] ?? [host]).map((address) => urlOf(address, port))
    await check(first).catch((error: unknown) => {
      if (second === undefined) throw error
      return check(second)
    })
    return 0
  },
}

/** A server that listens on all addresses of the machine is asked on a loopback address. Many containers have no `::1`. */
const anywhere: Readonly<Record<string, readonly string[]>> = { '0.0.0.0': ['127.0.0.1'], '::': ['::1', '127.0.0.1'] }

const urlOf = (address: string, port: number): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}${healthPath.route}`

/** @throws OperatorError unless it responds that it is healthy */
const check = async (url: string): Promise<void> => {
  const status = await ask(url).catch((error: unknown) => {
    throw new OperatorError(`${url} does not respond: ${describeError(error)}`)
  })
  if (status !== 200) throw new OperatorError(`${url} responded with ${status}`)
}

/** Returns the status. Does not use `fetch`, which would send the request through `HTTP_PROXY`. */
const ask = async (url: string): Promise<number | undefined> => {
  // Loaded here, because it takes 6 ms, and every command would wait for it.
  const { request } = await import('node:http')
  const signal = AbortSignal.timeout(timeoutMilliseconds)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    signal.addEventListener('abort', () =>
      reject(new Error(`no response within ${timeoutMilliseconds / 1000} seconds`)),
    )
    request(url, { signal, agent: false }, resolve).on('error', reject).end()
  })
  answer.destroy()
  return answer.statusCode
}

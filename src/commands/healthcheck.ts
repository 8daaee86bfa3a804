import { type IncomingMessage, request } from 'node:http'
import { describeError, OperatorError, UsageError } from '../errors.ts'
import type { Command } from './command.ts'
import { configFor } from './setting-flags.ts'

/** Docker and others start a check every few seconds: none may outlast the next. */
const timeoutMilliseconds = 5000

export const healthcheck: Command = {
  words: ['healthcheck'],
  summary: 'ask a running server whether it is well; the exit code is 0 if it is',
  flags: [
    { name: 'host', value: 'H', help: 'address at which it listens (FORMBOX_HOST)' },
    { name: 'port', value: 'P', help: 'port at which it listens (FORMBOX_PORT)' },
  ],
  run: async (flags) => {
    const { host, port } = configFor(flags)
    if (port === 0) throw new UsageError('healthcheck needs --port: with 0 the server chose one that nobody else knows')
    const url = `http://${reachable(host)}:${port}/healthz`
    const status = await ask(url).catch((error: unknown) => {
      throw new OperatorError(`${url} does not answer: ${describeError(error)}`)
    })
    if (status !== 200) throw new OperatorError(`${url} answers ${status}`)
    return 0
  },
}

/** A server that listens on every address of a machine is asked at the one that never leaves it. */
const reachable = (host: string): string => {
  const address = anywhere[host] ?? host
  return address.includes(':') ? `[${address}]` : address
}
const anywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The status of the answer. Not by `fetch`, which would send it through the proxy of `HTTP_PROXY`. */
const ask = async (url: string): Promise<number | undefined> => {
  const signal = AbortSignal.timeout(timeoutMilliseconds)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${timeoutMilliseconds / 1000} seconds`)))
    request(url, { signal, agent: false }, resolve).on('error', reject).end()
  })
  answer.destroy()
  return answer.statusCode
}

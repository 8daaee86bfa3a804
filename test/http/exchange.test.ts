import { expect, test } from 'bun:test'
import { Exchange } from '../../src/http/exchange.ts'
import { idleTimeoutSeconds } from '../../src/http/read-body.ts'
import { afterThisTest } from '../harness.ts'

/** A server that closes a connection after a second without traffic, and answers after two. */
const serve = (answer: (exchange: Exchange, afterTwoSeconds: () => Promise<string>) => Promise<string>) => {
  const timeouts: number[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 1,
    async fetch(request, bun) {
      const timeout = (of: Request, seconds: number): void => {
        timeouts.push(seconds)
        bun.timeout(of, seconds)
      }
      const exchange = new Exchange(request, { timeout } as ConstructorParameters<typeof Exchange>[1], {})
      return new Response(await answer(exchange, () => Bun.sleep(2000).then(() => 'done')))
    },
  })
  afterThisTest(() => server.stop(true))
  return { timeouts, get: () => fetch(server.url, { keepalive: false }).then((response) => response.text()) }
}

test('a connection is kept open for as long as it takes, and has its timeout again afterwards', async () => {
  const { timeouts, get } = serve((exchange, work) => exchange.keepOpen(work))
  expect(await get()).toBe('done')
  expect(timeouts).toEqual([0, idleTimeoutSeconds])
})

test('a connection that is kept open has its timeout again after an error', async () => {
  const { timeouts, get } = serve((exchange) =>
    exchange.keepOpen(() => Promise.reject(new Error('refused'))).catch(({ message }) => message),
  )
  expect(await get()).toBe('refused')
  expect(timeouts).toEqual([0, idleTimeoutSeconds])
})

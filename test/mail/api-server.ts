// Providers that answer as a test says: any of their APIs, and servers of tokens.
import { afterThisTest } from '../harness.ts'

export interface Arrived {
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** Each byte of a body is a character. */
export type Answering = (request: Arrived, number: number) => Response | Promise<Response>

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers })

/** Starts a server on this machine, which ends after the test. */
export const startApi = (answer: Answering = () => json({ id: 'x1' })) => {
  const requests: Arrived[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = Buffer.from(await request.arrayBuffer()).toString('latin1')
      const arrived = { path: pathname, headers: request.headers, body }
      requests.push(arrived)
      return await answer(arrived, requests.length)
    },
  })
  afterThisTest(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, requests }
}

/** Gives the tokens `token-1`, `token-2` and so on. */
export const startTokens = (answer?: Answering) =>
  startApi(answer ?? ((_, number) => json({ token_type: 'Bearer', access_token: `token-${number}`, expires_in: 3600 })))

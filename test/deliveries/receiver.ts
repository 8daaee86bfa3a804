// A receiver of webhooks: a real HTTP server that counts what arrives.
import { newId } from '../../src/base/id.ts'
import { webhookWrites } from '../../src/forms/webhooks/webhook-writes.ts'
import { afterThisTest, type User, writeTo } from '../harness.ts'

export interface Arrived {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: string
}

/** @param answer what it answers; 204 unless a test says otherwise */
export const startReceiver = (answer: (arrived: Arrived, position: number) => Response | Promise<Response> = ok) => {
  const arrived: Arrived[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path, searchParams: query } = new URL(request.url)
      const one = { path, query, headers: request.headers, body: await request.text() }
      arrived.push(one)
      return await answer(one, arrived.length - 1)
    },
  })
  afterThisTest(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, arrived }
}

const ok = () => new Response(null, { status: 204 })

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Adds a webhook to a form as another process would, and returns its identifier. */
export const addWebhook = (folder: string, user: Pick<User, 'id'>, formId: string, url: string): string => {
  const id = newId(Date.now())
  const { host } = new URL(url)
  const webhook = { userId: user.id, formId, id, url, host, format: 'standard' as const, description: null, secret }
  writeTo(folder, (db) => webhookWrites(db).createWebhook(webhook))
  return id
}

/** The settings of a server that may post to this machine. */
export const allowed = { FORMBOX_WEBHOOK_ALLOW: '127.0.0.1' }

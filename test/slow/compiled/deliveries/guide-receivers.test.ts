// The receivers of docs/webhooks.md run as they are written, and get what a real Formbox sends.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { type Documented, startDocumented } from '../../../deliveries/documented-receiver.ts'
import { allowed, startReceiver } from '../../../deliveries/receiver.ts'
import { addWebhook, deliveriesOf, untilDelivered } from '../../../deliveries/through-api.ts'
import { blocksOf } from '../../../guide-parts.ts'
import { noteSkipped } from '../../../skips.ts'
import { slowly, until } from '../../../until.ts'
import { world } from '../../../world.ts'

const page = await Bun.file(join(import.meta.dir, '../../../../docs/webhooks.md')).text()
const [inJavaScript = ''] = blocksOf(page, 'Verify the signature', 'js')

const bun = process.execPath
const receivers: readonly (Documented & { readonly name: string })[] = [
  { name: 'JavaScript with Node', program: 'node', file: 'receiver.mjs', code: inJavaScript },
  { name: 'JavaScript with Bun', program: bun, file: 'receiver.mjs', code: inJavaScript },
]

const contentOf = (message: string) => ({ message, name: 'Ünï 😀\u001b[31m' })

describe.each(receivers.map((receiver) => [receiver.name, receiver] as const))('%s', (name, receiver) => {
  const isMissing = Bun.which(receiver.program) === null
  if (isMissing) noteSkipped(`The receiver of docs/webhooks.md in ${name} is not tested: no ${receiver.program} here.`)

  /** Formbox sends to a server that keeps what arrives and passes it on to the receiver. */
  const setUp = async () => {
    const { server, ada, formId } = await world({ environment: allowed })
    let target = ''
    const { url, arrived } = startReceiver(async ({ headers, body }) => {
      const { status } = await fetch(target, { method: 'POST', headers: signedHeaders(headers), body })
      return new Response(null, { status })
    })
    const { id, secret } = await addWebhook(ada, formId, url)
    const running = await startDocumented(receiver, secret)
    target = running.url
    return { server, ada, formId, webhookId: id, secret, arrived, running, url }
  }

  test.skipIf(isMissing)('takes what Formbox sends, also while the secret is changed', async () => {
    const { server, ada, formId, webhookId, arrived, running } = await setUp()
    const first = await server.submit(formId, contentOf('first'))
    await untilDelivered(ada, formId, first)
    await until(
      () => running.output().includes(first) && running.output().includes('first'),
      'the receiver has printed both',
      slowly,
    )
    // What a visitor sent has no effect on a terminal.
    expect(running.output()).not.toContain('\u001b')
    await ada.call('POST', `/forms/${formId}/webhooks/${webhookId}/rotate`)
    const second = await server.submit(formId, contentOf('second'))
    await untilDelivered(ada, formId, second)
    expect(arrived.map(({ headers }) => headers.get('webhook-signature')?.split(' ').length)).toEqual([1, 2])
    const { body } = await ada.call('POST', `/forms/${formId}/webhooks/${webhookId}/test`)
    expect(body.status).toBe(204)
  })

  test.skipIf(isMissing)('refuses what Formbox signs with another secret', async () => {
    const { server, ada, running, url } = await setUp()
    const other = await ada.createForm()
    await addWebhook(ada, other, url)
    await server.submit(other, contentOf('first'))
    await until(
      async () => (await deliveriesOf(ada, other))[0]?.lastStatus === 401,
      'the delivery is answered with 401',
    )
    expect(running.output()).toBe('')
  })

  test.skipIf(isMissing)('refuses what is forged, changed or old', async () => {
    const { server, ada, formId, arrived, running, secret } = await setUp()
    await untilDelivered(ada, formId, await server.submit(formId, contentOf('first')))
    const [{ headers, body } = arrived[0] as (typeof arrived)[0]] = arrived
    const real = signedHeaders(headers)
    const id = real['webhook-id'] as string
    const signature = real['webhook-signature'] as string
    const send = async (changed: Record<string, string>, text = body): Promise<number> => {
      const given = Object.fromEntries(Object.entries({ ...real, ...changed }).filter(([, value]) => value !== 'none'))
      return (await fetch(running.url, { method: 'POST', headers: given, body: text })).status
    }
    const signedAt = (seconds: number) => ({
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
    })
    const now = Math.floor(Date.now() / 1000)
    const wrong = `v1,${Buffer.alloc(32, 1).toString('base64')}`

    const accepted = {
      'as it was': {},
      'two signatures': { 'webhook-signature': `${wrong} ${signature}` },
      fresh: signedAt(now - 200),
    }
    for (const [what, changed] of Object.entries(accepted)) expect(await send(changed), what).toBe(204)

    const refused: Record<string, Record<string, string>> = {
      'a wrong signature': { 'webhook-signature': wrong },
      'no signature': { 'webhook-signature': 'none' },
      'an empty signature': { 'webhook-signature': 'v1,' },
      'half a signature': { 'webhook-signature': signature.slice(0, 20) },
      'a signature of another scheme': { 'webhook-signature': signature.replace('v1,', 'v2,') },
      'a signature that is not ASCII': { 'webhook-signature': 'v1,\u00e9\u00ff' },
      'another identifier': { 'webhook-id': `${id}0` },
      'no identifier': { 'webhook-id': 'none' },
      'another time': { 'webhook-timestamp': String(Number(real['webhook-timestamp']) - 1) },
      'no time': { 'webhook-timestamp': 'none' },
      'a time that is none': { 'webhook-timestamp': 'now' },
      'a request of six minutes ago': signedAt(now - 360),
      'a request of the future': signedAt(now + 360),
    }
    for (const [what, changed] of Object.entries(refused)) expect(await send(changed), what).toBe(401)
    expect(await send({}, `${body} `), 'another body').toBe(401)
    expect(await send({}, 'x'.repeat(5_000_000)), 'a body of 5 MB').toBeGreaterThanOrEqual(400)
    await breakOff(running.port)

    expect(await send({}), 'as it was, after all this').toBe(204)
    expect(running.isAlive()).toBeTrue()
    const printed = () => running.output().split('formId').length - 1
    await until(() => printed() >= 5, 'the receiver has printed five', slowly)
    expect(printed()).toBe(5)
  })
})

test('the receivers compare in constant time', () => {
  expect(inJavaScript).toContain('timingSafeEqual(')
  for (const { code } of receivers) expect(code).not.toMatch(/(signature|expected|sent) ?(===?|!==?)/)
})

const signedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('webhook-')))

/** A client that goes away in the middle of a body. */
const breakOff = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{', () =>
        socket.resetAndDestroy(),
      )
    })
    socket.on('close', () => resolve()).on('error', () => {})
  })

/** A form with a webhook to a server that keeps what arrives. */

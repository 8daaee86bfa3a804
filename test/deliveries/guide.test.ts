// What docs/being-told.md says and shows: its receivers run as they are written, and get what a real Formbox sends.
import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { delayAfter, maxAttempts } from '../../src/outbox/schedule.ts'
import { blocksOf, rowsOf, sectionOf, unquoted } from '../guide-parts.ts'
import { type Server, serverWithUser, type User } from '../harness.ts'
import { until } from '../until.ts'
import { type Documented, startDocumented, workerHost } from './documented-receiver.ts'
import { allowed, startReceiver } from './receiver.ts'

// Programs start slowly where many tests run at the same time.
setDefaultTimeout(30_000)

const page = await Bun.file(join(import.meta.dir, '../../docs/being-told.md')).text()
const [inJavaScript = '', worker = ''] = blocksOf(page, 'Verify the signature', 'js')
const [inPython = ''] = blocksOf(page, 'Verify the signature', 'python')

const bun = process.execPath
const receivers: readonly (Documented & { readonly name: string })[] = [
  { name: 'JavaScript with Node', program: 'node', file: 'receiver.mjs', code: inJavaScript },
  { name: 'JavaScript with Bun', program: bun, file: 'receiver.mjs', code: inJavaScript },
  { name: 'Python', program: 'python3', file: 'receiver.py', code: inPython },
  { name: 'the worker', program: bun, file: 'worker.mjs', code: worker, host: workerHost },
]

const addWebhook = async (user: User, formId: string, url: string): Promise<{ id: string; secret: string }> =>
  (await user.call('POST', `/forms/${formId}/webhooks`, { url })).body

const deliveriesOf = async (user: User, formId: string) =>
  (await user.call('GET', `/forms/${formId}/deliveries`)).body.deliveries as {
    readonly id: string
    readonly submissionId: string
    readonly state: string
    readonly lastStatus: number | null
  }[]

const untilDelivered = (user: User, formId: string, submissionId: string): Promise<void> =>
  until(async () =>
    (await deliveriesOf(user, formId)).some((one) => one.submissionId === submissionId && one.state === 'delivered'),
  )

const contentOf = (message: string) => ({ message, name: 'Ünï 😀\u001b[31m' })

describe.each(receivers.map((receiver) => [receiver.name, receiver] as const))('%s', (name, receiver) => {
  const isMissing = Bun.which(receiver.program) === null
  if (isMissing)
    console.log(`The receiver of docs/being-told.md in ${name} is not tested: no ${receiver.program} here.`)

  /** Formbox sends to a server that keeps what arrives and passes it on to the receiver. */
  const setUp = async () => {
    const { server, ada } = await serverWithUser(allowed)
    const formId = await ada.createForm()
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
    await until(() => running.output().includes(first) && running.output().includes('first'))
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
    await until(async () => (await deliveriesOf(ada, other))[0]?.lastStatus === 401)
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
    await until(() => printed() >= 5)
    expect(printed()).toBe(5)
  })
})

test('the receivers compare in constant time', () => {
  expect(inJavaScript).toContain('timingSafeEqual(')
  expect(inPython).toContain('hmac.compare_digest(')
  expect(worker).toContain('crypto.subtle.verify(')
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
const withWebhook = async () => {
  const { server, ada } = await serverWithUser(allowed)
  const { url, arrived } = startReceiver()
  const formId = await ada.createForm()
  const webhook = await addWebhook(ada, formId, url)
  return { server, ada, formId, webhook, url, arrived }
}

test('the headers and the body are those that are shown', async () => {
  const { server, ada, formId, webhook, arrived } = await withWebhook()
  const [shown = ''] = blocksOf(page, 'What arrives', 'json')
  const { data } = JSON.parse(shown).data
  await untilDelivered(ada, formId, await server.submit(formId, data))
  await ada.call('POST', `/forms/${formId}/webhooks/${webhook.id}/test`)
  const [submission, trial] = arrived
  const ofEveryRequest = ['accept-encoding', 'connection', 'content-length', 'host']
  const names = [...(submission?.headers.keys() ?? [])].filter((name) => !ofEveryRequest.includes(name))
  expect(
    rowsOf(page, 'What arrives')
      .map(([name]) => unquoted(name))
      .sort(),
  ).toEqual(names.sort())
  expect(shapeOf(JSON.parse(submission?.body ?? ''))).toEqual(shapeOf(JSON.parse(shown)))
  expect(JSON.parse(submission?.body ?? '').data.data).toEqual(data)
  expect(JSON.parse(trial?.body ?? '')).toEqual({
    type: 'webhook.test',
    timestamp: expect.any(String),
    data: { formId },
  })
})

/** An object with the kind and the length of each text instead of the text. */
const shapeOf = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'string' ? `${one.length} characters` : one)))

test('the table stores a submission once, however often it arrives', async () => {
  const { server, ada, formId, arrived } = await withWebhook()
  const submissionId = await server.submit(formId, { a: '1' })
  await untilDelivered(ada, formId, submissionId)
  const [delivery] = await deliveriesOf(ada, formId)
  await ada.call('POST', `/forms/${formId}/deliveries/${delivery?.id}/retry`)
  await until(() => arrived.length === 2)
  await untilDelivered(ada, formId, await server.submit(formId, { a: '2' }))

  const db = new Database(':memory:')
  const [sql = ''] = blocksOf(page, 'Answer, and do it once', 'sql')
  const [create = '', insert = ''] = sql.split('\n')
  db.run(create)
  for (const { headers, body } of arrived)
    db.query(insert).run({ ':id': headers.get('webhook-id') as string, ':body': body })
  const rows = db.query('SELECT id FROM arrived').all() as { id: string }[]
  expect(arrived).toHaveLength(3)
  expect(rows).toHaveLength(2)
  expect(rows.map(({ id }) => id)).toContain(delivery?.id as string)
})

test('the schedule is the one that is kept', () => {
  const text = sectionOf(page, 'If it fails').replaceAll('\n', ' ')
  const list = /come after (.*?), and up to a tenth later/.exec(text)?.[1] ?? ''
  const units: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 }
  const shown = [...list.matchAll(/(\d+) (s|min|h)/g)].map(([, count, unit = '']) => Number(count) * (units[unit] ?? 0))
  const kept = Array.from({ length: maxAttempts - 1 }, (_, i) => delayAfter(i + 1, 0, null))
  expect(shown).toEqual(kept as number[])
  expect(delayAfter(1, 1, null)).toBe(5500)
  expect(delayAfter(maxAttempts, 0, null)).toBeNull()
})

const hasCurl = Bun.which('curl') !== null
if (!hasCurl) console.log("The tests of docs/being-told.md's commands are skipped: there is no curl here.")

test.skipIf(!hasCurl)('the commands work', async () => {
  const { server, ada, formId, webhook, url } = await withWebhook()
  await untilDelivered(ada, formId, await server.submit(formId, { a: '1' }))
  const [delivery] = await deliveriesOf(ada, formId)
  const [webhooks = '', failures = ''] = ['Webhooks', 'If it fails'].flatMap((heading) => blocksOf(page, heading, 'sh'))
  const [create = '', trial = ''] = webhooks.split('\n')
  const [list = '', retry = ''] = failures.split('\n')
  const run = (command: string) =>
    runInShell(server, ada, command, {
      FORM_ID: formId,
      WEBHOOK_ID: webhook.id,
      DELIVERY_ID: delivery?.id ?? '',
      'https://example.com/hook': url,
    })
  expect(await run(create)).toEqual({ id: expect.any(String), secret: expect.stringMatching(/^whsec_/) })
  expect(await run(trial)).toMatchObject({ status: 204, error: null })
  expect(await run(list)).toMatchObject({ deliveries: [] })
  expect(await run(retry)).toEqual({ success: true })
})

/** Runs a command with the variables of the quick start, and parses what it prints. */
const runInShell = async (server: Server, user: User, command: string, names: Record<string, string>) => {
  const line = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), command)
  const shell = Bun.spawn(['sh', '-c', line.replace('curl', 'curl -sS --fail-with-body')], {
    env: {
      PATH: process.env.PATH ?? '',
      api: `${server.url}/api/v1`,
      auth: `Authorization: Bearer ${user.key}`,
      json: 'Content-Type: application/json',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, complaints] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ])
  expect(complaints).toBe('')
  return JSON.parse(printed)
}

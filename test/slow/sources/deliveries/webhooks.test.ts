// What a webhook receives from the running service, from the submission to the receiver's answer.
import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { addWebhook, allowed, secret, startReceiver } from '../../../deliveries/receiver.ts'
import { startServer } from '../../../harness.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'
import { world } from '../../../world.ts'

const stateOf = (folder: string, submission: string): unknown =>
  rowsOf(folder, 'SELECT state FROM deliveries WHERE submission = ?', submission)[0]?.state

describe('a webhook', () => {
  test('gets each submission once, signed, with what was sent', async () => {
    const { server, ada, formId } = await world({ environment: allowed })
    const { url, arrived } = startReceiver()
    addWebhook(server.folder, ada, formId, `${url}/hook?from=formbox`)
    const data = { name: 'Ada', tags: ['a', 'b'], text: 'zß水🍌\n"' }
    const id = await server.submit(formId, data)
    await until(() => stateOf(server.folder, id) === 'delivered', 'the submission is delivered')
    expect(arrived).toHaveLength(1)
    const [{ headers, body, path } = arrived[0] as (typeof arrived)[0]] = arrived
    expect(path).toBe('/hook')
    expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual({
      type: 'submission.created',
      timestamp: expect.any(String),
      data: { id, formId, data, createdAt: expect.any(String) },
    })
  })

  test('gets a submission of 1 MiB whole', async () => {
    const { server, ada, formId } = await world({ environment: allowed })
    const { url, arrived } = startReceiver()
    addWebhook(server.folder, ada, formId, url)
    const text = 'é"'.repeat(200_000)
    const id = await server.submit(formId, { text })
    await until(() => stateOf(server.folder, id) === 'delivered', 'the submission is delivered')
    expect(JSON.parse(arrived[0]?.body as string).data.data.text === text).toBeTrue()
  })

  test('gets an address of each file, which works without a key, and new ones when it is sent again', async () => {
    const { server, ada, formId } = await world({
      server: await startServer({ settings: { ...allowed, FORMBOX_URL: 'https://forms.example.com' } }),
    })
    const { url, arrived } = startReceiver()
    addWebhook(server.folder, ada, formId, url)
    const body = new FormData()
    const contents = ['first', 'second', '']
    for (const [i, content] of contents.entries()) body.append('files', new File([content], `${i}.txt`))
    body.append('cv', new File(['alone'], 'cv.txt'))
    expect((await server.fetch(`/s/${formId}`, { method: 'POST', body })).status).toBeLessThan(400)
    await until(() => arrived.length === 1, 'the submission has arrived')
    const filesOf = (position: number) => {
      const { data } = JSON.parse(arrived[position]?.body ?? '').data
      return [...data.files, data.cv] as { url: string }[]
    }
    const read = async ({ url }: { url: string }) =>
      await (await server.fetch(url.replace('https://forms.example.com', ''))).text()
    expect(await Promise.all(filesOf(0).map(read))).toEqual([...contents, 'alone'])

    const submission = JSON.parse(arrived[0]?.body ?? '').data.id as string
    await until(() => stateOf(server.folder, submission) === 'delivered', 'the submission is delivered')
    const [delivery] = (await ada.call('GET', `/forms/${formId}/deliveries`)).body.deliveries
    const second = Number(arrived[0]?.headers.get('webhook-timestamp'))
    await until(() => Date.now() >= (second + 1) * 1000, 'the next second, which the next address has in it')
    expect((await ada.call('POST', `/forms/${formId}/deliveries/${delivery.id}/retry`)).status).toBeLessThan(300)
    await until(() => arrived.length === 2, 'it has arrived again')
    expect(filesOf(1)[0]?.url).not.toBe(filesOf(0)[0]?.url as string)
    expect(await Promise.all(filesOf(1).map(read))).toEqual([...contents, 'alone'])
    expect((await ada.call('DELETE', `/forms/${formId}/submissions/${submission}`)).status).toBe(200)
    const gone = await Promise.all([...filesOf(0), ...filesOf(1)].map(read))
    for (const answer of gone) expect(answer).toContain('File not found')
  })

  test('gets a submission again, with the same identifier, when it did not take it', async () => {
    const { server, ada, formId } = await world({ environment: allowed })
    const { url, arrived } = startReceiver(
      (_, position) => new Response('busy', { status: position === 0 ? 503 : 200 }),
    )
    addWebhook(server.folder, ada, formId, url)
    const id = await server.submit(formId, { a: '1' })
    // The second attempt is five seconds after the first one.
    await until(() => stateOf(server.folder, id) === 'delivered', 'the submission is delivered', slowly)
    expect(arrived).toHaveLength(2)
    expect(arrived[1]?.headers.get('webhook-id')).toBe(arrived[0]?.headers.get('webhook-id') as string)
    const [row] = rowsOf(server.folder, 'SELECT log, attempts FROM deliveries WHERE submission = ?', id)
    expect(row?.attempts).toBe(2)
    expect(JSON.parse(row?.log as string)).toMatchObject([
      { status: 503, answer: 'busy' },
      { status: 200, error: null },
    ])
  })

  test('is switched off by 410', async () => {
    const { server, ada, formId } = await world({ environment: allowed })
    const { url } = startReceiver(() => new Response(null, { status: 410 }))
    addWebhook(server.folder, ada, formId, url)
    const id = await server.submit(formId, { a: '1' })
    await until(() => stateOf(server.folder, id) === 'failed', 'the delivery has failed')
    const [receiver] = rowsOf(server.folder, 'SELECT is_enabled, disabled_reason FROM receivers ORDER BY number DESC')
    expect(receiver).toEqual({
      is_enabled: 0,
      disabled_reason: 'It responded with 410, which means that it is gone for good.',
    })
  })

  test('on an address of this network is not contacted unless the operator allows it', async () => {
    const { server, ada, formId } = await world()
    const { url, arrived } = startReceiver()
    addWebhook(server.folder, ada, formId, url)
    const id = await server.submit(formId, { a: '1' })
    const log = () => rowsOf(server.folder, 'SELECT log FROM deliveries WHERE submission = ?', id)[0]?.log as string
    await until(() => log() !== '[]', 'the attempt is written down')
    expect(JSON.parse(log())).toMatchObject([{ status: null, error: expect.stringContaining('FORMBOX_WEBHOOK_ALLOW') }])
    expect(arrived).toEqual([])
  })

  test('that never answers holds up no other, and no stop of the server', async () => {
    const server = await startServer({ settings: allowed })
    const ada = await server.signUp()
    const dead = startReceiver(() => new Promise(() => {}))
    const well = startReceiver()
    const [first, second] = [await ada.createForm(), await ada.createForm()]
    addWebhook(server.folder, ada, first, dead.url)
    addWebhook(server.folder, ada, second, well.url)
    for (let i = 0; i < 30; i++) await server.submit(first, { i })
    for (let i = 0; i < 30; i++) await server.submit(second, { i })
    await until(() => well.arrived.length === 30 && dead.arrived.length >= 4, 'thirty have arrived, and four wait')
    expect(dead.arrived).toHaveLength(4)
    await server.stop()
    // Those under way were broken off: none has waited until its time was over, which would be in its log.
    const pending = "SELECT count(*) AS count, max(log) AS log FROM deliveries WHERE state = 'pending'"
    expect(rowsOf(server.folder, pending)).toEqual([{ count: 30, log: '[]' }])
  })

  test('is told what waited while the server was off', async () => {
    const { url, arrived } = startReceiver()
    const { server, ada, formId } = await world({
      server: await startServer({ settings: { FORMBOX_WEBHOOK_ALLOW: '10.0.0.1' } }),
    })
    addWebhook(server.folder, ada, formId, url)
    const ids = [await server.submit(formId, { a: '1' }), await server.submit(formId, { a: '2' })]
    await server.stop()
    await startServer({ folder: server.folder, settings: allowed })
    // The second attempts are five seconds after the first ones.
    await until(() => arrived.length === 2, 'both have arrived', slowly)
    expect(arrived.map(({ body }) => JSON.parse(body).data.id).sort()).toEqual(ids)
  })
})

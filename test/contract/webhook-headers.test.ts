import { describe, expect, test } from 'bun:test'
import { allowed, startReceiver } from '../deliveries/receiver.ts'
import { serverWithUser, takeReported } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { world } from '../world.ts'

const hidden = '•••'
const key = 'secret-key-4711'
const headers = { Authorization: `Bearer ${key}`, 'X-Team': 'blue' }

const withWebhook = async (body: object = { headers }) => {
  const { server, ada, formId: form } = await world({ environment: allowed })
  // Like a server that says what it was sent.
  const receiver = startReceiver(
    ({ headers }) => new Response(`you sent ${JSON.stringify(Object.fromEntries(headers))}`, { status: 500 }),
  )
  const path = `/forms/${form}/webhooks`
  const created = await ada.call('POST', path, { url: receiver.url, ...body })
  expect(created.status).toBe(200)
  const { id } = created.body
  const call = (method: string, sent?: unknown, rest = '') => ada.call(method, `${path}/${id}${rest}`, sent)
  const stored = () =>
    rowsOf<{ headers: string | null }>(server.folder, 'SELECT headers FROM receivers WHERE id = ?', id)[0]?.headers
  return { server, ada, form, path, id, created, call, receiver, stored }
}

describe('the headers of a webhook', () => {
  test('are sent with a submission and with a test, beside those of Formbox', async () => {
    const { server, form, call, receiver } = await withWebhook()
    await call('POST', undefined, '/test')
    await server.submit(form, { a: 1 })
    await until(() => receiver.arrived.length > 1, 'both arrive')
    for (const { headers: arrived } of receiver.arrived) {
      expect(arrived.get('authorization')).toBe(`Bearer ${key}`)
      expect(arrived.get('x-team')).toBe('blue')
      expect(arrived.get('content-type')).toBe('application/json')
      expect(arrived.get('webhook-signature')).toStartWith('v1,')
    }
  })

  test('are shown without their values, wherever they are', async () => {
    const { server, ada, form, path, created, call, receiver } = await withWebhook()
    const shown = { Authorization: hidden, 'X-Team': hidden }
    const found = await call('GET')
    expect(found.body.headers).toEqual(shown)
    const tested = await call('POST', undefined, '/test')
    expect(tested.body.answer).toContain(`"authorization":"${hidden}"`)
    await server.submit(form, { a: 1 })
    await until(() => receiver.arrived.length > 1, 'it arrives')
    const deliveries = async () => await ada.call('GET', `/forms/${form}/deliveries`)
    await until(async () => (await deliveries()).body.deliveries[0].lastStatus === 500, 'the attempt is written down')
    const answers = [created, found, tested, await ada.call('GET', path), await deliveries()].map(({ body }) =>
      JSON.stringify(body),
    )
    expect(answers.join()).not.toContain(key)
    expect(
      rowsOf(server.folder, 'SELECT log FROM deliveries')
        .map((row) => JSON.stringify(row))
        .join(),
    ).not.toContain(key)
    expect(takeReported().join()).not.toContain(key)
  })

  test('are shown without their password, if the receiver names it', async () => {
    const { ada, form } = await withWebhook()
    const [user, password] = ['ada', 'my:pass-4711']
    const { url } = startReceiver(() => new Response(`${user} is not ${password}`, { status: 401 }))
    const Authorization = `Basic ${btoa(`${user}:${password}`)}`
    const { id } = (await ada.call('POST', `/forms/${form}/webhooks`, { url, headers: { Authorization } })).body
    const tested = await ada.call('POST', `/forms/${form}/webhooks/${id}/test`)
    expect(tested.body).toMatchObject({ status: 401, answer: `ada is not ${hidden}` })
  })

  test('are kept by a change that does not name them, and by one with what is shown', async () => {
    const { call, stored } = await withWebhook()
    const before = stored()
    await call('PATCH', { description: 'x' })
    expect(stored()).toBe(before as string)
    expect((await call('PATCH', (await call('GET')).body)).status).toBe(200)
    expect(stored()).toBe(before as string)
    expect((await call('PATCH', { headers: { authorization: hidden, 'X-Other': 'new' } })).status).toBe(200)
    expect(JSON.parse(stored() as string)).toEqual([
      { name: 'authorization', value: `Bearer ${key}` },
      { name: 'X-Other', value: 'new' },
    ])
    expect((await call('PATCH', { headers: {} })).status).toBe(200)
    expect(stored()).toBeNull()
  })

  test('go to no other host or path: who enters one has to know them', async () => {
    const { call, stored, receiver } = await withWebhook()
    const before = stored()
    const message = `headers: must have the values again instead of ${hidden}, or be empty, because the URL leads elsewhere`
    const other = startReceiver(() => new Response())
    for (const changes of [{}, { headers: { Authorization: hidden } }, { headers: { ...headers, 'X-Team': hidden } }])
      for (const url of [other.url, 'https://example.com/', 'https://hooks.example:9/', `${receiver.url}/elsewhere`]) {
        const refused = await call('PATCH', { url, ...changes })
        expect([refused.status, refused.body.issues]).toEqual([400, [{ message, path: '/headers' }]])
      }
    expect(stored()).toBe(before as string)
    expect((await call('PATCH', { url: other.url, headers: { 'X-Team': 'red' } })).status).toBe(200)
    expect((await call('PATCH', { url: 'https://example.com:443/', headers: {} })).status).toBe(200)
    expect((await call('PATCH', { headers })).status).toBe(200)
    // The same host and port, but in clear.
    expect((await call('PATCH', { url: 'http://example.com:443/' })).status).toBe(400)
  })

  test('are copied with the form, and go with the webhook', async () => {
    const { server, ada, form, path, id, stored } = await withWebhook()
    const copy = (await ada.call('POST', `/forms/${form}/duplicate`)).body.id
    expect((await ada.call('GET', `/forms/${copy}/webhooks`)).body.webhooks[0].headers).toEqual({
      Authorization: hidden,
      'X-Team': hidden,
    })
    const all = () =>
      rowsOf<{ headers: string | null }>(
        server.folder,
        'SELECT headers FROM receivers WHERE form IN (SELECT number FROM forms WHERE id IN (?, ?))',
        form,
        copy,
      )
    expect(all().map((row) => row.headers)).toEqual([stored() as string, stored() as string])
    await server.submit(form, { a: 1 })
    expect((await ada.call('DELETE', `${path}/${id}`)).status).toBe(200)
    expect(all().filter((row) => row.headers !== null)).toHaveLength(1)
    expectSound(server.folder)
  })

  const names = `must have names of 1 to 100 letters, digits and any of !#$%&'*+-.^_\`|~`
  const value = 'must have a value of 1 to 2000 characters of ASCII, without spaces at the ends for X-A'
  const shape = 'must be an object of the values of headers by their names'
  test.each<[object | string | null, string]>([
    ...[null, 'X-A: b', [], [{ name: 'X-A', value: 'b' }], { 'X-A': 1 }, { 'X-A': null }].map(
      (sent): [object | string | null, string] => [sent, shape],
    ),
    ...['', 'X A', 'X-A:', 'Ü', 'X\r\nHost', 'x'.repeat(101), 'X(A)', '"'].map((name): [object, string] => [
      { [name]: 'b' },
      names,
    ]),
    ...['', ' ', ' a', 'a ', 'a\r\nHost: b', 'a\0', 'ü', '\u007f', `${hidden} `, 'x'.repeat(2001)].map(
      (one): [object, string] => [{ 'X-A': one }, value],
    ),
    ...[
      'Host',
      'content-length',
      'Content-Type',
      'Content-Anything',
      'Connection',
      'Keep-Alive',
      'Transfer-Encoding',
      'TE',
    ]
      .concat(['Trailer', 'Upgrade', 'Expect', 'Date', 'User-Agent', 'Accept-Encoding', 'Proxy-Authorization', 'Via'])
      .concat(['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Webhook-Signature', 'webhook-id'])
      .map((name): [object, string] => [
        { [name]: 'b' },
        `must not have ${name}, which is set by Formbox or on the way`,
      ]),
    [{ 'X-A': 'b', 'x-a': 'c' }, 'must have x-a once, in whatever case'],
    [{ 'X-A': hidden }, `must have the value of X-A: there is none that ${hidden} stands for`],
    [Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, 'a'])), 'must be at most 10; got 11'],
  ])('refuses %j', async (sent, message) => {
    const { ada, path, call, stored } = await withWebhook({})
    for (const answer of [
      await ada.call('POST', path, { url: 'https://example.com', headers: sent }),
      await call('PATCH', { headers: sent }),
    ]) {
      expect(answer.status).toBe(400)
      const [issue] = answer.body.issues
      expect(answer.body.issues).toHaveLength(1)
      // What is no text can be written in several ways.
      if (!/well-formed/.test(issue.message))
        expect(issue).toEqual({ message: `headers: ${message}`, path: '/headers' })
    }
    expect(stored()).toBeNull()
  })

  test.each([
    { "x!#$%&'*+-.^_`|~9": 'a' },
    { Cookie: 'a=b', Authorization: `Basic ${'x'.repeat(200)}`, __proto__x: 'a\tb c' },
    Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`X-${n}`, 'a'])),
  ])('takes %j', async (sent) => {
    const { stored } = await withWebhook({ headers: sent })
    expect(JSON.parse(stored() as string)).toEqual(Object.entries(sent).map(([name, value]) => ({ name, value })))
  })

  test('are what a URL with a user name and a password is told to use', async () => {
    const { ada, path, call } = await withWebhook({})
    const url = 'https://ada:secret@example.com/'
    for (const { status, body } of [await ada.call('POST', path, { url }), await call('PATCH', { url })]) {
      expect(status).toBe(400)
      expect(body.issues[0].message).toContain('belong in headers as "Authorization: Basic"')
      expect(JSON.stringify(body)).not.toContain('secret')
    }
  })
})

describe('the page of a webhook', () => {
  test('takes headers one a line, shows their names, and keeps their values', async () => {
    const { server } = await serverWithUser(allowed)
    const page = await owner(server)
    const own = await page.api.createForm()
    const { url } = startReceiver(() => new Response('ok'))
    const add = (typed: string) =>
      page.post(`/forms/${own}/settings/told/new`, { url, kind: 'program', headers: typed })
    expect((await add(`Authorization:Bearer ${key}\r\n\r\n X-Team : blue \r\n`)).status).toBe(303)
    const [webhook] = (await page.api.call('GET', `/forms/${own}/webhooks`)).body.webhooks
    expect(webhook.headers).toEqual({ Authorization: hidden, 'X-Team': hidden })
    const { html } = await page.get(`/forms/${own}/settings/told/${webhook.id}`)
    expect(html).toContain(`>\nAuthorization: ${hidden}\nX-Team: ${hidden}</textarea>`)
    expect(html).not.toContain(key)
    const change = (fields: object) => page.post(`/forms/${own}/settings/told/${webhook.id}`, { url, ...fields })
    expect((await change({ headers: `X-Team: red\nauthorization: ${hidden}` })).status).toBe(303)
    const [row] = rowsOf<{ headers: string }>(server.folder, 'SELECT headers FROM receivers WHERE id = ?', webhook.id)
    expect(JSON.parse(row?.headers ?? '[]')).toEqual([
      { name: 'X-Team', value: 'red' },
      { name: 'authorization', value: `Bearer ${key}` },
    ])
    for (const [typed, message] of [
      ['nothing', 'Must be one header a line, such as Authorization: Bearer and a token.'],
      ['X-A: 1\nX-A: 2', 'Must have each name once.'],
      ['Host: a', 'Must not have Host, which is set by Formbox or on the way.'],
      [`X-New: ${hidden}`, 'Must have the value of X-New'],
    ] as const) {
      const refused = await change({ headers: typed })
      expect(refused.status).toBe(400)
      expect(refused.html).toContain(`id="headers-error">${message}`)
    }
    const moved = await change({ url: 'https://evil.example/', headers: `authorization: ${hidden}` })
    expect(moved.status).toBe(400)
    expect(moved.html).toContain('because the URL leads elsewhere')
    expect((await add(`X-New: ${hidden}`)).html).toContain('id="headers-error">Must have the value of X-New')
  })
})

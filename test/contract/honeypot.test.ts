import { describe, expect, test } from 'bun:test'
import { defaultSettings } from '../default-settings.ts'
import { serverWithUser } from '../harness.ts'

const prepare = async (honeypot?: string) => {
  const { server, ada } = await serverWithUser()
  const formId = await ada.createForm()
  const path = `/forms/${formId}`
  const name = async (trap: string) => ada.call('PATCH', `${path}/settings`, { honeypot: trap })
  if (honeypot !== undefined) expect((await name(honeypot)).status).toBe(200)
  const post = async (body: RequestInit['body'], type?: string) =>
    server.fetch(`/s/${formId}`, {
      method: 'POST',
      body: body ?? null,
      ...(type && { headers: { 'content-type': type } }),
    })
  const dataOf = (rows: { data: object }[]) => rows.map(({ data }) => data)
  return {
    ada,
    formId,
    name,
    post,
    settings: async () => (await ada.call('GET', `${path}/settings`)).body,
    keys: async () => (await ada.call('GET', path)).body.keys,
    listed: async () => dataOf((await ada.call('GET', `${path}/submissions`)).body.submissions),
    spam: async () => dataOf((await ada.call('GET', `${path}/spam`)).body.spam),
  }
}

const urlencoded = 'application/x-www-form-urlencoded'
const json = 'application/json'

describe('the setting honeypot', () => {
  test.each(['website', '_Gotcha', 'a[b]', ' x ', '🦊'.repeat(64), '__proto__', '"><script>', '_gotcha'])(
    'may be %j, which makes that field the trap',
    async (honeypot) => {
      const { post, settings, listed, spam, keys } = await prepare(honeypot)
      expect(await settings()).toEqual({ ...defaultSettings, honeypot })

      expect((await post(new URLSearchParams({ name: 'Robot', [honeypot]: 'x' }))).status).toBe(200)
      expect((await post(new URLSearchParams({ name: 'Ada', [honeypot]: '' }))).status).toBe(200)

      expect(await spam()).toEqual([{ name: 'Robot' }])
      expect(await listed()).toEqual([{ name: 'Ada' }])
      expect(await keys()).toEqual(['name'])
    },
  )

  test.each(
    [
      ...['_next', '_subject', '_replyto', '_idempotency', '_challenge', '', ' ', 'x'.repeat(65), '🦊'.repeat(65)],
      ...[null, 1, true, [], ['website'], {}],
    ].map((honeypot) => [honeypot]),
  )('cannot be %j', async (honeypot) => {
    const { ada, formId, settings } = await prepare()
    const { status, body } = await ada.call('PATCH', `/forms/${formId}/settings`, { honeypot })
    expect(status).toBe(400)
    const message =
      'honeypot: must be 1 to 64 characters, not only white space, and none of _next, _subject, _replyto, _idempotency, _challenge'
    expect(body.issues).toEqual([{ message, path: '/honeypot' }])
    expect(await settings()).toEqual(defaultSettings)
  })

  test.each([
    ['text', 'name=Robot&website=x', urlencoded],
    ['text in one of several', 'name=Robot&website=&website=x', urlencoded],
    ['JSON', '{"name":"Robot","website":0}', json],
    ['an escaped name', '{"name":"Robot","w\\u0065bsite":"x"}', json],
  ])('catches what fills the field with %s', async (_what, body, type) => {
    const { post, spam, listed } = await prepare('website')
    expect((await post(body, type)).status).toBe(200)
    expect(await spam()).toEqual([{ name: 'Robot' }])
    expect(await listed()).toEqual([])
  })

  test('catches a file, but not a file input that was left empty', async () => {
    const { post, spam, listed } = await prepare('website')
    const body = new FormData()
    body.set('name', 'Robot')
    body.set('website', new File(['x'], 'x.txt'))
    expect((await post(body)).status).toBe(200)
    const unchosen = ['name', 'website"; filename="'].map(
      (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === 'name' ? 'Ada' : ''}\r\n`,
    )
    expect((await post(`${unchosen.join('')}--b--\r\n`, 'multipart/form-data; boundary=b')).status).toBe(200)
    expect(await spam()).toEqual([{ name: 'Robot' }])
    expect(await listed()).toEqual([{ name: 'Ada' }])
  })

  test.each([
    ['deeper in JSON', '{"name":"Ada","more":{"website":"x"}}', json, { name: 'Ada', more: { website: 'x' } }],
    ['in another case', 'name=Ada&Website=x', urlencoded, { name: 'Ada', Website: 'x' }],
    [
      'with brackets',
      'name=Ada&website[]=x&website[a]=y',
      urlencoded,
      { name: 'Ada', 'website[]': 'x', 'website[a]': 'y' },
    ],
    ['_gotcha, which is no longer the trap', 'name=Ada&_gotcha=x', urlencoded, { name: 'Ada', _gotcha: 'x' }],
  ])('leaves alone a field of that name %s', async (_where, body, type, data) => {
    const { post, spam, listed } = await prepare('website')
    expect((await post(body, type)).status).toBe(200)
    expect(await listed()).toEqual([data])
    expect(await spam()).toEqual([])
  })

  test('takes a bracketed name as it is, in JSON too', async () => {
    const { post, spam, listed } = await prepare('a[b]')
    await post('{"name":"Ada","a":{"b":"x"}}', json)
    await post('{"name":"Robot","a[b]":"x"}', json)
    expect(await listed()).toEqual([{ name: 'Ada', a: { b: 'x' } }])
    expect(await spam()).toEqual([{ name: 'Robot' }])
  })

  test('may be a field that submissions had: those that are there keep it, and so does the form', async () => {
    const { ada, formId, name, post, listed, spam, keys } = await prepare()
    await post('name=Ada&website=https%3A%2F%2Fexample.com', urlencoded)
    await name('website')
    await post('name=Robot&website=x', urlencoded)
    expect(await listed()).toEqual([{ name: 'Ada', website: 'https://example.com' }])
    expect(await spam()).toEqual([{ name: 'Robot' }])
    await name('_gotcha')
    await post('name=Grace&website=y&_gotcha=', urlencoded)
    expect(await listed()).toEqual([
      { name: 'Grace', website: 'y' },
      { name: 'Ada', website: 'https://example.com' },
    ])
    expect(await keys()).toEqual(['name', 'website'])
    const [robot] = (await ada.call('GET', `/forms/${formId}/spam`)).body.spam
    expect(robot).toMatchObject({ reason: 'honeypot', data: { name: 'Robot' } })
  })

  test('is that of a duplicate, too', async () => {
    const { ada, formId } = await prepare('website')
    const { id } = (await ada.call('POST', `/forms/${formId}/duplicate`)).body
    expect((await ada.call('GET', `/forms/${id}/settings`)).body.honeypot).toBe('website')
  })
})

import { describe, expect, test } from 'bun:test'
import { defaultSettings } from '../default-settings.ts'
import { world } from '../world.ts'

const dataOf = (rows: { data: object }[]) => rows.map(({ data }) => data)

const urlencoded = 'application/x-www-form-urlencoded'
const json = 'application/json'

describe('the setting honeypot', () => {
  test.each(['website', '_Gotcha', 'a[b]', ' x ', '🦊'.repeat(64), '__proto__', '"><script>', '_gotcha'])(
    'may be %j, which makes that field the trap',
    async (honeypot) => {
      const { post, settings, submissions, spam, form } = await world({ form: { honeypot } })
      expect(await settings()).toEqual({ ...defaultSettings, honeypot })

      expect((await post(new URLSearchParams({ name: 'Robot', [honeypot]: 'x' }))).status).toBe(200)
      expect((await post(new URLSearchParams({ name: 'Ada', [honeypot]: '' }))).status).toBe(200)

      expect(dataOf(await spam())).toEqual([{ name: 'Robot' }])
      expect(dataOf(await submissions())).toEqual([{ name: 'Ada' }])
      expect((await form()).keys).toEqual(['name'])
    },
  )

  test.each([
    ['text', 'name=Robot&website=x', urlencoded],
    ['text in one of several', 'name=Robot&website=&website=x', urlencoded],
    ['JSON', '{"name":"Robot","website":0}', json],
    ['an escaped name', '{"name":"Robot","w\\u0065bsite":"x"}', json],
  ])('catches what fills the field with %s', async (_what, body, type) => {
    const { post, spam, submissions } = await world({ form: { honeypot: 'website' } })
    expect((await post(body, { 'content-type': type })).status).toBe(200)
    expect(dataOf(await spam())).toEqual([{ name: 'Robot' }])
    expect(dataOf(await submissions())).toEqual([])
  })

  test('catches a file, but not a file input that was left empty', async () => {
    const { post, spam, submissions } = await world({ form: { honeypot: 'website' } })
    const body = new FormData()
    body.set('name', 'Robot')
    body.set('website', new File(['x'], 'x.txt'))
    expect((await post(body)).status).toBe(200)
    const unchosen = ['name', 'website"; filename="'].map(
      (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === 'name' ? 'Ada' : ''}\r\n`,
    )
    expect(
      (await post(`${unchosen.join('')}--b--\r\n`, { 'content-type': 'multipart/form-data; boundary=b' })).status,
    ).toBe(200)
    expect(dataOf(await spam())).toEqual([{ name: 'Robot' }])
    expect(dataOf(await submissions())).toEqual([{ name: 'Ada' }])
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
    const { post, spam, submissions } = await world({ form: { honeypot: 'website' } })
    expect((await post(body, { 'content-type': type })).status).toBe(200)
    expect(dataOf(await submissions())).toEqual([data])
    expect(dataOf(await spam())).toEqual([])
  })

  test('takes a bracketed name as it is, in JSON too', async () => {
    const { post, spam, submissions } = await world({ form: { honeypot: 'a[b]' } })
    await post('{"name":"Ada","a":{"b":"x"}}', { 'content-type': json })
    await post('{"name":"Robot","a[b]":"x"}', { 'content-type': json })
    expect(dataOf(await submissions())).toEqual([{ name: 'Ada', a: { b: 'x' } }])
    expect(dataOf(await spam())).toEqual([{ name: 'Robot' }])
  })

  test('may be a field that submissions had: those that are there keep it, and so does the form', async () => {
    const { change, post, submissions, spam, form } = await world()
    await post('name=Ada&website=https%3A%2F%2Fexample.com')
    await change({ honeypot: 'website' })
    await post('name=Robot&website=x')
    expect(dataOf(await submissions())).toEqual([{ name: 'Ada', website: 'https://example.com' }])
    expect(dataOf(await spam())).toEqual([{ name: 'Robot' }])
    await change({ honeypot: '_gotcha' })
    await post('name=Grace&website=y&_gotcha=')
    expect(dataOf(await submissions())).toEqual([
      { name: 'Grace', website: 'y' },
      { name: 'Ada', website: 'https://example.com' },
    ])
    expect((await form()).keys).toEqual(['name', 'website'])
    const [robot] = await spam()
    expect(robot).toMatchObject({ reason: 'honeypot', data: { name: 'Robot' } })
  })

  test('is that of a duplicate, too', async () => {
    const { ada, path } = await world({ form: { honeypot: 'website' } })
    const { id } = (await ada.call('POST', `${path}/duplicate`)).body
    expect((await ada.call('GET', `/forms/${id}/settings`)).body.honeypot).toBe('website')
  })
})

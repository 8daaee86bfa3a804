import { describe, expect, test } from 'bun:test'
import { stall } from '../raw-http.ts'
import { readPage } from '../read-page.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const formOf = async () => {
  const { server, ada, formId: id } = await siteWorld({ form: { title: 'Größe' } })
  const fromApi = async (query: string): Promise<Response> =>
    server.fetch(`/api/v1/forms/${id}/export?${query}`, { headers: { authorization: `Bearer ${ada.api.key}` } })
  return { server, ada, id, path: `/forms/${id}`, fromApi }
}

describe('/forms/:formId/export', () => {
  test('is offered for the dates that the list shows, and where there is something', async () => {
    const { server, ada, id, path } = await formOf()
    expect((await ada.get(path)).html).not.toContain(`${path}/export`)
    await server.submit(id, { name: 'Grace' })
    const { html } = await ada.get(`${path}?startDate=2026-01-01`)
    expect(readPage(html).link('Export 1 as CSV')).toBe(`${path}/export?startDate=2026-01-01&state=open&format=csv`)
    expect([...html.matchAll(/name="format" value="(\w+)"/g)].map(([, value]) => value)).toEqual([
      'csv',
      'xlsx',
      'ndjson',
      'json',
      'zip',
    ])
    expect((await ada.get(`${path}?endDate=2020-01-01`)).html).not.toContain(`${path}/export`)
    expect(html).not.toContain('name="zone"')
    await ada.api.call('PATCH', `/forms/${id}/settings`, { timeZone: 'Asia/Kathmandu' })
    expect(readPage((await ada.get(path)).html).hidden('zone')).toBe('Asia/Kathmandu')
  })

  test.each([
    ['format=csv', 'format=csv'],
    ['format=xlsx', 'format=xlsx'],
    ['format=ndjson', 'format=ndjson'],
    ['format=json', 'format=json'],
    ['startDate=&endDate=2020-01-01', 'endDate=2020-01-01'],
    ['format=none', 'format=csv'],
    ['zone=Asia/Kathmandu', 'zone=Asia/Kathmandu'],
    ['zone=none', 'zone=UTC'],
  ])('with %s answers as the API does with %s', async (query, ofApi) => {
    const { server, ada, id, path, fromApi } = await formOf()
    await server.submit(id, { name: 'Ada', message: '=1+1', long: 'x'.repeat(100_000) })
    await server.submit(id, { name: 'Größe' })
    const cookie = ada.cookie() as string
    const found = await server.fetch(`${path}/export?${query}`, { headers: { cookie } })
    const expected = await fromApi(ofApi)
    for (const name of ['content-type', 'content-disposition', 'cache-control', 'x-content-type-options'])
      expect(found.headers.get(name)).toBe(expected.headers.get(name))
    expect(found.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(Buffer.from(await found.arrayBuffer())).toEqual(Buffer.from(await expected.arrayBuffer()))
  })

  test('names a file of spam as the API does, so that it is not taken for the submissions', async () => {
    const { server, ada, id, path } = await formOf()
    await server.submit(id, { name: 'Robot', _gotcha: 'x' })
    const nameOf = async (path: string, headers: Record<string, string>) => {
      const response = await server.fetch(path, { headers })
      await response.text()
      return response.headers.get('content-disposition')
    }
    const cookie = ada.cookie() as string
    const name = `attachment; filename="Gro_e spam.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20spam.csv`
    expect(await nameOf(`${path}/spam/export`, { cookie })).toBe(name)
    expect(await nameOf(`/api/v1${path}/spam/export`, { authorization: `Bearer ${ada.api.key}` })).toBe(name)
    expect(await nameOf(`${path}/export`, { cookie })).toBe(name.replaceAll(/( |%20)spam/g, ''))
  })

  test('refuses what is not a date', async () => {
    const { ada, path } = await formOf()
    const { status, html } = await ada.get(`${path}/export?startDate=tomorrow`)
    expect(status).toBe(400)
    expect(html).toContain('startDate: must be a date')
  })

  test('sends no body to HEAD, any number of times', async () => {
    const { server, ada, path } = await formOf()
    const headers = { cookie: ada.cookie() as string }
    for (let i = 0; i < 10; i++) {
      const response = await server.fetch(`${path}/export`, { method: 'HEAD', headers })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
    await until(async () => (await ada.get(`${path}/export`)).status === 200, 'another export may run')
  })

  test('while two of the user are under way, by page or API, is a page that says so', async () => {
    const { server, ada, id, path, fromApi } = await formOf()
    for (let i = 0; i < 30; i++) await server.submit(id, { text: 'x'.repeat(900_000) })
    const stallExport = () => stall(server.url, `${path}/export`, `Cookie: ${ada.cookie()}`)
    const [first] = [await stallExport(), await stallExport()]
    await until(
      async () => (await ada.get(`${path}/export?endDate=2020-01-01`)).status === 429,
      'two exports are under way',
    )
    const { headers, html } = await ada.get(`${path}/export`)
    expect(headers.get('retry-after')).toBe('30')
    expect(readPage(html).heading).toBe('Too many exports at once')
    expect(readPage(html).link('Back to Größe')).toBe(path)
    expect(readPage(html).isolated).toContain('Größe')
    expect((await fromApi('format=csv')).status).toBe(429)
    // Other pages, and other users, have their turn.
    expect((await ada.get(path)).status).toBe(200)
    const eve = await owner(server)
    expect((await eve.get(`/forms/${await eve.api.createForm()}/export`)).status).toBe(200)
    first.destroy()
    await until(
      async () => (await ada.get(`${path}/export?endDate=2020-01-01`)).status === 200,
      'another export may run',
    )
    // Writing 27 MB takes a slow disk its time.
  })
})

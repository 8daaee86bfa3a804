// What the pages of a form do while a search takes long.
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { afterThisTest, startServer } from '../../../harness.ts'
import { readPage } from '../../../read-page.ts'
import { makeSearchSlow } from '../../../submissions/slow-search.ts'
import { until } from '../../../until.ts'
import { siteWorld } from '../../../world.ts'

const dense = (text: string): string => text.replaceAll(/\s+/g, '')

test('answers go on being counted while the page is sent, until the same person counts again', async () => {
  const { server, ada, path, formId, change } = await siteWorld({ server: await startServer() })
  makeSearchSlow(server.folder, formId)
  expect((await change({ fields: [{ name: 'a', type: 'lines' }] })).status).toBe(200)
  const slow = `${path}/answers?q=-norway&startDate=2023-11-14T22:13:30Z`
  const { status, html } = await ada.get(slow)
  expect(status).toBe(200)
  const steps = [...html.matchAll(/([\d,]+) of 20,000 counted/g)].map(([, count]) => Number(count?.replace(',', '')))
  expect(steps.length).toBeGreaterThan(0)
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
  const text = dense(readPage(html).text)
  expect(text).toContain(dense('10,000 submissions, 14 Nov 2023'))
  expect(text).toContain(dense('a 10,000 100%'))
  expect(html).toEndWith('</html>\n')

  // A user counts once at a time: a newer count ends the older one.
  const search = () => ada.api.call('GET', `${path}/submissions/search?q=sweden&endDate=2020-01-01`)
  const older = ada.get(slow)
  await until(async () => (await search()).status === 429, 'the count has begun')
  const newer = await ada.get(`${path}/answers?endDate=2020-01-01`)
  expect(newer.status).toBe(200)
  expect((await older).html).not.toContain('10,000 submissions')

  const last = await server.fetch(slow, { headers: { cookie: ada.cookie() ?? '' } })
  const reader = (last.body as ReadableStream<Uint8Array>).getReader()
  let sent = ''
  const readUntil = async (part: string): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      sent += Buffer.from(next.value)
      if (sent.includes(part)) return
    }
  }
  await readUntil('counted')
  expect((await ada.api.call('DELETE', path)).status).toBe(200)
  await readUntil('</html>')
  expect(sent).toContain('Counting has stopped after')
})

test('a search above the list waits a moment for an earlier search of the same person, whose browser has gone on', async () => {
  const { server, ada, formId: id } = await siteWorld({ server: await startServer() })
  makeSearchSlow(server.folder, id)
  const { hostname, port, host } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  afterThisTest(() => socket.destroy())
  socket.write(`GET /forms/${id}?q=norway HTTP/1.1\r\nHost: ${host}\r\nCookie: ${ada.cookie()}\r\n\r\n`)
  const search = () => ada.api.call('GET', `/forms/${id}/submissions/search?q=sweden&endDate=2020-01-01`)
  await until(async () => (await search()).status === 429, 'the search has begun')
  const other = ada.get(`/forms/${id}?q=sweden&endDate=2020-01-01`)
  socket.destroy()
  expect((await other).status).toBe(200)
})

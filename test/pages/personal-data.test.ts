import { describe, expect, test } from 'bun:test'
import { startServer, takeReported, writeTo } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { submitAll } from '../stored-files.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const start = async () => {
  const { server, ada, formId } = await siteWorld({ form: { title: 'A <b>party</b>' } })
  return {
    server,
    ada,
    formId,
    search: async (value: string) => {
      const { status, location } = await ada.post('/personal-data', { value })
      expect([status, location]).toEqual([303, '/personal-data?found=1#found'])
      return ada.get('/personal-data?found=1')
    },
  }
}

describe('/personal-data', () => {
  test('is linked from the account page, and asks for one text', async () => {
    const { ada } = await start()
    expect((await ada.get('/settings/account')).links).toContain('/personal-data')
    const { status, html } = await ada.get('/personal-data')
    expect(status).toBe(200)
    expect(html.match(/<input/g)).toHaveLength(1)
    // Nothing was looked for.
    expect((await ada.get('/personal-data?found=1')).headings.join()).not.toContain('found')
  })

  test('lists what is found by form, with links, as text, and keeps the value out of every address', async () => {
    const { server, ada, formId, search } = await start()
    const other = await ada.api.createForm({ title: 'News' })
    const first = await server.submit(formId, { '<i>mail</i>': 'fay@example.com' })
    const spam = await server.submit(formId, { email: 'fay@example.com', _gotcha: 'x' })
    const second = await server.submit(other, { email: 'FAY@example.com' })
    const { status, html } = await search(' fay@example.com')
    expect(status).toBe(200)
    expect(readPage(html).headings).toContain('3 submissions in 2 forms')
    for (const own of ['A <b>party</b>', '<i>mail</i>']) expect(readPage(html).isolated).toContain(own)
    const links = [...(html.split('<main')[1] ?? '').matchAll(/<p><strong><a href="([^"]*)"/g)].map(([, link]) => link)
    expect(links).toEqual([
      `/forms/${other}/submissions/${second}`,
      `/forms/${formId}/submissions/${first}`,
      `/forms/${formId}/spam`,
    ])
    expect(html).not.toContain(spam)
    // An identifier may have the three letters, too.
    expect([...html.matchAll(/(?:href|action)="([^"]*)"/g)].join()).not.toMatch(/fay(@|%40)|=fay/)
    // Coming back to the page shows it again, in this browser only.
    expect((await ada.get('/personal-data?found=1')).html).toBe(html)
    const grace = await owner(server)
    expect((await grace.get('/personal-data?found=1')).html).not.toContain('fay@')
  })

  test('says that nothing was found, and what it looked for', async () => {
    const { server, formId, search } = await start()
    await server.submit(formId, { email: 'adada@example.com' })
    const { html } = await search('<u>ada@example.com')
    expect(html).toContain('Nothing found')
    expect(readPage(html).isolated).toContain('<u>ada@example.com')
    expect(html).not.toContain('Delete for good')
  })

  test('exports all of it as an archive', async () => {
    const { server, ada, formId, search } = await start()
    await server.submit(formId, { email: 'lea@example.com' })
    expect((await search('lea@example.com')).forms).toContain('post /personal-data/export')
    const { status, headers, html } = await ada.post('/personal-data/export', { value: 'lea@example.com' })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/zip')
    expect(headers.get('content-disposition')).toStartWith('attachment;')
    expect(html).toStartWith('PK')
    expect((await ada.post('/personal-data/export', { value: ' ' })).status).toBe(400)
  })

  test('deletes when the number that was found is typed, and shows a receipt without contents', async () => {
    const { server, ada, formId, search } = await start()
    const ids = [
      await server.submit(formId, { email: 'gil@example.com' }),
      await server.submit(formId, { email: 'gil@example.com', _gotcha: 'x' }),
    ]
    const kept = await server.submit(formId, { email: 'hal@example.com' })
    await search('gil@example.com')
    for (const [count, error] of [
      ['', 'Must be the number of submissions that were found.'],
      ['two', 'Must be the number of submissions that were found.'],
      ['1', 'Must be the number of submissions that a search finds now, which is 2.'],
      ['22', 'Must be the number of submissions that a search finds now, which is 2.'],
    ] as const) {
      const { status, html } = await ada.post('/personal-data/erase', { value: 'gil@example.com', count })
      expect([status, / id="count-error">([^<]*)/.exec(html)?.[1]]).toEqual([400, error])
      expect(html).toContain('2 submissions in 1 form')
    }
    const { status, html } = await ada.post('/personal-data/erase', { value: 'gil@example.com', count: ' 2 ' })
    expect(status).toBe(200)
    expect(html).toContain('2 submissions have been deleted.')
    expect(html).toContain('This server makes no automatic backups.')
    for (const id of ids) expect(readPage(html).texts).toContain(id)
    expect(html).not.toContain('gil')
    expect((await ada.get('/personal-data?found=1')).html).not.toContain('gil')
    const left = await ada.api.call('GET', `/forms/${formId}/submissions`)
    expect(left.body.submissions.map(({ id }: { id: string }) => id)).toEqual([kept])
    // Sent once more, as by a reload.
    const again = await ada.post('/personal-data/erase', { value: 'gil@example.com', count: '2' })
    expect([again.status, again.html.includes('Nothing found')]).toEqual([400, true])
  })

  test('gives a receipt for what is gone when the rest cannot be deleted, and leads to what is left', async () => {
    const { server, ada, formId } = await siteWorld({ server: await startServer() })
    const ids = submitAll(server, formId, Array(120).fill({ email: 'joe@example.com' })).toReversed()
    writeTo(server.folder, ({ $client }) =>
      $client.run(`CREATE TRIGGER broken BEFORE DELETE ON submissions
        WHEN (SELECT count(*) FROM submissions) <= 20 BEGIN SELECT RAISE(ABORT, 'broken'); END`),
    )
    await ada.post('/personal-data', { value: 'joe@example.com' })
    const { status, html } = await ada.post('/personal-data/erase', { value: 'joe@example.com', count: '120' })
    expect(status).toBe(500)
    expect(readPage(html).heading).toBe('Not everything was deleted')
    expect(html).toContain('100 submissions have been deleted')
    expect([...html.matchAll(/<code>(\w+)<\/code>/g)].map(([, id = '']) => id)).toEqual(ids.slice(0, 100))
    expect(html).not.toContain('broken')
    expect(html).toContain('href="/personal-data?found=1"')
    expect((await ada.get('/personal-data?found=1')).html).toContain('20 submissions in 1 form')
    await server.stop()
    expect(takeReported()).toEqual([expect.stringContaining('broken')])
  })

  test('offers to delete what the reader of the page may delete, and says what else there is', async () => {
    const { server, formId, ada } = await start()
    const grace = await owner(server)
    const own = await grace.api.createForm()
    await ada.api.call('POST', `/forms/${formId}/members`, { email: grace.email, role: 'reader' })
    await server.submit(formId, { email: 'ivy@example.com' })
    await grace.post('/personal-data', { value: 'ivy@example.com' })
    const { html } = await grace.get('/personal-data?found=1')
    expect(html).toContain('1 submission in 1 form')
    expect(html).not.toContain('action="/personal-data/erase"')
    expect(html).toContain('Ask the owners')
    await server.submit(own, { email: 'ivy@example.com' })
    const both = (await grace.get('/personal-data?found=1')).html
    expect(both).toContain('2 submissions in 2 forms')
    expect(both).toContain('1 of these submissions with its files, notes and deliveries.')
    const erased = await grace.post('/personal-data/erase', { value: 'ivy@example.com', count: '1' })
    expect(erased.html).toContain('1 submission has been deleted.')
  })

  test.each([
    ['nothing', ' '],
    ['a long text', 'x'.repeat(1001)],
  ])('refuses %s beside the field', async (_what, value) => {
    const { ada } = await start()
    const { status, html } = await ada.post('/personal-data', { value })
    expect(status).toBe(400)
    expect(/ id="value-error">([^<]*)/.exec(html)?.[1]).toBe('Must be 1 to 1000 characters, not only white space.')
  })

  test('says that another search is under way', async () => {
    const { server, ada, formId, search } = await start()
    for (let i = 0; i < 20; i++) await server.submit(formId, { text: 'x'.repeat(900_000) })
    await search('ada')
    const answers = await Promise.all([ada.get('/personal-data?found=1'), ada.get('/personal-data?found=1')])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.html).toContain('Another search is under way')
    expect(refused?.headers.get('retry-after')).toBe('2')
  })
})

import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { submissionsTable } from '../../src/site/submissions-table.ts'
import { parseQuery } from '../../src/submissions/search/terms.ts'
import { fieldsIn } from '../../src/submissions/sent-fields.ts'
import { expectBelow, millisecondsOf } from '../expect-below.ts'
import { readPage } from '../read-page.ts'
import { submitAll } from '../stored-files.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

/** The identifiers of the rows, and the texts that are marked. */
const shownIn = (html: string) => ({
  ids: [...html.matchAll(/type="checkbox" name="ids" value="(\w{28})"/g)].map(([, id]) => id),
  marks: [...html.matchAll(/<mark>(.*?)<\/mark>/g)].map(([, text]) => text),
})

describe('a search above the list of submissions', () => {
  test('shows what was found, with the words marked as they were written', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    const norway = await sent({ name: 'Åse Ødegård', from: 'Tromsø, NORWAY' })
    await sent({ name: 'Bo', from: 'Sweden' })
    const { status, html } = await ada.get(`${path}?q=odegard+%22tromso%2C+nor%22`)
    expect(status).toBe(200)
    expect(shownIn(html)).toEqual({ ids: [norway], marks: ['Ødegård', 'Tromsø, NOR'] })
    expect(readPage(html).link('All 1')).toBeDefined()
    expect(html).toContain('2 submissions searched')
    expect(html).toContain('name="q" value="odegard &quot;tromso, nor&quot;"')
  })

  test('counts what is open and done among what it found, and shows either', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    const [one, two] = [await sent({ a: 'tart' }), await sent({ a: 'tart, too' })]
    await ada.post(`${path}/submissions/handling`, { handling: 'done', ids: one })
    const all = await ada.get(`${path}?q=tart`)
    expect(shownIn(all.html).ids).toEqual([two, one])
    expect(all.link('Done 1')).toBe(`${path}?q=tart&state=done`)
    expect(shownIn((await ada.get(all.link('Open 1') ?? '')).html).ids).toEqual([two])
  })

  test('shows what surrounds a word that no column shows', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    await sent({ a: '1', b: '2', c: '3', d: '4', message: `${'x '.repeat(300)}<b>Norway</b>${' y'.repeat(300)}` })
    const { html } = await ada.get(`${path}?q=norway`)
    expect(html).toMatch(/<bdi>… (x )+&lt;b&gt;<mark>Norway<\/mark>&lt;\/b&gt;( y)+ …<\/bdi>/)
  })

  test('says so if what it found is further on than it shows', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    await sent({ a: '1', message: `${'x '.repeat(60_000)}Norway` })
    const { html } = await ada.get(`${path}?q=norway`)
    expect(readPage(html).link('All 1')).toBeDefined()
    expect(readPage(html).texts).toContain('Found further on in a long text')
    expect((await ada.get(`${path}?q=-sweden`)).html).not.toContain('further on')
  })

  test('shows what surrounds a word in a long text, and is not held up by a hundred of them', async () => {
    const { server, ada, formId, path } = await siteWorld()
    const long = 'We would like to rent larger rooms, please. '.repeat(400)
    const columns = { a: '1', b: '2', c: '3', d: '4' }
    const places = Array.from({ length: 100 }, (_, i) => `${long}${'x'.repeat(i)} Tromsø, Norway`)
    submitAll(
      server,
      formId,
      places.map((o) => ({ ...columns, m: long, n: long, o })),
    )
    const marks: unknown[] = []
    // A busy machine does not read all in one turn.
    for (let to: string | undefined = `${path}?q=%22tromso%2C+norway%22`; to !== undefined; ) {
      const { html } = await ada.get(to)
      marks.push(...shownIn(html).marks)
      to = readPage(html).link('Continue')
    }
    expect(marks).toEqual(Array(100).fill('Tromsø, Norway'))
    // Without the marks, the API does the same. With them, the page once took five times as long.
    const api = () => millisecondsOf(() => ada.api.call('GET', `${path}/submissions/search?q=norway&limit=100`))
    const page = () => millisecondsOf(() => ada.get(`${path}?q=norway`))
    await expectBelow(3, async () => (await page()) / (await api()))
  })

  test('is made in turns, between which others are served', async () => {
    const fields = fieldsIn(JSON.stringify({ a: '1', b: 'é norway '.repeat(2000), c: 'x '.repeat(20_000) }))
    const rows = Array.from({ length: 100 }, () => ({
      id: newId(Date.now()),
      isUnread: false,
      state: 'open' as const,
      fields,
      isWhole: true,
    }))
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await submissionsTable({
      formId: 'x',
      form: { settings: null },
      columns: ['a', 'b'],
      rows,
      query: '',
      now: Date.now(),
      isTicked: false,
      terms: parseQuery('norway nowhere'),
    })
    isOver = true
    expect(turns).toBeGreaterThan(2)
  })

  test('keeps its words, filters and dates in the addresses of what it leads to', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    const id = await sent({ a: 'x & y' })
    const { html } = await ada.get(`${path}?q=x+%26&startDate=2026-01-01&state=open&hasFiles=false`)
    const carried = 'q=x+%26&amp;hasFiles=false&amp;startDate=2026-01-01&amp;state=open'
    expect(html).toContain(`href="${path}/submissions/${id}?${carried}"`)
    expect(readPage(html).hidden('q')).toBe('x &')
    expect(readPage(html).hidden('hasFiles')).toBe('false')
  })

  test('says what it looked for if it finds nothing', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    await sent({ a: 'x' })
    const { status, html } = await ada.get(`${path}?q=%3Cnorway%3E&hasFiles=true&startDate=2026-01-01`)
    expect(status).toBe(200)
    expect(html).toContain('Nothing found')
    expect(readPage(html).text).toContain('None of 1 contains “<norway>”.')
    expect(readPage(html).text).toContain('From 2026-01-01, UTC, with files')
    expect(html).toContain('1 submission searched')
    expect(shownIn(html).ids).toEqual([])
  })

  test('leads on from the hundredth that it found', async () => {
    const { server, ada, formId, path } = await siteWorld()
    const sent = Array.from({ length: 103 }, (_, i) => ({ n: i === 50 ? 'no' : `yes ${i}` }))
    const ids = submitAll(server, formId, sent).toReversed()
    const first = await ada.get(`${path}?q=yes`)
    expect(shownIn(first.html).ids).toEqual(ids.filter((_, i) => i !== 52).slice(0, 100))
    expect(first.link('All 100')).toBeDefined()
    expect(first.text).toMatch(/Searched back to [\w ]+ Continue/)
    const second = await ada.get(first.link('Continue') ?? '')
    expect(shownIn(second.html).ids).toEqual(ids.slice(-2))
    expect(second.link('All 2')).toBeDefined()
  })

  test.each([
    ['x'.repeat(501), 'A search must have at most 500 characters.'],
    ['x+'.repeat(21), 'q: must have at most 20 words and phrases.'],
    ['x&cursor=y', 'cursor: must be the `next` of a response to the same query.'],
  ])('says what is wrong with ?q=%.20s', async (query, problem) => {
    const { ada, path, submit: sent } = await siteWorld()
    await sent({ a: 'x' })
    for (const list of [path, '/']) {
      const { status, html } = await ada.get(`${list}?q=${query}`)
      expect(status).toBe(400)
      expect(html).toContain(problem)
    }
  })

  test('deletes what was selected, with the number in the question, and shows the search again', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    const [one, two] = [await sent({ a: 'find me' }), await sent({ a: 'find me too' })]
    const other = await sent({ a: 'another' })
    const fields: [string, string][] = [
      ['q', 'find'],
      ['ids', one],
      ['ids', two],
    ]
    const question = await ada.post(`${path}/submissions/delete`, fields)
    expect(question.html).toContain('Delete 2 submissions?')
    expect(question.hidden('q')).toBe('find')
    const { location } = await ada.post(`${path}/submissions/delete`, [...fields, ['confirm', 'yes']])
    expect(location).toBe(`${path}?q=find&done=delete&count=2#notice`)
    expect(shownIn((await ada.get(path)).html).ids).toEqual([other])
  })

  test('exports what was found, and only that', async () => {
    const { server, ada, formId: id, path, submit: sent } = await siteWorld()
    const one = await sent({ a: 'find me' })
    await sent({ a: 'between' })
    const long = await sent({ a: `find me ${'x'.repeat(9000)}` })
    const found = await ada.get(`${path}?q=find`)
    expect(found.link('Export 2 as JSON')).toBe(`${path}/export?q=find&state=all&format=json`)
    const ids = shownIn(found.html).ids.join()
    const selected = shownIn(found.html)
      .ids.map((shown) => `ids=${shown}`)
      .join('&')
    expect(JSON.parse((await ada.get(`${path}/export?q=find&format=json&${selected}`)).html)).toHaveLength(2)
    const { html: json } = await ada.get(`${path}/export?format=json&ids=${ids}`)
    expect(JSON.parse(json).map((found: { id: string }) => found.id)).toEqual([one, long])

    const bob = await owner(server)
    const others = await bob.api.createForm()
    await server.submit(others, { a: 'x' })
    const { html: none } = await bob.get(`/forms/${others}/export?format=json&ids=${ids}`)
    expect(JSON.parse(none)).toEqual([])
    expect((await bob.get(`/forms/${id}/export?format=json&ids=${ids}`)).status).toBe(403)
  })

  test('exports all that the search finds if there is more than the page shows, and all of a state', async () => {
    const { server, ada, formId: id, path } = await siteWorld()
    const hundred = Array(100).fill({ a: 'find me' })
    const sent = submitAll(server, id, [{ a: 'find me, first' }, ...hundred, { a: 'another' }])
    const [first, last] = [sent[0] as string, sent.at(-1) as string]
    const { html } = await ada.get(`${path}?q=find`)
    expect(readPage(html).link('Export all as CSV')).toBe(`${path}/export?q=find&state=all&format=csv`)
    const ids = shownIn(html).ids.join()
    const idsIn = async (query: string): Promise<string[]> =>
      JSON.parse((await ada.get(`${path}/export?format=json&${query}`)).html).map((one: { id: string }) => one.id)
    expect(await idsIn(`q=find&all=&ids=${ids}`)).not.toContain(first)
    const all = await idsIn(`q=find&all=true&ids=${ids}`)
    expect(all).toHaveLength(101)
    expect(all[0]).toBe(first)

    await ada.api.call('PATCH', `/forms/${id}/submissions/${last}/handling`, { state: 'done' })
    const done = (await ada.get(`${path}?state=done`)).html
    expect(readPage(done).link('Export 1 as CSV')).toBe(`${path}/export?state=done&format=csv`)
    expect(await idsIn('state=done')).toEqual([last])
    expect((await ada.get(`${path}/export?q=${'x'.repeat(501)}`)).status).toBe(400)
  })

  test('finds only what arrived since, for a page that is open already', async () => {
    const { ada, path, submit: sent } = await siteWorld()
    const before = await sent({ a: 'find' })
    await sent({ a: 'other' })
    const after = await sent({ a: 'find' })
    expect(shownIn((await ada.get(`${path}?q=find&newer=${before}`)).html).ids).toEqual([after])
  })
})

import { describe, expect, test } from 'bun:test'
import type { Server } from '../harness.ts'
import { readPage, unescaped } from '../read-page.ts'
import { submitAll } from '../stored-files.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { siteWorld } from '../world.ts'

/** Of each row: who sent it and what, or with columns the texts of its cells, without the check box. */
const rowsOf = (html: string): string[][] => [
  ...[...html.matchAll(/<tr role="row" class[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => toText(cell)).slice(1),
  ),
  ...[...html.matchAll(/<li class="row[^>]*>([\s\S]*?)<\/li>/g)].map(([, row = '']) =>
    [
      /<a class="open"[\s\S]*?<\/a>/,
      /<span class="gist">[\s\S]*?<\/bdi><\/span>/,
      /<span class="chips">[\s\S]*?<\/span>\n/,
    ].map((part) => toText(part.exec(row)?.[0] ?? '')),
  ),
]

const toText = (markup: string): string => unescaped(markup.replaceAll(/<[^>]*>/g, '')).trim()

const formOf = async (fields: object = { title: 'Contact' }) => {
  const { server, ada, formId: id } = await siteWorld({ form: fields })
  return { server, ada, id, path: `/forms/${id}` }
}

/** Sends a form with these files, or texts, in one field. Returns the identifier of the submission. */
const sendAll = async (
  { fetch }: Pick<Server, 'fetch'>,
  formId: string,
  name: string,
  values: readonly (string | File)[],
): Promise<string> => {
  const body = new FormData()
  for (const value of values) body.append(name, value)
  const response = await fetch(`/s/${formId}`, { method: 'POST', body })
  return (await response.json()).id
}

const visitors = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Visitor ${i}` }))

describe('/forms/:formId', () => {
  test('leads to the snippet while there are no submissions', async () => {
    const { ada, path } = await formOf()
    const { status, html } = await ada.get(path)
    expect(status).toBe(200)
    expect(readPage(html).link('Get the code')).toBe(`${path}/embed`)
    expect(html).not.toContain('<table')
  })

  test('shows in a line who sent each submission, about what, and its text, newest first', async () => {
    const { server, ada, id, path } = await formOf()
    await server.submit(id, { message: 'Two loaves\nfor Saturday', name: 'Ada', topic: 'Orders', newsletter: 'yes' })
    await server.submit(id, { remarks: 'Nobody signed this' })
    expect(rowsOf((await ada.get(path)).html)).toEqual([
      ['Unread: Nobody signed this', '', ''],
      ['Unread: Ada', 'Orders Two loaves for Saturday', ''],
    ])
  })

  test('shows the fields that were chosen as columns', async () => {
    const { server, ada, id, path } = await formOf({ title: 'Contact', columns: ['a', 'b', 'c', 'd'] })
    await server.submit(id, { a: 'one', b: 2, c: ['x', 'y'], d: '', e: 'not shown' })
    await server.submit(id, { a: 'two', b: 12345678901234567890n.toString(), c: { nested: true } })
    const rows = rowsOf((await ada.get(path)).html).map((cells) => cells.slice(0, 4))
    expect(rows).toEqual([
      ['Unread: two', '12345678901234567890', '{"nested":true}', 'Empty'],
      ['Unread: one', '2', 'x, y', 'Empty'],
    ])
  })

  test('shows the columns that the owner has chosen', async () => {
    const { server, ada, id, path } = await formOf()
    await server.submit(id, { a: 'one', b: 'two', e: 'five' })
    await ada.api.call('PATCH', `/forms/${id}/settings`, { columns: ['e', 'gone'] })
    expect(rowsOf((await ada.get(path)).html)[0]?.slice(0, 2)).toEqual(['Unread: five', 'Empty'])
  })

  test.each([
    ['the name of the only field is too long for the form', { ['n'.repeat(1000)]: 'Grace' }, {}, 'Grace'],
    ['the owner has chosen none', { name: 'Grace' }, { columns: [] }, 'Grace'],
    ['only the trap field was filled in', { _gotcha: 'x' }, {}, 'Nothing was filled in'],
  ])('has no columns, because %s', async (_, data, settings, title) => {
    const { server, ada, id, path } = await formOf()
    const submission = await server.submit(id, data)
    if ('_gotcha' in data) await ada.post(`${path}/spam`, { accept: submission })
    await ada.api.call('PATCH', `/forms/${id}/settings`, settings)
    const { status, html } = await ada.get(path)
    expect(status).toBe(200)
    expect(rowsOf(html).map(([first]) => first?.replace('Unread: ', ''))).toEqual([title])
  })

  test('marks what is unread, on whatever page, until it was opened', async () => {
    const { server, ada, id, path } = await formOf()
    const ids = submitAll(server, id, visitors(32))
    for (const page of [1, 2, 1]) {
      const { html } = await ada.get(`${path}?page=${page}`)
      expect(readPage(html).link('Unread 32')).toBe(`${path}?state=unread`)
      expect(rowsOf(html).every(([name]) => name?.startsWith('Unread: '))).toBe(true)
    }
    await ada.get(`${path}/submissions/${ids[1]}?page=2`)
    await until(async () => (await ada.get(path)).link('Unread 31') !== undefined, 'one less is unread')
    const second = (await ada.get(`${path}?page=2`)).html
    expect(rowsOf(second).map(([name]) => name)).toEqual(['Visitor 1', 'Unread: Visitor 0'])
    // To fetch it by the API marks nothing.
    await ada.api.call('GET', `${path}/submissions/${ids[0]}`)
    expect((await ada.get(path)).link('Unread 31')).toBe(`${path}?state=unread`)
  })

  test('lists only what is unread, and says how far its reader has come', async () => {
    const { server, ada, id, path } = await formOf()
    const ids = submitAll(server, id, visitors(33))
    await ada.post(`${path}/submissions/read`, { ids: ids[30] as string, state: 'unread' })
    const { html } = await ada.get(`${path}?state=unread&page=2`)
    expect(readPage(html).link('Unread 32')).toBe(`${path}?state=open`)
    expect(readPage(html).link('All')).toBe(`${path}?state=all`)
    expect(rowsOf(html).map(([name]) => name)).toEqual(['Unread: Visitor 1', 'Unread: Visitor 0'])
    const read = async (number: number, query: string) => {
      const { html: page } = await ada.get(`${path}/submissions/${ids[number]}?${query}`)
      const isListed = async () => (await ada.get(`${path}?state=unread`)).html.includes(`value="${ids[number]}"`)
      await until(async () => !(await isListed()), 'what was opened is not unread')
      const older = /class="button icon quiet next" href="[^"]*\/(\w{28})\?([^"]*)"/.exec(page) ?? []
      return {
        place: /<p>([^<]* unread)<\/p>/.exec(page)?.[1],
        older: ids.indexOf(older[1] as string),
        query: older[2],
      }
    }
    const first = await read(31, 'state=unread&of=32')
    expect(first).toEqual({ place: '1 of 32 unread', older: 29, query: 'state=unread&amp;of=32' })
    const second = await read(29, 'state=unread&of=32')
    expect(second).toMatchObject({ place: '2 of 32 unread', older: 28 })
    const whole = (await ada.get(`${path}/submissions/${ids[2]}`)).html
    expect(readPage(whole).texts).toContain('31 of 33')
    expect(whole).toContain(`href="${path}?page=2#${ids[2]}" data-key="u"><bdi>Contact</bdi></a>`)
  })

  test('marks the selected ones as read, or all that had come', async () => {
    const { server, ada, id, path } = await formOf()
    const ids = [await server.submit(id, { name: 'Grace' }), await server.submit(id, { name: 'Mary' })]
    const { html } = await ada.get(path)
    const upTo = /name="upTo" value="(\w{28})"/.exec(html)?.[1] as string
    await server.submit(id, { name: 'Edith' })
    const marked = await ada.post(`${path}/submissions/read`, { ids: ids[0] as string, page: '1' })
    const list = (await ada.get(marked.location as string)).html
    expect(list).toContain('The submission has been marked as read.')
    expect(rowsOf(list).map(([name]) => name)).toEqual(['Unread: Edith', 'Unread: Mary', 'Grace'])
    expect((await ada.post(`${path}/submissions/read`, { upTo })).location).toBe(path)
    expect(rowsOf((await ada.get(path)).html).map(([name]) => name)).toEqual(['Unread: Edith', 'Mary', 'Grace'])
    expect((await ada.post(`${path}/submissions/read`, {})).location).toBe(path)
    const none = await ada.get(`${path}?state=unread&startDate=2020-01-01&endDate=2020-01-02`)
    expect(none.html).toContain('Nothing is unread on these dates')
    expect(none.link('Unread 1')).toBe(`${path}?startDate=2020-01-01&endDate=2020-01-02&state=open`)
    expect(none.button('Mark all as read')).toMatchObject({ name: 'upTo' })
  })

  test.each([
    ['markup', { name: '<script>alert(1)</script>' }, '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['direction overrides', { name: 'a\u202eb' }, 'a\ufffdb'],
    ['control characters', { name: 'a\u0007b' }, 'a\u2407b'],
    ['long text', { name: 'x'.repeat(5000) }, `<bdi>${'x'.repeat(200)}</bdi>`],
    ['emoji', { name: '👩‍👩‍👧 hi' }, '👩‍👩‍👧 hi'],
    ['markup in a name of a field', { '<b>name': 'x' }, '&lt;b&gt;name'],
  ])('shows %s harmlessly', async (_, data, shown) => {
    const { server, ada, id, path } = await formOf()
    const submission = await server.submit(id, data)
    const list = await ada.get(`${path}?choose=columns`)
    expect(list.html).toContain(shown)
    expect(list.html).not.toMatch(/<script>alert|<b>name|\u202e/)
    const one = await ada.get(`${path}/submissions/${submission}`)
    expect(one.status).toBe(200)
    expect(one.html).not.toMatch(/<script>alert|<b>name|\u202e/)
  })

  test('makes what was read unread again, from the lists and from the page of one, also for a Reader', async () => {
    const { server, ada, id, path } = await formOf()
    const sent = [await server.submit(id, { name: 'Grace' }), await server.submit(id, { name: 'Lin' })]
    const eve = await owner(server)
    await ada.api.call('POST', `${path}/members`, { email: eve.email, role: 'reader' })
    for (const [who, from, back] of [
      [ada, '', path],
      [eve, 'inbox', '/'],
    ] as const) {
      await who.post(`${path}/submissions/read`, { upTo: sent[1] as string })
      const page = `${path}/submissions/${sent[0]}?from=${from}`
      expect((await who.get(page)).button('Mark as unread')).toMatchObject({ name: 'unread' })
      const one = { ids: sent[0] as string, unread: 'true', from }
      const { status, location = '' } = await who.post(`${path}/submissions/read`, one)
      expect([status, location?.split('?')[0]]).toEqual([303, back])
      expect((await who.get('/')).text).toContain('Unread: Grace')
      if (from === '') expect((await who.get(location ?? '')).text).toContain('has been marked as unread.')
    }
    const inbox = { action: 'unread', ids: `${sent[1]}-${id}` }
    expect((await eve.post('/inbox/selected', inbox)).location).toContain('done=unread&count=1')
    expect((await eve.get('/?done=unread&count=1')).text).toContain('Unread: Lin')
  })

  test('reads at most 64 KiB of each long submission', async () => {
    const { server, ada, id, path } = await formOf({ title: 'Contact', columns: ['name', 'text', 'after'] })
    for (let i = 0; i < 3; i++)
      await server.submit(id, { name: `Writer ${i}`, text: 'x'.repeat(900_000), after: 'last' })
    const { html } = await ada.get(path)
    expect(rowsOf(html).map((cells) => cells.slice(0, 3))).toEqual(
      [2, 1, 0].map((i) => [`Unread: Writer ${i}`, `${'x'.repeat(300)}…`, '…Too long for this list']),
    )
    expect(html.length).toBeLessThan(25_000)
  })

  test('shows what was sent before, between and after large files, and that nothing else was', async () => {
    const { server, ada, id, path } = await formOf()
    await ada.api.call('PATCH', `/forms/${id}/settings`, {
      columns: ['name', 'plan', 'topic', 'photos', 'message', 'x'],
    })
    const form = new FormData()
    const file = (name: string, bytes: number) => new File(['x'.repeat(bytes)], name)
    form.append('plan', file('plan.pdf', 300_000))
    form.append('topic', 'Größe')
    for (const bytes of [49_000, 49_152, 200_000]) form.append('photos', file('photo.jpg', bytes))
    form.append('name', 'Grace')
    form.append('other', file('x.bin', 49_151))
    form.append('message', 'Hello')
    await server.fetch(`/s/${id}`, { method: 'POST', body: form })
    const row = ['Unread: Grace 1 file', 'plan.pdf', 'Größe', '3 files', 'Hello', 'Empty']
    expect(rowsOf((await ada.get(path)).html)[0]?.slice(0, 6)).toEqual(row)
    expect((await ada.get('/forms')).text).toContain('Grace Hello')
  })

  test('says that it has not read what follows the first 64 KiB', async () => {
    const { server, ada, id, path } = await formOf({ title: 'Contact', columns: ['name', 'plan', 'topic'] })
    await server.submit(id, { name: 'Grace', plan: 'x'.repeat(70_000), topic: 'Sales' })
    const row = rowsOf((await ada.get(path)).html)[0]
    expect(row?.[0]).toBe('Unread: Grace')
    expect(row?.[2]).toBe('…Too long for this list')
  })

  test('shows the submissions of some days, and says what is wrong with a date', async () => {
    const { server, ada, id, path } = await formOf()
    const today = new Date().toISOString().slice(0, 10)
    await server.submit(id, { name: 'Grace' })
    expect(rowsOf((await ada.get(`${path}?startDate=${today}&endDate=`)).html)).toHaveLength(1)
    expect((await ada.get(`${path}?endDate=2020-01-01`)).html).toContain('Nothing is open on these dates')
    const { status, html } = await ada.get(`${path}?startDate=tomorrow`)
    expect(status).toBe(400)
    expect(html).toContain('role="alert">Dates must be like 2026-12-31.')
    expect(html).not.toContain('on these dates')
    const reversed = (await ada.get(`${path}?startDate=2026-02-02&endDate=2026-01-01`)).html
    expect(reversed).toContain('“From” must not be after “To”.')
    expect(reversed).toContain('<details class="menu is-on" name="menus" open>')
  })

  test('counts what is listed, and what is unread', async () => {
    const { server, ada, id, path } = await formOf()
    const ids = submitAll(server, id, visitors(31))
    const countsOf = async (query: string) => {
      const { html } = await ada.get(path + query)
      const [, foot = ''] = /<div class="foot">\s*<p>(.*)<span/.exec(html) ?? []
      const [, tools = ''] = /<ul class="segments"([\s\S]*?)<form/.exec(html) ?? []
      return [
        foot,
        [...tools.matchAll(/>(\w+) <span class="count">(\d+)/g)].map(([, name, count]) => `${name} ${count}`),
      ]
    }
    const today = new Date().toISOString().slice(0, 10)
    expect(await countsOf('?page=2')).toEqual(['31 to 31 of 31', ['Open 31', 'Unread 31']])
    expect(await countsOf('?endDate=2020-01-01')).toEqual(['', ['Unread 31']])
    expect(await countsOf(`?startDate=${today}T00:00:00.000%2B00:00`)).toEqual(['1 to 30 of 31', ['Unread 31']])
    expect(await countsOf('?startDate=tomorrow')).toEqual(['', ['Unread 31']])
    expect(await countsOf('?state=unread')).toEqual(['1 to 30 of 31', ['Open 31', 'Unread 31']])
    await ada.post(`${path}/submissions/handling`, { handling: 'done', ids: ids[0] as string })
    expect(await countsOf('')).toEqual(['30 open, 1 done', ['Open 30', 'Unread 31']])
  })

  test('has columns to tick, and stays where it is', async () => {
    const { server, ada, id, path } = await formOf()
    await server.submit(id, { name: 'Grace', b: '1', c: '2', d: '3', '<e>': '4' })
    const boxesIn = (html: string) =>
      [
        ...(html.split('<table')[0] ?? '').matchAll(/name="columns" value="([^"]*)" autocomplete="off"( checked)?/g),
      ].map(([, name, isChecked]) => (isChecked ? `*${name}` : name))
    const boxes = async () => boxesIn((await ada.get(`${path}?choose=columns`)).html)
    expect(boxesIn((await ada.get(path)).html)).toEqual([])
    expect(await boxes()).toEqual(['name', 'b', 'c', 'd', '&lt;e&gt;'])
    const choose = (...columns: string[]) =>
      ada.post(`${path}/columns`, [
        ['startDate', '2020-01-01'],
        ...columns.map((name): [string, string] => ['columns', name]),
      ])
    expect((await choose('<e>', 'name')).location).toBe(`${path}?startDate=2020-01-01`)
    expect(await boxes()).toEqual(['*&lt;e&gt;', '*name', 'b', 'c', 'd'])
    const refused = await choose('<e>', ...'bcdefghi')
    expect(refused).toMatchObject({ status: 400, heading: 'Contact' })
    expect(refused.text).toContain('Choose at most 8 columns; you chose 9.')
    expect(boxesIn(refused.html)).toEqual(['*&lt;e&gt;', 'name', '*b', '*c', '*d'])
    expect(refused.hidden('startDate')).toBe('2020-01-01')
    expect(await boxes()).toEqual(['*&lt;e&gt;', '*name', 'b', 'c', 'd'])
    await choose()
    expect((await ada.api.call('GET', `${path}/settings`)).body.columns).toBeNull()
  })

  test('offers the last month among the dates', async () => {
    const { server, ada, id, path } = await formOf()
    await server.submit(id, { name: 'Grace' })
    const today = new Date()
    const first = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)).toISOString().slice(0, 10)
    const last = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 0)).toISOString().slice(0, 10)
    const link = `${path}?startDate=${first}&endDate=${last}&state=open`
    expect((await ada.get(path)).link('Last month')).toBe(link)
    expect((await ada.get(link)).html).toContain('Nothing is open on these dates')
  })

  test('has pages of thirty', async () => {
    const { server, ada, id, path } = await formOf()
    submitAll(server, id, visitors(31))
    const first = await ada.get(path)
    expect(rowsOf(first.html)).toHaveLength(30)
    expect(first.link('Older')).toBe(`${path}?state=open&page=2`)
    expect(rowsOf((await ada.get(`${path}?page=2`)).html).map(([name]) => name)).toEqual(['Unread: Visitor 0'])
    expect(rowsOf((await ada.get(`${path}?page=99`)).html)).toHaveLength(1)
  })
})

describe('/forms/:formId/submissions/delete', () => {
  test('asks before it deletes what was selected', async () => {
    const { server, ada, id, path } = await formOf()
    const [first, second] = [await server.submit(id, { name: 'Grace' }), await server.submit(id, { name: 'Mary' })]
    const asked = await ada.post(`${path}/submissions/delete`, { ids: first })
    expect(asked.status).toBe(200)
    expect(asked.heading).toBe('Delete this submission?')
    expect(asked.isolated).toContain('Grace')
    expect((await ada.api.call('GET', `/forms/${id}`)).body.submissionCount).toBe(2)
    const deleted = await ada.post(`${path}/submissions/delete`, { ids: first, confirm: 'yes' })
    expect(deleted.location).toBe(`${path}?done=delete&count=1#notice`)
    const { html } = await ada.get(deleted.location as string)
    expect(html).toContain('role="status">The submission has been deleted.')
    expect(
      (await ada.api.call('GET', `/forms/${id}/submissions`)).body.submissions.map((one: { id: string }) => one.id),
    ).toEqual([second])
  })

  test('leads back to the page and the dates that were shown, or to the last page that there still is', async () => {
    const { server, ada, id, path } = await formOf()
    const ids = submitAll(server, id, visitors(62)).toReversed()
    const query = 'startDate=2020-01-01&endDate=2999-12-31&state=all&page=3'
    const inputs = (html: string): [string, string][] => {
      const [, form = ''] = /action="[^"]*\/submissions\/delete"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? []
      return [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ])
    }
    const remove = async (given: [string, string][]) => {
      const { html, links } = await ada.post(`${path}/submissions/delete`, given)
      expect(links).toContain(`${path}?${query}`)
      return ada.post(`${path}/submissions/delete`, inputs(html))
    }

    // One of two, then from its own page the only one that is left.
    const list = (await ada.get(`${path}?${query}`)).html
    expect(rowsOf(list)).toHaveLength(2)
    const first = await remove([...inputs(list), ['ids', ids[60] as string]])
    expect(first.location).toBe(`${path}?${query}&done=delete&count=1#notice`)
    const [, link = ''] = /class="open"[^>]* href="([^"]*)"/.exec((await ada.get(first.location as string)).html) ?? []
    expect(link).toBe(`${path}/submissions/${ids[61]}?${query.replaceAll('&', '&amp;')}`)
    const last = await remove(inputs((await ada.get(link.replaceAll('&amp;', '&'))).html))
    expect(last.location).toBe(`${path}?${query}&done=delete&count=1#notice`)
    const { html } = await ada.get(last.location as string)
    expect(html).toContain('id="notice" tabindex="-1" role="status">The submission has been deleted.')
    expect(readPage(html).text).toContain('31 to 60 of 60')

    // All of a page.
    const all = await ada.get(`${path}?${query.replace('3', '2')}`)
    const page = ids.slice(30, 60).map((one): [string, string] => ['ids', one])
    const gone = await ada.post(`${path}/submissions/delete`, [...inputs(all.html), ...page, ['confirm', 'yes']])
    expect(gone.location).toContain('page=2&done=delete&count=30#notice')
    const rest = await ada.get(gone.location as string)
    expect(rest.html).toContain('30 submissions have been deleted.')
    expect(rowsOf(rest.html)).toHaveLength(30)
  })

  test('says so where the last of some dates was deleted', async () => {
    const { server, ada, id, path } = await formOf()
    const only = await server.submit(id, { name: 'Grace' })
    const fields = { ids: only, startDate: '2020-01-01', endDate: '', page: 'x', confirm: 'yes' }
    const { location } = await ada.post(`${path}/submissions/delete`, fields)
    expect(location).toBe(`${path}?startDate=2020-01-01&done=delete&count=1#notice`)
    expect((await ada.get(location as string)).html).toContain('The submission has been deleted.')
  })

  test('selects every submission of the page where that is asked for', async () => {
    const { server, ada, id, path } = await formOf()
    submitAll(server, id, visitors(3))
    const { html } = await ada.get(`${path}?select=page`)
    expect(html.match(/name="ids" value="\w+" checked>/g)).toHaveLength(3)
    expect(readPage(html).link('Select these 3')).toBe(`${path}?state=open&select=page`)
  })

  test('selects all that match, also on other pages, but for what has come since', async () => {
    const { server, ada, id, path } = await formOf()
    submitAll(server, id, visitors(34))
    const { html } = await ada.get(`${path}?state=open&select=all`)
    expect(html).toContain('All 34 that match')
    const upTo = /name="upTo" value="(\w{28})"/.exec(html)?.[1] as string
    await server.submit(id, { name: 'Later' })
    const { location } = await ada.post(`${path}/submissions/handling`, {
      state: 'open',
      all: 'true',
      upTo,
      handling: 'done',
    })
    expect((await ada.get(location as string)).text).toContain('34')
    const open = await ada.get(`${path}?state=open`)
    expect(open.html.match(/<li class="row/g)).toHaveLength(1)
    expect(open.text).toContain('Later')
  })

  test('passes over what someone else has deleted or marked meanwhile, and says so if nothing is left', async () => {
    const { server, ada, id, path } = await formOf()
    const [first, second, third] = [
      await server.submit(id, { name: 'Grace' }),
      await server.submit(id, { name: 'Mary' }),
      await server.submit(id, { name: 'Edith' }),
    ]
    const both: [string, string][] = [
      ['ids', first],
      ['ids', second],
    ]
    const unchanged = 'Nothing was changed: what you selected has been moved or deleted in the meantime.'
    await ada.post(`${path}/submissions/delete`, { ids: first, confirm: 'yes' })

    const asked = await ada.post(`${path}/submissions/delete`, both)
    expect(asked).toMatchObject({ status: 200, heading: 'Delete this submission?' })
    expect(asked.isolated).toContain('Mary')
    expect(asked.html).not.toContain(first)
    const marked = await ada.post(`${path}/submissions/spam`, both)
    expect(marked.location).toBe(`${path}?done=spam&count=1&undo=${second}#notice`)
    for (const action of ['delete', 'spam', 'handling', 'read'])
      for (const confirm of ['', 'yes']) {
        const { location } = await ada.post(`${path}/submissions/${action}`, [...both, ['confirm', confirm]])
        const { text, html, ...page } = await ada.get(location as string)
        expect(text).toContain(unchanged)
        expect(text).not.toContain('0 submissions')
        expect(page.button('Undo')).toBeUndefined()
      }

    const spam = `${path}/spam`
    expect((await ada.post(spam, [...both, ['action', 'delete']])).heading).toBe('Delete this submission?')
    const deleted = await ada.post(spam, [...both, ['action', 'delete'], ['confirm', 'yes']])
    expect(deleted.location).toBe(`${spam}?done=delete&count=1#notice`)
    for (const action of ['accept', 'delete']) {
      const { location } = await ada.post(spam, [...both, ['action', action]])
      expect((await ada.get(location as string)).text).toContain(unchanged)
    }
    for (const confirm of ['', 'yes'])
      expect((await ada.post(spam, { action: 'delete-all', confirm })).location).toBe(spam)
    const { body } = await ada.api.call('GET', `/forms/${id}/submissions`)
    expect(body.submissions.map((one: { id: string }) => one.id)).toEqual([third])
  })

  test('leaves a submission of another form alone', async () => {
    const { server, ada, id, path } = await formOf()
    const other = await ada.api.createForm({ title: 'Other' })
    const foreign = await server.submit(other, { name: 'Grace' })
    await server.submit(id, { name: 'Mary' })
    for (const confirm of ['', 'yes'])
      expect((await ada.post(`${path}/submissions/delete`, { ids: foreign, confirm })).location).toContain('count=0')
    expect((await ada.api.call('GET', `/forms/${other}`)).body.submissionCount).toBe(1)
  })
})

describe('/forms/:formId/submissions/:submissionId', () => {
  test('shows every field, with links and line breaks', async () => {
    const { server, ada, id, path } = await formOf()
    const submission = await server.submit(id, {
      name: 'Grace',
      email: 'grace@example.com',
      site: 'see https://example.com/a?b=1&c=2. javascript:alert(1) https://bank.example@evil.example https://bank.example\u2215.evil.example',
      wiki: 'https://example.com/A_(b)',
      message: 'one\ntwo',
      tags: ['', 'a', '<b>'],
      unused: [''],
      nested: { a: [1, { b: null }] },
      empty: '',
    })
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(readPage(html).heading).toBe('Grace')
    expect(readPage(html).isolated).toContain('Grace')
    expect(readPage(html).link('grace@example.com')).toBe('mailto:grace@example.com')
    expect(html).toContain(
      '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noopener noreferrer ugc">https://example.com/a?b=1&amp;c=2</a>. javascript:alert(1)',
    )
    expect(readPage(html).links).toContain('https://example.com/A_(b)')
    expect(html).not.toContain('href="javascript:')
    expect(html).not.toContain('href="https://bank.example')
    expect(readPage(html).isolated).toContain('one\ntwo')
    expect(readPage(html).isolated).toContain('<b>')
    expect(html.match(/>Empty</g)).toHaveLength(2)
    expect(html).not.toContain('<bdi></bdi>')
    expect(readPage(html).link('Reply')).toBe(
      'mailto:grace@example.com?subject=Re%3A%20one%20two&body=%0D%0A%0D%0A%3E%20one%0D%0A%3E%20two',
    )
  })

  test('has a link for a reply to the address to which the reply to an email goes', async () => {
    const { server, ada, id, path } = await formOf()
    const linkOf = async (data: object) =>
      /href="mailto:([^?"]*)\?/.exec((await ada.get(`${path}/submissions/${await server.submit(id, data)}`)).html)?.[1]
    expect(await linkOf({ boss: 'b@x.example', _replyto: 'a@x.example' })).toBe('a@x.example')
    expect(await linkOf({ boss: 'b@x.example', mail: 'a@x.example' })).toBe('a@x.example')
    expect(await linkOf({ boss: 'b@x.example', mail: 'a?bcc=c@x.example' })).toBe('a%3Fbcc%3Dc@x.example')
    const fields = [{ name: 'boss' }, { name: 'Kontakt', type: 'email' }]
    await ada.api.call('PATCH', `/forms/${id}/settings`, { fields })
    expect(await linkOf({ boss: 'b@x.example', Kontakt: 'a@x.example' })).toBe('a@x.example')
  })

  test('without text has a title that is true in every time zone', async () => {
    const { server, ada, id, path } = await formOf()
    const submission = await server.submit(id, { number: 1, empty: '' })
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(readPage(html).heading).toBe('Submission without text')
    expect(readPage(html).isolated).toContain('Submission without text')
    expect(readPage(html).title).toBe('Submission without text · Contact · Formbox')
  })

  test('keeps every digit of a long number', async () => {
    const { server, ada, id, path } = await formOf()
    const body = '{"big":12345678901234567890,"deep":{"big":12345678901234567890}}'
    const response = await server.fetch(`/s/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { id: submission } = (await response.json()) as { id: string }
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(readPage(html).isolated).toContain('12345678901234567890')
    expect(readPage(html).texts).toContain('{\n  "big": 12345678901234567890\n}')
  })

  test('indents nested values, and changes nothing else in them', async () => {
    const { server, ada, id, path } = await formOf()
    const value = [{ 'a"{': '[1,2]: {} \\', b: [], c: { d: null } }, {}, 'x']
    const submission = await server.submit(id, { value })
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    const shown = toText(/<code>(\[[^<]*)<\/code>/.exec(html)?.[1] ?? '')
    expect(shown).toBe(JSON.stringify(value, null, 2))
  })

  test('leads to the older and the newer one', async () => {
    const { server, ada, id, path } = await formOf()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.push(await server.submit(id, { name }))
    const { link } = await ada.get(`${path}/submissions/${ids[1]}`)
    expect([link('Newer'), link('Older')]).toEqual([2, 0].map((at) => `${path}/submissions/${ids[at]}`))
  })

  test('cuts a field of 900,000 characters, and lets it be saved whole', async () => {
    const { server, ada, id, path } = await formOf()
    const text = '&'.repeat(900_000)
    const submission = await server.submit(id, { name: 'Grace', text })
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(html.length).toBeLessThan(150_000)
    expect(html).toContain('Download all 900,000 characters')
    const saved = await ada.get(`${path}/submissions/${submission}/fields/1`)
    expect(saved.html).toBe(text)
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="text.txt"')
  })

  test.each([
    ['deep nesting', { a: JSON.parse(`${'['.repeat(60)}${'0,'.repeat(200_000)}0${']'.repeat(60)}`) }],
    ['many long fields', Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, '"'.repeat(9000)]))],
    ['a long name', { ['<'.repeat(900_000)]: 'x' }],
  ])('makes a small page of %s', async (_, data) => {
    const { server, ada, id, path } = await formOf()
    const submission = await server.submit(id, data)
    const { status, html } = await ada.get(`${path}/submissions/${submission}`)
    expect(status).toBe(200)
    expect(html.length).toBeLessThan(1_400_000)
  })

  test('shows a thousand fields', async () => {
    const { server, ada, id, path } = await formOf()
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field ${i}`, `value ${i}`]))
    const submission = await server.submit(id, data)
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(html.match(/<dt><bdi>field/g)).toHaveLength(1000)
  })

  test('shows the files of inputs with one name, also when one was left empty', async () => {
    const { server, ada, id, path } = await formOf()
    const submission = await sendAll(server, id, 'cv', ['', new File(['a'], 'a.txt'), new File(['b'], 'b.txt')])
    const { html } = await ada.get(`${path}/submissions/${submission}`)
    expect(html.match(/ download><bdi>[^<]*/g)).toEqual([' download><bdi>a.txt', ' download><bdi>b.txt'])
    const [who, , chips] = rowsOf((await ada.get(path)).html)[0] ?? []
    expect([who?.replace('Unread: ', ''), chips]).toEqual(['a.txt, b.txt', '2 files'])
  })

  test('has a link to each file of a list, whatever stands between them', async () => {
    const { server, ada, id, path } = await formOf()
    const [first, second, third] = [
      new File(['first'], 'first.txt'),
      new File(['second'], ' '),
      new File(['third'], 'third.txt'),
    ]
    const submission = await sendAll(server, id, 'papers', ['see <below>', first, '5', second, third])
    await ada.api.call('PATCH', `${path}/settings`, { columns: ['papers'] })
    expect(rowsOf((await ada.get(path)).html)[0]?.[0]).toBe('Unread: see <below>, first.txt, 5, , third.txt')
    const page = `${path}/submissions/${submission}`
    const { html } = await ada.get(page)
    const [files = ''] = /<ul class="files"[\s\S]*?<\/ul>/.exec(html) ?? []
    expect([...files.matchAll(/<a[\s\S]*?<\/li>/g)].map(([item]) => toText(item))).toEqual([
      'first.txt TXT, 5 bytes',
      'Unnamed file 6 bytes',
      'third.txt TXT, 5 bytes',
    ])
    expect(html).toContain('<dd><bdi>see &lt;below&gt;</bdi>, <bdi>5</bdi></dd>')
    const links = [...html.matchAll(/<a class="open" href="([^"]*)" download>/g)].map(([, link = '']) => link)
    expect(await Promise.all(links.map(async (link) => (await ada.get(link)).html))).toEqual([
      'first',
      'second',
      'third',
    ])
    expect(JSON.parse((await ada.get(`${page}/fields/0`)).html)).toHaveLength(5)
  })

  test('shows an object with a file as Base64 as any other data', async () => {
    const { server, ada, id, path } = await formOf()
    const cv = { filename: 'cv.html', type: 'text/html', size: 1, base64: 'QQ==' }
    const submission = await server.submit(id, { cv, more: [cv] })
    await ada.api.call('PATCH', `${path}/settings`, { columns: ['cv', 'more'] })
    expect(rowsOf((await ada.get(path)).html)[0]?.slice(0, 2)).toEqual([
      `Unread: ${JSON.stringify(cv)}`,
      JSON.stringify([cv]),
    ])
    const page = `${path}/submissions/${submission}`
    const { html } = await ada.get(page)
    expect(html).not.toContain('class="files"')
    expect(html).not.toContain(' download>')
    expect(html.match(/&quot;base64&quot;: &quot;QQ==&quot;/g)).toHaveLength(2)
    const value = await ada.get(`${page}/fields/0?file=0`)
    expect(value.html).toBe(JSON.stringify(cv))
    expect(value.headers.get('content-type')).toBe('application/octet-stream')
    expect(value.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(value.headers.get('x-content-type-options')).toBe('nosniff')
    expect(value.headers.get('content-disposition')).toStartWith('attachment; filename="cv.txt"')
    expect(value.headers.get('cache-control')).toBe('no-store')
    for (const missing of ['7', 'x']) expect((await ada.get(`${page}/fields/${missing}`)).status).toBe(404)
  })

  test('names 2,000 files, and has a link to a download of more', async () => {
    const { server, ada, id, path } = await formOf()
    const file = (number: number) => ({ filename: `${number}.txt`, type: '', size: 4, file: 'is not here' })
    const submission = await server.submit(id, {
      all: Array.from({ length: 2200 }, (_, number) => file(1000 + number)),
    })
    const page = `${path}/submissions/${submission}`
    const { html } = await ada.get(page)
    expect(html.match(/<bdi>\d+\.txt<\/bdi> <small>/g)).toHaveLength(2000)
    expect(readPage(html).link('Download the whole list as JSON')).toBe(`${page}/fields/0`)
    expect(JSON.parse((await ada.get(`${page}/fields/0`)).html)).toHaveLength(2200)
  })
})

import { describe, expect, test } from 'bun:test'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { addForm, siteWorld } from '../world.ts'

/** Ada with two forms, and a third of Bob's that she reads. */
const threeForms = async (role = 'reader') => {
  const first = await siteWorld({ form: { title: 'Contact' } })
  const { server, ada } = first
  const second = await addForm(server, ada.api, { form: { title: 'Cakes' } })
  const bob = await owner(server)
  const shared = await addForm(server, bob.api, { form: { title: 'Shared' } })
  await bob.api.call('POST', `${shared.path}/members`, { email: ada.email, role })
  return { server, ada, bob, first, second, shared }
}

/** What each row says, and where it leads. */
const rowsOf = (html: string) =>
  [...html.matchAll(/<li class="(row[^"]*)">([\s\S]*?)<\/li>/g)].map(([, classes, row = '']) => ({
    id: /<a class="open" id="([^"]+)"/.exec(row)?.[1] as string,
    isUnread: classes?.includes('is-unread'),
    isDone: classes?.includes('is-done'),
    of: textOf(/<span class="of">([\s\S]*?)<\/span>/.exec(row)?.[1]),
    sender: textOf(/<a class="open"[^>]*>(?:<span[^>]*>.*?<\/span>)*([\s\S]*?)<\/a>/.exec(row)?.[1]),
    href: /<a class="open"[^>]* href="([^"]*)"/.exec(row)?.[1]?.replaceAll('&amp;', '&'),
  }))

const textOf = (markup = ''): string => markup.replaceAll(/<[^>]*>/g, '').trim()

const sendersOf = (html: string): string[] => rowsOf(html).map(({ sender }) => sender)

describe('/', () => {
  test('is the way to a first form until there is one', async () => {
    const { server } = await siteWorld()
    const grace = await owner(server)
    expect((await grace.get('/')).heading).toBe('Create your first form')
    await grace.api.createForm({ title: 'Contact' })
    const { title, text, html } = await grace.get('/')
    expect(title).toBe('Inbox · Formbox')
    expect(text).toContain('Nothing yet')
    expect(rowsOf(html)).toEqual([])
  })

  test('shows what is open in all forms, own and shared, with the form of each, and counts', async () => {
    const { ada, first, second, shared } = await threeForms()
    const a = await first.submit({ name: 'Alan', message: 'Hello there' })
    await second.submit({ name: 'Bea', message: 'A cake please' })
    const c = await shared.submit({ name: 'Cleo', message: 'From a shared form' })
    const d = await first.submit({ name: 'Done', message: 'Done already' })
    await ada.api.call('PATCH', `${first.path}/submissions/${d}/handling`, { state: 'done' })

    const { html, title, current } = await ada.get('/')

    expect(title).toBe('(4) Inbox · Formbox')
    expect(current).toEqual(['Inbox 4 unread'])
    expect(html).toContain('Open <span class="count">3</span>')
    expect(rowsOf(html)).toMatchObject([
      { sender: 'Cleo', of: 'Shared', isUnread: true, href: `${shared.path}/submissions/${c}?state=open&from=inbox` },
      { sender: 'Bea', of: 'Cakes' },
      { sender: 'Alan', of: 'Contact', href: `${first.path}/submissions/${a}?state=open&from=inbox` },
    ])
    expect(html).toContain('1–3 of 3')
    const letter = await ada.get(`${first.path}/submissions/${a}?state=open&from=inbox`)
    expect(letter.html).toContain(`href="/#${a}-${first.formId}" data-key="u">Inbox</a>`)
    expect((await ada.get(`${first.path}/submissions/${a}`)).html).toContain(`href="${first.path}#${a}"`)
    expect(sendersOf((await ada.get('/?state=done')).html)).toEqual(['Done'])
    expect(sendersOf((await ada.get('/?state=all')).html)).toEqual(['Done', 'Cleo', 'Bea', 'Alan'])
    const one = (await ada.get(`/?state=all&form=${first.formId}`)).html
    expect(rowsOf(one)).toMatchObject([
      { sender: 'Done', of: '' },
      { sender: 'Alan', of: '' },
    ])
    const unread = async () => sendersOf((await ada.get('/?state=all&unread=true')).html)
    await until(async () => (await unread()).length === 3, 'Alan to be read')
    expect(await unread()).toEqual(['Done', 'Cleo', 'Bea'])
  })

  test('keeps the filter in a cookie that holds nothing else, and never what was searched for', async () => {
    const { ada, first, second } = await threeForms()
    await first.submit({ name: 'Alan' })
    await second.submit({ name: 'Bea' })
    expect((await ada.get('/')).cookies.filter((one) => one.includes('formbox_inbox'))).toEqual([])
    const { cookies } = await ada.get(`/?state=all&unread=true&form=${first.formId}&startDate=2026-01-01`)
    expect(cookies.filter((one) => one.includes('formbox_inbox'))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^formbox_inbox_\\d+=all\\.unread\\.${first.formId}; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax$`,
        ),
      ),
    ])
    expect(sendersOf((await ada.get('/')).html)).toEqual(['Alan'])
    expect(sendersOf((await ada.get('/?q=bea')).html)).toEqual(['Bea'])
    expect(sendersOf((await ada.get('/')).html)).toEqual(['Alan'])
    await second.change({ group: 'Café. & Bar' })
    expect(sendersOf((await ada.get(`/?state=open&group=${encodeURIComponent('Café. & Bar')}`)).html)).toEqual(['Bea'])
    expect((await ada.get('/')).text).toContain('Café. & Bar')
    expect(sendersOf((await ada.get('/')).html)).toEqual(['Bea'])
    await ada.get(`/?state=open&form=${first.formId}`)
    // A form that is gone is not asked for again, and one that is named is missed.
    await ada.api.call('DELETE', first.path)
    expect(sendersOf((await ada.get('/')).html)).toEqual(['Bea'])
    expect((await ada.get(`/?state=all&form=${first.formId}`)).status).toBe(404)
  })

  test('finds a word in all forms, whatever was done, and marks it', async () => {
    const { ada, first, second, shared } = await threeForms()
    const a = await first.submit({ name: 'Alan', message: 'A plum tart, please' })
    await second.submit({ name: 'Bea', message: 'Bread' })
    await shared.submit({ name: 'Cleo', message: 'Two TARTS' })
    await ada.api.call('PATCH', `${first.path}/submissions/${a}/handling`, { state: 'done' })
    const { html, text } = await ada.get('/?q=tart')
    expect(rowsOf(html)).toMatchObject([{ sender: 'Cleo' }, { sender: 'Alan', isDone: true }])
    expect(html).toContain('<mark>tart</mark>')
    expect(text).toContain('2 found for “tart”')
    expect(sendersOf((await ada.get('/?q=tart&state=open')).html)).toEqual(['Cleo'])
    const cleo = rowsOf(html)[0]?.id.slice(0, 28) as string
    expect(sendersOf((await ada.get(`/?q=tart&newer=${cleo}`)).html)).toEqual([])
    const none = await ada.get('/?q=nowhere')
    expect(none.text).toContain('None of 3 contains “nowhere”.')
    expect((await ada.get(`/?q=${'a '.repeat(21)}`)).status).toBe(400)
    const wrong = await ada.get('/?state=all&startDate=2026-12-02&endDate=2026-12-01')
    expect([wrong.status, rowsOf(wrong.html)]).toEqual([400, []])
  })

  test('goes on page by page', async () => {
    const { ada, first, second } = await threeForms()
    for (let i = 0; i < 32; i++) await (i % 2 === 0 ? first : second).submit({ name: `Visitor ${i}` })
    const page = await ada.get('/')
    const older = await ada.get(page.link('Older') as string)
    const all = [...sendersOf(page.html), ...sendersOf(older.html)]
    expect(all).toEqual(Array.from({ length: 32 }, (_, i) => `Visitor ${31 - i}`))
    expect([page.text, older.text].map((text) => /\d+–\d+ of \d+/.exec(text)?.[0])).toEqual([
      '1–30 of 32',
      '31–32 of 32',
    ])
    expect(Buffer.byteLength(page.html)).toBeLessThan(35 * 1024)
  })

  test('escapes titles and what was sent', async () => {
    const { ada, first } = await threeForms()
    await ada.api.call('PATCH', first.path, { title: '<b>&' })
    await first.submit({ name: '<i>x</i>', message: '<script>' })
    const { html } = await ada.get('/?q=%3Ci%3E')
    expect(html).not.toContain('<i>')
    expect(html).not.toContain('<b>&')
    expect(html).not.toContain('<script>')
  })
})

describe('POST /inbox/selected', () => {
  test('does something with submissions of several forms at once, and takes it back', async () => {
    const { ada, first, second } = await threeForms()
    await first.submit({ name: 'Alan' })
    await second.submit({ name: 'Bea' })
    await second.submit({ name: 'Cleo' })
    const ids = rowsOf((await ada.get('/')).html).map(({ id }) => ['ids', id] as [string, string])
    const act = async (action: string, some = ids) => {
      const { status, location } = await ada.post('/inbox/selected', [['state', 'open'], ['action', action], ...some])
      expect(status).toBe(303)
      return ada.get(location as string)
    }

    const done = await act('done', ids.slice(1))
    expect(done.text).toContain('2 done.')
    expect(sendersOf(done.html)).toEqual(['Cleo'])
    const undo = [...done.html.matchAll(/name="ids" value="([^"]+)">(?!<span)/g)].map(
      ([, id]) => ['ids', id as string] as [string, string],
    )
    expect(undo).toHaveLength(2)
    expect(sendersOf((await act('open', undo)).html)).toEqual(['Cleo', 'Bea', 'Alan'])

    const spam = await act('spam', ids.slice(0, 1))
    expect(spam.text).toContain('1 marked as spam.')
    expect((await second.spam()).length).toBe(1)
    expect(sendersOf((await act('accept', ids.slice(0, 1))).html)).toEqual(['Cleo', 'Bea', 'Alan'])

    expect((await act('read')).text).toContain('3 marked as read.')
    expect(rowsOf((await ada.get('/')).html).some(({ isUnread }) => isUnread)).toBe(false)

    const question = await ada.post('/inbox/selected', [['action', 'delete'], ...ids])
    expect(question.heading).toBe('Delete 3 submissions?')
    expect(await first.submissions()).toHaveLength(1)
    const deleted = await ada.post('/inbox/selected', [['action', 'delete'], ['confirm', 'yes'], ...ids])
    expect((await ada.get(deleted.location as string)).text).toContain('3 deleted.')
    expect(sendersOf((await ada.get('/?state=all')).html)).toEqual([])
    expect((await act('done')).text).toContain('Nothing was changed')
  })

  test('saves what is selected in several forms, and all that is shown, as one file', async () => {
    const { ada, first, second, shared } = await threeForms()
    const a = await first.submit({ name: 'Alan', message: '=1+1' })
    await second.submit({ cake: 'Plum, "tart"' })
    const c = await shared.submit({ name: 'Cleo', text: 'x'.repeat(100_000) })
    const ids = rowsOf((await ada.get('/')).html).map((row) => ['ids', row.id] as [string, string])
    const lines = (text: string) => text.trim().split(/\r?\n/)
    const csv = await ada.post('/inbox/selected', [['action', 'csv'], ...ids.slice(1)])
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="Inbox.csv"')
    expect(lines(csv.html).map((line) => line.replace(/^\w{28},[^,]+,/, ''))).toEqual([
      'id,createdAt,formTitle,cake,name,message,more',
      'Cakes,"Plum, ""tart""",,,',
      "Contact,,Alan,'=1+1,",
    ])
    const all = await ada.get('/inbox/export?state=all&format=ndjson')
    expect(lines(all.html).map((line) => JSON.parse(line))).toMatchObject([
      { id: c, formId: shared.formId, data: { name: 'Cleo', text: 'x'.repeat(100_000) } },
      { data: { cake: 'Plum, "tart"' } },
      { id: a, formId: first.formId },
    ])
    const found = await ada.get('/inbox/export?q=alan&format=json')
    expect(JSON.parse(found.html).map((one: { id: string }) => one.id)).toEqual([a])
    expect((await ada.get('/inbox/export?state=done&format=json')).html).toBe('[]\n')
    const { trail } = (await ada.api.call('GET', `${first.path}/trail`)).body
    expect(trail[0]).toMatchObject({ what: 'exported' })
    // Someone who may not read the forms gets nothing.
    const eve = await owner(first.server)
    expect((await eve.post('/inbox/selected', [['action', 'json'], ...ids])).html).toBe('[]\n')
  })

  test('leaves what one may only read, and says so', async () => {
    const { ada, first, shared } = await threeForms()
    await first.submit({ name: 'Alan' })
    const id = await shared.submit({ name: 'Cleo' })
    const ids = rowsOf((await ada.get('/')).html).map((row) => ['ids', row.id] as [string, string])
    for (const action of ['done', 'spam']) {
      const { location } = await ada.post('/inbox/selected', [['action', action], ...ids])
      expect((await ada.get(location as string)).text).toContain('1 was left: you are a Reader of Shared.')
    }
    await ada.post('/inbox/selected', [['action', 'delete'], ['confirm', 'yes'], ...ids])
    expect((await shared.submissions()).map((one: { id: string }) => one.id)).toEqual([id])
    expect((await ada.post('/inbox/selected', [['action', 'read'], ...ids])).location).toContain('count=1')
  })

  test('does it with all that match, in slices, but for what has come since', async () => {
    const { ada, first, second } = await threeForms()
    for (let i = 0; i < 33; i++) await first.submit({ name: `Visitor ${i}` })
    await second.submit({ name: 'Bea' })
    const page = await ada.get('/?state=open&select=all')
    expect(page.text).toContain('All 34 that match')
    const upTo = /name="upTo" value="(\w{28})"/.exec(page.html)?.[1] as string
    await first.submit({ name: 'Later' })
    const sent = { state: 'open', action: 'done', all: 'true', upTo }
    const { location } = await ada.post('/inbox/selected', sent)
    expect((await ada.get(location as string)).text).toContain('34 done.')
    expect(sendersOf((await ada.get('/?state=open')).html)).toEqual(['Later'])
  })

  test('refuses an unknown action, too many, and what another site sends', async () => {
    const { ada, server } = await threeForms()
    const ids = Array.from({ length: 101 }, (_, i) => ['ids', String(i)] as [string, string])
    expect((await ada.post('/inbox/selected', { action: 'explode', ids: 'x' })).status).toBe(400)
    expect((await ada.post('/inbox/selected', [['action', 'done'], ...ids])).status).toBe(400)
    expect((await ada.post('/inbox/selected', { action: 'done' }, { origin: 'https://evil.example' })).status).toBe(403)
    expect(
      (
        await (
          await owner(server)
        ).post('/inbox/selected', [
          ['action', 'done'],
          ['ids', 'x'],
        ])
      ).status,
    ).toBe(303)
  })

  test('marks all as read in every form, but for what has come since', async () => {
    const { ada, first, second } = await threeForms()
    await first.submit({ name: 'Alan' })
    await second.submit({ name: 'Bea' })
    const upTo = /name="upTo" value="(\w{28})"/.exec((await ada.get('/')).html)?.[1] as string
    await first.submit({ name: 'Later' })
    await ada.post('/inbox/read', { state: 'open', upTo })
    expect(sendersOf((await ada.get('/?state=all&unread=true')).html)).toEqual(['Later'])
  })
})

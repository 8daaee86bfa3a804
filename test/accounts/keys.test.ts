import { describe, expect, test } from 'bun:test'
import { newEmail, serverWithClock, sharedServer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { owner, signedIn, visit } from '../visitor.ts'

const minute = 60_000
const home = '/settings/keys'
const fox = '🦊'

/** Creates a key on the page; returns its value, its identifier and the page that shows it. */
const createKey = async (visitor: Awaited<ReturnType<typeof signedIn>>, fields: Record<string, string> = {}) => {
  const answer = await visitor.post(home, { name: 'Website', ...fields })
  expect(answer.status).toBe(303)
  const page = await visitor.get(answer.location ?? '')
  const value = /id="new-key"[^>]*>(api_\w+)</.exec(page.html)?.[1] ?? ''
  return { value, page, shownAt: answer.location ?? '', id: /created=(\w+)/.exec(answer.location ?? '')?.[1] ?? '' }
}

const callWith = (
  server: { fetch: (path: string, init: RequestInit) => Promise<Response> },
  key: string,
  method = 'GET',
) =>
  server.fetch('/api/v1/forms', {
    method,
    headers: { authorization: `Bearer ${key}`, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: '{"title":"Contact"}' }),
  })

/** The list of keys: of each its name with its state, what it may and until when, and its beginning. */
const table = (html: string): string[][] =>
  [...html.matchAll(/<div class="what">(<p><strong><bdi>[\s\S]*?)<\/div>/g)].map(([, row = '']) =>
    [...row.matchAll(/<p[^>]*>([\s\S]*?)<\/p>/g)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, '').trim()),
  )

/** What a key may do, without the rest of its line. */
const limitOf = (row: string[] | undefined): string | undefined => row?.[1]?.split('. ')[0]
const saturday = Date.parse('2026-11-21T10:00:00Z')

describe('creating a key', () => {
  test('shows its value once, on the page that answers, and never again', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    const { value, page, shownAt } = await createKey(ada)
    expect(value).toMatch(/^api_[0-9A-Za-z]{40}$/)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.html).toContain(`curl -H &quot;Authorization: Bearer ${value}&quot; ${server.url}/api/v1/forms`)
    expect((await callWith(server, value)).status).toBe(200)
    expect((await callWith(server, value, 'POST')).status).toBe(200)
    for (const path of [shownAt, home]) expect((await ada.get(path)).html).not.toContain(value)
    expect(table((await ada.get(home)).html)).toHaveLength(1)
  })

  test.skipIf(isCompiled)('shows its value to the session that asked for it only, and for a minute', async () => {
    const { clock, server } = await serverWithClock(saturday)
    const ada = await signedIn(server, newEmail())
    const elsewhere = visit(server)
    await elsewhere.signIn(ada.email)
    const { location } = await ada.post(home, { name: 'Website' })
    expect((await elsewhere.get(location ?? '')).html).not.toContain('new-key')
    clock.now += minute
    expect((await ada.get(location ?? '')).html).not.toContain('new-key')
  })

  test('of read-only permission makes one that only reads', async () => {
    const server = await sharedServer()
    const { value } = await createKey(await signedIn(server, newEmail()), { permission: 'read-only' })
    expect((await callWith(server, value)).status).toBe(200)
    expect((await callWith(server, value, 'POST')).status).toBe(403)
  })

  test.skipIf(isCompiled)('with a date makes one that works to the end of that day in UTC', async () => {
    const { clock, server } = await serverWithClock(saturday)
    const ada = await signedIn(server, newEmail())
    const { value, page } = await createKey(ada, { expires: '2026-11-21' })
    expect(table(page.html)[0]?.slice(0, 2)).toEqual([
      'Website',
      'Reads and changes all forms. Not used yet. Valid until 21 Nov 2026, 23:59 UTC.',
    ])
    clock.now = Date.parse('2026-11-21T23:59:59.999Z')
    expect((await callWith(server, value)).status).toBe(200)
    clock.now += 1
    expect((await callWith(server, value)).status).toBe(401)
    expect(table((await ada.get(home)).html)[0]?.[0]).toBe('Website Ended 21 Nov 2026, 23:59 UTC')
  })

  test.each([
    ['no name', { name: '' }, 'name-error'],
    ['a name of white space', { name: '   ' }, 'name-error'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name-error'],
    ['a name with a line break', { name: 'a\nb' }, 'name-error'],
    ['a date in the past', { expires: '2020-11-20' }, 'expires-error'],
    ['a date that is none', { expires: '2026-02-30' }, 'expires-error'],
    ['a permission that is none', { permission: 'root' }, 'permission-error'],
  ])('with %s says so beside the field, and keeps what was typed', async (_name, fields, error) => {
    const ada = await signedIn(await sharedServer(), newEmail())
    const typed = { name: 'Web & <b>', expires: '2100-01-31', permission: 'read-only', ...fields }
    const page = await ada.post(home, typed)
    expect(page.status).toBe(400)
    expect(page.html).toContain(`id="${error}"`)
    expect(page.html.match(/class="error"/g)).toHaveLength(1)
    expect(page.html).toContain(`name="name" type="text" value="${Bun.escapeHTML(typed.name)}"`)
    expect(page.html).toContain(`name="expires" type="date" value="${typed.expires}"`)
    if (typed.permission === 'read-only') expect(page.html).toContain('value="read-only" checked')
    expect(table((await ada.get(home)).html)).toEqual([])
  })

  test.each([
    ['markup', '<script>alert(1)</script>'],
    ['an attribute', '" autofocus onfocus="alert(1)'],
    ['100 emoji', fox.repeat(100)],
    ['an entity', '&amp;&lt;'],
    ['text from right to left', '\u202eabc'],
  ])('shows a name that is %s as it was typed', async (_name, name) => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    const { page, id } = await createKey(ada, { name })
    const escaped = Bun.escapeHTML(name)
    expect(table(page.html)[0]?.[0]).toBe(escaped)
    const confirm = await ada.get(`${home}/${id}/revoke`)
    expect(confirm.isolated).toContain(name)
    for (const { html } of [page, confirm]) expect(html).not.toMatch(/<script>|onfocus="/)
  })
})

describe('a key for some forms', () => {
  const prepare = async () => {
    const server = await sharedServer()
    const ada = await owner(server)
    const bob = await owner(server)
    const [own, other] = [await ada.api.createForm({ title: 'A & <b>' }), await ada.api.createForm({ title: 'Other' })]
    const shared = await bob.api.createForm({ title: 'Of Bob' })
    const hidden = await bob.api.createForm({ title: 'Hidden' })
    await bob.api.call('POST', `/forms/${shared}/members`, { email: ada.email, role: 'reader' })
    const statusesWith = (value: string) =>
      Promise.all(
        [own, other, shared].map(async (id) => {
          const answer = await server.fetch(`/api/v1/forms/${id}`, { headers: { authorization: `Bearer ${value}` } })
          return answer.status
        }),
      )
    return { server, ada, own, other, shared, hidden, statusesWith }
  }

  test('is refused for all others, and the page says for which ones it is', async () => {
    const { server, ada, own, other, shared, hidden, statusesWith } = await prepare()
    const { html } = await ada.get(home)
    expect(html).not.toContain(hidden)
    for (const id of [own, other, shared]) expect(html).toContain(`name="form" value="${id}">`)
    const chosen: [string, string][] = [
      ['name', 'Website'],
      ['scope', 'some'],
      ['form', own],
      ['form', shared],
    ]
    const made = await ada.post(home, chosen)
    expect(made.status).toBe(303)
    const page = await ada.get(made.location ?? '')
    const value = /id="new-key"[^>]*>(api_\w+)</.exec(page.html)?.[1] ?? ''

    expect(await statusesWith(value)).toEqual([200, 403, 200])
    expect((await callWith(server, value, 'POST')).status).toBe(403)
    expect(limitOf(table(page.html)[0])).toBe('Reads and changes A &amp; &lt;b&gt;, Of Bob')
    await ada.api.call('DELETE', `/forms/${own}`)
    expect(limitOf(table((await ada.get(home)).html)[0])).toBe('Reads and changes Of Bob and 1 other')
  })

  test('is named after the first three that are still there', async () => {
    const server = await sharedServer()
    const ada = await owner(server)
    const titles = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
    const { ids } = (await ada.api.call('POST', '/forms/bulk', { forms: titles.map((title) => ({ title })) })).body
    await createKey(ada, { scope: 'some', others: ids.join('\n') })
    await createKey(ada, { scope: 'some', others: ids.slice(0, 2).join('\n') })
    const limits = async () => table((await ada.get(home)).html).map(limitOf)
    const ofApi = 'Reads and changes all forms'
    expect(await limits()).toEqual(['Reads and changes A, B', 'Reads and changes A, B, C and 4 others', ofApi])
    for (const [gone, ...left] of [
      [1, 'Reads and changes A and 1 other', 'Reads and changes A, C, D and 4 others'],
      [0, 'Reads and changes 2 forms', 'Reads and changes C, D, E and 4 others'],
      [2, 'Reads and changes 2 forms', 'Reads and changes D, E, F and 4 others'],
      [5, 'Reads and changes 2 forms', 'Reads and changes D, E, G and 4 others'],
      [3, 'Reads and changes 2 forms', 'Reads and changes E, G and 5 others'],
    ] as const) {
      await ada.api.call('DELETE', `/forms/${ids[gone]}`)
      expect(await limits()).toEqual([...left, ofApi])
    }
  })

  test('of which some are ticked while all are chosen is for all', async () => {
    const { ada, own, statusesWith } = await prepare()
    const { value } = await createKey(ada, { scope: 'all', form: own })
    expect(await statusesWith(value)).toEqual([200, 200, 200])
  })

  test('is not made for none, for one that its user does not see, or for more than a hundred', async () => {
    const { ada, own, hidden } = await prepare()
    const unknown = `Must be forms that you can see; &quot;${hidden}&quot; is not one.`
    for (const [fields, message] of [
      [{ scope: 'some' }, 'Choose at least one form, or all forms.'],
      [{ scope: 'every', form: own }, 'Must be all or some.'],
      [{ scope: 'some', form: hidden }, unknown],
      [{ scope: 'some', form: own, others: ` ${hidden}\n` }, unknown],
      [
        { scope: 'some', others: Array.from({ length: 101 }, (_, i) => i).join('\n') },
        'Must be at most 100 forms; got 101.',
      ],
    ] as const) {
      const refused = await ada.post(home, { name: 'Website', ...fields })
      expect([refused.status, /id="forms-error">([^<]*)</.exec(refused.html)?.[1]]).toEqual([400, message])
      if (fields.scope === 'some') expect(refused.html).toContain('name="scope" value="some" checked')
      if ('form' in fields && fields.form === own) expect(refused.html).toContain(`value="${own}" checked`)
    }
    // The one of the API.
    expect(table((await ada.get(home)).html)).toHaveLength(1)
  })

  test('stays one for some forms while the page is answered, though there are none any more', async () => {
    const server = await sharedServer()
    const ada = await owner(server)
    const fields = { name: 'Website', scope: 'some', form: await ada.api.createForm() }
    await ada.api.call('DELETE', `/forms/${fields.form}`)
    const refused = await ada.post(home, fields)
    expect(/id="forms-error">([^<]*)</.exec(refused.html)?.[1]).toContain('Must be forms that you can see')
    expect(refused.html).toContain('name="scope" value="some" checked')
    expect((await ada.get(home)).html).not.toContain('name="scope"')
  })

  test('can name a form beyond those that the page lists', async () => {
    const { ada, own } = await prepare()
    expect((await ada.get(home)).html).not.toContain('name="others"')
    const forms = Array.from({ length: 100 }, () => ({ title: 'x' }))
    await ada.api.call('POST', '/forms/bulk', { forms })
    const { html } = await ada.get(home)
    expect(html).toContain('name="others"')
    expect(html).not.toContain(own)
    const { page } = await createKey(ada, { scope: 'some', others: own })
    expect(limitOf(table(page.html)[0])).toBe('Reads and changes A &amp; &lt;b&gt;')
  })
})

describe('the list of keys', () => {
  test('is not there while it is empty, and the form below says what a key is for', async () => {
    const server = await sharedServer()
    const { html } = await (await signedIn(server, newEmail())).get(home)
    expect(html).toContain('With a key, a program can read and manage your forms')
    expect(html).not.toContain('class="things')
  })

  test.skipIf(isCompiled)(
    'shows each key with everything but its value, newest first, and no key of others',
    async () => {
      const { clock, server } = await serverWithClock(saturday)
      const ada = await signedIn(server, newEmail())
      await createKey(await signedIn(server, newEmail()), { name: 'Bob’s' })
      const first = await createKey(ada)
      clock.now += minute
      const second = await createKey(ada, { name: 'Backup', permission: 'read-only', expires: '2026-12-31' })
      const { html } = await ada.get(home)
      const start = (value: string) => `${value.slice(0, 8)}…`
      expect(table(html)).toEqual([
        [
          'Backup',
          'Only reads all forms. Not used yet. Valid until 31 Dec 2026, 23:59 UTC.',
          `${start(second.value)}, made 21 Nov 2026, 10:01 UTC`,
        ],
        [
          'Website',
          'Reads and changes all forms. Not used yet. Valid for ever.',
          `${start(first.value)}, made 21 Nov 2026, 10:00 UTC`,
        ],
      ])
      expect(html).toContain('<time datetime="2026-11-21T10:01:00.000Z">')
      expect(html).not.toContain(first.value)
    },
  )
})

describe('revoking a key', () => {
  test('asks first, and counts from the next request on', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    const { value, id } = await createKey(ada)
    const other = await createKey(ada, { name: 'Backup' })
    const confirm = await ada.get(`${home}/${id}/revoke`)
    expect(confirm.html).toContain('Revoke this key?')
    expect((await callWith(server, value)).status).toBe(200)
    expect(await ada.post(`${home}/${id}/revoke`)).toMatchObject({
      status: 303,
      location: `${home}?done=revoked#notice`,
    })
    expect((await callWith(server, value)).status).toBe(401)
    expect((await callWith(server, other.value)).status).toBe(200)
    expect(table((await ada.get(home)).html).map(([name]) => name)).toEqual(['Backup'])
    expect((await ada.post(`${home}/${id}/revoke`)).status).toBe(404)
  })

  test('of another user is 404 and changes nothing', async () => {
    const server = await sharedServer()
    const { value, id } = await createKey(await signedIn(server, newEmail()))
    const bob = await signedIn(server, newEmail())
    expect((await bob.get(`${home}/${id}/revoke`)).status).toBe(404)
    expect((await bob.post(`${home}/${id}/revoke`)).status).toBe(404)
    expect((await callWith(server, value)).status).toBe(200)
  })
})

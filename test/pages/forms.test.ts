import { describe, expect, test } from 'bun:test'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'
import { sharedServer, startServer } from '../harness.ts'
import { readPage } from '../read-page.ts'
import { owner, signedIn, visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'

const newOwner = async () => {
  const server = await sharedServer()
  return { server, ada: await owner(server) }
}

const titles = (html: string): string[] =>
  [...html.matchAll(/<a class="open" href="\/forms\/\w{28}"><bdi>(.*?)<\/bdi>/g)].map(([, title = '']) => title)

/** The titles in the menu above a page of a form, each with what is unread. */
const inMenu = (html: string): string[] => {
  const [, menu = ''] = /class="menu start jump"[\s\S]*?<ul([\s\S]*?)<\/ul>/.exec(html) ?? []
  return [...menu.matchAll(/<bdi>(.*?)<\/bdi>(?:<span class="count">(\d+))?/g)].map(([, ...parts]) =>
    parts.filter(Boolean).join(' '),
  )
}

test('a page of a form has the other ones in a menu, as they are at that moment', async () => {
  const { server, ada } = await newOwner()
  const first = await ada.api.createForm({ title: 'First' })
  const menu = async () => inMenu((await ada.get(`/forms/${first}`)).html)
  expect(await menu()).toEqual([])
  const second = await ada.api.createForm({ title: 'Second' })
  expect(await menu()).toEqual(['Second', 'First'])
  await server.submit(first, { a: 1 })
  expect(await menu()).toEqual(['First 1', 'Second'])
  await server.submit(second, { a: 1 })
  await ada.api.call('PATCH', `/forms/${second}`, { title: 'Another' })
  expect(await menu()).toEqual(['Another 1', 'First 1'])
  await ada.api.call('DELETE', `/forms/${second}`)
  expect(await menu()).toEqual([])
})

describe('/forms', () => {
  test('leads to the first form while there is none', async () => {
    const { ada } = await newOwner()
    const { status, heading, forms, current } = await ada.get('/forms')
    expect([status, heading]).toEqual([200, 'Create your first form'])
    expect(forms).toContain('post /forms/new')
    expect(current).toContain('Forms')
  })

  test('lists the forms of the user, the last active first, with all that people wrote as text', async () => {
    const { server, ada } = await newOwner()
    const eve = await owner(server)
    await eve.api.createForm({ title: 'Of Eve' })
    const first = await ada.api.createForm({ title: 'First' })
    const second = await ada.api.createForm({ title: '<script>' })
    for (let i = 0; i < 3; i++)
      await server.submit(first, { name: '<i>Grace', email: 'g@h.i', message: `${i} <b>\n of all` })
    const { html, links } = await ada.get('/forms')
    expect(titles(html)).toEqual(['First', '&lt;script&gt;'])
    expect(readPage(html).title).toBe('(3) Forms · Formbox')
    expect(readPage(html).texts).toContain('3 unread')
    for (const text of ['<i>Grace', '2 <b> of all']) expect(readPage(html).isolated).toContain(text)
    expect(html).toContain('aria-label="3 in 30 days"')
    expect(html).toContain('aria-label="0 in 30 days"')
    expect(links).toContain(`/forms/${second}/embed`)
    expect(links).not.toContain(`/forms/${first}/embed`)
    expect(html).not.toContain('Of Eve')
  })

  test('shows a line of a submission whatever it holds', async () => {
    const { server, ada } = await newOwner()
    for (const [data, line] of [
      [{ app: { version: '4.2' } }, '<bdi>{&quot;app&quot;:{&quot;version&quot;:&quot;4.2&quot;}}</bdi>'],
      [{ name: 'a\u202eb\u0007' }, '<bdi class="about">a\ufffdb\u2407</bdi>'],
      [{ name: '', message: ' ', more: null }, '<bdi>Nothing was filled in</bdi>'],
      [{ a: ' ', b: 5, email: 'ada@example.com' }, '<bdi class="about">ada@example.com</bdi>'],
      [
        { name: 'Ada', email: 'ada.lovelace@example.com', text: 'a word' },
        '<bdi class="about">Ada</bdi> <bdi>a word</bdi>',
      ],
      [{ name: 'Ada', text: 'word '.repeat(3000) }, `<bdi class="about">Ada</bdi> <bdi>${'word '.repeat(40)}</bdi>`],
      [{ name: '🦊'.repeat(500) }, `<bdi class="about">${'🦊'.repeat(100)}</bdi>`],
      [{ name: 'x'.repeat(70_000) }, `<bdi class="about">${'x'.repeat(200)}</bdi>`],
      [{ ['x'.repeat(70_000)]: 1 }, '<bdi>More than 64 KiB</bdi>'],
    ] as const) {
      await server.submit(await ada.api.createForm(), data)
      expect((await ada.get('/forms')).html).toContain(line)
    }
  })

  test('finds a form by a part of its title, from eight forms on', async () => {
    const { ada } = await newOwner()
    const names = ['Cake orders', 'Contact', 'Café', 'One', 'Two', 'Three', 'Four']
    await ada.api.call('POST', '/forms/bulk', { forms: names.map((title) => ({ title })) })
    expect((await ada.get('/forms')).field('q')).toBeUndefined()
    await ada.api.createForm({ title: 'Last' })
    expect((await ada.get('/forms')).field('q')).toMatchObject({ type: 'search' })
    expect(titles((await ada.get('/forms?q=CAFE')).html)).toEqual(['Café'])
    const none = await ada.get('/forms?q=%3Cb%3E')
    expect(none.text).toContain('None has “<b>” in its title, group or address.')
    expect(none.link('All forms')).toBe('/forms')
  })

  test('has headings once a form is in a group, of own and shared forms, and finds forms by group and address', async () => {
    const { server, ada } = await newOwner()
    const eve = await owner(server)
    const made = async (who: typeof ada, title: string, settings: object) => {
      const id = await who.api.createForm({ title })
      expect((await who.api.call('PATCH', `/forms/${id}/settings`, settings)).status).toBe(200)
      return id
    }
    const quotes = await made(ada, 'Quotes', {})
    expect((await ada.get('/forms')).headings).toEqual(['Forms'])
    await made(ada, 'Contact', { group: 'Green <Bakery>', address: `bake-${quotes.slice(-8)}` })
    const joinery = await made(eve, 'Loft', { group: 'Joinery' })
    await eve.api.call('POST', `/forms/${joinery}/members`, { email: ada.email, role: 'reader' })
    await server.submit(quotes, { name: 'Grace' })
    const page = await ada.get('/forms')
    expect(page.headings).toEqual(['Forms', 'Joinery', 'Green <Bakery>', 'Other'])
    expect(titles(page.html)).toEqual(['Loft', 'Contact', 'Quotes'])
    const part = await ada.get('/forms?group=Green+%3CBakery%3E')
    expect([part.heading, titles(part.html), part.link('Forms')]).toEqual(['Green <Bakery>', ['Contact'], '/forms'])
    for (const q of ['joiner', `bake-${quotes.slice(-8, -2)}`])
      expect(titles((await ada.get(`/forms?q=${q}`)).html)).toEqual([q === 'joiner' ? 'Loft' : 'Contact'])
  })

  test('has pages of 20, and shows the last one for what is past the end', async () => {
    const { ada } = await newOwner()
    const forms = Array.from({ length: 45 }, (_, number) => ({ title: `Form ${number}` }))
    await ada.api.call('POST', '/forms/bulk', { forms })
    const first = await ada.get('/forms')
    expect(titles(first.html)).toEqual(Array.from({ length: 20 }, (_, number) => `Form ${44 - number}`))
    expect(first.html).toContain('1 to 20 of 45')
    expect([first.link('Previous'), first.link('Next')]).toEqual([undefined, '/forms?page=2'])
    const second = await ada.get('/forms?page=2')
    expect([second.link('Previous'), second.link('Next')]).toEqual(['/forms', '/forms?page=3'])
    for (const page of ['3', '4', '9999999999']) {
      const last = await ada.get(`/forms?page=${page}`)
      expect(titles(last.html)).toEqual(['Form 4', 'Form 3', 'Form 2', 'Form 1', 'Form 0'])
      expect(last.html).toContain('41 to 45 of 45')
      expect(last.link('Next')).toBeUndefined()
    }
    for (const page of ['0', '-1', '1e1', 'x', '', '99999999999'])
      expect(titles((await ada.get(`/forms?page=${page}`)).html)[0], page).toBe('Form 44')
  })

  test('has own and shared forms in its pages, each once, by their activity', async () => {
    const { server, ada } = await newOwner()
    const [bob, eve] = [await owner(server), await owner(server)]
    const create = async (who: typeof ada, count: number, name: string) => {
      const forms = Array.from({ length: count }, (_, i) => ({ title: `${name} ${i}` }))
      const { body } = await who.api.call('POST', '/forms/bulk', { forms })
      return { ids: body.ids as string[], newestFirst: forms.map(({ title }) => title).reverse() }
    }
    const [early, ofBob] = [await create(ada, 5, 'Early'), await create(bob, 3, 'Of Bob')]
    const shared = await create(eve, 22, 'Shared')
    for (const id of shared.ids)
      for (const { email } of [ada, bob]) await eve.api.call('POST', `/forms/${id}/members`, { email, role: 'reader' })
    const late = await create(ada, 20, 'Late')
    const listed = async (who: typeof ada, pages: number) => {
      const all = Array.from({ length: pages }, (_, i) => who.get(`/forms?page=${i + 1}`))
      return (await Promise.all(all)).flatMap(({ html }) => titles(html))
    }
    expect(await listed(ada, 3)).toEqual([...late.newestFirst, ...shared.newestFirst, ...early.newestFirst])
    expect(await listed(bob, 2)).toEqual([...shared.newestFirst, ...ofBob.newestFirst])
  })

  test('reads no more forms for its last page than for the first', async () => {
    const { ada } = await newOwner()
    const forms = Array.from({ length: 1000 }, (_, i) => ({ title: `Form ${i}` }))
    for (let i = 0; i < 3; i++) await ada.api.call('POST', '/forms/bulk', { forms })
    const reading = (page: number) => () => processorMillisecondsOf(() => ada.get(`/forms?page=${page}`))
    const first: number[] = []
    for (let i = 0; i < 7; i++) first.push(await reading(1)())
    await expectBelow(4 * Math.min(...first), reading(150))
  })

  test('says that a form was deleted, also when it was the last one', async () => {
    const { ada } = await newOwner()
    const notice = '<p class="notice done" id="notice" tabindex="-1" role="status">The form has been deleted.</p>'
    expect((await ada.get('/forms?done=deleted')).html).toContain(notice)
    await ada.api.createForm()
    expect((await ada.get('/forms?done=deleted')).html).toContain(notice)
    expect((await ada.get('/forms?done=constructor')).html).not.toContain('id="notice"')
  })

  test('is where sign-in and set-up lead', async () => {
    const server = await startServer()
    const visitor = visit(server)
    const token = /token=(.+)$/.exec(server.setupPath ?? '')?.[1] ?? ''
    const account = { token, email: 'ada@example.com', password: 'correct horse battery' }
    expect(await visitor.post('/setup', account)).toMatchObject({ status: 303, location: '/' })
    expect((await visitor.get('/')).html).toContain('Create your first form')
    const eve = await signedIn(server, 'eve@example.com')
    expect(await eve.get('/sign-in')).toMatchObject({ status: 303, location: '/' })
  })
})

describe('/forms/new', () => {
  test('creates a form with the usual protection from spam, and leads to its code', async () => {
    const { ada } = await newOwner()
    const { status, location } = await ada.post('/forms/new', { title: ' Contact ', group: 'Bakery' })
    expect(status).toBe(303)
    const id = /^\/forms\/(\w{28})\/embed\?done=created#notice$/.exec(location ?? '')?.[1]
    const { body } = await ada.api.call('GET', `/forms/${id}`)
    expect(body).toMatchObject({ title: 'Contact', description: null, returnUrl: null })
    const settings = async (of: string | undefined) => (await ada.api.call('GET', `/forms/${of}/settings`)).body
    const usual = { maxLinks: 3, learnSpam: true, challenge: false, honeypot: '_gotcha' }
    expect(await settings(id)).toMatchObject({ ...usual, group: 'Bakery', notify: [] })
    expect(await settings(await ada.api.createForm())).toMatchObject({ maxLinks: null, learnSpam: false })
    expect((await ada.get(location ?? '')).text).toContain('Contact is ready. Nobody is told of new messages')
  })

  test('emails the owner each message without a click, if the server sends email, and says so', async () => {
    const environment = {
      FORMBOX_MAIL_URL: 'smtp://mail.example.com',
      FORMBOX_MAIL_FROM: 'forms@example.com',
      FORMBOX_URL: 'http://forms.example.com',
    }
    const { ada } = await siteWorld({ environment })
    for (const page of ['/forms/new', '/forms'])
      expect((await ada.get(page)).text.includes('cannot send email')).toBe(false)
    const asked = await ada.get('/forms/new')
    expect(asked.text).toContain(`Email each message to ${ada.email}`)
    expect(asked.field('notify')).toMatchObject({ type: 'checkbox', checked: '' })
    const made = async (fields: Record<string, string>) => {
      const { location } = await ada.post('/forms/new', { title: 'Contact', ...fields })
      const path = location?.replace(/\/embed.*/, '/settings') ?? ''
      return { notify: (await ada.api.call('GET', path)).body.notify, ...(await ada.get(location ?? '')) }
    }
    const told = await made({ notify: 'on' })
    expect(told.notify).toEqual([ada.email])
    expect(told.text).toContain(`Contact is ready. Each message goes to ${ada.email}.`)
    expect((await made({})).notify).toEqual([])
    const without = await (await newOwner()).ada.get('/forms/new')
    expect(without.field('notify')).toBeUndefined()
    expect(without.text).toContain('This server cannot send email yet.')
  })

  test('gives a form the time zone of the browser, and UTC if it names none', async () => {
    const { ada } = await newOwner()
    for (const page of ['/', '/forms/new']) expect(readPage((await ada.get(page)).html).hidden('timeZone')).toBe('UTC')
    for (const [sent, timeZone] of [
      ['Asia/Kathmandu', 'Asia/Kathmandu'],
      ['UTC', 'UTC'],
      ['nowhere', 'UTC'],
    ] as const) {
      const { location = '' } = await ada.post('/forms/new', { title: 'Contact', timeZone: sent })
      const path = location?.replace(/\/embed.*/, '/settings')
      expect((await ada.api.call('GET', path ?? '')).body).toMatchObject({ timeZone })
    }
  })

  test('says what is wrong, keeps what was typed, and creates nothing', async () => {
    const { ada } = await newOwner()
    for (const [fields, error] of [
      [{}, 'title-error'],
      [{ title: ' ', group: 'Kept' }, 'title-error'],
      [{ title: 'Kept', group: 'x'.repeat(61) }, 'group-error'],
    ] as const) {
      const { status, html } = await ada.post('/forms/new', fields as Record<string, string>)
      expect(status).toBe(400)
      expect(html).toContain(`id="${error}"`)
      expect(html.match(/class="error"/g)).toHaveLength(1)
      for (const value of Object.values(fields)) expect(html).toContain(`value="${value}"`)
    }
    expect((await ada.api.call('GET', '/forms')).body.pagination.total).toBe(0)
  })
})

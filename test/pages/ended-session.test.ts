// A form is sent after its session has ended: nothing is done, and nothing is lost.
import { describe, expect, test } from 'bun:test'
import { type Server, sharedServer } from '../harness.ts'
import { owner, password, visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'
import { openSettings } from './settings-form.ts'

type Ada = Awaited<ReturnType<typeof owner>>
type Fields = Record<string, string> | [string, string][]

/** Sends a form after the session was ended in another browser. */
const sendLate = async (server: Server, ada: Ada, path: string, fields: Fields) => {
  const elsewhere = visit(server)
  await elsewhere.signIn(ada.email)
  await elsewhere.post('/settings/account/sign-out-everywhere')
  return ada.post(path, fields)
}

const heldIn = (html: string): string | undefined => /name="held" value="([\w-]*)"/.exec(html)?.[1]

/** Signs in on the page that answered, as a browser does. Returns what comes after the redirect. */
const goOn = async (ada: Ada, html: string, email = ada.email) => {
  const next = /name="next" value="([^"]*)"/.exec(html)?.[1] ?? ''
  const fields = { next, held: heldIn(html) ?? '', email, password }
  const { status, location } = await ada.post('/sign-in', fields)
  // With this status, a browser sends the same form again.
  if (status === 307) return { location, page: await ada.post(location ?? '', fields) }
  return { location, page: await ada.get(location ?? '') }
}

describe('a form that is sent after its session has ended', () => {
  test('is kept on the sign-in page, which says so, and is then shown to be saved', async () => {
    const { server, ada, path } = await siteWorld()
    const settings = `${path}/settings/visitors`
    const opened = await openSettings(ada, settings)
    const typed = { thankYou: 'Danke\r\n"für" <alles> & 🦊', description: 'Mine' }
    const late = await sendLate(server, ada, settings, [...new Map([...opened, ...Object.entries(typed)])])
    expect(late.status).toBe(401)
    expect(late.heading).toBe('Sign in')
    expect(late.html).toContain('role="alert">Your session ended before this was done.</p>')
    expect(late.html).toContain('Sign in to continue.')
    expect(late.html).not.toContain('Danke')

    const { page } = await goOn(ada, late.html)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Not saved yet. What you typed is below.')
    expect(page.html).toContain('>\nDanke\n&quot;für&quot; &lt;alles&gt; &amp; 🦊</textarea>')
    expect((await ada.api.call('GET', `${path}/settings`)).body.thankYou).toBeNull()

    const again = await openSettings({ ...ada, get: async () => page }, settings)
    expect((await ada.post(settings, [...again])).status).toBe(303)
    expect((await ada.api.call('GET', `${path}/settings`)).body.thankYou).toBe('Danke\n"für" <alles> & 🦊')
    expect((await ada.api.call('GET', path)).body.description).toBe('Mine')
  })

  test('stays kept through a wrong password', async () => {
    const { server, ada } = await siteWorld()
    const late = await sendLate(server, ada, '/forms/new', { title: 'Typed' })
    const held = heldIn(late.html) ?? ''
    const wrong = await visit(server).post('/sign-in', { email: ada.email, password: 'not it', held, next: '/' })
    expect(wrong.status).toBe(401)
    expect(heldIn(wrong.html)).toBe(held)
    expect((await goOn(ada, wrong.html)).page.html).toContain('name="title" type="text" value="Typed"')
  })

  test('does not overwrite what was changed elsewhere meanwhile', async () => {
    const { server, ada, path } = await siteWorld()
    const settings = `${path}/settings/visitors`
    const opened = await openSettings(ada, settings)
    const late = await sendLate(server, ada, settings, [...new Map([...opened, ['thankYou', 'Mine']])])
    await ada.api.call('PATCH', `${path}/settings`, { thankYou: 'Theirs' })
    const { page } = await goOn(ada, late.html)
    const again = await openSettings({ ...ada, get: async () => page }, settings)
    const refused = await ada.post(settings, [...again])
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('id="thankYou-error">This was changed elsewhere')
    expect((await ada.api.call('GET', `${path}/settings`)).body.thankYou).toBe('Theirs')
  })

  test.each<[string, string, Fields, string, string[]]>([
    [
      'a new form',
      '/forms/new',
      { title: 'Typed "title"', group: 'Typed group' },
      'Not created yet.',
      ['value="Typed &quot;title&quot;"', 'value="Typed group"'],
    ],
    [
      'a new key',
      '/settings/keys',
      { name: 'Typed', expires: '2099-01-01', permission: 'read-only' },
      'Not created yet.',
      ['value="Typed"', 'value="2099-01-01"', 'value="read-only" checked'],
    ],
    [
      'a new webhook',
      '/forms/:formId/settings/told/new',
      { url: 'https://typed.example/', kind: 'phone', description: 'Typed' },
      'Not saved yet.',
      ['value="https://typed.example/"', 'value="Typed"'],
    ],
    [
      'changes of a webhook',
      '/forms/:formId/settings/told/:webhookId',
      { url: 'https://typed.example/', kind: 'phone', description: 'Typed' },
      'Not saved yet.',
      ['value="https://typed.example/"', 'value="Typed"'],
    ],
    [
      'a test',
      '/forms/:formId/embed',
      { name: 'Typed', email: 'typed@example.com', message: 'Typed\r\ntext' },
      'Not sent yet.',
      ['value="Typed"', 'value="typed@example.com"', '>\nTyped\r\ntext</textarea>'],
    ],
  ])('shows what was typed, and does nothing: %s', async (_name, pattern, fields, notice, shown) => {
    const { server, ada, formId: id } = await siteWorld()
    const url = 'https://example.com/hook'
    const webhookId = (await ada.api.call('POST', `/forms/${id}/webhooks`, { url })).body.id
    const path = pattern.replace(':formId', id).replace(':webhookId', webhookId)
    const stored = async () => [
      (await ada.api.call('GET', '/forms')).body,
      (await ada.api.call('GET', `/forms/${id}/webhooks`)).body,
      (await ada.get('/settings/keys')).html.match(/Typed/g),
    ]
    const before = await stored()
    const late = await sendLate(server, ada, path, fields)
    expect(late.status).toBe(401)
    const { location, page } = await goOn(ada, late.html)
    expect(location).toBe(path)
    expect(page.status).toBe(200)
    expect(page.html).toContain(notice)
    for (const text of shown) expect(page.html).toContain(text)
    expect(await stored()).toEqual(before)
  })

  test.each<[string, string, Record<string, string>, string]>([
    ['deletes', '/submissions/delete', { confirm: 'yes' }, '<h1>Delete 2 submissions?</h1>'],
    ['marks as spam', '/submissions/spam', {}, '<h1>Mark 2 submissions as spam?</h1>'],
  ])('asks about the submissions that were ticked, before it %s them', async (_name, action, more, question) => {
    const { server, ada, formId: id, path } = await siteWorld()
    const ids = [await server.submit(id, { name: 'Grace' }), await server.submit(id, { name: 'Alan' })]
    const ticked: [string, string][] = [...ids.map((one): [string, string] => ['ids', one]), ...Object.entries(more)]
    const late = await sendLate(server, ada, path + action, ticked)
    const { page } = await goOn(ada, late.html)
    expect(page.html).toContain(question)
    for (const name of ['Grace', 'Alan']) expect(page.isolated).toContain(name)
    expect((await ada.api.call('GET', path)).body.submissionCount).toBe(2)
    const inputs = [...page.html.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)">/g)]
    const answer = inputs.map(([, name = '', value = '']): [string, string] => [name, value])
    expect((await ada.post(path + action, answer)).status).toBe(303)
    expect((await ada.api.call('GET', path)).body.submissionCount).toBe(0)
  })

  test.each<[string, Record<string, string>, string]>([
    ['is accepted', { action: 'accept' }, '<h1>Not spam?</h1>'],
    ['is deleted', { action: 'delete', confirm: 'yes' }, '<h1>Delete this submission?</h1>'],
    ['is deleted, all of it', { action: 'delete-all', confirm: 'yes' }, '<h1>Delete all spam of this form?</h1>'],
  ])('asks before spam %s', async (_name, fields, question) => {
    const { server, ada, formId: id, path } = await siteWorld()
    await server.submit(id, { name: 'Robot', _gotcha: 'x' })
    const [{ id: spamId }] = (await ada.api.call('GET', `${path}/spam`)).body.spam
    const late = await sendLate(server, ada, `${path}/spam`, { ...fields, ids: spamId })
    const { page } = await goOn(ada, late.html)
    expect(page.html).toContain(question)
    expect((await ada.api.call('GET', `${path}/spam`)).body.spam).toHaveLength(1)
    expect((await ada.api.call('GET', path)).body.submissionCount).toBe(0)
  })

  test('is not shown to another user who signs in there, and does nothing', async () => {
    const { server, ada } = await siteWorld()
    const eve = await owner(server)
    const late = await sendLate(server, ada, '/settings/keys', {
      name: 'Typed by Ada',
      expires: '',
      permission: 'full',
    })
    const { location, page } = await goOn(ada, late.html, eve.email)
    expect(location).toBe('/settings/keys')
    expect(page.status).toBe(303)
    expect(page.location).toBe('/settings/keys')
    expect((await ada.get('/settings/keys')).html).not.toContain('Typed by Ada')
  })

  test('says so where it is too long to be kept', async () => {
    const { server, ada, path } = await siteWorld()
    for (const length of [50_000, 70_000]) {
      const late = await sendLate(server, ada, `${path}/settings/visitors`, { thankYou: 'x'.repeat(length) })
      expect(late.status).toBe(401)
      expect(late.html).toContain('What you sent is too long to be kept.')
      expect(heldIn(late.html)).toBeUndefined()
      expect(late.html.length).toBeLessThan(5000)
      await ada.signIn(ada.email)
    }
  })

  test.each([
    ['one long text', `title=${'"'.repeat(65_000)}`],
    ['a text that just fits', `title=${'"'.repeat(22_000)}`],
    ['many fields', 'a&'.repeat(32_000)],
    ['fewer fields', 'a&'.repeat(6000)],
  ])('makes no long answer for a stranger: %s', async (_name, body) => {
    const server = await sharedServer()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.url }
    const answer = await server.fetch('/forms/new', { method: 'POST', headers, body })
    expect(answer.status).toBe(401)
    expect((await answer.text()).length).toBeLessThan(62_000)
  })

  test.each([
    ['/settings/account/password', { current: 'my old password', new: 'my new password' }],
    ['/settings/account/sign-out-everywhere', {}],
    ['/forms/:formId/delete', { confirm: 'Contact' }],
    ['/forms/:formId/duplicate', {}],
  ])('is not kept where it has a password, or only a click: %s', async (pattern, fields) => {
    const { server, ada, formId: id } = await siteWorld()
    const late = await sendLate(server, ada, pattern.replace(':formId', id), fields as Fields)
    expect(late.status).toBe(401)
    expect(late.html).toContain('Your session ended before this was done.')
    expect(late.html).not.toContain('name="held"')
    expect(late.html).not.toMatch(/my (old|new) password/)
    expect((await ada.api.call('GET', '/forms')).body.pagination.total).toBe(1)
  })

  test('is neither done nor kept if another site sent it', async () => {
    const { server, ada, formId: id, path } = await siteWorld()
    const forged = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const late = await sendLate(server, ada, '/forms/new', { title: 'Typed' })
    const fields = { email: ada.email, password, held: heldIn(late.html) ?? '' }
    for (const to of ['/sign-in', `${path}/settings`, '/forms/new', `/forms/${id}/submissions/delete`]) {
      const refused = await ada.post(to, { ...fields, title: 'Forged', thankYou: 'Forged', ids: 'x' }, forged)
      expect(refused.status).toBe(403)
      expect(refused.html).not.toContain('name="held"')
      expect(refused.cookie).toBeNull()
    }
  })

  test.each(['', 'x', '!', 'bnVsbA', 'WzFd', 'W10', 'WyIvc2lnbi1vdXQiLCIiXQ', 'WyIvL2V2aWwuZXhhbXBsZS8iLCIiXQ'])(
    'is ignored if it is not what our page held: %p',
    async (held) => {
      const { server, ada, path } = await siteWorld()
      const visitor = visit(server)
      const signIn = await visitor.post('/sign-in', { email: ada.email, password, held, next: path })
      expect(signIn).toMatchObject({ status: 303, location: path })
    },
  )

  test('may have a field of the same name', async () => {
    const { ada, path } = await siteWorld()
    expect((await ada.post(`${path}/embed`, { held: 'baggage' })).location).toMatch(/\?sent=\w{28}#notice$/)
  })
})

// Pages that would be of use to those who fish for secrets: however they came to be, they are not drawn.
import { describe, expect, test } from 'bun:test'
import { writeTo } from '../harness.ts'
import { addForm, world } from '../world.ts'

const browser = { accept: 'text/html' }
const asking = [{ name: 'pw', label: 'Your password', required: true }]
const harmless = [{ name: 'pw', label: 'Your name', required: true }]

const open = async (form: object = {}, environment?: Readonly<Record<string, string>>) => {
  const found = await world({ form, environment })
  const statusOf = async (path: string) => (await found.server.fetch(path, { headers: browser })).status
  const post = async (body: FormData | URLSearchParams) => {
    const response = await found.server.fetch(`/s/${found.formId}`, { method: 'POST', headers: browser, body })
    expect(response.status).toBe(400)
    return response.text()
  }
  /** Stores settings past every check, as an earlier version may have, or another machine. */
  const store = (settings: object) =>
    writeTo(found.server.folder, (db) =>
      db.$client.run('UPDATE forms SET settings = ? WHERE id = ?', [JSON.stringify(settings), found.formId]),
    )
  return { ...found, statusOf, post, store }
}

const asksByLabel = { page: {}, fields: asking }

describe('a page that asks for secrets', () => {
  test.each([
    ['a label', asksByLabel],
    ['the name of a field', { page: {}, fields: [{ name: 'password' }] }],
    ['an option', { page: {}, fields: [{ name: 'a', type: 'choice', options: ['x', 'PIN'] }] }],
    ['a help', { page: {}, fields: [{ name: 'a', help: 'Your card number' }] }],
    ['the button', { page: { button: 'Send password' }, fields: [{ name: 'a' }] }],
  ])('is the 404 of a form that does not exist, if it was stored by whoever knew fewer words: %s', async (_, asks) => {
    const { formId, statusOf, store, post, change } = await open({ page: {}, fields: harmless })
    const page = { title: null, text: null, button: null, frame: false }
    const settings = { ...asks, page: { ...page, ...asks.page } }
    expect(await statusOf(`/f/${formId}`)).toBe(200)
    // It is remembered as it was drawn.
    store(settings)
    for (const path of [`/f/${formId}`, `/f/${formId}?lang=de`, `/f/${formId}?pw=1`, `/s/${formId}`])
      expect(await statusOf(path)).toBe(404)
    if (asks === asksByLabel) expect(await post(new URLSearchParams({ a: '' }))).not.toContain('<button')
    expect((await change({ page: {}, fields: harmless })).status).toBe(200)
    expect(await statusOf(`/f/${formId}`)).toBe(200)
  })

  test('is refused in letters that look like others, and in pieces', async () => {
    const { change } = await open({ page: {}, fields: harmless })
    for (const label of ['\u01a4\u0430ssw\u03bfrd', 'Pa ss word', 'P1N'])
      expect(await change({ fields: [{ name: 'a', label }] })).toMatchObject({
        status: 400,
        body: { issues: [{ path: '/fields/0/label' }] },
      })
    expect((await change({ fields: [{ name: 'a', label: 'Boarding pass, wording' }] })).status).toBe(200)
  })

  test('is not made by two requests at the same time, in whichever order they come', async () => {
    const { server, ada } = await open()
    for (let round = 0; round < 20; round++) {
      const { change, settings } = await addForm(server, ada, {})
      const changes = [{ fields: asking }, { page: {} }]
      const sent = (round % 2 ? changes : changes.toReversed()).map(change)
      expect((await Promise.all(sent)).map(({ status }) => status).toSorted()).toEqual([200, 400])
      const { page, fields } = await settings()
      expect(page === null || fields.length === 0).toBe(true)
    }
  })
})

describe('a form that is shown again', () => {
  const secret = 'Photo of your password and credit card number, both sides'
  const upload = (name: string, filename = 'a.png', fields: Readonly<Record<string, string>> = {}) => {
    const body = new FormData()
    for (const [one, value] of Object.entries(fields)) body.set(one, value)
    body.set(name, new File(['x'], filename))
    return body
  }

  test('obeys FORMBOX_FORM_PAGES', async () => {
    const { post } = await open({ fields: harmless }, { FORMBOX_FORM_PAGES: 'false' })
    const html = await post(new URLSearchParams({ other: 'x' }))
    expect(html).toContain('Fill this in.')
    expect(html).not.toContain('<input')
    expect(html).not.toContain('<button')
  })

  test('has no name of a sender as a label, and no input for a file whose name asks for secrets', async () => {
    const { post } = await open({ fields: harmless, maxFiles: 5 })
    const plain = await post(upload('My holiday', 'b.png'))
    expect(plain).toContain('name="My holiday" type="file"')
    expect(plain).not.toContain('>My holiday<')
    expect(plain).toContain('Choose a file.')
    const asks = await post(upload(secret))
    expect(asks).not.toContain('<input')
    expect(asks).not.toContain(secret)
  })

  test('shortens what a sender has called a field or a file', async () => {
    const { post, change } = await open({ fields: harmless, maxFiles: 5 })
    const long = `${'Your account is suspended. '.repeat(8)}Call 555`
    const file = await post(upload('x', long))
    expect(file).not.toContain('Call 555')
    await change({ otherFields: 'refuse' })
    const refused = await post(upload('y', 'a.png', { [long]: 'typed' }))
    expect(refused).toContain('>\ntyped</textarea>')
    expect(refused).not.toContain('Call 555')
    expect(refused).not.toContain('type="file"')
  })

  test('reads no more of a name than it shows: 60 kB of accents would take seconds', async () => {
    const { post } = await open({ fields: harmless, otherFields: 'refuse' })
    const typed = (name: string) => post(new URLSearchParams({ [name]: 'typed' }))
    expect(await typed(`${'x'.repeat(80)} password`)).not.toContain('</textarea>')
    expect(await typed(`${'x'.repeat(100)} password`)).toContain('>\ntyped</textarea>')
  })

  test('has no input for one of many files that it would refuse anyway', async () => {
    const { post } = await open({ fields: harmless, maxFiles: 10, otherFields: 'refuse' })
    const body = upload('last')
    // More problems than are told.
    for (let i = 0; i < 60; i++) body.append(`n${i}`, 'x')
    body.append('late', new File(['x'], 'late.png'))
    expect(await post(body)).not.toContain('type="file"')
  })
})

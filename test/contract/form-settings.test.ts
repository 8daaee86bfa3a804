import { describe, expect, test } from 'bun:test'
import { defaultSettings } from '../default-settings.ts'
import { type Answer, type Server, serverWithUser, type User } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'

const settings = async (user: User, id: string): Promise<Answer['body']> => {
  const { status, body } = await user.call('GET', `/forms/${id}/settings`)
  expect(status).toBe(200)
  return body
}

const change = (user: User, id: string, body: unknown): Promise<Answer> =>
  user.call('PATCH', `/forms/${id}/settings`, body)

describe('GET /api/v1/forms/:formId/settings', () => {
  test('shows every setting of a form that was never changed', async () => {
    const { ada } = await serverWithUser()
    expect(await settings(ada, await ada.createForm())).toEqual(defaultSettings)
  })
})

describe('PATCH /api/v1/forms/:formId/settings', () => {
  test.each([
    ['eight names', [...'abcdefgh']],
    ['none', []],
    ['names of every kind', ['', ' ', '__proto__', 'ü', '😀', 'a\nb', '"', 'x'.repeat(998)]],
    ['names that no submission has had', ['later']],
  ])('stores columns: %s', async (_, columns) => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    expect(await change(ada, id, { columns })).toMatchObject({ status: 200, body: { success: true } })
    expect(await settings(ada, id)).toEqual({ ...defaultSettings, columns })
  })

  test.each([
    { open: false },
    { open: true },
    { thankYou: 'Thank you!\nA \t b' },
    { thankYou: ' x ' },
    { thankYou: '🦊'.repeat(1000) },
    { thankYou: null },
  ])('stores %j', async (changes) => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    expect((await change(ada, id, changes)).status).toBe(200)
    expect(await settings(ada, id)).toEqual({ ...defaultSettings, ...changes })
  })

  test.each([
    ...[null, 0, 1, 'true', 'false', [], {}].map((open) => [{ open }, 'open: must be true or false'] as const),
    ...['', ' \n', 'x'.repeat(1001), '🦊'.repeat(1001), 1, [], ['x']].map(
      (thankYou) => [{ thankYou }, 'thankYou: must be 1 to 1000 characters, not only white space, or null'] as const,
    ),
    [{ thankYou: 'a\0' }, 'thankYou: must be well-formed Unicode without NUL'],
  ])('refuses %j', async (changes, message) => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    const { status, body } = await change(ada, id, { columns: ['a'], ...changes })
    expect(status).toBe(400)
    expect(body.issues).toEqual([{ message, path: `/${Object.keys(changes)[0]}` }])
    expect(await settings(ada, id)).toEqual(defaultSettings)
  })

  test('keeps what is absent, and resets columns with null', async () => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    await change(ada, id, { columns: ['a', 'b'] })
    expect(await change(ada, id, {})).toMatchObject({ status: 200, body: { success: true } })
    expect(await settings(ada, id)).toEqual({ ...defaultSettings, columns: ['a', 'b'] })
    expect((await change(ada, id, { columns: null })).status).toBe(200)
    expect(await settings(ada, id)).toEqual(defaultSettings)
  })

  test('takes back what was read, and ignores what is no setting', async () => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    await change(ada, id, { columns: ['a'] })
    const read = await settings(ada, id)
    expect((await change(ada, id, { ...read, title: 'x', settings: { columns: null }, __proto__: 1 })).status).toBe(200)
    expect(await settings(ada, id)).toEqual(read)
  })

  test.each<[string, unknown]>([
    ['nine names', [...'abcdefghi']],
    ['the same name twice', ['a', 'b', 'a']],
    ['a name of 1,001 bytes', ['x'.repeat(999)]],
    ['a name of 1,001 bytes in few characters', [`${'ü'.repeat(499)}x`]],
    ['a name with NUL', ['a\0']],
    ['half a surrogate pair', ['\ud83d']],
    ['a number', [1]],
    ['null inside', [null]],
    ['text', 'a'],
    ['an object', { 0: 'a', length: 1 }],
  ])('refuses columns: %s', async (_, columns) => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    const { status, body } = await change(ada, id, { columns })
    expect(status).toBe(400)
    const message = 'columns: must be an array of at most 8 different names of at most 1000 bytes as JSON, or null'
    expect(body.issues).toEqual([{ message, path: '/columns' }])
    expect(await settings(ada, id)).toEqual(defaultSettings)
  })

  test('leaves the form as it was, with its eight fields and its updatedAt', async () => {
    const { server, ada } = await serverWithUser()
    const id = await ada.createForm()
    await server.submit(id, { a: 1 })
    const read = async () => [(await ada.call('GET', `/forms/${id}`)).body, (await ada.call('GET', '/forms')).body]
    const before = await read()
    await change(ada, id, { columns: ['a'] })
    expect(await read()).toEqual(before)
    expect(Object.keys(before[0])).toEqual(
      'id title description returnUrl keys submissionCount createdAt updatedAt'.split(' '),
    )
    expect(before[0].updatedAt).toBeNull()
  })

  test('answers in the order of decision 4: 400 before 404 before 403', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const id = await ada.createForm()
    expect((await change(bob, 'nobody', { columns: 1 })).status).toBe(400)
    expect((await change(bob, id, { columns: 1 })).status).toBe(400)
    expect((await change(bob, 'nobody', {})).status).toBe(404)
    expect((await change(bob, id, {})).status).toBe(403)
    expect((await change(ada, 'bulk', {})).status).toBe(404)
  })
})

describe('POST /api/v1/forms/:formId/duplicate', () => {
  test('copies the settings, which then belong to each form alone', async () => {
    const { ada } = await serverWithUser()
    const id = await ada.createForm()
    await change(ada, id, { columns: ['a'] })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    expect(await settings(ada, copy)).toEqual({ ...defaultSettings, columns: ['a'] })
    await change(ada, copy, { columns: ['b'] })
    expect([await settings(ada, id), await settings(ada, copy)]).toMatchObject([{ columns: ['a'] }, { columns: ['b'] }])
  })
})

const mailServer = {
  FORMBOX_SMTP_URL: 'smtp://mail.example.com',
  FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
  FORMBOX_URL: 'http://forms.example.com',
}

/** Whom the form tells of each submission. */
const toldBy = ({ folder }: Server, formId: string): string[] =>
  rowsOf<{ target: string }>(
    folder,
    'SELECT target FROM receivers JOIN forms ON forms.number = form WHERE forms.id = ? AND is_enabled ORDER BY target',
    formId,
  ).map(({ target }) => target)

describe('the setting notify', () => {
  test.each([
    ['one', ['ada@example.com']],
    ['ten', Array.from({ length: 10 }, (_, i) => `a${i}@example.com`)],
    ['capitals', ['Ada.Lovelace+forms@Example.COM']],
    ['a domain in Punycode', ['ada@XN--exmple-cua.de']],
    ['a host of the local network', ['root@localhost', 'ada@mail.lan']],
  ])('stores addresses as they are, and tells them from then on: %s', async (_what, notify) => {
    const { server, ada } = await serverWithUser(mailServer)
    const id = await ada.createForm()
    expect(await change(ada, id, { notify })).toMatchObject({ status: 200 })
    expect(await settings(ada, id)).toEqual({ ...defaultSettings, notify })
    expect(toldBy(server, id)).toEqual(notify.toSorted())
  })

  test.each([
    ['a domain with other letters', 'Ada@EXÄMPLE.de', 'Ada@xn--exmple-cua.de'],
    ['letters that look like ASCII', 'Ada@Ｅxamp\u034fle。\u212aom', 'Ada@example.kom'],
  ])('stores addresses so that each is stored in one way: %s', async (_what, typed, stored) => {
    const { ada } = await serverWithUser(mailServer)
    const id = await ada.createForm()
    expect(await change(ada, id, { notify: [typed] })).toMatchObject({ status: 200 })
    expect((await settings(ada, id)).notify).toEqual([stored])
  })

  test.each<[string, unknown]>([
    ['eleven', Array.from({ length: 11 }, (_, i) => `a${i}@example.com`)],
    ['the same in another case', ['ada@example.com', 'Ada@example.com']],
    ['the same domain in two spellings', ['ada@exämple.de', 'ada@XN--exmple-cua.de']],
    ['no domain', ['ada']],
    ['a domain alone', ['@example.com']],
    ['two in one', ['ada@example.com,grace@example.com']],
    ['a name beside it', ['Ada <ada@example.com>']],
    ['a space', [' ada@example.com']],
    ['a header', ['ada@example.com\r\nBcc: all@example.com']],
    ['a command', ['ada@example.com>\r\nRCPT TO:<all@example.com']],
    ['NUL', ['ada@example.com\0']],
    ['255 characters', [`a@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.${'v'.repeat(9)}`]],
    ['nothing in one', ['']],
    ['a number', [1]],
    ['null', null],
    ['text', 'ada@example.com'],
    ['an object', { 0: 'ada@example.com', length: 1 }],
  ])('refuses %s', async (_what, notify) => {
    const { server, ada } = await serverWithUser(mailServer)
    const id = await ada.createForm()
    const { status, body } = await change(ada, id, { notify, open: false })
    expect(status).toBe(400)
    const message = 'notify: must be an array of at most 10 different e-mail addresses such as ada@example.com'
    expect(body.issues).toEqual([{ message, path: '/notify' }])
    expect(await settings(ada, id)).toEqual(defaultSettings)
    expect(toldBy(server, id)).toEqual([])
  })

  test('tells only those that are left, and nobody once it is empty', async () => {
    const { server, ada } = await serverWithUser(mailServer)
    const id = await ada.createForm()
    await change(ada, id, { notify: ['a@example.com', 'b@example.com'] })
    await change(ada, id, { notify: ['b@example.com', 'c@example.com'] })
    expect(toldBy(server, id)).toEqual(['b@example.com', 'c@example.com'])
    await change(ada, id, { open: false })
    expect(toldBy(server, id)).toEqual(['b@example.com', 'c@example.com'])
    await change(ada, id, { notify: [] })
    expect(toldBy(server, id)).toEqual([])
  })

  test('is copied to a duplicate, which then tells them by itself', async () => {
    const { server, ada } = await serverWithUser(mailServer)
    const id = await ada.createForm()
    await change(ada, id, { notify: ['a@example.com'] })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    await change(ada, id, { notify: [] })
    expect(await settings(ada, copy)).toEqual({ ...defaultSettings, notify: ['a@example.com'] })
    expect([toldBy(server, id), toldBy(server, copy)]).toEqual([[], ['a@example.com']])
  })

  test('can only be empty on a server that sends no mail, which says what is missing', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const id = await ada.createForm()
    const notify = ['ada@example.com']
    const refused = await change(ada, id, { notify, open: false })
    expect(refused.status).toBe(400)
    const message =
      'notify: must be empty: this server sends no e-mail, because FORMBOX_SMTP_URL and FORMBOX_MAIL_FROM are not set'
    expect(refused.body.issues).toEqual([{ message, path: '/notify' }])
    // 400 comes before 404 and 403.
    expect([(await change(ada, 'nobody', { notify })).status, (await change(bob, id, { notify })).status]).toEqual([
      400, 400,
    ])
    expect(await settings(ada, id)).toEqual(defaultSettings)
    expect((await change(ada, id, { notify: [] })).status).toBe(200)
  })
})

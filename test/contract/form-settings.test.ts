import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { forms } from '../../src/storage/tables.ts'
import { defaultSettings } from '../default-settings.ts'
import { type Answer, type Server, serverWithUser, type User, writeTo } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { world } from '../world.ts'

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
  test('leaves out of a field what has its default', async () => {
    const { change, settings } = await world()
    const presets = {
      label: null,
      help: null,
      required: false,
      minLength: null,
      options: [],
      unknown: 1,
      fileTypes: [],
    }
    const fields = [
      { name: 'a', ...presets },
      { name: 'b', type: 'file', maxFiles: 1, fileTypes: ['.PDF', '.pdf'] },
    ]
    expect((await change({ fields })).status).toBe(200)
    expect((await settings()).fields).toEqual([
      { name: 'a', type: 'text' },
      { name: 'b', type: 'file', fileTypes: ['.pdf'] },
    ])
  })

  test.each<[object, string, string]>([
    [{ type: 'text' }, '/name', 'must be 1 to 100 characters, and no control field such as _next'],
    ...['', '  ', 'x'.repeat(101), '_next', '_challenge', 'a\u0000'].map((name): [object, string, string] => [
      { name },
      '/name',
      'must be ',
    ]),
    [{ name: 'a', type: 'password' }, '/type', 'must be one of text, lines, email, '],
    [{ name: 'a', label: '' }, '/label', 'must be 1 to 200 characters'],
    [{ name: 'a', help: 'x'.repeat(501) }, '/help', 'must be 1 to 500 characters'],
    [{ name: 'a', type: 'hidden', required: true }, '/required', 'must be left out of a field of the type hidden'],
    [{ name: 'a', type: 'email', maxLength: 3 }, '/maxLength', 'must be left out of a field of the type email'],
    [{ name: 'a', type: 'checkbox', prefill: true }, '/prefill', 'must be left out of a field of the type checkbox'],
    [{ name: 'a', minLength: 3, maxLength: 2 }, '/maxLength', 'must be at least `minLength`'],
    [{ name: 'a', type: 'number', min: 3, max: 2 }, '/max', 'must be at least `min`'],
    [{ name: 'a', type: 'number', min: '3' }, '/min', 'must be a number, or null'],
    [{ name: 'a', type: 'date', min: '2026-02-29' }, '/min', 'must be a day such as 2026-12-31, or null'],
    [{ name: 'a', type: 'date', min: '2026-02-02', max: '2026-02-01' }, '/max', 'must be at least `min`'],
    [{ name: 'a', type: 'choice' }, '/options', 'must be an array of at most 100 texts'],
    [{ name: 'a', type: 'choice', options: [] }, '/options', 'must have at least one'],
    [{ name: 'a', type: 'choice', options: ['x', ' x '] }, '/options', 'must be different from each other'],
    [{ name: 'a', type: 'choice', options: ['x', ''] }, '/options/1', 'must be 1 to 200 characters'],
    ...['a\nb', 'a\r\nb', '\n'].map((option): [object, string, string] => [
      { name: 'a', type: 'choice', options: ['x', option] },
      '/options/1',
      'must be 1 to 200 characters, not only white space, in one line',
    ]),
    [{ name: 'a', type: 'choices', options: ['x'], min: 2 }, '/min', 'must be at most the number of options'],
    [{ name: 'a', once: 'never' }, '/once', 'must be one of hold, refuse, or null'],
    [{ name: 'a', type: 'lines', once: 'hold' }, '/once', 'must be left out of a field of the type lines'],
    [{ name: 'a', type: 'text', places: { x: 1 } }, '/places', 'must be left out of a field of the type text'],
    [
      { name: 'a', type: 'choice', options: ['x'], places: [] },
      '/places',
      'must be an object with a number for an option',
    ],
    ...[-1, 1.5, 1_000_001, '1', null].map((most): [object, string, string] => [
      { name: 'a', type: 'choice', options: ['x/~'], places: { 'x/~': most } },
      '/places/x~1~0',
      'must be a whole number from 0 to 1000000',
    ]),
    [
      { name: 'a', type: 'choice', options: ['x'], places: { y: 1 } },
      '/places',
      'must name options of the field; “y” is none',
    ],
    [{ name: 'a', type: 'choice', options: ['x'], places: { x: 1, ' x': 1 } }, '/places', 'must name each option once'],
    [{ name: 'a', type: 'choices', options: ['x'], max: 0 }, '/max', 'must be at least 1'],
    [{ name: 'a', type: 'file', maxFiles: 21 }, '/maxFiles', 'must be a whole number from 1 to 20'],
    [{ name: 'a', type: 'file', fileTypes: ['x y'] }, '/fileTypes/0', 'must be an extension'],
    [{ name: 'before' }, '/name', 'must be another name than that of a field above'],
    [{ name: 'trap' }, '/name', 'must not have a field with the name of the trap, trap'],
  ])('refuses the field %j', async (field, path, message) => {
    const { change, settings } = await world({ form: { honeypot: 'trap' } })
    const answer = await change({ fields: [{ name: 'before' }, field] })
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, `/fields/1${path}`])
    expect(answer.body.issues[0].message).toContain(message)
    expect((await settings()).fields).toEqual([])
  })

  test.each([
    [Array.from({ length: 51 }, (_, i) => ({ name: `f${i}` })), 'fields: must be an array of at most 50 fields'],
    [{}, 'fields: must be an array of at most 50 fields'],
    [[null], 'fields.0: must be an object with `name` and `type`'],
    [
      Array.from({ length: 50 }, (_, i) => ({ name: `f${i}`, help: 'x'.repeat(500), label: 'y'.repeat(200) })),
      'fields: must be at most 32768 bytes as JSON; got 37491',
    ],
  ])('refuses a list of fields as a whole', async (fields, message) => {
    const { change } = await world()
    const answer = await change({ fields })
    expect([answer.status, answer.body.issues[0].message]).toEqual([400, message])
  })

  test('refuses a trap with the name of a field', async () => {
    const { change } = await world({ form: { fields: [{ name: 'phone' }] } })
    const answer = await change({ honeypot: 'phone' })
    expect([answer.status, answer.body.issues]).toEqual([
      400,
      [{ message: 'honeypot: must not be the name of one of the fields', path: '/honeypot' }],
    ])
  })

  test('refuses more required files than the form accepts, whichever is set last', async () => {
    const { change, settings, send } = await world({ form: { acceptFiles: false } })
    const fields = [{ name: 'name' }, { name: 'cv', type: 'file', required: true }]
    const answer = await change({ fields })
    const message = 'fields: must not have a required file while none is accepted (`acceptFiles` is false)'
    expect([answer.status, answer.body.issues]).toEqual([400, [{ message, path: '/fields/1/required' }]])
    expect((await change({ acceptFiles: true, fields })).status).toBe(200)
    expect((await change({ acceptFiles: false })).body.issues).toEqual([
      { message: 'acceptFiles: must be true while the field cv for a file is required', path: '/acceptFiles' },
    ])
    const two = [...fields, { name: 'photo', type: 'file', required: true }]
    expect((await change({ fields: two, maxFiles: 1 })).body.issues).toEqual([
      {
        message: 'fields: must not have more required files than a submission may have: 1',
        path: '/fields/2/required',
      },
    ])
    expect((await change({ fields: two, maxFiles: 2 })).status).toBe(200)
    expect((await change({ maxFiles: 1 })).body.issues).toEqual([
      { message: 'maxFiles: must be at least 2, because so many files are required', path: '/maxFiles' },
    ])
    expect(await settings()).toMatchObject({ acceptFiles: true, maxFiles: 2 })
    expect((await change({ acceptFiles: false, fields: [{ name: 'cv', type: 'file' }] })).status).toBe(200)
    expect((await send({ name: 'Ada' })).status).toBe(200)
  })

  test('refuses NUL in a text as any text with it', async () => {
    const { change } = await world()
    const { status, body } = await change({ thankYou: 'a\0' })
    const message = 'thankYou: must be well-formed Unicode without NUL'
    expect([status, body.issues]).toEqual([400, [{ message, path: '/thankYou' }]])
  })

  test('keeps what is absent, and resets columns with null', async () => {
    const { change, settings } = await world()
    await change({ columns: ['a', 'b'] })
    expect(await change({})).toMatchObject({ status: 200, body: { success: true } })
    expect(await settings()).toEqual({ ...defaultSettings, columns: ['a', 'b'] })
    expect((await change({ columns: null })).status).toBe(200)
    expect(await settings()).toEqual(defaultSettings)
  })

  test('takes back what was read, and ignores what is no setting', async () => {
    const { change, settings } = await world()
    await change({ columns: ['a'] })
    const read = await settings()
    expect((await change({ ...read, title: 'x', settings: { columns: null }, __proto__: 1 })).status).toBe(200)
    expect(await settings()).toEqual(read)
  })

  test('leaves the form as it was, with its eight fields and its updatedAt', async () => {
    const { ada, formId: id, change } = await world({ sent: [{ a: 1 }] })
    const read = async () => [(await ada.call('GET', `/forms/${id}`)).body, (await ada.call('GET', '/forms')).body]
    const before = await read()
    await change({ columns: ['a'] })
    expect(await read()).toEqual(before)
    expect(Object.keys(before[0])).toEqual(
      'id title description returnUrl keys submissionCount createdAt updatedAt'.split(' '),
    )
    expect(before[0].updatedAt).toBeNull()
  })

  test('answers in the order of decision 4: 400 before 404 before 403', async () => {
    const { server, ada, formId: id } = await world()
    const bob = await server.signUp()
    expect((await change(bob, 'nobody', { columns: 1 })).status).toBe(400)
    expect((await change(bob, id, { columns: 1 })).status).toBe(400)
    expect((await change(bob, 'nobody', {})).status).toBe(404)
    expect((await change(bob, id, {})).status).toBe(403)
    expect((await change(ada, 'bulk', {})).status).toBe(404)
  })
})

describe('the settings for files', () => {
  test('are stored if they differ from the defaults, and copied to a duplicate', async () => {
    const { server, ada, formId: id } = await world()
    const stored = () =>
      rowsOf<{ settings: string | null }>(server.folder, 'SELECT settings FROM forms WHERE id = ?', id)[0]?.settings
    const changes = { fileTypes: ['.pdf'], maxFiles: 2, maxFileBytes: 1000, attachFiles: true }
    await change(ada, id, changes)
    expect(JSON.parse(stored() ?? '')).toEqual(changes)
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    expect(await settings(ada, copy)).toEqual({ ...defaultSettings, ...changes })
    await change(ada, id, { fileTypes: [], maxFiles: null, maxFileBytes: null, attachFiles: false })
    expect(stored()).toBeNull()
  })

  test('take back a size that was read, after the operator has lowered the limit, and none that is new', async () => {
    const { server, formId: id, change, settings } = await world({ environment: { FORMBOX_FILE_LIMIT: '1MiB' } })
    writeTo(server.folder, (db) => {
      db.update(forms).set({ settings: '{"maxFileBytes":5000000}' }).where(eq(forms.id, id)).run()
    })
    const read = await settings()
    expect((await change(read)).status).toBe(200)
    const { status, body } = await change({ maxFileBytes: 4_999_999 })
    expect([status, body.issues[0].message]).toEqual([
      400,
      'maxFileBytes: must be at most 1048576, which is what this server allows (FORMBOX_FILE_LIMIT)',
    ])
    expect(await settings()).toEqual({ ...defaultSettings, maxFileBytes: 5_000_000 })
  })
})

describe('POST /api/v1/forms/:formId/duplicate', () => {
  test('copies the settings, which then belong to each form alone', async () => {
    const { ada, formId: id } = await world()
    await change(ada, id, { columns: ['a'] })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    expect(await settings(ada, copy)).toEqual({ ...defaultSettings, columns: ['a'] })
    await change(ada, copy, { columns: ['b'] })
    expect([await settings(ada, id), await settings(ada, copy)]).toMatchObject([{ columns: ['a'] }, { columns: ['b'] }])
  })
})

const mailServer = {
  FORMBOX_MAIL_URL: 'smtp://mail.example.com',
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
  test('tells only those that are left, and no one once it is empty', async () => {
    const { server, formId: id, change } = await world({ environment: mailServer })
    await change({ notify: ['a@example.com', 'b@example.com'] })
    await change({ notify: ['b@example.com', 'c@example.com'] })
    expect(toldBy(server, id)).toEqual(['b@example.com', 'c@example.com'])
    await change({ open: false })
    expect(toldBy(server, id)).toEqual(['b@example.com', 'c@example.com'])
    await change({ notify: [] })
    expect(toldBy(server, id)).toEqual([])
  })

  test('is copied to a duplicate, which then tells them by itself', async () => {
    const { server, ada, formId: id } = await world({ environment: mailServer })
    await change(ada, id, { notify: ['a@example.com'] })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    await change(ada, id, { notify: [] })
    expect(await settings(ada, copy)).toEqual({ ...defaultSettings, notify: ['a@example.com'] })
    expect([toldBy(server, id), toldBy(server, copy)]).toEqual([[], ['a@example.com']])
  })

  test('can only be empty on a server that sends no mail, which says what is missing', async () => {
    const { server, ada, formId: id } = await world()
    const bob = await server.signUp()
    const notify = ['ada@example.com']
    const refused = await change(ada, id, { notify, open: false })
    expect(refused.status).toBe(400)
    const message =
      'notify: must be empty: this server sends no email, because FORMBOX_URL, FORMBOX_MAIL_URL and FORMBOX_MAIL_FROM are not set'
    expect(refused.body.issues).toEqual([{ message, path: '/notify' }])
    // 400 comes before 404 and 403.
    expect([(await change(ada, 'nobody', { notify })).status, (await change(bob, id, { notify })).status]).toEqual([
      400, 400,
    ])
    expect(await settings(ada, id)).toEqual(defaultSettings)
    expect((await change(ada, id, { notify: [] })).status).toBe(200)
  })
})

describe('the page of a form', () => {
  const fields = [{ name: 'email', type: 'email' }]
  const nothing = { title: null, text: null, button: null, frame: false }
  const issuesOf = ({ status, body }: { status: number; body: { issues: unknown } }) => [status, body.issues]

  test('has the defaults of what is left out, and is copied with the form', async () => {
    const { ada, formId: id } = await world()
    await change(ada, id, { fields, allowedOrigins: ['https://example.com'] })
    expect((await change(ada, id, { page: { frame: true, later: 1 } })).status).toBe(200)
    expect((await settings(ada, id)).page).toEqual({ ...nothing, frame: true })
    const { body: copy } = await ada.call('POST', `/forms/${id}/duplicate`)
    expect((await settings(ada, copy.id)).page).toEqual({ ...nothing, frame: true })
    await change(ada, id, { page: null })
    expect((await settings(ada, id)).page).toBeNull()
  })

  test.each([
    [{ title: '' }, '/page/title', 'must be 1 to 255 characters, not only white space, or null'],
    [{ title: 'x'.repeat(256) }, '/page/title', 'must be 1 to 255 characters, not only white space, or null'],
    [{ text: 'x'.repeat(2001) }, '/page/text', 'must be 1 to 2000 characters, not only white space, or null'],
    [{ button: 'x'.repeat(41) }, '/page/button', 'must be 1 to 40 characters, not only white space, or null'],
    [{ frame: null }, '/page/frame', 'must be true or false'],
  ])('refuses %j', async (page, path, message) => {
    const { ada, formId: id } = await world()
    expect(issuesOf(await change(ada, id, { fields, page }))).toEqual([
      400,
      [{ message: `${path.slice(1).replace('/', '.')}: ${message}`, path }],
    ])
    expect(await settings(ada, id)).toEqual(defaultSettings)
  })

  test('needs a field that is not hidden, and origins if it may be framed', async () => {
    const { ada, formId: id } = await world()
    expect(issuesOf(await change(ada, id, { page: {} }))).toEqual([
      400,
      [{ message: 'page: needs a field that is not hidden', path: '/page' }],
    ])
    await change(ada, id, { fields, page: {} })
    for (const left of [[], [{ name: 'a', type: 'hidden' }]])
      expect(issuesOf(await change(ada, id, { fields: left }))).toEqual([
        400,
        [{ message: 'fields: must have a field that is not hidden while the form has a page', path: '/fields' }],
      ])
    expect(issuesOf(await change(ada, id, { page: { frame: true } }))).toEqual([
      400,
      [
        {
          message: 'page: must not be framed while every page may send: list the allowed origins first',
          path: '/page/frame',
        },
      ],
    ])
    await change(ada, id, { page: { frame: true }, allowedOrigins: ['https://example.com'] })
    expect(issuesOf(await change(ada, id, { allowedOrigins: [] }))).toEqual([
      400,
      [{ message: 'allowedOrigins: must not be empty while the page may be framed', path: '/allowedOrigins' }],
    ])
    expect((await settings(ada, id)).fields).toEqual(fields)
  })

  test('asks for no secrets, whichever is set first', async () => {
    const { ada, formId: id } = await world()
    const sentence = (words: string) =>
      `must not ask for “${words}”: a page of Formbox asks for no passwords, PINs, codes or numbers of cards, or seed phrases`
    const secret = [...fields, { name: 'x', label: 'Your Passwort' }]
    expect(issuesOf(await change(ada, id, { fields: secret, page: {} }))).toEqual([
      400,
      [{ message: `fields: ${sentence('passwort')}`, path: '/fields/1/label' }],
    ])
    expect(issuesOf(await change(ada, id, { fields, page: { button: 'Send PIN' } }))).toEqual([
      400,
      [{ message: `page: ${sentence('pin')}`, path: '/page/button' }],
    ])
    const asks = [
      { name: 'cardNumber' },
      { name: 'x', help: 'As in the SMS: verification code' },
      { name: 'x', type: 'choice', options: ['a', '密码'] },
    ]
    for (const field of asks) expect((await change(ada, id, { fields: [field], page: {} })).status).toBe(400)
    // A form without a page may: a website of one's own may have a reason.
    await change(ada, id, { fields: secret })
    expect(issuesOf(await change(ada, id, { page: {} }))).toEqual([
      400,
      [{ message: 'page: is not possible while a field of the form asks for “passwort”', path: '/page' }],
    ])
    await change(ada, id, { fields: [{ name: 'passport', label: 'Passfoto' }], page: {} })
    expect((await change(ada, id, { fields: secret })).status).toBe(400)
    expect((await settings(ada, id)).fields).toEqual([{ name: 'passport', type: 'text', label: 'Passfoto' }])
  })

  test('is refused where the operator wants none', async () => {
    const { ada, formId: id } = await world({ environment: { FORMBOX_FORM_PAGES: 'false' } })
    expect(issuesOf(await change(ada, id, { fields, page: {} }))).toEqual([
      400,
      [{ message: 'page: must be null: this server shows no forms (FORMBOX_FORM_PAGES)', path: '/page' }],
    ])
    expect((await change(ada, id, { fields, page: null })).status).toBe(200)
  })
})

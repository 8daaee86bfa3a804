import { describe, expect, test } from 'bun:test'
import { defaultSettings } from '../default-settings.ts'
import { type Answer, serverWithUser, type User } from '../harness.ts'

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
    const message = 'columns: must be at most 8 different names of at most 1000 bytes as JSON, or null'
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

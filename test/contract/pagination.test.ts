import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { submissionWrites } from '../../src/submissions/submission-writes.ts'
import { type Server, serverWithUser, type User, writeTo } from '../harness.ts'
import { world } from '../world.ts'

/** Submissions with these identifiers, as the server writes them. */
const seed = (server: Server, formId: string, ids: readonly string[]): void =>
  writeTo(server.folder, (db) => {
    const { createSubmission } = submissionWrites(db)
    const submissions = ids.map((id) => ({ formId, id, data: '{"a":1}', fieldNames: ['a'] }))
    // From its first statement on, so that it waits while the server writes.
    db.transaction(() => createSubmission.runAll(submissions), { behavior: 'immediate' })
  })

type Items = { id: string }[]

/** All identifiers of a list, page by page, and what each page says of the whole. */
const readAll = async (user: User, path: string, name: 'forms' | 'submissions', perPage: number) => {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await user.call('GET', `${path}?page=${page}&perPage=${perPage}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([name, 'pagination'])
    expect(body.pagination).toMatchObject({ page, perPage })
    ids.push(...(body[name] as Items).map(({ id }) => id))
    if (page >= body.pagination.totalPages) return { ids, total: body.pagination.total as number }
  }
}

describe('decision 17: lists are newest first', () => {
  test('forms that were made one after the other', async () => {
    const { ada } = await serverWithUser()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await ada.createForm({ title: `${n}` }))
    const { forms } = (await ada.call('GET', '/forms')).body
    expect((forms as Items).map(({ id }) => id)).toEqual(ids.toReversed())
    const times = (forms as { createdAt: string }[]).map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test.each([1, 7, 100])(
    'forms of one moment: %i a page shows each exactly once, the last of the request first',
    async (perPage) => {
      const { ada } = await serverWithUser()
      const { ids } = (await ada.call('POST', '/forms/bulk', { forms: Array(123).fill({ title: 'x' }) })).body
      expect(await readAll(ada, '/forms', 'forms', perPage)).toEqual({ ids: ids.toReversed(), total: 123 })
    },
  )

  test.each([1, 9, 100])('submissions of one moment: %i a page shows each exactly once', async (perPage) => {
    const { server, ada, formId: form } = await world()
    const time = Date.parse('2026-03-01T12:00:00Z')
    const ids = Array.from({ length: 321 }, (_, n) => newId(time + (n < 300 ? 0 : n)))
    seed(server, form, ids)
    const path = `/forms/${form}/submissions`
    expect(await readAll(ada, path, 'submissions', perPage)).toEqual({ ids: ids.toReversed(), total: 321 })
  })

  test('what was deleted leaves no gap', async () => {
    const { server, ada, formId: form } = await world()
    const time = Date.parse('2026-03-01T12:00:00Z')
    const ids = Array.from({ length: 400 }, (_, n) => newId(time + n))
    seed(server, form, ids)
    const doomed = ids.filter((_, n) => n % 3 === 0 || (n > 100 && n < 250))
    const path = `/forms/${form}/submissions`
    expect((await ada.call('DELETE', `${path}/bulk`, { ids: doomed })).status).toBe(200)
    const left = ids.filter((id) => !doomed.includes(id))
    expect(await readAll(ada, path, 'submissions', 10)).toEqual({ ids: left.toReversed(), total: left.length })
  })
})

describe('decision 17: pages', () => {
  const lists = [
    ['forms', '/forms'],
    ['submissions', '/forms/FORM/submissions'],
  ] as const

  test.each(lists)('%s: 20 a page from page 1 unless asked otherwise', async (name, path) => {
    const { server, ada, formId: form } = await world()
    await ada.call('POST', '/forms/bulk', { forms: Array(40).fill({ title: 'x' }) })
    seed(
      server,
      form,
      Array.from({ length: 41 }, () => newId(Date.now())),
    )
    const list = async (query: string) => (await ada.call('GET', path.replace('FORM', form) + query)).body
    const whole = await list('?perPage=100')
    expect(whole.pagination).toEqual({ page: 1, perPage: 100, total: 41, totalPages: 1 })
    const first = await list('')
    expect(first).toEqual({
      [name]: whole[name].slice(0, 20),
      pagination: { page: 1, perPage: 20, total: 41, totalPages: 3 },
    })
    expect((await list('?page=3'))[name]).toEqual(whole[name].slice(40))
    expect((await list('?page=2&perPage=40'))[name]).toEqual(whole[name].slice(40))
    expect((await list('?perPage=41')).pagination.totalPages).toBe(1)
  })

  test.each(lists)('%s: totalPages is 0 for an empty list', async (name, path) => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    await bob.createForm()
    const form = name === 'submissions' ? await ada.createForm() : ''
    const { status, body } = await ada.call('GET', path.replace('FORM', form))
    expect([status, body]).toEqual([200, { [name]: [], pagination: { page: 1, perPage: 20, total: 0, totalPages: 0 } }])
  })

  test.each(lists)('%s: a page past the end is empty, however far it is', async (name, path) => {
    const { server, ada, formId: form } = await world()
    seed(server, form, [newId(Date.now())])
    for (const page of [2, 3, 1_000_000, 2 ** 31, 2 ** 32 + 1, 999_999_999_999_999])
      for (const perPage of [1, 100]) {
        const { status, body } = await ada.call('GET', `${path.replace('FORM', form)}?page=${page}&perPage=${perPage}`)
        expect([status, body]).toEqual([200, { [name]: [], pagination: { page, perPage, total: 1, totalPages: 1 } }])
      }
  })

  // A higher number would be rounded, and the response would name another page.
  test.each(lists)(
    '%s: the highest page is the highest number that a client in JavaScript can read',
    async (name, path) => {
      const { ada, formId: form } = await world()
      const last = `${path.replace('FORM', form)}?page=${Number.MAX_SAFE_INTEGER}`
      const { status, body } = await ada.call('GET', last)
      expect([status, body[name], body.pagination.page]).toEqual([200, [], Number.MAX_SAFE_INTEGER])
      for (const page of ['9007199254740992', '9007199254740993', '99999999999999999999', '9'.repeat(100)]) {
        const refused = await ada.call('GET', `${path.replace('FORM', form)}?page=${page}`)
        const issues = [{ message: `page: must be at most ${Number.MAX_SAFE_INTEGER}` }]
        expect([refused.status, refused.body.issues]).toEqual([400, issues])
      }
    },
  )

  const wrong = [
    '0',
    '-1',
    '',
    '1.5',
    '1.0',
    '1e1',
    '0x10',
    '05',
    '+1',
    '%2B1',
    '%201',
    '1%20',
    'NaN',
    'null',
    'true',
    '1,2',
    '[1]',
    '%D9%A3',
    '1%00',
  ]
  test.each(lists)('%s: what is no whole number in range is 400 and says so', async (_name, path) => {
    const { ada, formId: form } = await world()
    for (const [parameter, values] of [
      ['page', wrong],
      ['perPage', [...wrong, '101', '1000000']],
    ] as const)
      for (const value of values) {
        const { status, body } = await ada.call('GET', `${path.replace('FORM', form)}?${parameter}=${value}`)
        expect([parameter, value, status]).toEqual([parameter, value, 400])
        expect(body.issues).toEqual([
          { message: expect.stringMatching(new RegExp(`^${parameter}: must be a whole number`)) },
        ])
      }
  })
})

// Fields of a body that are unknown are ignored; so are parameters of every operation that takes none.
test('an unknown query parameter is ignored on lists too', async () => {
  const { ada, formId: id } = await world()
  expect((await ada.call('GET', `/forms/${id}?_=1`)).status).toBe(200)
  expect((await ada.call('GET', '/forms?_=1')).status).toBe(200)
})

import { describe, expect, test } from 'bun:test'
import { serverWithUser, type User } from '../harness.ts'

const start = async () => {
  const { server, ada } = await serverWithUser()
  return { server, ada, bob: await server.signUp() }
}

/** The titles and totals of all forms of a user, newest first. */
const holdings = async (user: User): Promise<{ titles: string[]; total: number }> => {
  const { forms, pagination } = (await user.call('GET', '/forms?perPage=100')).body
  return { titles: forms.map((form: { title: string }) => form.title), total: pagination.total }
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `form ${n}` }))
const missing = '0'.repeat(28)

describe('decision 18: bulk create', () => {
  test('answers with the ids in the order of the request', async () => {
    const { ada } = await start()
    const forms = [
      { title: 'a', description: 'd' },
      { title: 'b', returnUrl: 'https://b.example/', id: 'x' },
      { title: 'c' },
    ]

    const { status, body } = await ada.call('POST', '/forms/bulk', { forms })

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['ids'])
    const created = await Promise.all(body.ids.map(async (id: string) => (await ada.call('GET', `/forms/${id}`)).body))
    expect(created).toEqual([
      expect.objectContaining({ id: body.ids[0], title: 'a', description: 'd', returnUrl: null, updatedAt: null }),
      expect.objectContaining({ id: body.ids[1], title: 'b', description: null, returnUrl: 'https://b.example/' }),
      expect.objectContaining({ id: body.ids[2], title: 'c', submissionCount: 0, keys: [] }),
    ])
    expect(await holdings(ada)).toEqual({ titles: ['c', 'b', 'a'], total: 3 })
  })

  test('takes 1,000 forms and refuses 1,001 as a whole', async () => {
    const { ada } = await start()
    const refused = await ada.call('POST', '/forms/bulk', { forms: numbered(1001) })
    expect(refused.status).toBe(400)
    expect(refused.body.issues).toEqual([{ message: 'forms: must be an array of 1 to 1000 items', path: '/forms' }])
    expect((await holdings(ada)).total).toBe(0)

    const taken = await ada.call('POST', '/forms/bulk', { forms: numbered(1000) })
    expect(taken.status).toBe(200)
    expect(new Set(taken.body.ids).size).toBe(1000)
    expect((await holdings(ada)).total).toBe(1000)
    expect((await ada.call('GET', `/forms/${taken.body.ids[637]}`)).body.title).toBe('form 637')
  })

  const bodies: [what: string, body: unknown][] = [
    ['no item', { forms: [] }],
    ['no forms', {}],
    ['an object', { forms: { title: 'a' } }],
    ['null', { forms: null }],
    ['an item that is no object', { forms: [{ title: 'a' }, 'b'] }],
    ['an item that is null', { forms: [{ title: 'a' }, null] }],
    ['an item without a title', { forms: [{ title: 'a' }, { description: 'b' }] }],
    ['a wrong last item', { forms: [...numbered(50), { title: 'z', returnUrl: 'ftp://z' }] }],
  ]
  test('creates nothing when one item is wrong, and names it', async () => {
    const { ada } = await start()
    for (const [what, body] of bodies) {
      const answer = await ada.call('POST', '/forms/bulk', body)
      expect(answer.status, what).toBe(400)
      expect(answer.body.issues, what).toHaveLength(1)
      expect(answer.body.issues[0].path, what).toStartWith('/forms')
    }
    const last = await ada.call('POST', '/forms/bulk', bodies.at(-1)?.[1])
    expect(last.body.issues[0]).toMatchObject({
      path: '/forms/50/returnUrl',
      message: expect.stringMatching(/^forms\.50\.returnUrl: /),
    })
    expect(await holdings(ada)).toEqual({ titles: [], total: 0 })
  })

  // A trailing slash must not lower the limit to that of an operation on a single form.
  test('takes two megabytes also with a trailing slash', async () => {
    const { ada } = await start()
    const forms = numbered(1000).map((form) => ({
      ...form,
      description: 'd'.repeat(1000),
      returnUrl: `http://a.example/${'a'.repeat(1000)}`,
    }))
    expect((await ada.call('POST', '/forms/bulk', { forms })).status).toBe(200)
    expect((await ada.call('POST', '/forms/bulk/', { forms })).status).toBe(200)
  })
})

describe('decision 18: bulk update', () => {
  test('changes each form as PATCH does: absent keeps, null clears, an id alone changes nothing', async () => {
    const { ada } = await start()
    const whole = { description: 'd', returnUrl: 'https://a.example/' }
    const ids = [await ada.createForm(whole), await ada.createForm(whole), await ada.createForm(whole)]
    const before = (await ada.call('GET', `/forms/${ids[2]}`)).body

    const forms = [{ id: ids[0], title: 'new', keys: ['x'] }, { id: ids[1], description: null }, { id: ids[2] }]
    const { status, body } = await ada.call('PATCH', '/forms/bulk', { forms })

    expect([status, body]).toEqual([200, { success: true }])
    const changed = { updatedAt: expect.any(String), keys: [], submissionCount: 0 }
    const read = async (id?: string) => (await ada.call('GET', `/forms/${id}`)).body
    expect(await read(ids[0])).toMatchObject({ ...whole, ...changed, title: 'new' })
    expect(await read(ids[1])).toMatchObject({
      ...changed,
      title: 'Contact',
      description: null,
      returnUrl: whole.returnUrl,
    })
    expect(await read(ids[2])).toEqual(before)
  })

  test('takes 1,000 forms', async () => {
    const { ada } = await start()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: numbered(1000) })).body
    const forms = ids.map((id: string) => ({ id, title: 'same' }))
    expect((await ada.call('PATCH', '/forms/bulk', { forms: [...forms, { id: missing }] })).status).toBe(400)
    expect((await holdings(ada)).titles).not.toContain('same')
    expect((await ada.call('PATCH', '/forms/bulk', { forms })).status).toBe(200)
    expect(new Set((await holdings(ada)).titles)).toEqual(new Set(['same']))
  })

  const refusals: [what: string, status: number, extra: (own: string, foreign: string) => object[]][] = [
    ['an unknown id', 404, () => [{ id: missing, title: 'x' }]],
    ['an unknown id without changes', 404, () => [{ id: 'nope' }]],
    ['another user’s form', 403, (_, foreign) => [{ id: foreign, title: 'x' }]],
    ['another user’s form without changes', 403, (_, foreign) => [{ id: foreign }]],
    ['another user’s form before an unknown id', 404, (_, foreign) => [{ id: foreign }, { id: missing }]],
    ['an unknown id before another user’s form', 404, (_, foreign) => [{ id: missing }, { id: foreign }]],
    ['an id twice', 400, (own) => [{ id: own, title: 'y' }]],
    ['an id twice and an unknown one', 400, (own) => [{ id: missing }, { id: own }]],
    ['no id', 400, () => [{ title: 'x' }]],
    ['an id that is no text', 400, () => [{ id: 5 }]],
    ['an id that is too long', 400, () => [{ id: 'a'.repeat(65) }]],
    ['a wrong field and an unknown id', 400, () => [{ id: missing, title: '' }]],
  ]
  test('changes nothing when one item is wrong, unknown or another user’s', async () => {
    const { ada, bob } = await start()
    const [own, foreign] = [await ada.createForm(), await bob.createForm()]
    const untouched = { title: 'Contact', updatedAt: null }
    for (const [what, expected, extra] of refusals) {
      const forms = [{ id: own, title: 'changed' }, ...extra(own, foreign)]
      const { status, body } = await ada.call('PATCH', '/forms/bulk', { forms })
      expect([what, status]).toEqual([what, expected])
      if (expected === 404) expect(body.message).toBe('Form not found')
      expect((await ada.call('GET', `/forms/${own}`)).body, what).toMatchObject(untouched)
      expect((await bob.call('GET', `/forms/${foreign}`)).body, what).toMatchObject(untouched)
    }
  })
})

const selections: [how: string, remove: (user: User, path: string, ids: string[]) => ReturnType<User['call']>][] = [
  ['the body', (user, path, ids) => user.call('DELETE', path, { ids })],
  ['a repeated query', (user, path, ids) => user.call('DELETE', `${path}?${ids.map((id) => `ids=${id}`).join('&')}`)],
  ['a query with commas', (user, path, ids) => user.call('DELETE', `${path}?ids=${ids.join()}`)],
]

describe.each(selections)('decisions 18 and 19: bulk delete by %s', (_how, remove) => {
  test('removes these forms and their submissions, and no other', async () => {
    const { server, ada } = await start()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: numbered(4) })).body
    for (const id of ids) await server.submit(id, { a: '1' })

    const { status, body } = await remove(ada, '/forms/bulk', [ids[0], ids[2], ids[0]])

    expect([status, body]).toEqual([200, { success: true }])
    expect(await holdings(ada)).toEqual({ titles: ['form 3', 'form 1'], total: 2 })
    for (const [id, expected] of [
      [ids[0], 404],
      [ids[1], 200],
      [ids[2], 404],
      [ids[3], 200],
    ])
      expect((await ada.call('GET', `/forms/${id}/submissions`)).status).toBe(expected)
  })

  test('removes these submissions and no other', async () => {
    const { server, ada } = await start()
    const form = await ada.createForm()
    const ids = [
      await server.submit(form, { a: '1' }),
      await server.submit(form, { a: '1' }),
      await server.submit(form, { a: '1' }),
    ] as const

    const { status, body } = await remove(ada, `/forms/${form}/submissions/bulk`, [ids[0], ids[2], ids[2]])

    expect([status, body]).toEqual([200, { success: true }])
    const left = (await ada.call('GET', `/forms/${form}/submissions`)).body
    expect(left).toMatchObject({ submissions: [{ id: ids[1] }], pagination: { total: 1 } })
    expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(1)
  })

  test('is all or nothing: an unknown id anywhere is 404 and wins over another user’s, which is 403', async () => {
    const { server, ada, bob } = await start()
    const [own, foreign] = [await ada.createForm(), await bob.createForm()]
    const submission = await server.submit(own, { a: '1' })
    const inForm = `/forms/${own}/submissions/bulk`
    const cases: [path: string, ids: string[], status: number, message: string][] = [
      ['/forms/bulk', [own, missing], 404, 'Form not found'],
      ['/forms/bulk', [missing, own], 404, 'Form not found'],
      ['/forms/bulk', [own, foreign], 403, 'Insufficient access'],
      ['/forms/bulk', [foreign, own, missing], 404, 'Form not found'],
      ['/forms/bulk', [submission], 404, 'Form not found'],
      [inForm, [submission, missing], 404, 'Submission not found'],
      [inForm, [missing, submission], 404, 'Submission not found'],
      [inForm, [own], 404, 'Submission not found'],
      [`/forms/${missing}/submissions/bulk`, [submission], 404, 'Form not found'],
      [`/forms/${foreign}/submissions/bulk`, [missing], 403, 'Insufficient access'],
    ]
    for (const [path, ids, status, message] of cases) {
      const answer = await remove(ada, path, ids)
      expect([path, ids, answer.status, answer.body.message]).toEqual([path, ids, status, message])
    }
    expect((await ada.call('GET', `/forms/${own}/submissions/${submission}`)).status).toBe(200)
    expect((await ada.call('GET', `/forms/${own}`)).body.submissionCount).toBe(1)
    expect((await holdings(ada)).total).toBe(1)
    expect((await holdings(bob)).total).toBe(1)
  })
})

describe('decision 19: nothing is deleted without exactly one valid selection', () => {
  test.each(['[ID]', '[IDx', '[ID,ID]', '"ID"', ' ID', 'ID '])('%s in the query is no identifier', async (text) => {
    const { server, ada } = await start()
    const form = await ada.createForm()
    const submission = await server.submit(form, { a: '1' })
    for (const [path, id] of [
      ['/forms/bulk', form],
      [`/forms/${form}/submissions/bulk`, submission],
    ] as const) {
      const ids = encodeURIComponent(text.replaceAll('ID', id))
      expect((await ada.call('DELETE', `${path}?ids=${ids}`)).status).toBe(404)
    }
    expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(1)
  })

  const wrong: [what: string, query: string, body?: unknown][] = [
    ['neither', ''],
    ['an unrelated query', '?id=ID'],
    ['both', '?ids=ID', { ids: ['ID'] }],
    ['an empty query and a body', '?ids=', { ids: ['ID'] }],
    ['an empty query', '?ids='],
    ['a query without a value', '?ids'],
    ['a comma at the end', '?ids=ID,'],
    ['a comma alone', '?ids=,'],
    ['an empty object', '', {}],
    ['no identifier', '', { ids: [] }],
    ['a text', '', { ids: 'ID' }],
    ['an object', '', { ids: { 0: 'ID', length: 1 } }],
    ['an array', '', ['ID']],
    ['null', '', 'null'],
    ['an identifier that is a number', '', { ids: ['ID', 5] }],
    ['an identifier that is null', '', { ids: ['ID', null] }],
    ['an empty identifier', '', { ids: ['ID', ''] }],
    ['an identifier that is too long', '', { ids: ['ID', 'a'.repeat(65)] }],
    ['1,001 identifiers', '', { ids: Array(1001).fill('ID') }],
    ['malformed JSON', '', '{"ids":["ID"]'],
  ]
  // Generated clients send them for a body that the caller left out.
  test.each(['null', ' null\n', '{}', '{"ids":null}', '{"other":1}'])(
    'takes the query beside the body %j, which selects nothing',
    async (body) => {
      const { server, ada } = await start()
      const form = await ada.createForm()
      const kept = await server.submit(form, { a: '1' })
      const id = await server.submit(form, { a: '2' })
      const { status } = await ada.call('DELETE', `/forms/${form}/submissions/bulk?ids=${id}`, body)
      const { submissions } = (await ada.call('GET', `/forms/${form}/submissions`)).body
      expect([status, submissions]).toEqual([200, [expect.objectContaining({ id: kept })]])
      expect((await ada.call('DELETE', `/forms/bulk?ids=${form}`, body)).status).toBe(200)
      expect((await ada.call('GET', `/forms/${form}`)).status).toBe(404)
    },
  )

  test('each of these is 400 and leaves everything where it was', async () => {
    const { server, ada } = await start()
    const form = await ada.createForm()
    const submission = await server.submit(form, { a: '1' })
    const targets = [
      ['/forms/bulk', form],
      [`/forms/${form}/submissions/bulk`, submission],
    ] as const
    for (const [what, query, body] of wrong)
      for (const [path, id] of targets) {
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        const answer = await ada.call('DELETE', path + query.replace('ID', id), text?.replaceAll('ID', id))
        expect([what, answer.status, answer.body.message]).toEqual([what, 400, 'Invalid input data'])
        expect(answer.body.issues, what).toHaveLength(1)
        expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount, what).toBe(1)
      }
  })

  test('takes 1,000 identifiers in the body', async () => {
    const { ada } = await start()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: numbered(1001).slice(1) })).body
    await ada.createForm({ title: 'left' })
    expect((await ada.call('DELETE', '/forms/bulk', { ids })).status).toBe(200)
    expect(await holdings(ada)).toEqual({ titles: ['left'], total: 1 })
  })

  // Bun answers a request line of more than 64 KiB by itself, with an empty 431: some 2,200 identifiers.
  test('takes 1,000 identifiers in the query', async () => {
    const { server, ada } = await start()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: numbered(1000) })).body
    const headers = { authorization: `Bearer ${ada.key}` }
    const { status } = await fetch(`${server.url}/api/v1/forms/bulk?ids=${ids}`, { method: 'DELETE', headers })
    expect(status).toBe(200)
    expect((await holdings(ada)).total).toBe(0)
  })
})

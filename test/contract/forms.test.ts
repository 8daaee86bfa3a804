import { describe, expect, test } from 'bun:test'
import { type Server, startServer, toAnswer } from '../harness.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const whole = { title: 'Contact', description: 'On the start page', returnUrl: 'https://example.com/thanks' }

const submit = async (server: Server, formId: string, data: object): Promise<string> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(data) }
  return (await toAnswer(await server.fetch(`/s/${formId}`, init))).body.id
}

const start = async () => {
  const server = await startServer()
  return { server, ada: await server.signUp() }
}

describe('POST /forms', () => {
  test('creates a form that is read back with all eight fields', async () => {
    const { ada } = await start()
    const before = Date.now()

    const created = await ada.call('POST', '/forms', whole)

    expect(created.status).toBe(200)
    expect(Object.keys(created.body)).toEqual(['id'])
    const form = await ada.call('GET', `/forms/${created.body.id}`)
    expect(form.status).toBe(200)
    expect(form.body).toEqual({
      id: created.body.id,
      ...whole,
      keys: [],
      submissionCount: 0,
      createdAt: expect.stringMatching(timestamp),
      updatedAt: null,
    })
    expect(Date.parse(form.body.createdAt)).toBeWithin(before, Date.now() + 1)
    expect((await ada.call('GET', '/forms')).body.forms).toEqual([form.body])
  })

  test('makes description and returnUrl null where they are absent', async () => {
    const { ada } = await start()
    const id = await ada.createForm()
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ description: null, returnUrl: null })
  })
})

describe('decision 7: timestamps are ISO 8601 in UTC with milliseconds', () => {
  test('also updatedAt and those of submissions', async () => {
    const { server, ada } = await start()
    const id = await ada.createForm()
    await submit(server, id, { name: 'Ada' })
    await ada.call('PATCH', `/forms/${id}`, { title: 'Changed' })

    const form = (await ada.call('GET', `/forms/${id}`)).body
    const [submission] = (await ada.call('GET', `/forms/${id}/submissions`)).body.submissions
    for (const time of [form.createdAt, form.updatedAt, submission.createdAt]) {
      expect(time).toMatch(timestamp)
      expect(new Date(time).toISOString()).toBe(time)
    }
  })
})

describe('decision 8: identifiers', () => {
  test('are URL-safe, at most 64 characters, all different, and share no guessable end', async () => {
    const { ada } = await start()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: Array(500).fill({ title: 'x' }) })).body

    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{16,64}$/)
    expect(ids).not.toContain('bulk')
    expect(new Set(ids).size).toBe(500)
    // Made in the same millisecond, they still differ in more than a running number.
    expect(new Set(ids.map((id: string) => id.slice(-12))).size).toBe(500)
  })
})

describe('decision 12: fields of a form', () => {
  const tooLong = 'title: must be 1 to 255 characters, not only white space'
  test('title is 1 to 255 characters, not only white space; a character is a code point, not two units', async () => {
    const { ada } = await start()
    const titles: [what: string, title: unknown, isTaken: boolean][] = [
      ['1 character', 'a', true],
      ['255 characters', 'a'.repeat(255), true],
      ['255 emoji', '😀'.repeat(255), true],
      ['white space around text', ' a ', true],
      ['markup', '<script>alert(1)</script>', true],
      ['256 characters', 'a'.repeat(256), false],
      ['256 emoji', '😀'.repeat(256), false],
      ['empty', '', false],
      ['white space', ' \t\n\u00a0\u2003', false],
      ['absent', undefined, false],
      ['null', null, false],
      ['number', 5, false],
      ['array', ['a'], false],
      ['NUL', 'a\0b', false],
      ['half a surrogate pair', 'a\ud83d', false],
    ]

    const unreadable = new Set(['NUL', 'half a surrogate pair'])
    const notText = 'title: must be well-formed Unicode without NUL'
    const seen: typeof titles = []
    for (const [what, title] of titles) {
      const { status, body } = await ada.call('POST', '/forms', { title })
      expect(status, what).toBeOneOf([200, 400])
      if (status === 200) expect((await ada.call('GET', `/forms/${body.id}`)).body.title).toBe(title)
      else expect(body.issues, what).toEqual([{ message: unreadable.has(what) ? notText : tooLong, path: '/title' }])
      seen.push([what, title, status === 200])
    }

    expect(seen).toEqual(titles)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(titles.filter(([, , taken]) => taken).length)
  })

  test('description is up to 1,000 characters, or null', async () => {
    const { ada } = await start()
    const descriptions: [description: unknown, isTaken: boolean][] = [
      ['', true],
      [null, true],
      ['d'.repeat(1000), true],
      ['😀'.repeat(1000), true],
      ['d'.repeat(1001), false],
      ['😀'.repeat(1001), false],
      [5, false],
      [{}, false],
    ]
    for (const [description, isTaken] of descriptions) {
      const { status, body } = await ada.call('POST', '/forms', { title: 'x', description })
      expect(status, String(description).slice(0, 10)).toBe(isTaken ? 200 : 400)
      if (isTaken) expect((await ada.call('GET', `/forms/${body.id}`)).body.description).toBe(description)
      else expect(body.issues).toEqual([{ message: expect.stringMatching(/^description: /), path: '/description' }])
    }
  })

  const urls: [returnUrl: unknown, isTaken: boolean][] = [
    ['https://example.com', true],
    ['HTTP://EXAMPLE.COM/', true],
    ['http://localhost:3000/thanks?a=1&b=2#top', true],
    ['http://[::1]:8080/', true],
    ['https://bücher.example/ü', true],
    [`https://example.com/${'a'.repeat(2028)}`, true],
    [null, true],
    [`https://example.com/${'a'.repeat(2029)}`, false],
    ['', false],
    ['/thanks', false],
    ['//example.com/thanks', false],
    ['example.com', false],
    ['https:example.com', false],
    ['https:/example.com', false],
    ['https:\\\\example.com', false],
    ['https://', false],
    ['https://exa mple.com', false],
    ['https://example.com:99999/', false],
    [' https://example.com', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['ftp://example.com/', false],
    ['https://example.com/\0', false],
    [5, false],
    [['https://example.com'], false],
  ]
  test('returnUrl is an absolute http or https URL of up to 2,048 characters, or null, on create and on update', async () => {
    const { ada } = await start()
    for (const [returnUrl, isTaken] of urls) {
      const what = String(returnUrl).slice(0, 40)
      const created = await ada.call('POST', '/forms', { title: 'x', returnUrl })
      expect(created.status, `create with ${what}`).toBe(isTaken ? 200 : 400)
      const id = await ada.createForm({ returnUrl: 'https://example.com/before' })
      const updated = await ada.call('PATCH', `/forms/${id}`, { returnUrl })
      expect(updated.status, `update with ${what}`).toBe(isTaken ? 200 : 400)
      const form = (await ada.call('GET', `/forms/${id}`)).body
      expect(form.returnUrl).toBe(isTaken ? returnUrl : 'https://example.com/before')
      if (!isTaken) expect(updated.body.issues[0]).toMatchObject({ path: '/returnUrl' })
      if (!isTaken) expect(updated.body.issues[0].message).toStartWith('returnUrl: ')
    }
  })

  // The URL parser of the platform drops tabs, line breaks and outer spaces instead of refusing them.
  test.each([
    ['a line break in the host', 'https://exa\nmple.com/'],
    ['a line break in the path', 'https://example.com/\r\nSet-Cookie: a=b'],
    ['a tab', 'https://example.com/\t'],
    ['spaces behind', 'https://example.com/  '],
  ])('returnUrl does not take %s', async (_what, returnUrl) => {
    const { ada } = await start()
    const { status } = await ada.call('POST', '/forms', { title: 'x', returnUrl })
    expect(status).toBe(400)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(0)
  })

  test('ignores unknown and read-only fields on create', async () => {
    const { ada } = await start()
    const past = '2001-01-01T00:00:00.000Z'
    const body = `{"title":"x","id":"mine","keys":["a"],"submissionCount":9,"createdAt":"${past}","updatedAt":"${past}",
      "userId":"u","deletedAt":1,"__proto__":{"description":"d"},"constructor":{"prototype":1},"nested":{"title":5}}`
    const { status, body: created } = await ada.call('POST', '/forms', body)

    expect(status).toBe(200)
    expect(created.id).not.toBe('mine')
    const form = (await ada.call('GET', `/forms/${created.id}`)).body
    expect(form).toMatchObject({ title: 'x', description: null, keys: [], submissionCount: 0, updatedAt: null })
    expect(form.createdAt).not.toBe(past)
    expect((await ada.call('GET', '/forms/mine')).status).toBe(404)
  })

  test('a form that was read can be changed and sent back whole', async () => {
    const { server, ada } = await start()
    const id = await ada.createForm(whole)
    await submit(server, id, { name: 'Ada' })
    const read = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, { ...read, title: 'Changed' })

    expect([status, body]).toEqual([200, { success: true }])
    const after = (await ada.call('GET', `/forms/${id}`)).body
    expect(after).toEqual({ ...read, title: 'Changed', updatedAt: expect.stringMatching(timestamp) })
  })
})

describe('decision 13: PATCH is partial', () => {
  const cases: [what: string, changes: object, expected: object][] = [
    ['a title alone', { title: 'New' }, { title: 'New' }],
    ['a description alone', { description: 'New' }, { description: 'New' }],
    ['a return URL alone', { returnUrl: 'http://b.example/' }, { returnUrl: 'http://b.example/' }],
    ['null for the description', { description: null }, { description: null }],
    ['null for the return URL', { returnUrl: null }, { returnUrl: null }],
    ['an empty description', { description: '' }, { description: '' }],
  ]
  test.each(cases)('takes %s and keeps the rest', async (_what, changes, expected) => {
    const { ada } = await start()
    const id = await ada.createForm(whole)
    const other = await ada.createForm(whole)
    const before = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, changes)

    expect([status, body]).toEqual([200, { success: true }])
    const after = (await ada.call('GET', `/forms/${id}`)).body
    expect(after).toEqual({ ...before, ...expected, updatedAt: expect.stringMatching(timestamp) })
    expect((await ada.call('GET', `/forms/${other}`)).body).toMatchObject({ ...whole, updatedAt: null })
  })

  test('{} and read-only fields alone are success and change nothing, updatedAt neither', async () => {
    const { ada } = await start()
    const id = await ada.createForm(whole)
    const before = (await ada.call('GET', `/forms/${id}`)).body

    for (const changes of [{}, { id: 'x', keys: ['k'], submissionCount: 5, createdAt: 'c', updatedAt: 'u', more: 1 }]) {
      const { status, body } = await ada.call('PATCH', `/forms/${id}`, changes)
      expect([status, body]).toEqual([200, { success: true }])
      expect((await ada.call('GET', `/forms/${id}`)).body).toEqual(before)
    }
  })

  test('one wrong field among right ones changes nothing', async () => {
    const { ada } = await start()
    const id = await ada.createForm(whole)
    const before = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, { title: null, description: 'New', returnUrl: 5 })

    expect(status).toBe(400)
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(['/title', '/returnUrl'])
    expect((await ada.call('GET', `/forms/${id}`)).body).toEqual(before)
  })

  test('a submission does not move updatedAt', async () => {
    const { server, ada } = await start()
    const id = await ada.createForm()
    await submit(server, id, { name: 'Ada' })
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ updatedAt: null, submissionCount: 1 })
    await ada.call('PATCH', `/forms/${id}`, { title: 'Changed' })
    const { updatedAt } = (await ada.call('GET', `/forms/${id}`)).body
    await submit(server, id, { other: 'x' })
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ updatedAt, submissionCount: 2 })
  })

  const bodies: [what: string, body: string, contentType: string][] = [
    ['malformed JSON', '{', 'application/json'],
    ['JSON that is no object', '[1]', 'application/json'],
    ['text', 'hello', 'text/plain'],
    ['a broken multipart body', 'junk', 'multipart/form-data; boundary=x'],
    ['more than a megabyte', 'x'.repeat(1_500_000), 'application/octet-stream'],
    ['fields of a form', '{"title":"Other","id":"x"}', 'application/json'],
  ]
  test.each(bodies)('duplicate and delete ignore %s in the body', async (_what, body, contentType) => {
    const { ada } = await start()
    const id = await ada.createForm(whole)

    const copied = await ada.call('POST', `/forms/${id}/duplicate`, body, { 'content-type': contentType })
    expect(copied.status).toBe(200)
    expect((await ada.call('GET', `/forms/${copied.body.id}`)).body).toMatchObject(whole)
    const deleted = await ada.call('DELETE', `/forms/${id}`, body, { 'content-type': contentType })
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }])
    expect((await ada.call('GET', '/forms')).body.forms.map((form: { id: string }) => form.id)).toEqual([
      copied.body.id,
    ])
  })
})

describe('decision 16: duplicate', () => {
  test('copies title, description, returnUrl and keys, has no submissions and was never updated', async () => {
    const { server, ada } = await start()
    const id = await ada.createForm(whole)
    await submit(server, id, { name: 'Ada', email: 'a@example.com' })
    await ada.call('PATCH', `/forms/${id}`, { title: 'Changed' })
    const original = (await ada.call('GET', `/forms/${id}`)).body

    const copied = await ada.call('POST', `/forms/${id}/duplicate`)

    expect(copied.status).toBe(200)
    expect(Object.keys(copied.body)).toEqual(['id'])
    expect(copied.body.id).not.toBe(id)
    const copy = (await ada.call('GET', `/forms/${copied.body.id}`)).body
    const { title, description, returnUrl, keys } = original
    expect(copy).toMatchObject({ title, description, returnUrl, keys, submissionCount: 0, updatedAt: null })
    expect(Date.parse(copy.createdAt)).toBeGreaterThanOrEqual(Date.parse(original.createdAt))
    expect((await ada.call('GET', `/forms/${copied.body.id}/submissions`)).body.submissions).toEqual([])
    expect((await ada.call('GET', `/forms/${id}`)).body).toEqual(original)
    expect((await ada.call('GET', '/forms')).body.forms).toEqual([copy, original])
  })

  test('makes a form of its own: what happens to one does not touch the other', async () => {
    const { server, ada } = await start()
    const id = await ada.createForm(whole)
    await submit(server, id, { name: 'Ada' })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    await submit(server, copy, { other: 1 })
    await ada.call('PATCH', `/forms/${id}`, { title: 'Original' })

    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ keys: ['name'], submissionCount: 1 })
    const expected = { title: 'Contact', keys: ['name', 'other'], submissionCount: 1, updatedAt: null }
    expect((await ada.call('GET', `/forms/${copy}`)).body).toMatchObject(expected)
    await ada.call('DELETE', `/forms/${id}`)
    expect((await ada.call('GET', `/forms/${copy}`)).body).toMatchObject(expected)
  })
})

describe('DELETE /forms/:formId', () => {
  test('removes the form and its submissions for every operation, at once and for good', async () => {
    const { server, ada } = await start()
    const [id, kept] = [await ada.createForm(), await ada.createForm({ title: 'Kept' })]
    const submission = await submit(server, id, { name: 'Ada' })
    await submit(server, kept, { name: 'Ada' })

    const { status, body } = await ada.call('DELETE', `/forms/${id}`)

    expect([status, body]).toEqual([200, { success: true }])
    const gone = [
      await ada.call('GET', `/forms/${id}`),
      await ada.call('PATCH', `/forms/${id}`, { title: 'x' }),
      await ada.call('DELETE', `/forms/${id}`),
      await ada.call('POST', `/forms/${id}/duplicate`),
      await ada.call('GET', `/forms/${id}/submissions`),
      await ada.call('GET', `/forms/${id}/submissions/${submission}`),
      await ada.call('DELETE', `/forms/${id}/submissions/${submission}`),
      await ada.call('DELETE', `/forms/${id}/submissions/bulk`, { ids: [submission] }),
      await ada.call('PATCH', '/forms/bulk', { forms: [{ id, title: 'x' }] }),
      await ada.call('DELETE', '/forms/bulk', { ids: [id] }),
    ]
    for (const answer of gone) expect([answer.status, answer.body.message]).toEqual([404, 'Form not found'])
    expect((await server.fetch(`/s/${id}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })).status).toBe(404)
    const list = (await ada.call('GET', '/forms')).body
    expect(list.forms).toEqual([expect.objectContaining({ id: kept, submissionCount: 1 })])
    expect(list.pagination.total).toBe(1)
  })
})

import { describe, expect, test } from 'bun:test'
import { serverWithUser } from '../harness.ts'
import { world } from '../world.ts'

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const whole = { title: 'Contact', description: 'On the start page', returnUrl: 'https://example.com/thanks' }

describe('POST /forms', () => {
  test('creates a form that is read back with all eight fields', async () => {
    const { ada } = await serverWithUser()
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
    const { ada, formId: id } = await world()
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ description: null, returnUrl: null })
  })
})

describe('decision 7: timestamps are ISO 8601 in UTC with milliseconds', () => {
  test('also updatedAt and those of submissions', async () => {
    const { ada, formId: id } = await world({ sent: [{ name: 'Ada' }] })
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
    const { ada } = await serverWithUser()
    const { ids } = (await ada.call('POST', '/forms/bulk', { forms: Array(500).fill({ title: 'x' }) })).body

    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{16,64}$/)
    expect(ids).not.toContain('bulk')
    expect(new Set(ids).size).toBe(500)
    // Made in the same millisecond, they still differ in more than a running number.
    expect(new Set(ids.map((id: string) => id.slice(-12))).size).toBe(500)
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
    const { ada, formId: id } = await world({ form: whole })
    const other = await ada.createForm(whole)
    const before = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, changes)

    expect([status, body]).toEqual([200, { success: true }])
    const after = (await ada.call('GET', `/forms/${id}`)).body
    expect(after).toEqual({ ...before, ...expected, updatedAt: expect.stringMatching(timestamp) })
    expect((await ada.call('GET', `/forms/${other}`)).body).toMatchObject({ ...whole, updatedAt: null })
  })

  test('{} and read-only fields alone are success and change nothing, updatedAt neither', async () => {
    const { ada, formId: id } = await world({ form: whole })
    const before = (await ada.call('GET', `/forms/${id}`)).body

    for (const changes of [{}, { id: 'x', keys: ['k'], submissionCount: 5, createdAt: 'c', updatedAt: 'u', more: 1 }]) {
      const { status, body } = await ada.call('PATCH', `/forms/${id}`, changes)
      expect([status, body]).toEqual([200, { success: true }])
      expect((await ada.call('GET', `/forms/${id}`)).body).toEqual(before)
    }
  })

  test('one wrong field among right ones changes nothing', async () => {
    const { ada, formId: id } = await world({ form: whole })
    const before = (await ada.call('GET', `/forms/${id}`)).body

    const { status, body } = await ada.call('PATCH', `/forms/${id}`, { title: null, description: 'New', returnUrl: 5 })

    expect(status).toBe(400)
    expect(body.issues.map((issue: { path: string }) => issue.path)).toEqual(['/title', '/returnUrl'])
    expect((await ada.call('GET', `/forms/${id}`)).body).toEqual(before)
  })

  test('a submission does not move updatedAt', async () => {
    const { server, ada, formId: id } = await world({ sent: [{ name: 'Ada' }] })
    expect((await ada.call('GET', `/forms/${id}`)).body).toMatchObject({ updatedAt: null, submissionCount: 1 })
    await ada.call('PATCH', `/forms/${id}`, { title: 'Changed' })
    const { updatedAt } = (await ada.call('GET', `/forms/${id}`)).body
    await server.submit(id, { other: 'x' })
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
    const { ada, formId: id } = await world({ form: whole })

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
    const { ada, formId: id } = await world({ form: whole, sent: [{ name: 'Ada', email: 'a@example.com' }] })
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
    const { server, ada, formId: id } = await world({ form: whole, sent: [{ name: 'Ada' }] })
    const copy = (await ada.call('POST', `/forms/${id}/duplicate`)).body.id
    await server.submit(copy, { other: 1 })
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
    const { server, ada } = await serverWithUser()
    const [id, kept] = [await ada.createForm(), await ada.createForm({ title: 'Kept' })]
    const submission = await server.submit(id, { name: 'Ada' })
    await server.submit(kept, { name: 'Ada' })

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

import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { User } from '../harness.ts'
import { addForm, world } from '../world.ts'

type Query = Record<string, string>

const inbox = (user: User, query: Query | [string, string][] = {}) =>
  user.call('GET', `/inbox?${new URLSearchParams(query)}`)

const found = async (user: User, query: Query | [string, string][] = {}): Promise<string[]> => {
  const { status, body } = await inbox(user, query)
  expect(status).toBe(200)
  return body.submissions.map(({ id }: { id: string }) => id)
}

/** Ada with two forms, and a third of Bob's that she reads. */
const threeForms = async () => {
  const first = await world()
  const { server, ada } = first
  const second = await addForm(server, ada, { form: { title: 'Cakes' } })
  const bob = await server.signUp()
  const shared = await addForm(server, bob, { form: { title: 'Shared' } })
  const share = (role: string) => bob.call('POST', `${shared.path}/members`, { email: ada.email, role })
  expect((await share('reader')).status).toBe(200)
  return { server, ada, bob, first, second, shared }
}

describe('GET /inbox', () => {
  test('lists what came to all forms that one may read, newest first, as the lists have it', async () => {
    const { ada, bob, first, second, shared } = await threeForms()
    const hidden = await addForm(first.server, bob, {})
    const ids = [
      await first.submit({ a: 'x' }),
      await shared.submit({ a: 'y', text: 'x'.repeat(200_000) }),
      await second.submit({ a: 'z' }),
      await first.submit({ a: 'last' }),
    ]
    await hidden.submit({ a: 'hidden' })
    await first.submit({ a: 'spam', _gotcha: 'x' })

    const { status, body } = await inbox(ada)

    expect(status).toBe(200)
    const [last, oldest] = await first.submissions()
    const expected = [last, ...(await second.submissions()), ...(await shared.submissions()), oldest]
    const submissions = expected.map((one) => ({ ...one, noteCount: 0 }))
    expect(body).toEqual({ submissions, searched: 4, next: null })
    expect(body.submissions.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    expect(await found(await ada.withKey({ isReadOnly: true }))).toEqual(ids.toReversed())
    expect((await inbox(await first.server.signUp())).body).toEqual({ submissions: [], searched: 0, next: null })
  })

  test('filters by state, what is unread, form, dates and words, and goes on with its cursor', async () => {
    const { ada, first, second, shared } = await threeForms()
    const a = await first.submit({ a: 'plum tart' })
    const b = await second.submit({ a: 'bread' })
    const c = await shared.submit({ a: 'Tart' })
    const d = await first.submit({ a: 'rolls' })
    await ada.call('PATCH', `${first.path}/submissions/${a}/handling`, { state: 'done' })

    expect(await found(ada, { state: 'open' })).toEqual([d, c, b])
    expect(await found(ada, { state: 'done' })).toEqual([a])
    expect(await found(ada, { unread: 'true' })).toEqual([d, c, b, a])
    expect(
      await found(ada, [
        ['formId', first.formId],
        ['formId', shared.formId],
        ['formId', first.formId],
      ]),
    ).toEqual([d, c, a])
    expect(await found(ada, { formId: second.formId, state: 'done' })).toEqual([])
    for (const { change } of [first, second]) await change({ group: 'Café & Bar' })
    expect(await found(ada, { group: 'Café & Bar' })).toEqual([d, b, a])
    expect(await found(ada, { group: 'Café & Bar', formId: first.formId })).toEqual([d, a])
    expect(await found(ada, { group: 'Café' })).toEqual([])
    const key = await ada.withKey({ isReadOnly: true, forms: [second.formId, shared.formId] })
    expect(await found(key, { group: 'Café & Bar' })).toEqual([b])
    expect(await found(ada, { endDate: '2026-01-01' })).toEqual([])
    expect(await found(ada, { startDate: '2026-01-01' })).toHaveLength(4)
    expect(await found(ada, { q: 'tart' })).toEqual([c, a])
    expect(await found(ada, { q: 'tart', state: 'done' })).toEqual([a])
    expect(await found(ada, { hasFiles: 'true' })).toEqual([])

    const one = (await inbox(ada, { limit: '1', state: 'open' })).body
    const two = (await inbox(ada, { limit: '1', state: 'open', cursor: one.next })).body
    const three = (await inbox(ada, { limit: '1', state: 'open', cursor: two.next })).body
    expect([one, two, three].map(({ submissions }) => submissions[0].id)).toEqual([d, c, b])
    expect(three.next).toBeNull()
    expect((await inbox(ada, { limit: '1', state: 'done', cursor: one.next })).status).toBe(400)
  })

  test('takes no turn of a search without words, and one with', async () => {
    const { ada, first } = await threeForms()
    await first.submit({ a: 'tart' })
    const many = await Promise.all(Array.from({ length: 9 }, () => inbox(ada)))
    expect(many.map(({ status }) => status)).toEqual(Array(9).fill(200))
    const searches = await Promise.all(Array.from({ length: 9 }, () => inbox(ada, { q: 'tart' })))
    expect(searches.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const { status } of searches) expect([200, 429]).toContain(status)
  })

  test('keeps a key that is limited to forms to these', async () => {
    const { ada, first, second, shared } = await threeForms()
    const [id] = [await first.submit({ a: 'x' }), await second.submit({ a: 'x' })]
    const seen = await shared.submit({ a: 'x' })
    const key = await ada.withKey({ isReadOnly: true, forms: [first.formId, shared.formId] })
    expect(await found(key)).toEqual([seen, id])
    expect(await found(key, { q: 'x' })).toEqual([seen, id])
    expect((await inbox(key, { formId: second.formId })).status).toBe(403)
  })

  test('refuses forms that one may not read, and those that are gone, and has nothing of what is not shared any more', async () => {
    const { ada, bob, first, shared } = await threeForms()
    await shared.submit({ a: 'x' })
    const hidden = await addForm(first.server, bob, {})
    expect((await inbox(ada, { formId: hidden.formId })).status).toBe(403)
    expect((await inbox(ada, { formId: newId(Date.now()) })).status).toBe(404)
    expect(await found(ada)).toHaveLength(1)
    const { members } = (await bob.call('GET', `${shared.path}/members`)).body
    await bob.call('DELETE', `${shared.path}/members/${members[0].id}`)
    expect(await found(ada)).toEqual([])
    await first.submit({ a: 'x' })
    await ada.call('DELETE', first.path)
    expect(await found(ada)).toEqual([])
  })

  test.each([
    ['state', 'unread', 'state: must be one of open, done'],
    ['unread', 'yes', 'unread: must be true or false'],
    ['limit', '101', 'limit: must be a whole number, from 1 to 100'],
    ['q', 'a '.repeat(21), 'q: must have at most 20 words and phrases'],
    ['startDate', 'today', /^startDate: must be a date/],
    ['cursor', 'x', 'cursor: must be the `next` of a response to the same query'],
    ['cursor', 'x'.repeat(100), /^cursor: /],
  ])('refuses %s=%.20s', async (name, value, message) => {
    const { ada } = await world()
    const { status, body } = await inbox(ada, { [name]: value })
    expect([status, body.issues.length]).toEqual([400, 1])
    expect(body.issues[0].message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  test('refuses more than 100 forms', async () => {
    const { ada } = await world()
    const { status, body } = await inbox(
      ada,
      Array.from({ length: 101 }, (_, i) => ['formId', String(i)]),
    )
    expect([status, body.issues[0].message]).toEqual([400, 'formId: must be at most 100 forms; got 101'])
  })
})

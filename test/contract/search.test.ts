import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { User } from '../harness.ts'
import { world } from '../world.ts'

type Query = Record<string, string | number>

const search = (user: User, formId: string, query: Query = {}) =>
  user.call('GET', `/forms/${formId}/submissions/search?${new URLSearchParams(query as Record<string, string>)}`)

/** The identifiers that a search finds. A busy machine does not read all in one turn. */
const found = async (user: User, formId: string, query: Query): Promise<string[]> => {
  const { status, body } = await search(user, formId, query)
  expect(status).toBe(200)
  const ids = body.submissions.map(({ id }: { id: string }) => id)
  return body.next === null ? ids : [...ids, ...(await found(user, formId, { ...query, cursor: body.next }))]
}

describe('GET /forms/:formId/submissions/search', () => {
  test('finds submissions by words in their values, newest first, and answers as the list does, with how many notes each has', async () => {
    const { server, ada, formId } = await world()
    const first = await server.submit(formId, { name: 'Åse', from: 'Tromsø, NORWAY' })
    await server.submit(formId, { name: 'Bo', from: 'Sweden' })
    await server.submit(formId, { norway: 'a field', from: 'Denmark' })
    const last = await server.submit(formId, { name: 'Eva', text: `${'x'.repeat(200_000)} Norway ${'y'.repeat(9000)}` })
    const spam = await server.submit(formId, { name: 'Robot from Norway', _gotcha: 'x' })

    const { status, body } = await search(ada, formId, { q: 'norway' })

    expect(status).toBe(200)
    const { submissions } = (await ada.call('GET', `/forms/${formId}/submissions`)).body
    const counted = [submissions[0], submissions[3]].map((one) => ({ ...one, noteCount: 0 }))
    expect(body).toEqual({ submissions: counted, searched: 4, next: null })
    expect(body.submissions.map(({ id }: { id: string }) => id)).toEqual([last, first])
    expect(JSON.stringify(body)).not.toContain(spam)
    expect(await found(ada, formId, { q: 'norway tromso' })).toEqual([first])
    expect(await found(ada, formId, { q: 'norway -name:ase' })).toEqual([last])
    expect(await found(ada, formId, { q: 'from:"tromso, nor"' })).toEqual([first])
    expect(await found(ada, formId, {})).toHaveLength(4)
    expect(await found(ada, formId, { q: '' })).toHaveLength(4)
  })

  test('finds spam by itself, with the reason, and nothing that was deleted with all of it', async () => {
    const { server, ada, formId } = await world({ sent: [{ text: 'Norway' }] })
    const robot = await server.submit(formId, { text: 'Buy in NORWAY', _gotcha: 'x' })
    await server.submit(formId, { text: 'Buy in Sweden', _gotcha: 'x' })
    const spam = (query: Query) =>
      ada.call('GET', `/forms/${formId}/spam/search?${new URLSearchParams(query as Record<string, string>)}`)
    expect((await spam({ q: 'norway' })).body).toEqual({
      spam: [(await ada.call('GET', `/forms/${formId}/spam/${robot}`)).body],
      searched: 2,
      next: null,
    })
    // It has no state, and an unknown parameter means nothing.
    expect((await spam({ q: 'norway', state: 'done' })).body.spam).toHaveLength(1)
    const { next } = (await spam({ limit: 1 })).body
    expect((await spam({ limit: 1, cursor: next })).body.spam).toMatchObject([{ id: robot, reason: 'honeypot' }])
    expect((await search(ada, formId, { limit: 1, cursor: next })).status).toBe(400)
    await ada.call('DELETE', `/forms/${formId}/spam/all`)
    expect((await spam({ q: 'norway' })).body).toEqual({ spam: [], searched: 0, next: null })
  })

  test('finds submissions with files, without files, and by the names of files', async () => {
    const { server, ada, formId } = await world()
    const form = new FormData()
    form.append('name', 'Ada')
    form.append('cv', new File(['hello world'], 'Lebenslauf.txt', { type: 'text/plain' }))
    const sent = await server.fetch(`/s/${formId}`, { method: 'POST', body: form, headers: { accept: '*/*' } })
    const { id } = await sent.json()
    const without = await server.submit(formId, { name: 'Ada' })

    const forged = await server.submit(formId, { cv: { filename: 'a', type: 'b/c', size: 1, file: id } })

    expect(await found(ada, formId, { hasFiles: 'true' })).toEqual([id])
    expect(await found(ada, formId, { hasFiles: 'false' })).toEqual([forged, without])
    expect(await found(ada, formId, { q: 'ada', hasFiles: 'true' })).toEqual([id])
    expect(await found(ada, formId, { q: 'lebenslauf' })).toEqual([id])
    expect(await found(ada, formId, { q: 'text/plain' })).toEqual([])
    expect(await found(ada, formId, { q: 'hello' })).toEqual([])
    const countOf = async (hasFiles: string) =>
      (await ada.call('GET', `/forms/${formId}/answers?hasFiles=${hasFiles}`)).body.total
    expect([await countOf('true'), await countOf('false')]).toEqual([1, 2])
  })

  test('finds what meets at the border of two pieces, as it was written or escaped', async () => {
    const { server, ada, formId } = await world()
    const ids: string[] = []
    for (const shift of [-9, -6, -5, -1, 0, 1]) {
      const before = `{"a":"${'ö'.repeat((65_536 - 8 + shift) >> 1)}`
      for (const word of ['Nørwäy', '\\u004e\\u00f8rw\\u0061\\u0308y']) {
        const headers = { 'content-type': 'application/json' }
        const body = `${before} ${word}"}`
        ids.unshift((await (await server.fetch(`/s/${formId}`, { method: 'POST', headers, body })).json()).id)
      }
    }
    expect(await found(ada, formId, { q: 'norway' })).toEqual(ids)
    expect(await found(ada, formId, { q: '"ö norway"' })).toEqual(ids)
    expect(await found(ada, formId, { q: 'norwax' })).toEqual([])
  })

  test('finds by state, and what is unread to the user of the key', async () => {
    const { server, ada, formId } = await world()
    const first = await server.submit(formId, { a: 'x' })
    const second = await server.submit(formId, { a: 'x' })
    const third = await server.submit(formId, { a: 'y' })
    await ada.call('PATCH', `/forms/${formId}/submissions/${first}/handling`, { state: 'done' })
    expect(await found(ada, formId, { state: 'done' })).toEqual([first])
    expect(await found(ada, formId, { state: 'open' })).toEqual([third, second])
    expect(await found(ada, formId, { state: 'open', q: 'x' })).toEqual([second])
    expect(await found(ada, formId, { state: 'unread', q: 'x' })).toEqual([second, first])
    const { next } = (await search(ada, formId, { q: 'x', limit: 1 })).body
    expect((await search(ada, formId, { q: 'x', state: 'open', cursor: next })).status).toBe(400)
    expect((await search(ada, formId, { state: 'new' })).body.issues).toEqual([
      { message: 'state: must be one of open, done, unread' },
    ])
  })

  test('finds in a range of dates', async () => {
    const { server, ada, formId } = await world()
    const id = await server.submit(formId, { a: 'x' })
    expect(await found(ada, formId, { q: 'x', startDate: '2026-01-01' })).toEqual([id])
    expect(await found(ada, formId, { q: 'x', endDate: '2026-01-01' })).toEqual([])
  })

  test.each([
    ['q', 'x'.repeat(10_000), 'q: must be at most 500 characters'],
    ['q', 'a '.repeat(21), 'q: must have at most 20 words and phrases'],
    ['q', 'a\0b', 'q: must be at most 500 characters'],
    ['limit', '0', 'limit: must be a whole number, from 1 to 100'],
    ['limit', '101', 'limit: must be a whole number, from 1 to 100'],
    ['hasFiles', 'yes', 'hasFiles: must be true or false'],
    ['hasFiles', '', 'hasFiles: must be true or false'],
    ['startDate', 'today', /^startDate: must be a date/],
    ['cursor', 'x', 'cursor: must be the `next` of a response to the same query'],
    ['cursor', 'x'.repeat(100), /^cursor: /],
  ])('refuses %s=%.20s', async (name, value, message) => {
    const { ada, formId } = await world()
    const { status, body } = await search(ada, formId, { [name]: value })
    expect([status, body.issues.length]).toEqual([400, 1])
    expect(body.issues[0].message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  test('takes what is no UTF-8 for a text that is nowhere', async () => {
    const { ada, formId } = await world({ sent: [{ a: '100% of a_b\\c' }] })
    for (const [raw, count] of [
      ['%', 1],
      ['_', 1],
      ['%5C', 1],
      ['.', 0],
      ['%ED%A0%80', 0],
      ['%FF', 0],
      ['%22100%25+of', 1],
      ['-x', 1],
    ] as const) {
      const { status, body } = await ada.call('GET', `/forms/${formId}/submissions/search?q=${raw}`)
      expect([raw, status, body.submissions?.length]).toEqual([raw, 200, count])
    }
  })

  test('belongs to the owner of the form', async () => {
    const { server, ada, formId } = await world()
    const bob = await server.signUp()
    const id = await server.submit(formId, { a: 'x' })
    expect((await search(bob, formId, { q: 'x' })).status).toBe(403)
    expect((await search(ada, newId(Date.now()))).status).toBe(404)
    expect(await found(await ada.withKey({ isReadOnly: true }), formId, { q: 'x' })).toEqual([id])
  })
})

describe('a cursor', () => {
  test('goes on where the search ended, while submissions come and go, and shows none twice', async () => {
    const { server, ada, formId } = await world()
    const ids: string[] = []
    for (let i = 0; i < 9; i++)
      ids.unshift(await server.submit(formId, { n: String(i), a: i % 2 === 0 ? 'even' : 'odd' }))
    const even = ids.filter((_, i) => i % 2 === 0)

    const first = (await search(ada, formId, { q: 'even', limit: 2 })).body
    expect(first.submissions.map(({ id }: { id: string }) => id)).toEqual(even.slice(0, 2))
    expect(first.searched).toBe(3)

    await server.submit(formId, { a: 'even' })
    // The one that the cursor names, and one that would be next.
    await ada.call('DELETE', `/forms/${formId}/submissions/bulk`, { ids: [even[1], even[2]] })

    const second = (await search(ada, formId, { q: 'even', limit: 100, cursor: first.next })).body
    expect(second.submissions.map(({ id }: { id: string }) => id)).toEqual(even.slice(3))
    expect(second).toMatchObject({ searched: 5, next: null })
  })

  test('is refused for another query, and for another form', async () => {
    const { server, ada, formId } = await world()
    const other = await ada.createForm()
    for (const text of ['x', 'x y']) await server.submit(formId, { a: text })
    const query = { q: 'x', hasFiles: 'false', startDate: '2026-01-01' }
    const { next } = (await search(ada, formId, { ...query, limit: 1 })).body

    expect((await search(ada, formId, { ...query, cursor: next })).body.submissions).toHaveLength(1)
    for (const changed of [{ q: 'y' }, { q: '-x' }, { q: 'a:x' }, { hasFiles: 'true' }, { startDate: '2026-01-02' }]) {
      const { status, body } = await search(ada, formId, { ...query, ...changed, cursor: next })
      expect([changed, status]).toEqual([changed, 400])
      expect(body.issues).toEqual([{ message: 'cursor: must be the `next` of a response to the same query' }])
    }
    expect((await search(ada, other, { ...query, cursor: next })).status).toBe(400)
  })
})

// Operations that create something: with an Idempotency-Key, a call that is made again creates nothing more, and gets the
// first answer.
import { describe, expect, test } from 'bun:test'
import { type Answer, serverWithUser, startServer, type User } from '../harness.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { world } from '../world.ts'
import { badRequest } from './error-body.ts'

const withKey = (key: string) => ({ 'idempotency-key': key })
let count = 0
/** One that no other test uses: users have their own anyway. */
const newKey = () => withKey(`key-${count++}`)

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'

const expectRepeat = (answer: Answer, first: Answer): void => {
  expect([first.status, isReplay(first)]).toEqual([200, false])
  expect([answer.status, answer.body, isReplay(answer)]).toEqual([200, first.body, true])
}

const listForms = async (user: User) => (await user.call('GET', '/forms?perPage=100')).body.forms as { id: string }[]

const url = 'https://hooks.example/'
const bulk = { forms: ['One', 'Two', 'Three'].map((title) => ({ title })) }

const operations: [name: string, path: string, body: object | undefined, created: string][] = [
  ['createForm', '/forms', { title: 'Contact' }, 'forms'],
  ['createForms', '/forms/bulk', bulk, 'forms'],
  ['duplicateForm', '/forms/FORM/duplicate', undefined, 'forms'],
  ['createWebhook', '/forms/FORM/webhooks', { url }, 'receivers'],
  ['rotateWebhook', '/forms/FORM/webhooks/HOOK/rotate', undefined, 'receivers'],
]

const prepare = async (path: string) => {
  const { server, ada, formId: form } = await world()
  const { id: hook } = (await ada.call('POST', `/forms/${form}/webhooks`, { url })).body
  return { server, ada, form, hook, path: path.replace('FORM', form).replace('HOOK', hook) }
}

describe.each(operations)('%s with Idempotency-Key', (_name, pattern, body, table) => {
  const countRows = ({ folder }: { folder: string }) =>
    rowsOf(folder, `SELECT count(*) AS count FROM ${table}`)[0]?.count

  test('is carried out once for a user, whichever of the user’s keys is used', async () => {
    const { server, ada, path } = await prepare(pattern)
    const key = newKey()
    const first = await ada.call('POST', path, body, key)
    const after = countRows(server)
    expectRepeat(await ada.call('POST', path, body, key), first)
    expectRepeat(await (await ada.withKey()).call('POST', path, body, key), first)
    expect(countRows(server)).toBe(after)
    const other = await ada.call('POST', path, body, newKey())
    expect([isReplay(other), other.body]).not.toEqual([false, first.body])
    expectSound(server.folder)
  })

  test('gets 400 with the key of another call, and 503 while the first is carried out', async () => {
    const { ada, path } = await prepare(pattern)
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 30 }, () => ada.call('POST', path, body, key)))
    const [first] = answers.filter((answer) => answer.status === 200 && !isReplay(answer))
    for (const answer of answers)
      if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('1')
      else if (answer !== first) expectRepeat(answer, first as Answer)
    expectRepeat(await ada.call('POST', path, body, key), first as Answer)
    for (const [elsewhere, other] of [
      ['/forms', { title: 'Other' }],
      [`/forms/${await ada.createForm()}/duplicate`, undefined],
    ] as const) {
      const refused = await ada.call('POST', elsewhere, other, key)
      const issue = 'Idempotency-Key: must be new: it was used for another request in the last 24 hours'
      expect([refused.status, refused.body]).toEqual([400, badRequest(issue)])
    }
  })

  test.each(['', 'a b', 'x'.repeat(256)])('refuses the key %p, after 401 and 403, before the body', async (key) => {
    const { server, ada, path } = await prepare(pattern)
    const before = countRows(server)
    const answer = await ada.call('POST', path, body && '{', withKey(key))
    const issue = 'Idempotency-Key: must be 1 to 255 visible ASCII characters, sent once'
    expect([answer.status, answer.body]).toEqual([400, badRequest(issue)])
    const reader = await ada.withKey({ isReadOnly: true })
    expect((await reader.call('POST', path, body, withKey(key))).status).toBe(403)
    expect((await server.fetch(`/api/v1${path}`, { method: 'POST', headers: withKey(key) })).status).toBe(401)
    expect(countRows(server)).toBe(before)
  })
})

describe('an Idempotency-Key', () => {
  test('means nothing for another user, who never sees the answer', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const key = newKey()
    const [hers, his] = [
      await ada.call('POST', '/forms', { title: 'A' }, key),
      await bob.call('POST', '/forms', { title: 'A' }, key),
    ]
    expect([isReplay(hers), isReplay(his)]).toEqual([false, false])
    expect(await listForms(bob)).toMatchObject([{ id: his.body.id }])
    const form = hers.body.id
    expect((await bob.call('POST', `/forms/${form}/duplicate`, undefined, newKey())).status).toBe(403)
  })

  test('of what was refused is that of a first call still', async () => {
    const { ada } = await serverWithUser()
    const key = newKey()
    for (const body of [{ title: '' }, '{', undefined])
      expect((await ada.call('POST', '/forms', body, key)).status).toBe(400)
    expect((await ada.call('POST', '/forms/unknown/duplicate', undefined, key)).status).toBe(404)
    const first = await ada.call('POST', '/forms', { title: 'Contact' }, key)
    expectRepeat(await ada.call('POST', '/forms', { title: 'Contact' }, key), first)
    // The bytes count: another order of members is another body.
    expect((await ada.call('POST', '/forms', '{ "title": "Contact" }', key)).status).toBe(400)
  })

  test('brings the answer back of what was deleted since', async () => {
    const { ada, formId: form } = await world()
    const keys = [newKey(), newKey(), newKey()] as const
    const call = () => [
      ada.call('POST', '/forms', { title: 'Contact' }, keys[0]),
      ada.call('POST', `/forms/${form}/duplicate`, undefined, keys[1]),
      ada.call('POST', `/forms/${form}/webhooks`, { url }, keys[2]),
    ]
    const first = await Promise.all(call())
    for (const { id } of await listForms(ada)) await ada.call('DELETE', `/forms/${id}`)
    const again = await Promise.all(call())
    for (const [position, answer] of again.entries()) expectRepeat(answer, first[position] as Answer)
    expect(await listForms(ada)).toEqual([])
  })

  test('gives 1,000 forms the same identifiers again, in the order of the list, and keeps little for that', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const body = { forms: Array.from({ length: 1000 }, (_, i) => ({ title: `Form ${i}` })) }
    const key = newKey()
    const first = await ada.call('POST', '/forms/bulk', body, key)
    expectRepeat(await ada.call('POST', '/forms/bulk', body, key), first)
    expect(new Set(first.body.ids).size).toBe(1000)
    expect(first.body.ids).toEqual(first.body.ids.toSorted())
    expect((await listForms(ada)).map(({ id }) => id)).toEqual(first.body.ids.toReversed().slice(0, 100))
    const [kept] = rowsOf<{ result: string }>(server.folder, 'SELECT result FROM idempotency_keys')
    expect(kept?.result).toHaveLength(28)
    expect(first.body.ids).not.toContain(kept?.result)
    // Of one, the others cannot be guessed.
    expect(new Set(first.body.ids.map((id: string) => id.slice(12))).size).toBe(1000)
  })

  test('brings back a secret that got lost, and does not end the one before it', async () => {
    const { server, ada, formId: form } = await world()
    const hooks = `/forms/${form}/webhooks`
    const keys = [newKey(), newKey()] as const
    const created = await ada.call('POST', hooks, { url }, keys[0])
    const { id, secret } = created.body
    const rotate = () => ada.call('POST', `${hooks}/${id}/rotate`, undefined, keys[1])
    const first = await rotate()
    for (let i = 0; i < 2; i++) expectRepeat(await rotate(), first)
    const [row] = rowsOf(server.folder, 'SELECT secret, old_secrets AS old FROM receivers WHERE id = ?', id)
    expect(row).toEqual({ secret: first.body.secret, old: expect.stringContaining(secret) })
    // That of the creation, not the one that is used now.
    expectRepeat(await ada.call('POST', hooks, { url }, keys[0]), created)
  })

  test('brings no secret back to someone who may no longer manage the form', async () => {
    const { server, ada, formId: form } = await world()
    const grace = await server.signUp()
    const members = `/forms/${form}/members`
    const { id: member } = (await ada.call('POST', members, { email: grace.email, role: 'manager' })).body
    const hooks = `/forms/${form}/webhooks`
    const keys = [newKey(), newKey()] as const
    const created = await grace.call('POST', hooks, { url }, keys[0])
    const calls = () => [
      grace.call('POST', hooks, { url }, keys[0]),
      grace.call('POST', `${hooks}/${created.body.id}/rotate`, undefined, keys[1]),
    ]
    await Promise.all(calls())
    const forbidden = { code: 'FORBIDDEN', message: 'Insufficient access' }
    await ada.call('PATCH', `${members}/${member}`, { role: 'editor' })
    for (const call of calls()) expect(await call).toMatchObject({ status: 403, body: forbidden })
    await ada.call('DELETE', `${members}/${member}`)
    for (const call of calls()) expect(await call).toMatchObject({ status: 403, body: forbidden })
  })

  test('of the last webhook that a form may have is no tenth and one', async () => {
    const { ada, formId: form } = await world()
    const create = (key: Record<string, string>) => ada.call('POST', `/forms/${form}/webhooks`, { url }, key)
    for (let i = 0; i < 9; i++) await create(newKey())
    const key = newKey()
    const last = await create(key)
    expectRepeat(await create(key), last)
    expect((await create(newKey())).status).toBe(400)
  })

  test('has no effect on other operations', async () => {
    const { ada, formId: form } = await world()
    for (const key of ['', 'key']) {
      const update = () => ada.call('PATCH', `/forms/${form}`, { title: 'New' }, withKey(key))
      for (const answer of [await update(), await update(), await ada.call('GET', '/forms', undefined, withKey(key))])
        expect([answer.status, isReplay(answer)]).toEqual([200, false])
    }
  })
})

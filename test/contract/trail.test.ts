import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { trailWrites } from '../../src/forms/trail.ts'
import { serverWithUser } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'

test('says who did what with a form, and nothing of what visitors sent', async () => {
  const { server, ada, formId: form } = await world()
  const grace = await server.signUp()
  await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'manager' })
  const sent = await Promise.all([1, 2, 3].map((i) => server.submit(form, { email: 'secret@example.com', i })))
  await grace.call('PATCH', `/forms/${form}/settings`, { columns: ['a'] })
  await grace.call('PATCH', `/forms/${form}`, { title: 'Other' })
  await grace.call('DELETE', `/forms/${form}/submissions/${sent[0]}`)
  await grace.call('DELETE', `/forms/${form}/submissions/${sent[1]}`)
  await ada.call('POST', '/personal-data/erase', { value: 'secret@example.com', count: 1 })
  await grace.call('POST', `/forms/${form}/sheets`, {})
  await grace.withKey({ forms: [form] })
  await grace.call('GET', `/forms/${form}/export?format=csv`)
  const trail = async () => (await ada.call('GET', `/forms/${form}/trail`)).body.trail as Record<string, unknown>[]
  await until(async () => (await trail()).length === 8, 'the export is written down')

  const found = (await trail()).map(({ by, what, detail, count }) => [by, what, detail, count])
  expect(found).toEqual([
    [grace.email, 'exported', 'csv', 1],
    [grace.email, 'key', 'Test', 1],
    [grace.email, 'settings', 'sheet created', 1],
    [ada.email, 'erased', null, 1],
    [grace.email, 'deleted', null, 2],
    [grace.email, 'settings', 'title', 1],
    [grace.email, 'settings', 'columns', 1],
    [ada.email, 'shared', `${grace.email} manager`, 1],
  ])
  expect(JSON.stringify(rowsOf(server.folder, 'SELECT * FROM trail'))).not.toContain('secret@')
  expect((await grace.call('GET', `/forms/${form}/trail?perPage=2&page=2`)).body).toMatchObject({
    trail: [{ detail: 'sheet created' }, { what: 'erased' }],
    pagination: { total: 8 },
  })
})

test('says what became of webhooks and sheets, and names no address of theirs', async () => {
  const { server, ada, formId: form } = await world()
  const url = 'http://hook.localhost:1/secret-path'
  const { id } = (await ada.call('POST', `/forms/${form}/webhooks`, { url })).body
  const hook = `/forms/${form}/webhooks/${id}`
  await ada.call('PATCH', hook, { description: 'secret-description' })
  await ada.call('PATCH', hook, { enabled: false })
  await ada.call('POST', `${hook}/rotate`)
  await ada.call('DELETE', hook)
  const sheet = (await ada.call('POST', `/forms/${form}/sheets`, {})).body
  await ada.call('DELETE', `/forms/${form}/sheets/${sheet.id}`)
  const refused = await Promise.all(['PATCH', 'DELETE'].map((method) => ada.call(method, hook, {})))
  expect(refused.map(({ status }) => status)).toEqual([404, 404])

  const { trail } = (await ada.call('GET', `/forms/${form}/trail`)).body
  expect(trail.map(({ what, detail, count }: Record<string, unknown>) => [what, detail, count])).toEqual([
    ['settings', 'sheet deleted', 1],
    ['settings', 'sheet created', 1],
    ['settings', 'webhook deleted', 1],
    ['settings', 'webhook secret renewed', 1],
    ['settings', 'webhook changed', 2],
    ['settings', 'webhook created', 1],
  ])
  expect(JSON.stringify(rowsOf(server.folder, 'SELECT * FROM trail'))).not.toContain('secret-')
})

test('has only what becomes another value, and no request that changes nothing', async () => {
  const { ada } = await serverWithUser()
  const values = { title: 'A', description: 'B', returnUrl: 'https://example.com/' }
  const form = await ada.createForm(values)
  const path = `/forms/${form}`
  const hook = { url: 'http://hook.localhost:1/', headers: { 'X-Key': 'k' }, only: { field: 'a', equals: 'b' } }
  const { id } = (await ada.call('POST', `${path}/webhooks`, hook)).body
  const settings = { open: true, blockedTerms: ['ab'], maxLinks: 3 }
  await ada.call('PATCH', `${path}/settings`, settings)
  const before = (await ada.call('GET', path)).body
  const listed = async () => (await ada.call('GET', `${path}/trail`)).body.trail as { detail: string; count: number }[]
  const deeds = await listed()

  const same = [
    await ada.call('PATCH', path, values),
    await ada.call('PATCH', '/forms/bulk', { forms: [{ id: form, ...values }] }),
    await ada.call('PATCH', `${path}/settings`, settings),
    await ada.call('PATCH', `${path}/settings`, {}),
    await ada.call('PATCH', `${path}/webhooks/${id}`, { ...hook, format: 'standard', enabled: true }),
    await ada.call('PATCH', `${path}/webhooks/${id}`, { headers: { 'X-Key': '•••' } }),
  ]
  expect(same.map(({ status }) => status)).toEqual(same.map(() => 200))
  expect(await listed()).toEqual(deeds)
  // An update sets it, whatever its values.
  expect((await ada.call('GET', path)).body).toEqual({ ...before, updatedAt: expect.any(String) })

  await ada.call('PATCH', path, { ...values, description: null })
  await ada.call('PATCH', `${path}/settings`, { ...settings, maxLinks: 4 })
  await ada.call('PATCH', `${path}/webhooks/${id}`, { ...hook, only: null })
  expect((await listed()).map(({ detail, count }) => [detail, count])).toEqual([
    ['webhook changed', 1],
    ['maxLinks', 1],
    ['description', 1],
    ['blockedTerms, maxLinks', 1],
    ['webhook created', 1],
  ])
})

test('counts the keys that a reader makes, so that their names push nothing out of sight', async () => {
  const { server, ada, formId: form } = await world()
  const grace = await server.signUp()
  await ada.call('POST', `/forms/${form}/members`, { email: grace.email, role: 'reader' })
  const { run } = openData(server.folder)
  const makeKey = (name: string) => {
    const hash = crypto.randomUUID()
    const key = {
      id: newId(Date.now()),
      userId: grace.id,
      name,
      hash,
      start: 'api_',
      isReadOnly: true,
      expiresAt: null,
    }
    run('createKey', { ...key, forms: [form] })
  }
  const listed = async () =>
    (await ada.call('GET', `/forms/${form}/trail`)).body.trail.map(
      ({ what, detail, count }: Record<string, unknown>) => [what, detail, count],
    )
  makeKey('CI')
  makeKey('CI')
  expect((await listed())[0]).toEqual(['key', 'CI', 2])
  for (let i = 0; i < 25; i++) makeKey(`n${i}`)
  expect(await listed()).toEqual([
    ['key', null, 27],
    ['shared', `${grace.email} reader`, 1],
  ])
})

test('lists the newest 10,000 entries, so that no page of it holds up others', async () => {
  const { server, ada, formId: form } = await world()
  const { db } = openData(server.folder)
  db.$client
    .query(`WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 10050)
      INSERT INTO trail (form, at, user_id, what, detail, count)
      SELECT number, ?, user_id, 'settings', n, 1 FROM forms, counted WHERE id = ?`)
    .run(Date.now(), form)
  const page = async (number: number) => (await ada.call('GET', `/forms/${form}/trail?perPage=30&page=${number}`)).body
  const last = await page(334)
  expect(last.pagination).toEqual({ page: 334, perPage: 30, total: 10_000, totalPages: 334 })
  expect(last.trail.map(({ detail }: { detail: string }) => detail)).toEqual(
    Array.from({ length: 10 }, (_, i) => String(60 - i)),
  )
  expect((await page(335)).trail).toEqual([])
})

test('is kept for 90 days, goes with the form, and takes one row for what is done again and again', () => {
  const { db, folder, userId, formId, run } = openData()
  const note = trailWrites(db)
  const day = 86_400_000
  const form = rowsOf<{ number: number }>(folder, 'SELECT number FROM forms WHERE id = ?', formId)[0]?.number as number
  db.$client.transaction(() => {
    for (let i = 0; i < 1000; i++) note(form, { userId, at: 100 * day + i, what: 'deleted', count: 2 })
    for (let i = 0; i < 1000; i++)
      note(form, { userId, at: 101 * day + i, what: 'exported', detail: i % 2 ? 'csv' : 'json' })
  })()
  note(form, { userId, at: day, what: 'settings' })
  expect(rowsOf(folder, 'SELECT what, count FROM trail')).toEqual([
    { what: 'deleted', count: 2000 },
    { what: 'exported', count: 500 },
    { what: 'exported', count: 500 },
    { what: 'settings', count: 1 },
  ])
  expect(run('removeExpired', { name: 'trail', before: 10 * day, maxRows: 500 })).toBe(1)
  expect(rowsOf(folder, 'SELECT what FROM trail WHERE detail IS NULL')).toEqual([{ what: 'deleted' }])
  run('deleteForms', { userId, now: 0, ids: [formId] })
  while (run('removeDeletedSlice', { maxRows: 500, maxBytes: 1e6 }));
  expect(rowsOf(folder, 'SELECT * FROM trail')).toEqual([])
})

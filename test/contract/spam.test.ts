import { describe, expect, test } from 'bun:test'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { errorBody } from './error-body.ts'

const prepare = async () => {
  const { submit, ...prepared } = await world()
  return {
    ...prepared,
    send: (fields: object = {}) => submit({ name: 'Ada', ...fields }),
    sendSpam: (fields: object = {}) => submit({ name: 'Robot', ...fields, _gotcha: 'x' }),
  }
}

/** Text that is stored in pieces: two whole ones and a short one. */
const long = 'ü'.repeat(80_000)

describe('a submission that fills the honeypot', () => {
  test('goes into quarantine with the reason, without the honeypot', async () => {
    const { sendSpam, spam, submissions, form, formId, ada, path } = await prepare()
    const id = await sendSpam({ more: [1] })
    const stored = { id, formId, data: { name: 'Robot', more: [1] }, createdAt: expect.any(String), reason: 'honeypot' }
    expect(await spam()).toEqual([stored])
    expect((await ada.call('GET', `${path}/spam/${id}`)).body).toEqual(stored)
    expect(await submissions()).toEqual([])
    expect(await form()).toMatchObject({ keys: [], submissionCount: 0 })
  })

  test('is answered as any other, byte for byte but for the identifier', async () => {
    const { server, formId } = await prepare()
    const answers = await Promise.all(
      ['a=1', 'a=1&_gotcha=x'].map(async (body) => {
        const type = 'application/x-www-form-urlencoded'
        const response = await server.fetch(`/s/${formId}`, { method: 'POST', body, headers: { 'content-type': type } })
        const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
        return { status: response.status, headers, body: (await response.text()).replace(/[0-9a-z]{28}/, 'ID') }
      }),
    )
    expect(answers[1]).toEqual(answers[0] as (typeof answers)[0])
  })

  test('tells no one, and is not the latest', async () => {
    const { server, ada, path, sendSpam } = await prepare()
    await ada.call('POST', `${path}/webhooks`, { url: 'http://hook.localhost:1/' })
    const before = rowsOf(server.folder, 'SELECT latest_id FROM forms WHERE user_id IS NOT NULL')
    await sendSpam()
    expect((await ada.call('GET', `${path}/deliveries`)).body.deliveries).toEqual([])
    expect(rowsOf(server.folder, 'SELECT latest_id FROM forms WHERE user_id IS NOT NULL')).toEqual(before)
  })
})

describe('the list of spam', () => {
  test('has pages and date ranges, and counts exactly', async () => {
    const { ada, path, sendSpam, send } = await prepare()
    await send()
    const ids = [await sendSpam(), await sendSpam({ message: long }), await sendSpam()].reverse()
    const { body } = await ada.call('GET', `${path}/spam?page=2&perPage=2`)
    expect(body.pagination).toEqual({ page: 2, perPage: 2, total: 3, totalPages: 2 })
    expect(body.spam.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
    const all = await ada.call('GET', `${path}/spam?startDate=2020-01-01`)
    expect(all.body.spam.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(all.body.spam[1].data.message).toBe(long)
    expect((await ada.call('GET', `${path}/spam?endDate=2020-01-01`)).body.pagination.total).toBe(0)
    expect((await ada.call('GET', `${path}/spam?startDate=yesterday`)).status).toBe(400)
  })

  test('is empty for a form without spam', async () => {
    const { ada, path } = await prepare()
    const pagination = { page: 1, perPage: 20, total: 0, totalPages: 0 }
    expect((await ada.call('GET', `${path}/spam`)).body).toEqual({ spam: [], pagination })
    const missing = errorBody('NOT_FOUND', 'Submission not found')
    for (const [method, rest] of [
      ['GET', '/spam/01kahp5x2r00v7m3k9qd4tznwe8c'],
      ['DELETE', '/spam/01kahp5x2r00v7m3k9qd4tznwe8c'],
      ['POST', '/spam/01kahp5x2r00v7m3k9qd4tznwe8c/accept'],
      ['POST', '/submissions/01kahp5x2r00v7m3k9qd4tznwe8c/spam'],
    ] as const)
      expect(await ada.call(method, path + rest)).toMatchObject({ status: 404, body: missing })
  })
})

describe('accepting spam', () => {
  test.each([
    ['short', 'Hello'],
    ['long', long],
  ])('moves a %s one into the list, with its identifier and time, and counts it', async (_kind, message) => {
    const { ada, path, server, sendSpam, send, spam, submissions, form } = await prepare()
    const id = await sendSpam({ 2: 'b', message, 1: 'a' })
    const [{ reason, ...before }] = await spam()
    const newer = await send()
    expect((await ada.call('POST', `${path}/spam/${id}/accept`)).body).toEqual({ success: true })
    expect(await spam()).toEqual([])
    expect((await submissions()).map((one: { id: string }) => one.id)).toEqual([newer, id])
    expect((await submissions())[1]).toEqual(before)
    expect(await form()).toMatchObject({ keys: ['name', '1', '2', 'message'], submissionCount: 2 })
    expect((await ada.call('POST', `${path}/spam/${id}/accept`)).status).toBe(404)
    expectSound(server.folder)
  })

  test('tells whoever was not told before', async () => {
    const { ada, path, sendSpam, send } = await prepare()
    await ada.call('POST', `${path}/webhooks`, { url: 'http://hook.localhost:1/' })
    const deliveries = async () =>
      (await ada.call('GET', `${path}/deliveries`)).body.deliveries.map(
        (one: { submissionId: string }) => one.submissionId,
      )
    const id = await sendSpam()
    await ada.call('POST', `${path}/spam/${id}/accept`)
    expect(await deliveries()).toEqual([id])
    const good = await send()
    // What still waits is taken back when the submission turns out to be spam.
    await ada.call('POST', `${path}/submissions/${good}/spam`)
    await until(async () => (await deliveries()).join() === id, 'the delivery of the spam is taken back')
    await ada.call('POST', `${path}/spam/${good}/accept`)
    expect(await deliveries()).toEqual([good, id])
  })
})

describe('marking as spam', () => {
  test.each([
    ['short', 'Hello'],
    ['long', long],
  ])('moves a %s one out of the list, and deleting it ends it', async (_kind, message) => {
    const { ada, path, server, send, spam, submissions, form } = await prepare()
    const id = await send({ message })
    const [before] = await submissions()
    expect((await ada.call('POST', `${path}/submissions/${id}/spam`)).body).toEqual({ success: true })
    expect(await submissions()).toEqual([])
    expect(await spam()).toEqual([{ ...before, reason: 'marked' }])
    expect(await form()).toMatchObject({ submissionCount: 0 })
    expect((await ada.call('POST', `${path}/submissions/${id}/spam`)).status).toBe(404)
    expect((await ada.call('DELETE', `${path}/spam/${id}`)).status).toBe(200)
    expect(await spam()).toEqual([])
    expectSound(server.folder)
    await until(
      () => rowsOf(server.folder, 'SELECT number FROM pieces WHERE submission = ?', id).length === 0,
      'its pieces are gone',
    )
  })
})

test('deleting spam in bulk is all or nothing', async () => {
  const { ada, path, send, sendSpam, spam, server } = await prepare()
  const ids = [await sendSpam(), await sendSpam({ message: long })]
  const good = await send()
  expect((await ada.call('DELETE', `${path}/spam/bulk`, { ids: [...ids, good] })).status).toBe(404)
  expect(await spam()).toHaveLength(2)
  expect((await ada.call('DELETE', `${path}/spam/bulk?ids=${ids.join()},${ids[0]}`)).status).toBe(200)
  expect(await spam()).toEqual([])
  expectSound(server.folder)
})

describe('deleting all spam', () => {
  test('leaves nothing of it behind, and submissions and the spam of other forms as they are', async () => {
    const { ada, path, server, send, sendSpam, spam, submissions, form } = await prepare()
    const other = await ada.createForm()
    await server.submit(other, { a: 1, _gotcha: 'x' })
    const good = await send()
    const marked = await send({ message: long })
    await ada.call('POST', `${path}/submissions/${marked}/spam`)
    const gone = [marked, await sendSpam(), await sendSpam({ message: long })]
    expect(await ada.call('DELETE', `${path}/spam/all`)).toMatchObject({ status: 200, body: { success: true } })
    expect(await spam()).toEqual([])
    expect((await ada.call('GET', `${path}/spam/${marked}`)).status).toBe(404)
    expect((await ada.call('POST', `${path}/spam/${marked}/accept`)).status).toBe(404)
    expect((await submissions()).map(({ id }: { id: string }) => id)).toEqual([good])
    expect(await form()).toMatchObject({ submissionCount: 1 })
    expect((await ada.call('GET', `/forms/${other}/spam`)).body.pagination.total).toBe(1)
    expectSound(server.folder)

    const next = await sendSpam()
    expect((await spam()).map(({ id }: { id: string }) => id)).toEqual([next])
    const left = () =>
      gone.flatMap((id) =>
        rowsOf(
          server.folder,
          'SELECT id FROM submissions WHERE id = ? UNION ALL SELECT submission FROM pieces WHERE submission = ?',
          id,
          id,
        ),
      )
    await until(() => left().length === 0, 'the spam is gone')
    expect((await spam()).map(({ id }: { id: string }) => id)).toEqual([next])
    expectSound(server.folder)
  })

  test('is a success where there is none', async () => {
    const { ada, path, sendSpam } = await prepare()
    for (let i = 0; i < 2; i++) expect((await ada.call('DELETE', `${path}/spam/all`)).status).toBe(200)
    const id = await sendSpam()
    await ada.call('DELETE', `${path}/spam/${id}`)
    expect((await ada.call('DELETE', `${path}/spam/all`)).status).toBe(200)
  })
})

test('a deleted form takes its spam along, and a duplicate has none', async () => {
  const { ada, path, formId, sendSpam, server } = await prepare()
  await sendSpam({ message: long })
  const copy = (await ada.call('POST', `${path}/duplicate`)).body.id
  expect((await ada.call('GET', `/forms/${copy}/spam`)).body.pagination.total).toBe(0)
  await ada.call('DELETE', path)
  const left = () => rowsOf(server.folder, 'SELECT id FROM forms WHERE id IN (?, ?)', formId, `spam:${formId}`)
  await until(() => left().length === 0, 'the form and its spam are gone')
  expectSound(server.folder)
})

test('what has a blocked term or too many links is spam, and says which', async () => {
  const { ada, path, send, spam, submissions } = await prepare()
  expect((await ada.call('PATCH', `${path}/settings`, { blockedTerms: ['casino'], maxLinks: 1 })).status).toBe(200)
  await send({ message: 'https://a.example' })
  await send({ message: 'https://a.example', more: { url: 'http://b.example' } })
  await send({ message: 'CASINO' })
  expect((await spam()).map(({ reason }: { reason: string }) => reason)).toEqual(['terms', 'links'])
  expect(await submissions()).toHaveLength(1)
})

// How much a form takes from an address: no form uses up what others take, and no address what others may send.
import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { type Answer, type Server, serverWithClock, toAnswer, type User, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { answerTo, message } from '../raw-http.ts'

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

interface Sent {
  /** A whole address, or the last number of one in the test's network. */
  readonly from?: string
  readonly body?: string
  readonly accept?: string
}

let count = 0

/**
 * Addresses are those that a proxy on this machine names. Tests of one limit share a server, so each has a network of its
 * own, in which it sends from the first address unless it says otherwise.
 */
const prepare = async (submitLimit: number, now?: number) => {
  const settings = { FORMBOX_SUBMIT_LIMIT: String(submitLimit), FORMBOX_TRUST_PROXY: '127.0.0.1' }
  const { clock, server } = await serverWithClock(now, settings)
  const network = `10.0.${++count}`
  const submit = async (formId: string, { from = '1', body = 'a=1', accept = '*/*' }: Sent = {}) => {
    const address = /^\d+$/.test(from) ? `${network}.${from}` : from
    const headers = { ...urlencoded, accept, 'x-forwarded-for': address }
    return toAnswer(await server.fetch(`/s/${formId}`, { method: 'POST', body, headers }))
  }
  const statuses = async (times: number, formId: string, sent: Sent = {}): Promise<number[]> => {
    const all: number[] = []
    for (let i = 0; i < times; i++) all.push((await submit(formId, sent)).status)
    return all
  }
  return { clock, server, submit, statuses }
}

const withForms = async (server: Server, count: number): Promise<{ ada: User; ids: string[] }> => {
  const ada = await server.signUp()
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await ada.createForm())
  return { ada, ids }
}

const change = (user: User, id: string, submitLimit: unknown): Promise<Answer> =>
  user.call('PATCH', `/forms/${id}/settings`, { submitLimit })

const stored = async (user: User, id: string): Promise<unknown> =>
  (await user.call('GET', `/forms/${id}/settings`)).body.submitLimit

const expectLimited = ({ status, headers, body }: Answer, issues: string[]): void => {
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeWithin(1, 61)
  const error = { code: 'TOO_MANY_REQUESTS', message: `Too many requests, retry after ${seconds} seconds` }
  expect([status, body]).toEqual([429, { ...error, issues: issues.map((text) => ({ message: text })), error }])
}

describe('one form and one address', () => {
  test('have the operator’s limit, which one noisy form does not use up for the others', async () => {
    const { server, submit, statuses } = await prepare(2)
    const { ids } = await withForms(server, 3)
    const [noisy, other, third] = ids as [string, string, string]
    expect(await statuses(2, noisy)).toEqual([200, 200])
    // Far more than all forms together take: what is refused does not count.
    for (let i = 0; i < 30; i++) expectLimited(await submit(noisy), [])
    expect(await statuses(3, other)).toEqual([200, 200, 429])
    expect(await statuses(3, third)).toEqual([200, 200, 429])
  })

  test('are another form and address than all others: hammering one closes none', async () => {
    const { server, statuses } = await prepare(2)
    const { ada, ids } = await withForms(server, 2)
    const [hammered, other] = ids as [string, string]
    const addresses = Array.from({ length: 50 }, (_, i) => String(i))
    const answers = await Promise.all(addresses.map((from) => statuses(3, hammered, { from })))
    expect(answers).toEqual(Array(50).fill([200, 200, 429]))
    // Another visitor of that form, and a visitor from one of those addresses to another form.
    expect(await statuses(1, hammered, { from: '200' })).toEqual([200])
    expect(await statuses(1, other, { from: '1' })).toEqual([200])
    expect((await ada.call('GET', `/forms/${hammered}`)).body.submissionCount).toBe(101)
  })

  test('count by /64 with IPv6, and by what is refused for another reason too', async () => {
    const { server, statuses } = await prepare(2)
    const { ids } = await withForms(server, 2)
    const [form, other] = ids as [string, string]
    expect(await statuses(1, form, { from: '2001:db8::1' })).toEqual([200])
    expect(await statuses(2, form, { from: '2001:db8::2', body: '%ff' })).toEqual([400, 429])
    expect(await statuses(1, form, { from: '2001:db8:0:1::1' })).toEqual([200])
    expect(await statuses(1, other, { from: '2001:db8::1' })).toEqual([200])
  })

  test('answer 429 before the body arrives', async () => {
    const { server, statuses } = await prepare(2)
    const { ids } = await withForms(server, 1)
    await statuses(2, ids[0] as string, { from: '127.0.0.1' })
    const lines = [`POST /s/${ids[0]} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Content-Length: 1000000']
    const answer = await answerTo(server.url, message([...lines, 'Connection: close'], '{"a":'))
    expect(answer?.status).toBe(429)
  })

  test('are counted before the form’s 403, and 404 before them', async () => {
    const { server, statuses } = await prepare(2)
    const { ada, ids } = await withForms(server, 1)
    const [id] = ids as [string]
    await ada.call('PATCH', `/forms/${id}/settings`, { open: false })
    expect(await statuses(3, id)).toEqual([403, 403, 429])
    await ada.call('DELETE', `/forms/${id}`)
    expect(await statuses(3, id)).toEqual([404, 404, 429])
  })
})

describe('one address and all forms', () => {
  test('have five times the operator’s limit', async () => {
    const { server, submit, statuses } = await prepare(2)
    const { ids } = await withForms(server, 6)
    for (const id of ids.slice(0, 5)) expect(await statuses(2, id)).toEqual([200, 200])
    const last = ids[5] as string
    expectLimited(await submit(last), ['All forms together take 10 submissions a minute from one address'])
    expect(await statuses(1, last, { from: '2' })).toEqual([200])
  })

  test('count forms that do not exist, or no longer, as one form', async () => {
    const { server, statuses } = await prepare(2)
    const { ada, ids } = await withForms(server, 2)
    const [form, deleted] = ids as [string, string]
    await ada.call('DELETE', `/forms/${deleted}`)
    expect(await statuses(1, deleted)).toEqual([404])
    expect(await statuses(1, 'unknown')).toEqual([404])
    for (let i = 0; i < 20; i++) expect(await statuses(1, newId(Date.now()))).toEqual([429])
    expect(await statuses(3, form)).toEqual([200, 200, 429])
  })

  test('have no limit where the operator sets 0', async () => {
    const { server, statuses } = await prepare(0)
    const { ids } = await withForms(server, 1)
    const answers = await Promise.all(Array.from({ length: 100 }, () => statuses(1, ids[0] as string)))
    expect(new Set(answers.flat())).toEqual(new Set([200]))
  })
})

describe('the setting submitLimit', () => {
  test('is what the form takes, and says so in the answer', async () => {
    const { server, submit, statuses } = await prepare(5)
    const { ada, ids } = await withForms(server, 2)
    const [form, other] = ids as [string, string]
    expect((await change(ada, form, 3)).body).toEqual({ success: true })
    expect(await statuses(3, form)).toEqual([200, 200, 200])
    expectLimited(await submit(form), ['This form takes 3 submissions a minute from one address'])
    const page = await submit(form, { accept: 'text/html' })
    expect([page.status, Number(page.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(page.body).toContain('send it again in a minute.')
    expect(await statuses(3, form, { from: '2' })).toEqual([200, 200, 200])
    expect(await statuses(4, other)).toEqual([200, 200, 200, 200])
    expect((await ada.call('GET', `/forms/${form}`)).body.submissionCount).toBe(6)
  })

  test('takes effect at once, lower or higher, and null is the operator’s again', async () => {
    const { server, statuses } = await prepare(5)
    const { ada, ids } = await withForms(server, 1)
    const [form] = ids as [string]
    expect(await statuses(2, form)).toEqual([200, 200])
    await change(ada, form, 1)
    expect(await statuses(1, form)).toEqual([429])
    await change(ada, form, 3)
    expect(await statuses(2, form)).toEqual([200, 429])
    await change(ada, form, null)
    expect(await statuses(3, form)).toEqual([200, 200, 429])
  })

  test('can be set on a server without a limit, for that form alone', async () => {
    const { server, statuses } = await prepare(0)
    const { ada, ids } = await withForms(server, 2)
    const [form, other] = ids as [string, string]
    expect((await change(ada, form, 1_000_000)).status).toBe(200)
    expect((await change(ada, form, 2)).status).toBe(200)
    expect(await statuses(3, form)).toEqual([200, 200, 429])
    expect(new Set(await statuses(20, other))).toEqual(new Set([200]))
  })

  test('refuses more than the operator’s, before 404 and 403, and takes as much', async () => {
    const { server } = await prepare(5)
    const { ada, ids } = await withForms(server, 1)
    const [form] = ids as [string]
    const bob = await server.signUp()
    for (const answer of [await change(ada, form, 6), await change(bob, form, 6), await change(bob, 'nobody', 6)]) {
      const text = 'submitLimit: must be at most 5, which is what this server allows (FORMBOX_SUBMIT_LIMIT)'
      expect([answer.status, answer.body.issues]).toEqual([400, [{ message: text, path: '/submitLimit' }]])
    }
    expect((await change(ada, form, 5)).status).toBe(200)
    expect([(await change(bob, form, 5)).status, (await change(bob, 'nobody', 5)).status]).toEqual([403, 404])
  })

  test('never lets more through than an operator who lowers theirs, and can be sent back as it was read', async () => {
    const { server, statuses } = await prepare(2)
    const { ada, ids } = await withForms(server, 2)
    const [form, other] = ids as [string, string]
    await change(ada, form, 1)
    // As it is stored where the operator's was higher.
    writeTo(server.folder, (db) =>
      db.$client.run("UPDATE forms SET settings = json_set(settings, '$.submitLimit', 8) WHERE id = ?", [form]),
    )
    expect(await statuses(3, form)).toEqual([200, 200, 429])
    const path = `/forms/${form}/settings`
    const { body: read } = await ada.call('GET', path)
    expect(read.submitLimit).toBe(8)
    expect((await ada.call('PATCH', path, { ...read, thankYou: 'Thanks' })).status).toBe(200)
    expect((await change(ada, form, 7)).status).toBe(400)
    expect((await change(ada, other, 8)).status).toBe(400)
    expect((await change(ada, form, 2)).status).toBe(200)
    expect(await stored(ada, form)).toBe(2)
  })

  test('is copied to a duplicate, which counts for itself', async () => {
    const { server, statuses } = await prepare(5)
    const { ada, ids } = await withForms(server, 1)
    const [form] = ids as [string]
    await change(ada, form, 1)
    const copy = (await ada.call('POST', `/forms/${form}/duplicate`)).body.id
    expect(await stored(ada, copy)).toBe(1)
    expect(await statuses(2, form)).toEqual([200, 429])
    expect(await statuses(2, copy)).toEqual([200, 429])
  })

  test.skipIf(isCompiled)('counts a minute from the first submission to that form', async () => {
    const { clock, server, submit, statuses } = await prepare(5, Date.parse('2026-11-22T08:00:00Z'))
    const { ada, ids } = await withForms(server, 2)
    const [form, other] = ids as [string, string]
    await change(ada, form, 1)
    await statuses(1, other)
    clock.now += 30_000
    expect(await statuses(1, form)).toEqual([200])
    clock.now += 59_999
    expect((await submit(form)).headers.get('retry-after')).toBe('1')
    clock.now += 1
    expect(await statuses(2, form)).toEqual([200, 429])
  })
})

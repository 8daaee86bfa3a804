// Decision 26, and how long anything else that is sent may be.
import { describe, expect, test } from 'bun:test'
import { type Answer, serverWithClock, toAnswer } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { answerTo, chunk, exchange, message } from '../raw-http.ts'
import { world } from '../world.ts'

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const mebibyte = 1024 * 1024

let addresses = 0

/** A server that takes two submissions a minute from one address, and a form that gets all of a test from a new address. */
const limitedToTwo = async () => {
  const settings = { FORMBOX_SUBMIT_LIMIT: '2', FORMBOX_TRUST_PROXY: '127.0.0.1, ::1' }
  const { clock, server } = await serverWithClock(Date.now(), settings)
  const prepared = await world({ server })
  const from = { 'x-forwarded-for': `192.0.2.${++addresses}` }
  const post = (body: string, headers: object = {}) => prepared.post(body, { ...from, ...headers })
  return { ...prepared, clock, post }
}

const expectRefused = (answer: Answer, status: number, issue: string) => {
  expect(answer.status).toBe(status)
  const error = { code: 'BAD_REQUEST', message: 'Invalid input data' }
  expect(answer.body).toEqual({ ...error, issues: [{ message: issue }], error })
}

/** Sent in pieces, without a length. */
const streamed = (text: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < text.length; at += 100_000) controller.enqueue(Buffer.from(text.slice(at, at + 100_000)))
      controller.close()
    },
  })

const multipart = (count: number): FormData => {
  const form = new FormData()
  for (let i = 0; i < count; i++) form.append(`f${i}`, 'x')
  return form
}

describe('the limit of 1,000 fields', () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `f${i}`)
  const formats = [
    ['different names', (count: number) => names(count).join('&')],
    ['one name', (count: number) => 'f=1&'.repeat(count)],
    ['an empty honeypot among them', (count: number) => `_gotcha=&${'f=1&'.repeat(count - 1)}`],
  ] as const

  test.each(formats)('lets 1,000 pass and refuses 1,001, with %s', async (_what, body) => {
    const { post, form } = await world()

    expect((await post(body(1000))).status).toBe(200)
    expectRefused(await post(body(1001)), 400, 'body: must hold at most 1000 fields')

    expect((await form()).submissionCount).toBe(1)
  })

  test('counts the parts of multipart/form-data', async () => {
    const { post, form } = await world()

    expect((await post(multipart(1000))).status).toBe(200)
    expectRefused(await post(multipart(1001)), 400, 'body: must hold at most 1000 fields')

    expect((await form()).submissionCount).toBe(1)
  })

  test('counts the members of the JSON object, and not what is inside them', async () => {
    const { post, form } = await world()
    const json = { 'content-type': 'application/json' }
    const members = (number: number) => `{${names(number).map((name) => `"${name}":[1,{"a":2}]`)}}`

    expect((await post(members(1000), json)).status).toBe(200)
    expectRefused(await post(members(1001), json), 400, 'body: must hold at most 1000 fields')

    expect((await form()).submissionCount).toBe(1)
  })
})

describe('the limit of 1 MiB a submission', () => {
  const issue = 'body: must be at most 1048576 bytes'
  const body = (length: number) => `a=${'x'.repeat(length - 2)}`

  test.each([
    ['announced by Content-Length', (text: string) => text],
    ['sent in chunks', streamed],
  ])('lets a body of exactly so many bytes pass and answers one more with 413, %s', async (_how, send) => {
    const { ada, formId, post, form } = await world()

    const fitting = await post(send(body(mebibyte)), urlencoded)
    expect(fitting.status).toBe(200)
    expectRefused(await post(send(body(mebibyte + 1)), urlencoded), 413, issue)

    expect((await form()).submissionCount).toBe(1)
    const stored = await ada.call('GET', `/forms/${formId}/submissions/${fitting.body.id}`)
    expect(stored.body.data.a).toHaveLength(mebibyte - 2)
  })

  test.each([mebibyte + 1, 33 * mebibyte, 2 ** 50])('is told before a body of %i bytes is sent', async (length) => {
    const { server, formId, form } = await world()
    const head = [`POST /s/${formId} HTTP/1.1`, 'Host: localhost', `Content-Length: ${length}`, 'Connection: close']

    const answer = await answerTo(server.url, message(head))

    expect(answer?.status).toBe(413)
    expect(answer?.headers.get('access-control-allow-origin')).toBe('*')
    expect(JSON.parse(answer?.body ?? '').issues).toEqual([{ message: issue }])
    expect((await form()).submissionCount).toBe(0)
  })

  test('leaves the connection in order for the next request', async () => {
    const { server, formId, form } = await world()
    const head = [`POST /s/${formId} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json']
    const next = message(['GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close'])
    const tooLong = 'x'.repeat(2 * mebibyte)
    const withLength = message([...head, `Content-Length: ${tooLong.length}`], tooLong)
    const inChunks = message([...head, 'Transfer-Encoding: chunked'], chunk(tooLong) + chunk())

    for (const first of [withLength, inChunks])
      expect((await exchange(server.url, Buffer.concat([first, next]))).map(({ status }) => status)).toEqual([413, 200])

    expect((await form()).submissionCount).toBe(0)
  })
})

describe('the limit of an API body', () => {
  test.each([
    ['/forms', 'POST', mebibyte],
    ['/forms/:formId', 'PATCH', mebibyte],
    ['/forms/bulk', 'POST', 16 * mebibyte],
    ['/forms/bulk', 'PATCH', 16 * mebibyte],
    ['/forms/bulk', 'DELETE', 16 * mebibyte],
    ['/forms/:formId/submissions/bulk', 'DELETE', 16 * mebibyte],
  ])('at %s under %s is %i bytes, announced or in chunks', async (path, method, limit) => {
    const { server, ada, formId } = await world()
    const before = (await ada.call('GET', '/forms')).body
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ada.key}` }
    const send = async (body: BodyInit) =>
      toAnswer(await server.fetch(`/api/v1${path.replace(':formId', formId)}`, { method, headers, body }))

    const tooLong = 'x'.repeat(limit + 1)
    expectRefused(await send(tooLong.slice(1)), 400, 'body: must be valid JSON')
    for (const body of [tooLong, streamed(tooLong)])
      expectRefused(await send(body), 400, `body: must be at most ${limit} bytes`)

    expect((await ada.call('GET', '/forms')).body).toEqual(before)
  })
})

// test/contract/submit-limits.test.ts has what counts for which form and address.
describe('the limit of submissions of an address', () => {
  test('is 60 a minute unless the operator sets another one', async () => {
    const { post, form } = await world({ environment: { FORMBOX_SUBMIT_LIMIT: '' } })

    for (let i = 0; i < 60; i++) expect((await post(`a=${i}`)).status).toBe(200)
    expect((await post('a=60')).status).toBe(429)

    expect((await form()).submissionCount).toBe(60)
  })

  test('answers the next one with 429, how long to wait, and keeps nothing', async () => {
    const { post, form } = await limitedToTwo()
    await post('a=1')
    await post('a=2')

    const answer = await post('a=3')
    const page = await post('a=4', { accept: 'text/html' })

    expect(answer.status).toBe(429)
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeWithin(1, 61)
    const text = `Too many requests, retry after ${seconds} seconds`
    const error = { code: 'TOO_MANY_REQUESTS', message: text }
    expect(answer.body).toEqual({ ...error, issues: [], error })
    expect(page.status).toBe(429)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Number(page.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(page.body).toContain('Too many messages have come from your network in a short time.')
    expect((await form()).submissionCount).toBe(2)
  })

  test('counts spam and what is refused', async () => {
    const { post } = await limitedToTwo()

    await post('a=1&_gotcha=x')
    await post('%ff')

    expect((await post('a=1')).status).toBe(429)
  })

  test('does not concern the API', async () => {
    const { ada, formId, post } = await limitedToTwo()
    for (const status of [200, 200, 429]) expect((await post('a=1')).status).toBe(status)

    expect((await ada.call('GET', `/forms/${formId}/submissions`)).status).toBe(200)
  })

  test('is none where the operator sets 0', async () => {
    const { post, form } = await world({ environment: { FORMBOX_SUBMIT_LIMIT: '0' } })

    for (let i = 0; i < 61; i++) expect((await post(`a=${i}`)).status).toBe(200)

    expect((await form()).submissionCount).toBe(61)
  })

  test.skipIf(isCompiled)('begins anew 60 seconds after the first submission', async () => {
    const { clock, post } = await limitedToTwo()
    await post('a=1')
    await post('a=2')

    clock.now += 59_999
    const last = await post('a=3')
    clock.now += 1
    const first = await post('a=4')

    expect(last.status).toBe(429)
    expect(last.headers.get('retry-after')).toBe('1')
    expect(first.status).toBe(200)
  })
})

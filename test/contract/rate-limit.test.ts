import { describe, expect, test } from 'bun:test'
import { type Answer, serverWithUser, toAnswer } from '../harness.ts'

/** The limit is that of keys, so that tests can share a server. Without one, it is 100. */
const start = (limit = '') => serverWithUser({ FORMBOX_RATE_LIMIT: limit })

const limitHeaders = ({ headers }: Pick<Answer, 'headers'>) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
})

describe('decision 10: a window of 60 seconds a key', () => {
  test('lets 100 requests through unless the operator set another limit', async () => {
    const { ada } = await start()
    const first = await ada.call('GET', '/forms')
    expect(limitHeaders(first)).toMatchObject({ limit: '100', remaining: '99' })
    const rest = await Promise.all(Array.from({ length: 120 }, () => ada.call('GET', '/forms')))
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(99)
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(21)
  })

  test('lets everything through where the limit is 0', async () => {
    const { ada } = await start('0')
    const answers = await Promise.all(Array.from({ length: 150 }, () => ada.call('GET', '/forms')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('counts each key by itself, also those of one user', async () => {
    const { server, ada } = await start('2')
    const [second, bob] = [await ada.withKey(), await server.signUp()]
    await ada.call('GET', '/forms')
    await ada.call('GET', '/forms')
    expect((await ada.call('GET', '/forms')).status).toBe(429)
    for (const user of [second, bob]) {
      const answer = await user.call('GET', '/forms')
      expect([answer.status, limitHeaders(answer).remaining]).toEqual([200, '1'])
    }
  })

  test('does not count requests without a valid key', async () => {
    const { server, ada } = await start('2')
    for (const authorization of ['', 'Bearer nonsense', `Bearer ${ada.key}x`]) {
      const response = await server.fetch('/api/v1/forms', authorization ? { headers: { authorization } } : {})
      expect(response.status).toBe(401)
      expect(limitHeaders(response)).toEqual({ limit: null, remaining: null, reset: null })
    }
    expect(limitHeaders(await ada.call('GET', '/forms')).remaining).toBe('1')
  })
})

describe('decision 11: the headers', () => {
  test('stand on every response to a request with a valid key, and each such request counts once', async () => {
    const { server, ada } = await start()
    const bob = await server.signUp()
    const ofBob = await bob.createForm()
    const id = await ada.createForm()
    const requests: [method: string, path: string, status: number, body?: unknown][] = [
      ['GET', '/forms', 200],
      ['GET', '/forms?page=0', 400],
      ['POST', '/forms', 400, '{'],
      ['POST', '/forms', 400, 'x'.repeat(1_100_000)],
      ['GET', '/forms/nope', 404],
      ['GET', `/forms/${ofBob}`, 403],
      ['PATCH', `/forms/${id}`, 200, {}],
      ['POST', `/forms/${id}/duplicate`, 200],
      ['GET', `/forms/${id}/submissions`, 200],
      ['DELETE', '/forms/bulk', 400],
      ['DELETE', '/forms/bulk?ids=nope', 404],
      ['PUT', '/forms', 404, '{'],
      ['DELETE', '/nowhere', 404],
      ['DELETE', `/forms/${id}`, 200],
    ]
    let remaining = 99
    for (const [method, path, status, body] of requests) {
      remaining -= 1
      const answer = await ada.call(method, path, body)
      const { limit, remaining: left, reset } = limitHeaders(answer)
      expect([method, path, answer.status, limit, left]).toEqual([method, path, status, '100', String(remaining)])
      expect(reset).toMatch(/^\d+$/)
    }
    const reader = await ada.withKey({ isReadOnly: true })
    const forbidden = await reader.call('POST', '/forms', { title: 'x' })
    expect([forbidden.status, limitHeaders(forbidden).remaining]).toEqual([403, '99'])
  })

  test.each(['GET', 'HEAD'])('a %s on an unknown path counts once', async (method) => {
    const { server, ada } = await start()
    const headers = { authorization: `Bearer ${ada.key}` }
    const response = await server.fetch('/api/v1/nowhere', { method, headers })
    expect([response.status, limitHeaders(response).remaining]).toEqual([404, '99'])
  })

  test('the last request of a window may be one for an unknown path', async () => {
    const { ada } = await start('2')
    for (const left of ['1', '0']) {
      const answer = await ada.call('GET', '/nowhere')
      expect([answer.status, limitHeaders(answer).remaining]).toEqual([404, left])
    }
  })

  test('HEAD counts as GET does', async () => {
    const { server, ada } = await start()
    const headers = { authorization: `Bearer ${ada.key}` }
    const left = async (method: string) =>
      limitHeaders(await server.fetch('/api/v1/forms', { method, headers })).remaining
    expect([await left('HEAD'), await left('GET'), await left('HEAD')]).toEqual(['99', '98', '97'])
  })

  test('the reset is whole seconds of Unix time, at most 60 ahead, the same within a window', async () => {
    const { ada } = await start('2')
    const before = Date.now()
    const answers = [await ada.call('GET', '/forms'), await ada.call('GET', '/forms')]
    const after = Date.now()
    answers.push(await ada.call('GET', '/forms'))
    const resets = new Set(answers.map((answer) => Number(limitHeaders(answer).reset)))
    expect(resets.size).toBe(1)
    // Rounded up: whoever waits until then does not come too early.
    const [reset] = [...resets] as [number]
    expect(reset).toBeGreaterThanOrEqual((before + 60_000) / 1000)
    expect(reset).toBeLessThanOrEqual(Math.ceil((after + 60_000) / 1000))
  })

  test('a 429 says how long to wait, in its body and in Retry-After, and changes nothing', async () => {
    const { ada } = await start('2')
    const id = await ada.createForm()
    await ada.call('GET', '/forms')

    for (const [method, path, body] of [
      ['DELETE', `/forms/${id}`, undefined],
      ['POST', '/forms', { title: 'x' }],
      ['GET', '/forms', undefined],
    ] as const) {
      const answer = await ada.call(method, path, body)
      const seconds = Number(answer.headers.get('retry-after'))
      expect(seconds).toBeWithin(1, 61)
      expect(Number.isInteger(seconds)).toBe(true)
      const error = { code: 'TOO_MANY_REQUESTS', message: `Too many requests, retry after ${seconds} seconds` }
      expect([answer.status, answer.body]).toEqual([429, { ...error, issues: [], error }])
      expect(limitHeaders(answer)).toMatchObject({ limit: '2', remaining: '0' })
    }
    const other = await ada.withKey()
    expect((await other.call('GET', '/forms')).body.forms).toEqual([expect.objectContaining({ id })])
  })

  test('collecting submissions and reading the document do not count against a key', async () => {
    const { server, ada } = await start('2')
    const id = await ada.createForm()
    for (let n = 0; n < 5; n++) {
      const init = { method: 'POST', body: new URLSearchParams({ n: String(n) }) }
      const sent = await server.fetch(`/s/${id}`, { ...init, headers: { authorization: `Bearer ${ada.key}` } })
      expect([sent.status, limitHeaders(sent).limit]).toEqual([200, null])
      expect((await toAnswer(await server.fetch('/api/v1/openapi.json'))).status).toBe(200)
    }
    expect((await ada.call('GET', `/forms/${id}`)).body.submissionCount).toBe(5)
  })
})

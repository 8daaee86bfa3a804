import { describe, expect, test } from 'bun:test'
import { sharedServer, startServer, toAnswer, writeTo } from '../harness.ts'
import { answerTo, message } from '../raw-http.ts'

/** A server whose jobs have taken their first step: the writer takes a form after that. */
const startAtRest = async () => {
  const server = await startServer()
  await (await server.signUp()).createForm()
  return server
}

describe('GET /readyz', () => {
  test('answers 200 without a key, also to HTTP/1.0 without a host', async () => {
    const server = await sharedServer()

    const answer = await toAnswer(await server.fetch('/readyz'))
    const bare = await answerTo(server.url, message(['GET /readyz HTTP/1.0']))

    expect([answer.status, answer.body]).toEqual([200, { status: 'ready' }])
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
    expect([bare?.status, bare?.body]).toEqual([200, '{"status":"ready"}'])
  })

  test('answers 503 as long as the database does not answer, and says nothing of why', async () => {
    const server = await startAtRest()
    writeTo(server.folder, (db) => db.$client.run('ALTER TABLE forms RENAME TO elsewhere'))

    const broken = await toAnswer(await server.fetch('/readyz'))

    expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '1'])
    const error = { code: 'INTERNAL_SERVER_ERROR', message: 'Not ready' }
    expect(broken.body).toEqual({ ...error, issues: [], error })

    writeTo(server.folder, (db) => db.$client.run('ALTER TABLE elsewhere RENAME TO forms'))
    expect((await server.fetch('/readyz')).status).toBe(200)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 404 under %s', async (method) => {
    const server = await sharedServer()
    expect((await server.fetch('/readyz', { method })).status).toBe(404)
  })
})

describe('GET /healthz', () => {
  test('answers 200 without a key', async () => {
    const server = await sharedServer()

    const answer = await toAnswer(await server.fetch('/healthz'))

    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 'ok' })
    expect(answer.headers.get('x-request-id')).toMatch(/\S/)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
  })

  test('answers a HEAD request without a body', async () => {
    const server = await sharedServer()

    const answer = await server.fetch('/healthz', { method: 'HEAD' })

    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('')
  })

  test('answers a check of a load balancer that speaks HTTP/1.0 and names no host', async () => {
    const server = await sharedServer()

    const answer = await answerTo(server.url, message(['GET /healthz HTTP/1.0']))

    expect(answer?.status).toBe(200)
    expect(answer?.body).toBe('{"status":"ok"}')
  })

  test('answers 503 as long as the database does not answer, and says nothing of why', async () => {
    const server = await startAtRest()
    writeTo(server.folder, (db) => db.$client.run('ALTER TABLE forms RENAME TO elsewhere'))

    const broken = await toAnswer(await server.fetch('/healthz'))

    expect(broken.status).toBe(503)
    expect(Number(broken.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const text = expect.stringMatching(/^Temporarily unable to write, retry after \d+ seconds$/)
    const error = { code: 'INTERNAL_SERVER_ERROR', message: text }
    expect(broken.body).toEqual({ ...error, issues: [], error })

    writeTo(server.folder, (db) => db.$client.run('ALTER TABLE elsewhere RENAME TO forms'))
    expect((await server.fetch('/healthz')).status).toBe(200)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('answers 404 under %s', async (method) => {
    const server = await sharedServer()

    const answer = await toAnswer(await server.fetch('/healthz', { method }))

    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ code: 'NOT_FOUND', message: 'Not found', issues: [] })
  })
})

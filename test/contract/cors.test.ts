// Decision 24: a page of any origin may submit and read the answer; nothing else is open to other origins.
import { describe, expect, test } from 'bun:test'
import { serverWithUser, sharedServer, startServer } from '../harness.ts'
import { world } from '../world.ts'

const origin = { origin: 'https://shop.example' }
const urlencoded = { ...origin, 'content-type': 'application/x-www-form-urlencoded' }
const preflight = { ...origin, 'access-control-request-method': 'POST' }

const corsHeaders = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

describe('CORS on /s/:formId', () => {
  test('lets any origin read the answer and the identifier of the request', async () => {
    const { server, formId } = await world()

    const response = await server.fetch(`/s/${formId}`, { method: 'POST', body: 'a=1', headers: urlencoded })

    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'X-Request-Id, Retry-After, Idempotency-Replayed',
    )
    // With credentials a page could find out who its visitor is.
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each([
    [400, 'what could not be read', '%ff', '*/*'],
    [404, 'an unknown form', 'a=1', '*/*'],
    [413, 'too long a body', 'a'.repeat(1024 * 1024 + 1), '*/*'],
    [429, 'too many submissions', 'a=1', '*/*'],
    [200, 'the thank-you page', 'a=1', 'text/html'],
    [400, 'the error page', '%ff', 'text/html'],
  ])('lets any origin read the answer %i: %s', async (status, _what, body, accept) => {
    const server = await (status === 429 ? startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '1' } }) : sharedServer())
    const ada = await server.signUp()
    const path = status === 404 ? '/s/unknown' : `/s/${await ada.createForm()}`
    const submit = () => server.fetch(path, { method: 'POST', body, headers: { ...urlencoded, accept } })
    if (status === 429) await submit()

    const response = await submit()

    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe(
      'X-Request-Id, Retry-After, Idempotency-Replayed',
    )
  })

  test.each([
    ['a form', '', 'POST'],
    ['an unknown form', '', 'POST'],
    ['a form', '/challenge', 'GET'],
  ])('answers the preflight for %s%s with what may be sent', async (what, below, methods) => {
    const { server, ada, formId } = await world()
    const headers = { ...preflight, 'access-control-request-headers': 'content-type,x-requested-with' }

    const path = what === 'a form' ? formId : 'unknown'
    const response = await server.fetch(`/s/${path}${below}`, { method: 'OPTIONS', headers })

    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe(methods)
    expect(response.headers.get('access-control-allow-headers')).toBe('content-type,x-requested-with')
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThanOrEqual(60)
    expect((await ada.call('GET', `/forms/${formId}`)).body.submissionCount).toBe(0)
  })

  test('repeats no more than 1,000 characters of what a preflight asks for', async () => {
    const server = await sharedServer()
    const allowed = async (asked: string) => {
      const headers = { ...preflight, 'access-control-request-headers': asked }
      return (await server.fetch('/s/unknown', { method: 'OPTIONS', headers })).headers.get(
        'access-control-allow-headers',
      )
    }
    expect(await allowed('x'.repeat(1000))).toBe('x'.repeat(1000))
    expect(await allowed('x'.repeat(1001))).toBe('Content-Type, Idempotency-Key')
  })

  test('allows a content type in a preflight that asks for no header', async () => {
    const server = await sharedServer()

    const response = await server.fetch('/s/unknown', { method: 'OPTIONS', headers: preflight })

    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toBe('Content-Type, Idempotency-Key')
  })

  test('does not count preflights against the limit of submissions', async () => {
    const { server, formId } = await world({ server: await startServer({ settings: { FORMBOX_SUBMIT_LIMIT: '1' } }) })

    for (let i = 0; i < 3; i++) await server.fetch(`/s/${formId}`, { method: 'OPTIONS', headers: preflight })
    const response = await server.fetch(`/s/${formId}`, { method: 'POST', body: 'a=1', headers: urlencoded })

    expect(response.status).toBe(200)
  })
})

describe('CORS elsewhere', () => {
  test.each([
    ['GET', '/api/v1/forms'],
    ['POST', '/api/v1/forms'],
    ['GET', '/api/v1/forms/unknown'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v1/openapi.json'],
    ['GET', '/healthz'],
    ['GET', '/'],
  ])('is not there on %s %s, with a key and without', async (method, path) => {
    const { server, ada } = await serverWithUser()
    const body = method === 'POST' ? { body: '{"title":"Contact"}' } : {}
    const json = { ...origin, 'content-type': 'application/json' }

    const anonymous = await server.fetch(path, { method, headers: json, ...body })
    const withKey = await server.fetch(path, {
      method,
      headers: { ...json, authorization: `Bearer ${ada.key}` },
      ...body,
    })

    expect(corsHeaders(anonymous)).toEqual([])
    expect(corsHeaders(withKey)).toEqual([])
  })

  test.each(['/api/v1/forms', '/api/v1/forms/bulk', '/api/v1/nothing', '/healthz', '/', '/s', '/s/a/b'])(
    'refuses the preflight of %s',
    async (path) => {
      const server = await sharedServer()

      const response = await server.fetch(path, {
        method: 'OPTIONS',
        headers: { ...preflight, 'access-control-request-headers': 'authorization' },
      })

      expect(response.status).toBe(path.startsWith('/api/v1') ? 401 : 404)
      expect(corsHeaders(response)).toEqual([])
    },
  )
})

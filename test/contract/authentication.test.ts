import { describe, expect, test } from 'bun:test'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { addKey, newEmail, serverWithUser, startServer, toAnswer, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { world } from '../world.ts'
import { errorBody } from './error-body.ts'

const unauthorized = (message: string) => errorBody('UNAUTHORIZED', message)

describe('decision 3: 401 says whether the key is missing or wrong', () => {
  test('no header is "Authorization not provided", and names the scheme', async () => {
    const { server, ada } = await serverWithUser()
    await ada.createForm({ title: 'Secret' })

    const { status, headers, body } = await toAnswer(await server.fetch('/api/v1/forms'))

    expect(status).toBe(401)
    expect(body).toEqual(unauthorized('Authorization not provided'))
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  const wrong: [what: string, header: (key: string) => string][] = [
    ['another scheme', (key) => `Basic ${key}`],
    ['no scheme', (key) => key],
    ['a scheme alone', () => 'Bearer'],
    ['a colon behind the scheme', (key) => `Bearer: ${key}`],
    ['a key in quotes', (key) => `Bearer "${key}"`],
    ['a key with one more character', (key) => `Bearer ${key}a`],
    ['a key without its last character', (key) => `Bearer ${key.slice(0, -1)}`],
    ['a key without its prefix', (key) => `Bearer ${key.slice(4)}`],
    ['a key in upper case', (key) => `Bearer ${key.toUpperCase()}`],
    ['two keys', (key) => `Bearer ${key}, Bearer ${key}`],
    ['a key that nobody has', () => `Bearer api_${'0'.repeat(40)}`],
    ['the start of a key and a wildcard', (key) => `Bearer ${key.slice(0, 8)}%`],
    ['SQL', () => `Bearer api_' OR '1'='1`],
    ['10,000 characters', () => `Bearer api_${'a'.repeat(10_000)}`],
  ]
  test('a header that holds no known key is "Invalid or expired API key"', async () => {
    const { server, ada } = await serverWithUser()
    for (const [what, header] of wrong) {
      const response = await server.fetch('/api/v1/forms', { headers: { authorization: header(ada.key) } })
      const { status, headers, body } = await toAnswer(response)
      expect([what, status, body]).toEqual([what, 401, unauthorized('Invalid or expired API key')])
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
    expect((await ada.call('GET', '/forms')).status).toBe(200)
  })

  test('a key anywhere but in the Authorization header is no key', async () => {
    const { server, ada } = await serverWithUser()
    const places: [path: string, headers: Record<string, string>][] = [
      [`/api/v1/forms?api_key=${ada.key}&key=${ada.key}&access_token=${ada.key}`, {}],
      ['/api/v1/forms', { 'x-api-key': ada.key, cookie: `key=${ada.key}; authorization=Bearer ${ada.key}` }],
      ['/api/v1/forms', { 'proxy-authorization': `Bearer ${ada.key}` }],
    ]
    for (const [path, headers] of places) {
      const { status, body } = await toAnswer(await server.fetch(path, { headers }))
      expect([status, body]).toEqual([401, unauthorized('Authorization not provided')])
    }
  })

  test('the scheme is taken in any case, with any number of spaces', async () => {
    const { server, ada } = await serverWithUser()
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer   ']) {
      const headers = { authorization: `${scheme} ${ada.key}` }
      expect([scheme, (await server.fetch('/api/v1/forms', { headers })).status]).toEqual([scheme, 200])
    }
  })
})

describe('decision 6: keys that no longer work', () => {
  test('an expired key is 401, one that expires later works', async () => {
    const { ada } = await serverWithUser()
    const expired = await ada.withKey({ expiresAt: Date.now() - 1 })
    const { status, body } = await expired.call('GET', '/forms')
    expect([status, body]).toEqual([401, unauthorized('Invalid or expired API key')])
    expect((await expired.call('POST', '/forms', { title: 'x' })).status).toBe(401)

    const current = await ada.withKey({ expiresAt: Date.now() + 600_000 })
    expect((await current.call('GET', '/forms')).body).toMatchObject({ forms: [] })
  })

  test('a key that another process revokes is 401 from the next request on, the user’s other keys go on', async () => {
    const { server, ada } = await serverWithUser()
    const other = await ada.withKey()
    const id = await other.createForm()
    expect((await other.call('GET', '/forms')).status).toBe(200)

    writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: other.keyId }))

    const { status, body } = await other.call('DELETE', `/forms/${id}`)
    expect([status, body]).toEqual([401, unauthorized('Invalid or expired API key')])
    expect((await other.call('GET', '/forms')).status).toBe(401)
    expect((await ada.call('GET', `/forms/${id}`)).status).toBe(200)
  })

  test('a key that was made while the server runs works at once', async () => {
    const { ada } = await serverWithUser()
    expect((await ada.call('GET', '/forms')).status).toBe(200)
    const later = await ada.withKey()
    const id = await later.createForm({ title: 'Of the same user' })
    expect((await ada.call('GET', `/forms/${id}`)).body.title).toBe('Of the same user')
  })

  test.skipIf(isCompiled)('a key works that was made, and used, while another request was handled', async () => {
    let later: Promise<Response> | undefined
    let makeKey = () => {}
    const server = await startServer({
      // Asked for each key that expires, when it was read.
      now() {
        makeKey()
        return Date.now()
      },
    })
    const list = (key: string) =>
      fetch(`${server.url}/api/v1/forms`, { headers: { authorization: `Bearer ${key}` }, keepalive: false })
    const ada = await server.signUp(newEmail(), { expiresAt: Date.now() + 600_000 })
    expect((await list(ada.key)).status).toBe(200)
    makeKey = () => {
      makeKey = () => {}
      later = list(addKey(server, ada.id, ada.email).key)
      // Another thread connects and sends. In the same turn of the event loop, Bun handles what it sent.
      Bun.sleepSync(50)
    }
    expect((await list(ada.key)).status).toBe(200)
    expect((await later)?.status).toBe(200)
  })
})

describe('decision 6: a read-only key', () => {
  test('reads everything of its user with GET and HEAD', async () => {
    const { server, ada, formId: id } = await world()
    const reader = await ada.withKey({ isReadOnly: true })
    const sent = await toAnswer(
      await server.fetch(`/s/${id}`, { method: 'POST', body: new URLSearchParams({ a: '1' }) }),
    )
    const paths = ['/forms', `/forms/${id}`, `/forms/${id}/submissions`, `/forms/${id}/submissions/${sent.body.id}`]
    for (const path of paths) {
      expect((await reader.call('GET', path)).body).toEqual((await ada.call('GET', path)).body)
      const headers = { authorization: `Bearer ${reader.key}` }
      expect((await server.fetch(`/api/v1${path}`, { method: 'HEAD', headers })).status).toBe(200)
    }
  })

  test('is 403 on everything else, before the body and the form are looked at, and changes nothing', async () => {
    const { ada, formId: id } = await world()
    const reader = await ada.withKey({ isReadOnly: true })
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])
      for (const path of [
        '/forms',
        '/forms/bulk',
        `/forms/${id}`,
        '/forms/nope',
        `/forms/${id}/duplicate`,
        '/nowhere',
      ]) {
        const { status, body } = await reader.call(method, path, method === 'OPTIONS' ? undefined : '{')
        expect([method, path, status, body.code, body.message]).toEqual([
          method,
          path,
          403,
          'FORBIDDEN',
          'Insufficient access',
        ])
      }
    expect((await ada.call('GET', '/forms')).body.forms).toEqual([
      expect.objectContaining({ id, title: 'Contact', updatedAt: null }),
    ])
  })
})

describe('decision 6: what is another user’s', () => {
  test('is 403 and tells nothing of it', async () => {
    const { server, formId: id } = await world({ form: { title: 'Of Ada' } })
    const bob = await server.signUp()
    const { status, body } = await bob.call('GET', `/forms/${id}`)
    expect([status, body]).toEqual([
      403,
      {
        code: 'FORBIDDEN',
        message: 'Insufficient access',
        issues: [],
        error: { code: 'FORBIDDEN', message: 'Insufficient access' },
      },
    ])
    expect((await bob.call('GET', '/forms')).body).toMatchObject({ forms: [], pagination: { total: 0, totalPages: 0 } })
  })
})

describe('decision 24: the API sends no CORS headers', () => {
  test('to no method from another origin, with or without a key', async () => {
    const { server, ada } = await serverWithUser()
    const origin = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])
      for (const headers of [origin, { ...origin, authorization: `Bearer ${ada.key}` }]) {
        const answer = await server.fetch('/api/v1/forms', { method, headers })
        const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
        expect([method, names]).toEqual([method, []])
      }
  })
})

test('the OpenAPI document needs no key', async () => {
  const { server } = await serverWithUser()
  const { status, body } = await toAnswer(await server.fetch('/api/v1/openapi.json'))
  expect([status, body.openapi, body.info.version]).toEqual([200, '3.0.3', '1.0.0'])
})

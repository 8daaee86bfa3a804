import { describe, expect, test } from 'bun:test'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { connect } from '../../src/storage/open.ts'
import { afterThisTest, serverWithUser, startServer, takeReported, toAnswer, type User, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import { errorBody } from './error-body.ts'

describe('decision 2: one error body, flat and wrapped', () => {
  test('with a list of issues that name their fields and point into the body', async () => {
    const { ada } = await serverWithUser()
    const { status, headers, body } = await ada.call('POST', '/forms', { description: 5, returnUrl: 'x' })
    expect(status).toBe(400)
    expect(headers.get('content-type')).toStartWith('application/json')
    expect(body).toEqual(
      errorBody('BAD_REQUEST', 'Invalid input data', [
        { message: 'title: must be 1 to 255 characters, not only white space', path: '/title' },
        { message: 'description: must be at most 1000 characters, or null', path: '/description' },
        {
          message: 'returnUrl: must be an absolute http or https URL of at most 2048 characters, or null',
          path: '/returnUrl',
        },
      ]),
    )
  })

  test('names parameters of the query without a pointer, since they are not in the body', async () => {
    const { ada } = await serverWithUser()
    const { body } = await ada.call('GET', '/forms?page=0&perPage=101')
    expect(body.issues).toEqual([
      { message: 'page: must be a whole number, 1 or more' },
      { message: 'perPage: must be a whole number, from 1 to 100' },
    ])
  })

  test('refuses a parameter that is given twice, except in the lists of the contract, which take the last value', async () => {
    const { server, ada, formId } = await world()
    const document = await (await server.fetch('/api/v1/openapi.json')).json()
    type Parameter = { readonly in: string; readonly name: string; readonly schema: { readonly type: string } }
    const found = (one: Parameter | { readonly $ref: string }): Parameter =>
      '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1) ?? ''] : one
    const single = Object.entries<Record<string, { parameters?: Parameter[] }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
          parameters
            .map(found)
            .filter((parameter) => parameter.in === 'query' && parameter.schema.type !== 'array')
            .map(({ name }) => ({ method: method.toUpperCase(), path, name })),
        ),
    )
    const taken: string[] = []
    for (const { method, path, name } of single) {
      const example = { page: 1, perPage: 1, startDate: '2026-01-01', endDate: '2026-01-01', format: 'csv', limit: 1 }[
        name
      ]
      const value = example ?? (name === 'state' ? 'open' : 'true')
      const url = `${path.replace('{formId}', formId)}?${name}=${value}&other=1&other=2&${name}=${value}`
      const { status, body } = await ada.call(method, url)
      if (status === 200) taken.push(`${path} ${name}`)
      else
        expect({ status, issues: body.issues }).toEqual({
          status: 400,
          issues: [{ message: `${name}: must be given once` }],
        })
    }
    const lists = {
      '/forms': ['page', 'perPage'],
      '/forms/{formId}/submissions': ['page', 'perPage', 'startDate', 'endDate'],
    }
    expect(taken).toEqual(Object.entries(lists).flatMap(([path, names]) => names.map((name) => `${path} ${name}`)))
    expect(single.length).toBeGreaterThan(30)
    expect((await ada.call('GET', '/forms?perPage=5&perPage=7')).body.pagination.perPage).toBe(7)
  })

  test('stays short when a thousand items are wrong', async () => {
    const { ada } = await serverWithUser()
    const { status, body } = await ada.call('POST', '/forms/bulk', { forms: Array(1000).fill({ title: '' }) })
    expect(status).toBe(400)
    expect(body.issues.length).toBeWithin(1, 101)
    expect(body.issues[0].path).toBe('/forms/0/title')
  })

  test('never repeats what was sent', async () => {
    const { ada } = await serverWithUser()
    const { body } = await ada.call('POST', '/forms', { title: ['a-secret'], returnUrl: 'ftp://a-secret' })
    expect(JSON.stringify(body)).not.toContain('a-secret')
  })
})

describe('decision 3: 404 names the thing', () => {
  const missing: [method: string, path: string, message: string][] = [
    ['GET', '/forms/nope', 'Form not found'],
    ['PATCH', '/forms/nope', 'Form not found'],
    ['DELETE', '/forms/nope', 'Form not found'],
    ['POST', '/forms/nope/duplicate', 'Form not found'],
    ['GET', '/forms/nope/submissions', 'Form not found'],
    ['GET', '/forms/nope/submissions/nope', 'Form not found'],
    ['DELETE', '/forms/nope/submissions/nope', 'Form not found'],
    ['GET', '/forms/FORM/submissions/nope', 'Submission not found'],
    ['DELETE', '/forms/FORM/submissions/nope', 'Submission not found'],
    ['GET', '/forms/a%2Fb', 'Form not found'],
    ['GET', '/forms/%00', 'Form not found'],
    ['GET', '/forms/%ff', 'Form not found'],
    ['GET', `/forms/${'a'.repeat(3000)}`, 'Form not found'],
    ['GET', '/nowhere', 'Not found'],
    ['GET', '/', 'Not found'],
    ['GET', '/Forms', 'Not found'],
    ['GET', '//forms', 'Not found'],
    ['GET', '/forms/FORM/submissions/nope/more', 'Not found'],
  ]
  test('for every operation and for unknown routes', async () => {
    const { ada, formId: form } = await world()
    for (const [method, path, message] of missing) {
      const body = method === 'PATCH' ? { title: 'x' } : undefined
      const answer = await ada.call(method, path.replace('FORM', form), body)
      expect([method, path, answer.status, answer.body]).toEqual([method, path, 404, errorBody('NOT_FOUND', message)])
    }
  })
})

/** Few enough to use them up, and enough for a test that is about something else. */
const limited = { FORMBOX_RATE_LIMIT: '5' }

describe('decision 4: which error wins', () => {
  const useUp = (user: User) =>
    until(async () => (await user.call('GET', '/forms')).status === 429, 'the limit is used up')

  test('401 before 429: a revoked key over its limit', async () => {
    const { server, ada } = await serverWithUser(limited)
    await useUp(ada)
    writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: ada.keyId }))
    expect((await ada.call('GET', '/forms')).status).toBe(401)
  })

  test('401 before 400 and 404: an anonymous malformed body, bad query or unknown path', async () => {
    const { server } = await serverWithUser()
    const json = { 'content-type': 'application/json' }
    const requests: [path: string, init: RequestInit][] = [
      ['/forms', { method: 'POST', body: '{', headers: json }],
      ['/forms', { method: 'POST', body: '[1]', headers: { 'content-type': 'text/plain' } }],
      ['/forms', { method: 'POST', body: 'x'.repeat(2_000_000), headers: json }],
      ['/forms/bulk', { method: 'DELETE', body: '{', headers: json }],
      ['/forms/nope', { method: 'PATCH', body: '{', headers: json }],
      ['/forms?page=0', {}],
      ['/forms/nope', {}],
      ['/nowhere', { method: 'POST', body: '{', headers: json }],
    ]
    for (const [path, init] of requests) {
      const { status, body } = await toAnswer(await server.fetch(`/api/v1${path}`, init))
      expect([path, status, body]).toEqual([path, 401, errorBody('UNAUTHORIZED', 'Authorization not provided')])
    }
  })

  test('429 before 400, 404 and 403', async () => {
    const { server, ada } = await serverWithUser(limited)
    const bob = await server.signUp()
    const ofAda = await ada.createForm()
    await useUp(bob)
    const answers = [
      await bob.call('POST', '/forms', '{'),
      await bob.call('GET', '/forms?page=0'),
      await bob.call('GET', '/forms/nope'),
      await bob.call('GET', '/nowhere'),
      await bob.call('GET', `/forms/${ofAda}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
  })

  test('429 before the 403 of a read-only key, and that before 400 and 404', async () => {
    const { ada, formId: form } = await world({ environment: limited })
    const reader = await ada.withKey({ isReadOnly: true })
    expect((await reader.call('POST', '/forms', '{')).status).toBe(403)
    expect((await reader.call('PATCH', '/forms/nope', { title: '' })).status).toBe(403)
    expect((await reader.call('DELETE', `/forms/${form}`)).status).toBe(403)
    await useUp(reader)
    expect((await reader.call('DELETE', `/forms/${form}`)).status).toBe(429)
  })

  const invalid: [method: string, path: string, body: unknown][] = [
    ['PATCH', '/forms/FORM', { title: '' }],
    ['PATCH', '/forms/FORM', '{'],
    ['PATCH', '/forms/FORM', undefined],
    ['PATCH', '/forms/bulk', { forms: [{ id: 'FORM' }, { id: 'FORM' }] }],
    ['PATCH', '/forms/bulk', { forms: [{ id: 'FORM', title: 5 }] }],
    ['DELETE', '/forms/bulk', { ids: ['FORM', ''] }],
    ['DELETE', '/forms/bulk?ids=FORM', { ids: ['FORM'] }],
    ['GET', '/forms/FORM/submissions?page=0', undefined],
    ['GET', '/forms/FORM/submissions?startDate=x', undefined],
    ['DELETE', '/forms/FORM/submissions/bulk', {}],
  ]
  test('400 before 404 and before the 403 of another user’s form', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const ofBob = await bob.createForm()
    for (const [method, path, body] of invalid)
      for (const form of [ofBob, '0'.repeat(28)]) {
        const sent =
          body === undefined ? undefined : (JSON.parse(JSON.stringify(body).replaceAll('FORM', form)) as object)
        const { status } = await ada.call(method, path.replace('FORM', form), sent)
        expect([method, path, form, status]).toEqual([method, path, form, 400])
      }
    expect((await bob.call('GET', `/forms/${ofBob}`)).body).toMatchObject({ title: 'Contact', updatedAt: null })
  })

  test('404 before 403: both in one bulk operation', async () => {
    const { server, ada } = await serverWithUser()
    const bob = await server.signUp()
    const ofBob = await bob.createForm()
    expect((await ada.call('DELETE', '/forms/bulk', { ids: [ofBob, 'nope'] })).status).toBe(404)
    expect((await ada.call('PATCH', '/forms/bulk', { forms: [{ id: ofBob }, { id: 'nope' }] })).status).toBe(404)
    expect((await ada.call('DELETE', '/forms/bulk', { ids: [ofBob] })).status).toBe(403)
  })
})
describe('decision 9: every response carries X-Request-Id', () => {
  test('another one each time, whatever the answer', async () => {
    const { server, ada, formId: id } = await world()
    const anonymous = ['/api/v1/forms', '/api/v1/openapi.json', '/healthz', '/nowhere', '/s/nope'].map((path) =>
      server.fetch(path),
    )
    const withKey = [
      ada.call('GET', '/forms'),
      server.fetch('/api/v1/forms', { method: 'HEAD', headers: { authorization: `Bearer ${ada.key}` } }),
      ada.call('GET', '/nowhere'),
      ada.call('POST', '/forms', '{'),
      ada.call('GET', '/forms?page=x'),
      ada.call('PATCH', `/forms/${id}`, {}),
    ]
    const answers = [...(await Promise.all(anonymous)), ...(await Promise.all(withKey))]
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    for (const requestId of ids) expect(requestId).toMatch(/^\S{8,64}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
describe('decisions 3 and 5: errors of the server', () => {
  test('500 says nothing but that, and the cause goes to the log with the request id', async () => {
    const { server, ada, formId: id } = await world({ server: await startServer() })
    writeTo(server.folder, (db) => db.$client.run('ALTER TABLE submissions RENAME TO hidden'))

    const { status, headers, body } = await ada.call('GET', `/forms/${id}/submissions/x`)

    expect([status, body]).toEqual([500, errorBody('INTERNAL_SERVER_ERROR', 'Internal server error')])
    await server.stop()
    const [line, ...more] = takeReported()
    expect(more).toEqual([])
    expect(line).toContain('no such table')
    expect(line).not.toContain(server.folder)
    if (isCompiled) expect(line).toContain(headers.get('x-request-id') as string)
  })

  // The writer waits five seconds for the lock before it gives up.
  test('503 with Retry-After while another process holds the file; reads go on and nothing is written', async () => {
    // Whoever shares the usual server cannot write meanwhile.
    const { server, ada, formId: id } = await world({ environment: limited })
    const db = connect(server.folder)
    afterThisTest(() => db.$client.close())
    db.$client.run('BEGIN IMMEDIATE')

    const refused = ada.call('DELETE', `/forms/${id}`)
    expect((await ada.call('GET', `/forms/${id}`)).status).toBe(200)
    const { status, headers, body } = await refused
    db.$client.run('ROLLBACK')

    const seconds = Number(headers.get('retry-after'))
    expect(seconds).toBeGreaterThanOrEqual(1)
    const message = `Temporarily unable to write, retry after ${seconds} seconds`
    expect([status, body]).toEqual([503, errorBody('INTERNAL_SERVER_ERROR', message)])
    expect((await ada.call('GET', `/forms/${id}`)).status).toBe(200)
    expect((await ada.call('DELETE', `/forms/${id}`)).status).toBe(200)
    const lines: string[] = []
    const reason = 'formbox: cannot write the data file: another process is using it'
    await until(() => {
      server.gatherReported()
      return lines.push(...takeReported()) > 0 || !isCompiled
    }, 'the log has the reason')
    expect(lines).toEqual(isCompiled ? [reason] : [])
  })
})

// Which path is which operation, and under which method.
import { describe, expect, test } from 'bun:test'
import { serverWithUser, type User } from '../harness.ts'
import { world } from '../world.ts'
import { errorBody } from './error-body.ts'

describe('decision 5: a known path under another method is 404', () => {
  const others: [method: string, path: string][] = [
    ['PUT', '/forms'],
    ['PATCH', '/forms'],
    ['DELETE', '/forms'],
    ['OPTIONS', '/forms'],
    ['PUT', '/forms/bulk'],
    ['PUT', '/forms/FORM'],
    ['POST', '/forms/FORM'],
    ['GET', '/forms/FORM/duplicate'],
    ['POST', '/forms/FORM/submissions'],
    ['DELETE', '/forms/FORM/submissions'],
    ['PATCH', '/forms/FORM/submissions/nope'],
    ['POST', '/openapi.json/more'],
  ]
  test('whatever the body', async () => {
    const { ada, formId: form } = await world()
    for (const [method, path] of others)
      await expectNotFound(ada, method, path.replace('FORM', form), /^(GET|OPTIONS)$/.test(method) ? undefined : '{')
    expect((await ada.call('GET', '/forms')).body.forms).toEqual([
      expect.objectContaining({ id: form, updatedAt: null }),
    ])
  })
})

describe('decision 8: bulk is never the identifier of a form or submission', () => {
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', '/forms/bulk'],
    ['PUT', '/forms/bulk'],
    ['POST', '/forms/bulk/duplicate'],
    ['GET', '/forms/bulk/submissions'],
    ['GET', '/forms/bulk/submissions/x'],
    ['DELETE', '/forms/bulk/submissions/x'],
    ['DELETE', '/forms/bulk/submissions/bulk', { ids: ['x'] }],
    ['GET', '/forms/FORM/submissions/bulk'],
    ['POST', '/forms/FORM/submissions/bulk', {}],
    ['PATCH', '/forms/FORM/submissions/bulk', {}],
    ['GET', '/forms/%62ulk'],
    ['DELETE', '/forms/%62ulk'],
  ]
  test('under any method', async () => {
    const { ada, formId: form } = await world()
    for (const [method, path, body] of requests) await expectNotFound(ada, method, path.replace('FORM', form), body)
    expect((await ada.call('GET', '/forms')).body.pagination.total).toBe(1)
  })
})
describe('a trailing slash', () => {
  test('is the same path', async () => {
    const { ada } = await serverWithUser()
    const { id } = (await ada.call('POST', '/forms/', { title: 'x' })).body
    for (const path of ['/forms', `/forms/${id}`, `/forms/${id}/submissions`])
      expect((await ada.call('GET', `${path}/`)).body).toEqual((await ada.call('GET', path)).body)
    expect((await ada.call('PATCH', '/forms/bulk/', { forms: [{ id, title: 'y' }] })).body).toEqual({ success: true })
    expect((await ada.call('DELETE', `/forms/${id}/`)).body).toEqual({ success: true })
    expect((await ada.call('GET', '/forms/bulk/')).body).toEqual(errorBody('NOT_FOUND', 'Not found'))
  })
})

describe('HEAD', () => {
  test('answers as GET does, without the body', async () => {
    const { server, ada, formId: id } = await world()
    for (const path of [
      '/forms',
      `/forms/${id}`,
      `/forms/${id}/submissions`,
      '/forms/nope',
      '/forms?page=0',
      '/nope',
    ]) {
      const headers = { authorization: `Bearer ${ada.key}` }
      const get = await server.fetch(`/api/v1${path}`, { headers })
      const head = await server.fetch(`/api/v1${path}`, { method: 'HEAD', headers })
      expect([path, head.status]).toEqual([path, get.status])
      expect(await head.text()).toBe('')
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength))
    }
  })
})

const expectNotFound = async (ada: User, method: string, path: string, body?: unknown): Promise<void> => {
  const { status, body: answer } = await ada.call(method, path, body)
  expect([method, path, status, answer]).toEqual([method, path, 404, errorBody('NOT_FOUND', 'Not found')])
}

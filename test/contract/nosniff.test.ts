import { describe, expect, test } from 'bun:test'
import { sharedServer } from '../harness.ts'
import { world } from '../world.ts'

describe('X-Content-Type-Options: nosniff', () => {
  test.each<[what: string, method: string, path: string, status: number]>([
    ['a form', 'GET', '/api/v1/forms/FORM', 200],
    ['a list that is written as text', 'GET', '/api/v1/forms/FORM/submissions', 200],
    ['what a new form answers', 'POST', '/api/v1/forms', 200],
    ['what was refused', 'POST', '/api/v1/forms/bulk', 400],
    ['an operation that does not exist', 'PUT', '/api/v1/forms', 404],
    ['the OpenAPI document', 'GET', '/api/v1/openapi.json', 200],
    ['what a submission answers', 'POST', '/s/FORM', 200],
    ['a submission to no form', 'POST', '/s/none', 404],
    ['what a browser asks before a submission', 'OPTIONS', '/s/FORM', 204],
    ['the health', 'GET', '/healthz', 200],
    ['the readiness', 'GET', '/readyz', 200],
    ['a page', 'GET', '/sign-in', 200],
    ['the API reference', 'GET', '/docs', 200],
    ['what does not exist', 'GET', '/nowhere', 404],
  ])('is on %s', async (_, method, path, status) => {
    const { server, ada, formId } = await world()
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
    const body = method === 'POST' ? JSON.stringify({ title: 'x' }) : null

    const answer = await server.fetch(path.replace('FORM', formId), { method, headers, body })

    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is on the scripts and styles that pages refer to', async () => {
    const server = await sharedServer()
    const pages = await Promise.all(['/sign-in', '/docs'].map(async (path) => (await server.fetch(path)).text()))
    const files = new Set(
      [...pages.join().matchAll(/"(\/(?:assets|docs)\/[^"]+\.(?:js|css|svg))"/g)].map(([, path]) => path),
    )
    expect(files.size).toBe(8)
    for (const path of files) {
      const answer = await server.fetch(path as string)
      expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff'])
    }
  })

  test('is on an answer to no one', async () => {
    const server = await sharedServer()
    const answer = await server.fetch('/api/v1/forms')
    expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([401, 'nosniff'])
  })
})

import { describe, expect, test } from 'bun:test'
import { startServer } from '../harness.ts'

describe('POST /forms', () => {
  test('creates a form that is read back with all eight fields', async () => {
    const server = await startServer()
    const ada = await server.signUp()
    const before = Date.now()

    const created = await ada.call('POST', '/forms', {
      title: 'Contact',
      description: 'On the start page',
      returnUrl: 'https://example.com/thanks',
    })

    expect(created.status).toBe(200)
    const form = await ada.call('GET', `/forms/${created.body.id}`)
    expect(form.body).toEqual({
      id: created.body.id,
      title: 'Contact',
      description: 'On the start page',
      returnUrl: 'https://example.com/thanks',
      keys: [],
      submissionCount: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: null,
    })
    expect(Date.parse(form.body.createdAt)).toBeWithin(before, Date.now() + 1)
  })
})

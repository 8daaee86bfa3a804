import { describe, expect, test } from 'bun:test'
import { serverWithClock } from '../harness.ts'

const expiry = Date.parse('2026-06-01T00:00:00.000Z')

describe('decision 6: a key past its expiry', () => {
  test.each([
    [-86_400_000, 200],
    [-1, 200],
    [0, 401],
    [1, 401],
    [86_400_000, 401],
  ])('%i ms from it, every request is answered with %i', async (offset, status) => {
    const { server } = await serverWithClock(expiry + offset)
    const ada = await (await server.signUp()).withKey({ expiresAt: expiry })
    expect((await ada.call('GET', '/forms')).status).toBe(status)
    expect((await ada.call('POST', '/forms', { title: 'x' })).status).toBe(status)
  })

  test('ends in the middle of use: what is remembered of a key is not remembered beyond it', async () => {
    const { clock, server } = await serverWithClock(expiry - 1, { FORMBOX_RATE_LIMIT: '100' })
    const owner = await server.signUp()
    const ada = await owner.withKey({ expiresAt: expiry })
    expect((await ada.call('GET', '/forms')).status).toBe(200)
    expect((await ada.call('GET', '/forms')).status).toBe(200)

    clock.now = expiry

    const { status, headers, body } = await ada.call('POST', '/forms', { title: 'too late' })
    expect([status, body.message]).toEqual([401, 'Invalid or expired API key'])
    expect(headers.get('x-ratelimit-remaining')).toBeNull()
    expect((await owner.call('GET', '/forms')).body.pagination.total).toBe(0)
  })
})

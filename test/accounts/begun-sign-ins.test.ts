import { expect, test } from 'bun:test'
import { begunSeconds, begunShape, openBegunSignIns } from '../../src/accounts/sessions/begun-sign-ins.ts'
import { newToken } from '../../src/base/token.ts'

test('a sign-in that was begun is found by its token until it ends, and by no other', async () => {
  const clock = { now: Date.UTC(2026, 10, 29) }
  const open = (key: number) =>
    openBegunSignIns({ signingKey: async () => new Uint8Array(32).fill(key), now: () => clock.now })
  const { toToken, find } = open(1)
  const begun = { secret: newToken(), session: null, next: '/forms?page=2' }
  const token = await toToken(begun)
  expect(token).toMatch(begunShape)
  expect(await find(token)).toEqual(begun)
  expect(await open(2).find(token)).toBeNull()
  for (const forged of ['', token.replace(/^\d/, '9'), `${token}x`, token.slice(1)])
    expect(await find(forged)).toBeNull()
  clock.now += begunSeconds * 1000 - 1
  expect(await find(token)).toEqual(begun)
  clock.now += 1
  expect(await find(token)).toBeNull()
})

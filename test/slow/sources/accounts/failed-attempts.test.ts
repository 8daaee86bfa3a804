import { describe, expect, test } from 'bun:test'
import { openFailedAttempts } from '../../../../src/accounts/users/failed-attempts.ts'
import { strangers, type WrongCodes, waitAfter, withWrong } from '../../../../src/accounts/users/wrong-codes.ts'
import { expectBelow, heapBytes } from '../../../expect-below.ts'

const minute = 60_000

type FailedAttempts = ReturnType<typeof openFailedAttempts>
type Keys = Parameters<FailedAttempts['begin']>[0]

const ada = { account: 'ada' }

const fail = (failedAttempts: FailedAttempts, keys: Keys, times: number): void => {
  for (let i = 0; i < times; i++) expect(failedAttempts.begin(keys).isAllowed).toBe(true)
}

describe('the count of failed attempts', () => {
  test('counts the ten failures of the last 15 minutes, each until it is that old', () => {
    let now = 0
    const failedAttempts = openFailedAttempts(() => now)
    fail(failedAttempts, ada, 4)
    now = 10 * minute
    fail(failedAttempts, ada, 6)
    now = 15 * minute - 1
    expect(failedAttempts.begin(ada)).toEqual({ isAllowed: false, retryAfterSeconds: 1 })
    now = 15 * minute
    fail(failedAttempts, ada, 4)
    expect(failedAttempts.begin(ada)).toEqual({ isAllowed: false, retryAfterSeconds: 600 })
  })

  test('does not count what it refused', () => {
    let now = 0
    const failedAttempts = openFailedAttempts(() => now)
    fail(failedAttempts, ada, 10)
    now = 14 * minute
    for (let i = 0; i < 100; i++) expect(failedAttempts.begin(ada).isAllowed).toBe(false)
    now = 15 * minute
    expect(failedAttempts.begin(ada).isAllowed).toBe(true)
  })

  test('refuses when one of several keys is over, and counts none of them then', () => {
    const failedAttempts = openFailedAttempts(() => 0)
    fail(failedAttempts, { account: 'ada', address: 'here' }, 10)
    for (let i = 0; i < 20; i++) expect(failedAttempts.begin({ account: 'bob', address: 'here' }).isAllowed).toBe(false)
    expect(failedAttempts.begin({ account: 'bob', address: 'there' }).isAllowed).toBe(true)
    expect(failedAttempts.begin({ account: 'ada', address: 'there' }).isAllowed).toBe(false)
  })

  test('counts an account, an address, a device and a session of one name apart', () => {
    const failedAttempts = openFailedAttempts(() => 0)
    for (const kind of ['account', 'address', 'device', 'session']) {
      fail(failedAttempts, { [kind]: 'ada' }, 10)
      expect(failedAttempts.begin({ [kind]: 'ada' }).isAllowed).toBe(false)
    }
  })

  test('takes back the attempt that succeeded, and no other', () => {
    let now = 0
    const failedAttempts = openFailedAttempts(() => now)
    fail(failedAttempts, ada, 9)
    now = 1
    const tenth = failedAttempts.begin(ada)
    expect(failedAttempts.begin(ada).isAllowed).toBe(false)
    if (tenth.isAllowed) tenth.takeBack()
    fail(failedAttempts, ada, 1)
    expect(failedAttempts.begin(ada).isAllowed).toBe(false)
  })

  test('locks no one out for longer when the clock is set back', () => {
    let now = 1000 * minute
    const failedAttempts = openFailedAttempts(() => now)
    fail(failedAttempts, ada, 10)
    now = 0
    expect(failedAttempts.begin(ada).isAllowed).toBe(true)
  })

  test('forgets no count because of 49,999 others of its kind, or any number of another kind', () => {
    const failedAttempts = openFailedAttempts(() => 0)
    fail(failedAttempts, ada, 10)
    for (let i = 1; i < 50_000; i++) failedAttempts.begin({ account: `account ${i}` })
    for (let i = 0; i < 60_000; i++) failedAttempts.begin({ address: `address ${i}` })
    expect(failedAttempts.begin(ada).isAllowed).toBe(false)
  })

  test('keeps nothing of an attempt that was taken back', () => {
    const failedAttempts = openFailedAttempts(() => 0)
    fail(failedAttempts, ada, 10)
    for (let i = 0; i < 60_000; i++) {
      const attempt = failedAttempts.begin({ account: `account ${i}` })
      if (attempt.isAllowed) attempt.takeBack()
    }
    expect(failedAttempts.begin(ada).isAllowed).toBe(false)
  })

  test('stays small however many keys there are', async () => {
    await expectBelow(32 * 1024 * 1024, () => {
      const before = heapBytes()
      const failedAttempts = openFailedAttempts(() => 0)
      for (let i = 0; i < 60_000; i++) failedAttempts.begin({ account: `account ${i}`, address: `address ${i}` })
      const taken = heapBytes() - before
      expect(failedAttempts.begin({ account: 'account 59999' }).isAllowed).toBe(true)
      return taken
    })
  })
})

describe('the wrong codes of a day', () => {
  const hour = 60 * minute
  const count = (wrong: WrongCodes, guesser: string, times: number, now: number): WrongCodes =>
    Array.from({ length: times }).reduce<WrongCodes>((before) => withWrong(before, guesser, now), wrong)

  test('are ten in 15 minutes and 30 in all for each of those who guess, until the first is so old', () => {
    const some = count({}, 'phone', 10, 0)
    const all = count(count(some, 'phone', 20, hour), 'laptop', 29, hour)
    expect(waitAfter(some, 'phone', minute)).toBe(14 * minute)
    expect(waitAfter(some, 'phone', 15 * minute)).toBe(0)
    expect(waitAfter(all, 'phone', 2 * hour)).toBe(22 * hour)
    expect(waitAfter(all, 'phone', 24 * hour)).toBe(0)
    expect(waitAfter(all, 'laptop', 2 * hour)).toBe(0)
  })

  test('count though the clock of another machine is ahead, but not if the clock was set back by more than a day', () => {
    const ahead = count({}, 'phone', 30, 1000 * hour)
    expect(waitAfter(ahead, 'phone', 1000 * hour - 5000)).toBeGreaterThan(0)
    expect(waitAfter(ahead, 'phone', 976 * hour)).toBe(0)
  })

  test('of strangers are never forgotten for those of others, of which the newest hundred are kept', () => {
    let wrong = count({}, strangers, 30, 0)
    for (let i = 0; i < 150; i++) wrong = count(wrong, `browser ${i}`, 30, i)
    expect(waitAfter(wrong, strangers, hour)).toBeGreaterThan(0)
    expect(waitAfter(wrong, 'browser 149', hour)).toBeGreaterThan(0)
    expect(waitAfter(wrong, 'browser 49', hour)).toBe(0)
    expect(Object.keys(wrong)).toHaveLength(101)
    expect(Object.keys(withWrong(wrong, 'browser 150', 24 * hour))).not.toContain(strangers)
  })
})

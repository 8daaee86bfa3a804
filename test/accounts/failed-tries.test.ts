import { describe, expect, test } from 'bun:test'
import { openFailedTries } from '../../src/users/failed-tries.ts'

const minute = 60_000

type FailedTries = ReturnType<typeof openFailedTries>
type Keys = Parameters<FailedTries['begin']>[0]

const ada = { account: 'ada' }

const fail = (failedTries: FailedTries, keys: Keys, times: number): void => {
  for (let i = 0; i < times; i++) expect(failedTries.begin(keys).isAllowed).toBe(true)
}

describe('the count of failed tries', () => {
  test('counts the ten failures of the last 15 minutes, each until it is that old', () => {
    let now = 0
    const failedTries = openFailedTries(() => now)
    fail(failedTries, ada, 4)
    now = 10 * minute
    fail(failedTries, ada, 6)
    now = 15 * minute - 1
    expect(failedTries.begin(ada)).toEqual({ isAllowed: false, retryAfterSeconds: 1 })
    now = 15 * minute
    fail(failedTries, ada, 4)
    expect(failedTries.begin(ada)).toEqual({ isAllowed: false, retryAfterSeconds: 600 })
  })

  test('does not count what it refused', () => {
    let now = 0
    const failedTries = openFailedTries(() => now)
    fail(failedTries, ada, 10)
    now = 14 * minute
    for (let i = 0; i < 100; i++) expect(failedTries.begin(ada).isAllowed).toBe(false)
    now = 15 * minute
    expect(failedTries.begin(ada).isAllowed).toBe(true)
  })

  test('refuses when one of several keys is over, and counts none of them then', () => {
    const failedTries = openFailedTries(() => 0)
    fail(failedTries, { account: 'ada', address: 'here' }, 10)
    for (let i = 0; i < 20; i++) expect(failedTries.begin({ account: 'bob', address: 'here' }).isAllowed).toBe(false)
    expect(failedTries.begin({ account: 'bob', address: 'there' }).isAllowed).toBe(true)
    expect(failedTries.begin({ account: 'ada', address: 'there' }).isAllowed).toBe(false)
  })

  test('counts an account, an address, a device and a session of one name apart', () => {
    const failedTries = openFailedTries(() => 0)
    for (const kind of ['account', 'address', 'device', 'session']) {
      fail(failedTries, { [kind]: 'ada' }, 10)
      expect(failedTries.begin({ [kind]: 'ada' }).isAllowed).toBe(false)
    }
  })

  test('takes back the try that succeeded, and no other', () => {
    let now = 0
    const failedTries = openFailedTries(() => now)
    fail(failedTries, ada, 9)
    now = 1
    const tenth = failedTries.begin(ada)
    expect(failedTries.begin(ada).isAllowed).toBe(false)
    if (tenth.isAllowed) tenth.takeBack()
    fail(failedTries, ada, 1)
    expect(failedTries.begin(ada).isAllowed).toBe(false)
  })

  test('locks nobody out for longer when the clock is set back', () => {
    let now = 1000 * minute
    const failedTries = openFailedTries(() => now)
    fail(failedTries, ada, 10)
    now = 0
    expect(failedTries.begin(ada).isAllowed).toBe(true)
  })

  test('lets no count go for those of 49,999 others of its kind, or any number of another', () => {
    const failedTries = openFailedTries(() => 0)
    fail(failedTries, ada, 10)
    for (let i = 1; i < 50_000; i++) failedTries.begin({ account: `account ${i}` })
    for (let i = 0; i < 60_000; i++) failedTries.begin({ address: `address ${i}` })
    expect(failedTries.begin(ada).isAllowed).toBe(false)
  })

  test('keeps nothing of a try that was taken back', () => {
    const failedTries = openFailedTries(() => 0)
    fail(failedTries, ada, 10)
    for (let i = 0; i < 60_000; i++) {
      const attempt = failedTries.begin({ account: `account ${i}` })
      if (attempt.isAllowed) attempt.takeBack()
    }
    expect(failedTries.begin(ada).isAllowed).toBe(false)
  })

  test('stays small however many keys there are', () => {
    const failedTries = openFailedTries(() => 0)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 60_000; i++) failedTries.begin({ account: `account ${i}`, address: `address ${i}` })
    Bun.gc(true)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * 1024 * 1024)
    expect(failedTries.begin({ account: 'account 59999' }).isAllowed).toBe(true)
  })
})

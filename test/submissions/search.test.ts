import { describe, expect, test } from 'bun:test'
import { accessIn } from '../../src/forms/access.ts'
import { openReader } from '../../src/storage/reader.ts'
import { toFilter } from '../../src/submissions/search/filter.ts'
import { openSubmissionSearch } from '../../src/submissions/search/search.ts'
import { openSearchTurns } from '../../src/submissions/search/turns.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'

const start = Date.parse('2026-11-01T00:00:00Z')
const count = 20_000

interface Asked {
  /** The user who searches; the owner if absent. */
  as?: string
  cursor?: string | null
  signal?: AbortSignal
  checkAccess?: () => void
}

/** A form with many submissions, and searches that end after this much reading. */
const prepare = (maxReadingMilliseconds?: number) => {
  const data = openData()
  const ids = data.submit(
    data.formId,
    Array.from({ length: count }, (_, i) => start + i),
  )
  const reader = openReader(data.folder)
  afterThisTest(() => reader.close())
  const turns = openSearchTurns(reader, { queued: () => 0 })
  const { search } = openSubmissionSearch({
    reader,
    access: accessIn(reader.db),
    turns,
    ...(maxReadingMilliseconds !== undefined && { maxReadingMilliseconds }),
  })
  const find = (q: string, more: Asked = {}) => {
    const { as = data.userId, cursor = null, signal = new AbortController().signal, checkAccess = () => {} } = more
    const filter = toFilter({ q })
    const range = { start: null, end: null }
    return search({ userId: as, forms: null, signal, checkAccess }, data.formId, {
      list: 'inbox',
      filter,
      range,
      newer: '',
      limit: 100,
      cursor,
    })
  }
  return { ...data, ids, turns, find }
}

describe('a search', () => {
  test('ends when someone is removed from the form', async () => {
    const { find, formId, userId, run, createUser } = prepare()
    const graceId = createUser()
    const member = { email: `${graceId}@example.com`, role: 'reader', inviteHash: 'x', inviteEndsAt: 1, mailTo: null }
    run('addMember', { userId, formId, now: 0, id: 'm', ...member })
    expect((await find('nowhere', { as: graceId })).searched).toBeGreaterThan(0)
    let checks = 0
    const checkAccess = () => void (++checks === 1 && run('removeMember', { userId, formId, now: 0, id: 'm' }))
    await expect(find('nowhere', { as: graceId, checkAccess })).rejects.toThrow('Insufficient access')
    expect(checks).toBe(1)
  })

  test('ends when its time is over, and goes on with its cursor', async () => {
    const { ids, find } = prepare(0)
    const found: string[] = []
    let searched = 0
    let rounds = 0
    for (let cursor: string | null | undefined; cursor !== null; rounds++) {
      const result = await find('1999', cursor === undefined ? {} : { cursor })
      found.push(...result.submissions.map(({ id }) => id))
      searched += result.searched
      cursor = result.next
    }
    expect(searched).toBe(count)
    expect(rounds).toBeGreaterThan(2)
    expect(found).toEqual(
      [...[19_999, 19_998, 19_997, 19_996, 19_995, 19_994, 19_993, 19_992, 19_991, 19_990], 11_999, 1999].map(
        (i) => ids[i] as string,
      ),
    )
  })

  test('ends when the client has gone away, and then another one may begin', async () => {
    const { find } = prepare()
    const controller = new AbortController()
    let slices = 0
    const checkAccess = (): void => {
      if (++slices === 2) controller.abort()
    }
    const { searched, next } = await find('nothing', { signal: controller.signal, checkAccess })
    expect(slices).toBe(2)
    expect(searched).toBeLessThan(count)
    expect(next).not.toBeNull()
    expect((await find('19999')).submissions).toHaveLength(1)
  })

  test('ends with the error of a client that may no longer read, or with that of a form that is gone', async () => {
    const { find, run, userId, formId } = prepare()
    const revoked = () => {
      throw new Error('revoked')
    }
    await expect(find('nothing', { checkAccess: revoked })).rejects.toThrow('revoked')
    const deleted = () => void run('deleteForms', { userId, ids: [formId], now: start })
    await expect(find('nothing', { checkAccess: deleted })).rejects.toThrow('Form not found')
  })

  test('leaves out what was deleted since it was found', async () => {
    const { ids, find, run, userId, formId } = prepare()
    let slices = 0
    const checkAccess = (): void => {
      if (++slices === 1) run('deleteSubmissions', { userId, formId, list: 'inbox', ids: [ids[19_999], ids[19_997]] })
    }
    const { submissions } = await find('1999', { checkAccess })
    expect(slices).toBeGreaterThan(0)
    expect(submissions.map(({ id }) => id)).toEqual(
      [19_998, 19_996, 19_995, 19_994, 19_993, 19_992, 19_991, 19_990, 11_999, 1999].map((i) => ids[i] as string),
    )
  })
})

test('one search of a user, and four in all, run at the same time', () => {
  const { turns } = prepare()
  const [first] = ['a', 'b', 'c', 'd'].map((user) => turns.begin(user))
  expect(() => turns.begin('a')).toThrow('Too many requests')
  expect(() => turns.begin('e')).toThrow('Too many requests')
  first?.end()
  turns.begin('e').end()
  turns.begin('a')
  expect(() => turns.begin('a')).toThrow('Too many requests')
})

import { describe, expect, spyOn, test } from 'bun:test'
import { forbidden } from '../../src/base/errors.ts'
import { newId } from '../../src/base/id.ts'
import { parseConfig } from '../../src/config/config.ts'
import { accessIn } from '../../src/forms/access.ts'
import { formReader } from '../../src/forms/form.ts'
import { openReader } from '../../src/storage/reader.ts'
import type { Searcher } from '../../src/submissions/search/search.ts'
import { openSearchTurns } from '../../src/submissions/search/turns.ts'
import { openExportStore } from '../../src/transfer/export/store.ts'
import { maxOfPerson, openPeopleStore } from '../../src/transfer/people/store.ts'
import { afterThisTest } from '../harness.ts'
import { openData } from '../storage/data.ts'
import { rowsOf } from '../storage/sound.ts'

/** A form with that many submissions of one person among twice as many others, and the store on it. */
const start = (count: number, options: Partial<Parameters<typeof openPeopleStore>[0]> = {}) => {
  const { folder, userId, formId, execute, run, createUser } = openData()
  for (let from = 0; from < count; from += 1000)
    execute(
      Array.from({ length: Math.min(1000, count - from) }, (_, i) =>
        ['eve@example.com', `other${i}@example.com`, 'x'].map(
          (email) =>
            [
              'createSubmission',
              { formId, id: newId(Date.now()), data: JSON.stringify({ email }), fieldNames: ['email'] },
            ] as const,
        ),
      ).flat(),
    )
  const reader = openReader(folder)
  afterThisTest(() => reader.close())
  const store = openPeopleStore({
    config: parseConfig({ FORMBOX_DATA: folder }),
    reader,
    findForm: reader.remembering(formReader(reader.db)),
    access: accessIn(reader.db),
    submissions: {
      async deleteSubmissions(user, form, list, ids) {
        run('deleteSubmissions', { userId: user, formId: form, list, ids })
      },
    },
    exports: openExportStore({ folder, turns: openSearchTurns(reader, { queued: () => 0 }) }),
    turns: openSearchTurns(reader, { queued: () => 0 }),
    now: Date.now,
    ...options,
  })
  const searcher = (more: Partial<Searcher> = {}): Searcher => ({
    ...{ userId, forms: null, signal: new AbortController().signal, checkAccess: () => {} },
    ...more,
  })
  const left = () => rowsOf<{ count: number }>(folder, 'SELECT count(*) AS count FROM submissions')[0]?.count
  /** A user who is an editor of the form, and a function that removes them from it or lets them only read it. */
  const share = () => {
    const graceId = createUser()
    const member = {
      id: 'm',
      email: `${graceId}@example.com`,
      role: 'editor',
      inviteHash: 'x',
      inviteEndsAt: 1,
      mailTo: null,
    }
    const ofForm = { userId, formId, now: 0, id: 'm' }
    run('addMember', { ...ofForm, ...member })
    return {
      graceId,
      remove: () => void run('removeMember', ofForm),
      demote: () => void run('updateMember', { ...ofForm, role: 'reader' }),
    }
  }
  return { store, searcher, left, share }
}

/** Turns in which each pause seems to take so many milliseconds. */
const waitingTurns = (milliseconds: number) => {
  let pauses = 0
  const { now } = performance
  const clock = spyOn(performance, 'now').mockImplementation(() => now.call(performance) + pauses * milliseconds)
  afterThisTest(() => clock.mockRestore())
  const pause = async (): Promise<void> => void pauses++
  return { begin: () => ({ pause, end: () => {} }), pause, pauses: () => pauses }
}

const issueOf = async (refused: Promise<unknown>): Promise<string> =>
  refused.then(
    () => 'done',
    (error) => error.issues?.[0]?.message ?? error.message,
  )

describe('the store of people', () => {
  test('ends a search when its time is over, and goes on with the cursor', async () => {
    const { store, searcher } = start(2000, { maxReadingMilliseconds: 0 })
    const ids: string[] = []
    let answers = 0
    for (let cursor: string | null | undefined; cursor !== null; answers++) {
      const { matches, next } = await store.findPerson(searcher(), 'eve@example.com', cursor ?? null)
      ids.push(...matches.map(({ submissionId }) => submissionId))
      cursor = next
    }
    expect(answers).toBeGreaterThan(4)
    expect([ids.length, new Set(ids).size]).toEqual([2000, 2000])
  })

  test('finds the whole of a person however long it waits for others, and hands back a search that waits', async () => {
    const turns = waitingTurns(10_000)
    const { store, searcher, left } = start(5000, { turns })
    const found = await store.findPerson(searcher(), 'nobody@example.com', null)
    expect(found).toEqual({ matches: [], next: expect.any(String) })
    expect(turns.pauses()).toBe(1)
    expect(await store.findWholePerson('read', searcher(), 'eve@example.com')).toHaveLength(5000)
    expect((await store.erasePerson(searcher(), 'eve@example.com', 5000)).receipt.submissions).toHaveLength(5000)
    // The whole would have taken 25 seconds after three of them.
    expect(turns.pauses()).toBeGreaterThan(9)
    expect(left()).toBe(10_000)
  })

  test('erases nothing when the key or the session ends while it looks, or the client goes away', async () => {
    const { store, searcher, left } = start(5000)
    let checks = 0
    const checkAccess = (): void => {
      if (++checks > 1) throw forbidden()
    }
    expect(await issueOf(store.erasePerson(searcher({ checkAccess }), 'eve@example.com', 5000))).toBe(
      'Insufficient access',
    )
    const gone = new AbortController()
    const leaving = searcher({ signal: gone.signal, checkAccess: () => gone.abort() })
    expect(await issueOf(store.erasePerson(leaving, 'eve@example.com', 5000))).toBe(
      'cannot be looked for in one request, because there are too many submissions',
    )
    expect(left()).toBe(15_000)
    // Another search may begin after each of them.
    expect((await store.erasePerson(searcher(), 'eve@example.com', 5000)).receipt.submissions).toHaveLength(5000)
    expect(left()).toBe(10_000)
  })

  test('takes no value for a person that more than 10,000 submissions have', async () => {
    const { store, searcher, left } = start(maxOfPerson + 1)
    const message = 'is in more than 10000 submissions, so it is not the name or address of one person'
    expect(await issueOf(store.findWholePerson('read', searcher(), 'x'))).toBe(message)
    expect(await issueOf(store.exportPerson(searcher(), 'x'))).toBe(message)
    expect(await issueOf(store.erasePerson(searcher(), 'x', maxOfPerson))).toBe(message)
    expect(left()).toBe(3 * (maxOfPerson + 1))
    expect((await store.findPerson(searcher(), 'x', null)).next).not.toBeNull()
  })

  test('finds nothing of a form that is taken from someone while it looks', async () => {
    const { store, searcher, left, share } = start(5000)
    const { graceId, remove } = share()
    const once = (act: () => void) => {
      let checks = 0
      return () => void (++checks === 2 && act())
    }
    const found = await store.findPerson(
      searcher({ userId: graceId, checkAccess: once(remove) }),
      'eve@example.com',
      null,
    )
    expect(found).toEqual({ matches: [], next: null })
    expect(left()).toBe(15_000)
  })

  test('erases nothing as soon as someone may only read', async () => {
    const { store, searcher, left, share } = start(5000)
    const { graceId, demote } = share()
    let checks = 0
    const checkAccess = () => void (++checks === 2 && demote())
    const erasing = store.erasePerson(searcher({ userId: graceId, checkAccess }), 'eve@example.com', 5000)
    expect(await issueOf(erasing)).toBe('must be the number of submissions that a search finds now, which is 0')
    expect(left()).toBe(15_000)
    expect((await store.findPerson(searcher({ userId: graceId }), 'eve@example.com', null)).matches).toHaveLength(500)
  })
})

import { describe, expect, test } from 'bun:test'
import { newId, timePrefix } from '../../src/base/id.ts'
import { conditionsId } from '../../src/outbox/receivers.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { noon, openOutbox } from './outbox.ts'

const day = 86_400_000
const seven = noon + 19 * 3_600_000
const dueAt = (day: number, week = day + 604_800_000) => ({ day, week })

/** A form that tells its owner once a day, and every other address as it is given. */
const openDigests = (...others: readonly object[]) => {
  const data = openOutbox()
  const { run, userId, formId, folder, email } = data
  const entries = [{ address: email, only: null, digest: 'day' }, ...others]
  const change = (changes: object, more = {}) =>
    run('updateFormSettings', { userId, id: formId, now: noon, changes, ...more })
  change({ notify: entries })
  const members = (): number =>
    rowsOf<{ count: number }>(folder, 'SELECT count(*) AS count FROM digested_submissions')[0]?.count ?? 0
  return {
    ...data,
    entries,
    change,
    members,
    /** Stores a submission as the main thread would at this time. */
    send(at = noon, input: object = {}): string {
      const id = newId(at)
      run('createSubmission', { formId, id, data: '{"a":"1"}', fieldNames: ['a'], digestAt: dueAt(seven), ...input })
      return id
    },
    claimAt: (now: number) => data.claim({ now, lostAt: now + 60_000 }),
    digests: () => data.deliveries().filter(({ kind }) => kind === 'digest'),
    remove: (...ids: string[]) => run('deleteSubmissions', { userId, formId, list: 'inbox', ids }),
    expectRight() {
      expect(data.countsAreExact()).toBeTrue()
      expectSound(folder)
    },
  }
}

describe('a digest of the day', () => {
  test('gathers what comes until it is sent, without the limit of an hour', () => {
    const { send, digests, claimAt, deliveries, members, expectRight } = openDigests()
    const ids = Array.from({ length: 200 }, (_, i) => send(noon + i))
    expect(deliveries()).toMatchObject([{ submission: ids[0] as string, count: 200, due_at: seven, state: 'pending' }])
    expect(claimAt(seven - 1).claimed).toEqual([])
    expect(claimAt(seven).claimed).toMatchObject([{ kind: 'digest', count: 200 }])
    send(seven, { digestAt: dueAt(seven + day) })
    expect(digests().map(({ count, due_at }) => [count, due_at])).toEqual([
      [200, seven + 60_000],
      [1, seven + day],
    ])
    expect(members()).toBe(201)
    expectRight()
  })

  test('is about what meets the condition of its address, as it was decided', () => {
    const only = { field: 'topic', equals: 'Sales' }
    const stored = JSON.stringify(only)
    const { send, digests, members, deliveries, expectRight } = openDigests({
      address: 'sales@example.com',
      only,
      digest: 'day',
    })
    const id = conditionsId(JSON.stringify([stored]))
    const decision = (...holding: number[]) => ({ decision: { id, holding } })
    send(noon, decision())
    const second = send(noon + 1, decision(0))
    expect(digests().map(({ count }) => count)).toEqual([2, 1])
    expect(digests()[1]).toMatchObject({ submission: second })
    expect(members()).toBe(3)
    expect(deliveries().filter(({ kind }) => kind === 'email')).toEqual([])
    expectRight()
  })

  test('of a week waits for Monday beside that of a day, and keeps to its zone', () => {
    const { send, change, digests, claimAt, expectRight } = openDigests({ address: 'b@example.com', digest: 'week' })
    send()
    send(noon + day, { digestAt: dueAt(seven + day, seven + 4 * day) })
    send(noon + 2 * day, { digestAt: dueAt(seven + 2 * day, seven + 4 * day) })
    const due = () =>
      digests()
        .map(({ due_at, count }) => [Number(due_at) - seven, Number(count)] as const)
        .toSorted(([one], [other]) => one - other)
    expect(due()).toEqual([
      [0, 1],
      [day, 1],
      [2 * day, 1],
      [4 * day, 2],
      [7 * day, 1],
    ])
    change({ timeZone: 'Asia/Kathmandu' }, { digestAt: dueAt(seven + 3 * day, seven + 5 * day), now: noon + 2 * day })
    // Only what gathers last is put off.
    expect(due()).toEqual([
      [0, 1],
      [day, 1],
      [3 * day, 1],
      [5 * day, 2],
      [7 * day, 1],
    ])
    expect(claimAt(seven + 5 * day).claimed.length).toBeGreaterThan(0)
    expectRight()
  })

  test('of an address that gets one only since this moment is a mail of its own', () => {
    const { send, deliveries, members } = openDigests()
    send(noon, { digestAt: undefined })
    expect(deliveries()).toMatchObject([{ kind: 'email', due_at: 0 }])
    expect(members()).toBe(0)
  })

  test('loses what is deleted, whether it was sent or not, and goes with the last one', () => {
    const { send, digests, remove, claimAt, finish, members, expectRight } = openDigests()
    const [first, second, third] = [send(noon), send(noon + 1), send(noon + 2)]
    remove(first)
    expect(digests()).toMatchObject([{ submission: second, count: 2 }])
    expectRight()
    const [claimed] = claimAt(seven).claimed
    if (claimed) finish(claimed)
    remove(second)
    expect(digests()).toMatchObject([{ submission: third, count: 1, state: 'delivered' }])
    expectRight()
    remove(third)
    expect([digests(), members()]).toEqual([[], 0])
    expectRight()
  })

  test('loses what becomes spam before it is sent, and tells of nothing twice that comes back', () => {
    const { run, userId, formId, send, digests, claimAt, finish, expectRight } = openDigests()
    const [first, second] = [send(noon), send(noon + 1)]
    const mark = (id: string) => run('markSpam', { userId, formId, id, now: noon })
    const accept = (id: string, digestAt = dueAt(seven)) =>
      run('acceptSpam', { userId, formId, id, now: noon, digestAt })
    mark(first)
    mark(second)
    expect(digests()).toEqual([])
    accept(second)
    accept(first)
    expect(digests()).toMatchObject([{ submission: first, count: 2, due_at: seven }])
    expectRight()
    const [claimed] = claimAt(seven).claimed
    if (claimed) finish(claimed)
    mark(first)
    accept(first, dueAt(seven + day))
    expect(digests()).toMatchObject([{ count: 2, state: 'delivered' }])
    expectRight()
  })

  test('stays as it is while an attempt to send it is under way, and what comes is for the next one', () => {
    const { send, digests, claimAt, finish, remove, expectRight } = openDigests()
    const [first, second] = [send(noon), send(noon + 1)]
    const [claimed] = claimAt(seven).claimed
    remove(first)
    remove(second)
    expect(digests()).toEqual([])
    // Its end is of a delivery that is gone.
    if (claimed) finish(claimed)
    send(seven, { digestAt: dueAt(seven + day) })
    expect(digests()).toMatchObject([{ count: 1, state: 'pending', due_at: seven + day }])
    expectRight()
  })

  test('is due at another time when its zone is changed, unless it is due already or is no daily one', () => {
    const { send, change, digests, claimAt } = openDigests({ address: 'b@example.com' })
    for (let i = 0; i < 62; i++) send()
    const due = () => digests().map(({ due_at }) => due_at)
    const before = due()
    change({ timeZone: 'Asia/Kathmandu' }, { digestAt: dueAt(noon + 1000) })
    expect(due()).toEqual(before.map((at) => (at === seven ? noon + 1000 : at)))
    change({ timeZone: 'UTC' }, { digestAt: dueAt(seven), now: noon + 2000 })
    expect(due()).toContain(noon + 1000)
    expect(claimAt(noon + 2000).claimed.filter(({ kind }) => kind === 'digest')).toHaveLength(1)
  })

  test('comes at once by a clock that was a year ahead', () => {
    const { send, claimAt } = openDigests()
    send(noon + 365 * day, { digestAt: dueAt(seven + 365 * day) })
    expect(claimAt(noon).claimed).toMatchObject([{ kind: 'digest' }])
  })

  test('is forgotten with its form, and after 30 days, in slices', () => {
    const { run, userId, formId, send, claimAt, finish, members, digests, deliveries, expectRight } = openDigests()
    for (let i = 0; i < 12; i++) send(noon + i)
    const [claimed] = claimAt(seven).claimed
    if (claimed) finish(claimed)
    const sweep = (): number => {
      let slices = 0
      const before = timePrefix(noon + day)
      const limits = { now: noon, deliveredBefore: before, failedBefore: before, maxForms: 9, maxRows: 5 }
      for (let from: unknown = { form: 0, from: '' }; from; slices++) {
        const left = members()
        from = run('removeOldDeliveries', { ...(from as object), ...limits })
        expect(left - members()).toBeLessThanOrEqual(5)
      }
      return slices
    }
    expect(sweep()).toBe(3)
    expect([deliveries(), members()]).toEqual([[], 0])
    expectRight()

    for (let i = 0; i < 1200; i++) send(noon + i)
    expect(digests()).toMatchObject([{ count: 1200 }])
    run('deleteForms', { userId, now: noon, ids: [formId] })
    const slice = { maxRows: 500, maxBytes: 1e9 }
    for (let left = members(); left > 0; left = members()) {
      expect(run('removeDeletedSlice', slice)).toBeLessThanOrEqual(500)
      expect(left - members()).toBeLessThanOrEqual(500)
    }
    while (run('removeDeletedSlice', slice)) {}
    expect(deliveries()).toEqual([])
    expectRight()
  })

  test('is copied with the form', () => {
    const { run, userId, formId, entries, receivers } = openDigests({
      address: 'b@example.com',
      only: null,
      digest: 'day',
    })
    const copyId = newId(noon)
    run('duplicateForm', { userId, id: formId, copyId, seed: 'x'.repeat(43), now: noon })
    expect(receivers().map((row) => row.digest)).toEqual(Array(2 * entries.length).fill('day'))
  })
})

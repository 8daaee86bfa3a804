import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { maxOpened } from '../../src/submissions/unread-writes.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { openStores } from '../storage/stores.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const times = (count: number, start = noon) => Array.from({ length: count }, (_, i) => start + i * 1000)

const open = () => {
  const stores = openStores()
  const { form, submissions, userId, formId, submit, run, folder } = stores
  const allDates = { start: null, end: null }
  return {
    ...stores,
    add: (count: number, start = noon) => submit(formId, times(count, start)),
    /** The unread ones of these, oldest first, after a check that as many are counted and listed. */
    unreadOf(ids: readonly string[]) {
      const unread = submissions.unreadAmong(form(), userId, ids.toSorted().reverse())
      const found = ids.filter((id) => unread.has(id))
      expect(submissions.countUnread(form(), userId)).toBe(found.length)
      const listed = [1, 2, 3, 9].map((page) => ({
        page,
        ...submissions.listUnread(form(), userId, { page, perPage: 7 }, allDates),
      }))
      for (const { page, total, submissions: rows } of listed) {
        expect(total).toBe(found.length)
        const expected = found
          .toSorted()
          .reverse()
          .slice((page - 1) * 7, page * 7)
        expect(rows.map(({ id }) => id)).toEqual(expected)
      }
      expectSound(folder)
      return found
    },
    async read(...ids: string[]) {
      await submissions.markRead(form(), userId, ids)
    },
    unread: (...ids: string[]): number => run('markUnread', { userId, formId, ids }) as number,
    readAll: (upTo: string) => submissions.markAllRead(userId, formId, upTo),
    moveToSpam: (id: string) => run('markSpam', { userId, formId, id, now: noon }),
    accept: (id: string) => run('acceptSpam', { userId, formId, id, now: noon }),
    addSpam(at: number): string {
      const id = newId(at)
      run('createSubmission', { formId, id, data: '{}', reason: 'links', fieldNames: [] })
      return id
    },
    /** Rows in the file that say what has been read. */
    stored: () => ({
      marks: rowsOf(folder, 'SELECT 1 FROM unread_marks').length,
      opened: rowsOf(folder, 'SELECT 1 FROM opened_submissions').length,
    }),
  }
}

describe('what is unread', () => {
  test('is all that has come, until it is opened, and whatever is newer or older', async () => {
    const { add, unreadOf, read, stored } = open()
    expect(unreadOf([])).toEqual([])
    const ids = add(30)
    expect(unreadOf(ids)).toEqual(ids)
    expect(stored()).toEqual({ marks: 0, opened: 0 })
    await read(ids[20] as string, ids[29] as string)
    expect(unreadOf(ids)).toEqual([...ids.slice(0, 20), ...ids.slice(21, 29)])
    expect(stored()).toEqual({ marks: 1, opened: 2 })
  })

  test('costs one row a form who reads everything, in whatever order', async () => {
    const { add, unreadOf, read, stored } = open()
    const ids = add(40)
    for (const id of ids.toReversed()) await read(id)
    expect(unreadOf(ids)).toEqual([])
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    const later = add(3, noon + 1_000_000)
    expect(unreadOf([...ids, ...later])).toEqual(later)
    await read(later[0] as string)
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    expect(unreadOf([...ids, ...later])).toEqual(later.slice(1))
  })

  test('is written only when something was unread', async () => {
    const { add, read, sent } = open()
    const ids = add(3)
    await read(ids[1] as string)
    await read(ids[1] as string)
    await read('0'.repeat(28))
    expect(sent).toEqual(['markRead'])
  })

  test('ends with “all up to here”, and what came after that stays unread', async () => {
    const { add, unreadOf, read, readAll, stored } = open()
    const ids = add(30)
    await read(ids[20] as string, ids[25] as string)
    await readAll(ids[24] as string)
    expect(unreadOf(ids)).toEqual(ids.slice(26))
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    await readAll(ids[3] as string)
    expect(unreadOf(ids)).toEqual(ids.slice(26))
    // No one can read what has not come yet.
    await readAll('z'.repeat(28))
    const later = add(1, noon + 1_000_000)
    expect(unreadOf([...ids, ...later])).toEqual(later)
  })

  test('stays right when submissions are deleted, and takes what was kept about them along', async () => {
    const { add, unreadOf, read, remove, stored, form } = open()
    const ids = add(30)
    await read(...ids.slice(10, 20), ids[29] as string)
    remove([...ids.slice(5, 15), ids[29] as string])
    const left = [...ids.slice(0, 5), ...ids.slice(15, 29)]
    expect(unreadOf(left)).toEqual([...ids.slice(0, 5), ...ids.slice(20, 29)])
    expect(stored()).toEqual({ marks: 1, opened: 5 })
    remove(left)
    expect(unreadOf([])).toEqual([])
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    form()
    const again = add(2, noon - 1_000_000)
    expect(unreadOf(again)).toEqual(again)
  })

  test('misses nothing after the clock was set back', async () => {
    const { add, unreadOf, readAll, read } = open()
    const ahead = add(2, noon + 86_400_000_000)
    await readAll(ahead[1] as string)
    const late = add(20)
    // Those that were dated ahead are unread again, for a person has one boundary.
    expect(unreadOf([...late, ...ahead])).toEqual([...late, ...ahead])
    await read(...late, ...ahead)
    expect(unreadOf([...late, ...ahead])).toEqual([])
    const last = add(1, noon + 500_000)
    expect(unreadOf([...late, ...last, ...ahead])).toEqual([...last, ...ahead])
  })

  test.each(['read', 'unread'])('comes back from the spam as it was: %s', async (state) => {
    for (const others of ['read', 'unread']) {
      const { add, unreadOf, read, moveToSpam, accept } = open()
      const ids = add(9)
      const moved = [ids[4] as string, ids[8] as string]
      if (others === 'read') await read(...ids.filter((id) => !moved.includes(id)))
      if (state === 'read') await read(...moved)
      const before = unreadOf(ids)
      for (const id of moved) moveToSpam(id)
      expect(unreadOf(ids.filter((id) => !moved.includes(id)))).toEqual(before.filter((id) => !moved.includes(id)))
      for (const id of moved) accept(id)
      expect(unreadOf(ids)).toEqual(before)
    }
  })

  test('comes back from the spam as it was, whatever was read meanwhile', async () => {
    const { add, unreadOf, read, readAll, moveToSpam, accept, stored, run, userId, formId } = open()
    const ids = add(20)
    await read(...ids.slice(0, 5))
    const [wasRead, unread, last] = [ids[2], ids[10], ids[19]] as [string, string, string]
    for (const id of [wasRead, unread, last]) moveToSpam(id)
    const others = ids.filter((id) => ![wasRead, unread, last].includes(id))
    await read(...others)
    expect(unreadOf(others)).toEqual([])
    for (const id of [last, unread, wasRead]) accept(id)
    expect(unreadOf(ids)).toEqual([unread, last])
    await read(unread)
    expect(unreadOf(ids)).toEqual([last])
    await readAll(last)
    expect(unreadOf(ids)).toEqual([])
    expect(stored()).toEqual({ marks: 1, opened: 0 })

    // What is deleted from the spam leaves nothing.
    for (const id of ids.slice(0, 4)) moveToSpam(id)
    expect(stored().opened).toBe(4)
    run('deleteSubmissions', { userId, formId, list: 'spam', ids: ids.slice(0, 2) })
    run('deleteAllSpam', { userId, formId })
    while (run('removeDeletedSlice', { maxRows: 7, maxBytes: 1000 }));
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    expect(unreadOf(ids.slice(4))).toEqual([])
  })

  test('counts as read when it comes back to more than can be stored one by one', async () => {
    const { add, userId, moveToSpam, accept, readAll, stored, submissions, form } = open()
    const ids = add(maxOpened + 3)
    moveToSpam(ids[0] as string)
    await readAll(ids.at(-1) as string)
    accept(ids[0] as string)
    expect(submissions.countUnread(form(), userId)).toBe(0)
    expect(stored()).toEqual({ marks: 1, opened: 0 })
  })

  test('is what was read and is marked as unread again, wherever it is', async () => {
    const { add, unreadOf, unread, read, readAll, stored, moveToSpam } = open()
    const ids = add(30)
    await readAll(ids.at(-1) as string)
    const [old, middle, spam, late] = [3, 11, 17, 25].map((i) => ids[i] as string) as [string, string, string, string]
    moveToSpam(spam)
    expect(unread(middle, late, old, old, spam)).toBe(3)
    const left = ids.filter((id) => id !== spam)
    expect(unreadOf(left)).toEqual([old, middle, late])
    expect(unread(middle)).toBe(0)
    await read(middle)
    expect(unreadOf(left)).toEqual([old, late])
    expect(unread(middle)).toBe(1)
    expect(unreadOf(left)).toEqual([old, middle, late])
    await read(old, middle, late)
    // The row is that of the spam.
    expect([unreadOf(left), stored()]).toEqual([[], { marks: 1, opened: 1 }])
  })

  test('stays read if more that came after it was read than can be stored one by one', async () => {
    const { add, unread, readAll, stored, submissions, form, userId } = open()
    const ids = add(maxOpened + 2)
    await readAll(ids.at(-1) as string)
    expect(unread(ids[0] as string)).toBe(0)
    expect(unread(ids[1] as string)).toBe(1)
    expect(submissions.countUnread(form(), userId)).toBe(1)
    expect(stored()).toEqual({ marks: 1, opened: maxOpened })
  })

  test('looks once at what is too far back, however many are asked for: other writes wait for it', async () => {
    const { add, unread, readAll, submissions, form, userId } = open()
    const ids = add(maxOpened + 600)
    await readAll(ids.at(-1) as string)
    const oneByOne = []
    for (let i = 0; i < 5; i++) oneByOne.push(await processorMillisecondsOf(() => unread(ids[0] as string)))
    const all = () => processorMillisecondsOf(() => expect(unread(...ids.slice(0, 500))).toBe(0))
    await expectBelow(30 * Math.min(...oneByOne) + 20, all)
    expect(submissions.countUnread(form(), userId)).toBe(0)
  })

  test('is no spam, nor what was taken for spam and was accepted', async () => {
    const { add, addSpam, unreadOf, accept } = open()
    const ids = add(5)
    const spam = [addSpam(noon + 2500), addSpam(noon + 60_000)]
    expect(unreadOf(ids)).toEqual(ids)
    for (const id of spam) accept(id)
    expect(unreadOf([...ids, ...spam])).toEqual(ids)
  })

  test('keeps few rows of who reads only what is new: the oldest unread ones then count as read', async () => {
    const { add, run, userId, formId, stored, submissions, form } = open()
    const ids = add(maxOpened + 20)
    run('markRead', { userId, formId, ids: ids.slice(10, maxOpened + 9) })
    expect(submissions.countUnread(form(), userId)).toBe(21)
    run('markRead', { userId, formId, ids: ids.slice(maxOpened + 9, maxOpened + 11) })
    expect(stored()).toEqual({ marks: 1, opened: 0 })
    expect(submissions.countUnread(form(), userId)).toBe(9)
  })

  test('is marked as read as fast in a form with many submissions as in one with few', async () => {
    const { db, userId, formId, run, createForm, submit } = open()
    const many = createForm(userId)
    db.$client
      .query(`WITH RECURSIVE counted (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted LIMIT 200000)
        INSERT INTO submissions (form, list, id, data)
        SELECT number, 0, printf('%028d', n), '{}' FROM forms, counted WHERE id = ?`)
      .run(many)
    const markIn = (form: string) => {
      const ids = submit(form, times(100))
      run('markAllRead', { userId, formId: form, upTo: ids[0] })
      return () => processorMillisecondsOf(() => run('markRead', { userId, formId: form, ids: ids.splice(1, 5) }))
    }
    const alone = markIn(formId)
    const lowest = Math.min(await alone(), await alone(), await alone(), await alone(), await alone())
    await expectBelow(2 * lowest + 3, markIn(many))
  })

  test('has its place among its neighbours', async () => {
    const { add, read, submissions, form, userId } = open()
    const ids = add(6)
    await read(ids[2] as string, ids[3] as string)
    const neighbours = (id: string | undefined) => submissions.findUnreadNeighbours(form(), userId, id as string)
    expect(neighbours(ids[3])).toEqual({ older: ids[1], newer: ids[4] })
    expect(neighbours(ids[0])).toEqual({ older: undefined, newer: ids[1] })
    expect(neighbours(ids[5])).toEqual({ older: ids[4], newer: undefined })
    expect(submissions.findPlace(form(), 'inbox', ids[5] as string).position).toBe(1)
    expect(submissions.findPlace(form(), 'inbox', ids[0] as string).position).toBe(6)
  })

  test('is limited to dates', async () => {
    const { add, read, submissions, userId, form } = open()
    const ids = add(30)
    await read(ids[10] as string, ids[12] as string, ids[25] as string)
    const range = { start: noon + 5000, end: noon + 14_000 }
    const { total, submissions: rows } = submissions.listUnread(form(), userId, { page: 2, perPage: 5 }, range)
    expect(total).toBe(8)
    expect(rows.map(({ id }) => id)).toEqual([ids[7], ids[6], ids[5]] as string[])
  })

  test('is the owner’s alone, and goes with the form', async () => {
    const { add, read, forms, run, createUser, submissions, form, formId, stored, userId } = open()
    const ids = add(30)
    const stranger = createUser()
    expect(submissions.markRead(form(), stranger, ids)).rejects.toThrow('Insufficient access')
    expect(submissions.markAllRead(stranger, formId, ids[0] as string)).rejects.toThrow('Insufficient access')
    await read(...ids.slice(5, 9))
    await forms.deleteForm(userId, formId)
    while (run('removeDeletedSlice', { maxRows: 7, maxBytes: 1000 }));
    expect(stored()).toEqual({ marks: 0, opened: 0 })
  })
})

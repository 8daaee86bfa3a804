import { describe, expect, test } from 'bun:test'
import { openData } from '../storage/data.ts'
import { expectSound } from '../storage/sound.ts'
import { openStores } from '../storage/stores.ts'

// After all that the tests create, however long they take.
const later = Date.now() + 3_600_000

const open = () => {
  const stores = openStores()
  const { form, formLists, createUser, createForm } = stores
  const userId = createUser()
  return {
    ...stores,
    userId,
    create: (count: number) => Array.from({ length: count }, (_, i) => createForm(userId, String(i))),
    list(page = 1, perPage = 100) {
      form()
      const { total, forms: found } = formLists.listFormsByActivity(userId, { page, perPage })
      return { total, ids: found.map(({ id }) => id) }
    },
  }
}

describe('the forms of a user by activity', () => {
  test('are looked through once for all tabs that are told, until something is written', () => {
    const { create, submit, form, formLists, userId } = open()
    const [a = '', b = ''] = create(2)
    form()
    const before = formLists.findLastActive(userId)
    expect(before).toMatchObject({ total: 2, forms: [{ id: b }] })
    expect(formLists.findLastActive(userId)).toBe(before)
    submit(a, [later])
    form()
    expect(formLists.findLastActive(userId)).toMatchObject({ total: 2, forms: [{ id: a, submissionCount: 1 }] })
  })

  test('are those with the newest submission first, and a form without any at its creation', () => {
    const { create, list, submit, userId, createForm, folder } = open()
    const [a = '', b = '', c = ''] = create(3)
    expect(list()).toEqual({ total: 3, ids: [c, b, a] })
    submit(a, [later])
    expect(list().ids).toEqual([a, c, b])
    submit(b, [later + 10_000])
    submit(a, [later + 20_000])
    expect(list().ids).toEqual([a, b, c])
    // What is older than the form itself changes nothing.
    submit(c, [1000])
    expect(list().ids).toEqual([a, b, c])
    const d = createForm(userId)
    expect(list().ids).toEqual([a, b, d, c])
    expectSound(folder)
  })

  test('follow a deletion of the newest submission, of all of them and of a form', () => {
    const { create, list, submit, run, userId, folder } = open()
    const [a = '', b = '', c = ''] = create(3)
    const [first = '', last = ''] = submit(a, [later, later + 20_000])
    submit(b, [later + 10_000])
    const remove = (ids: string[]) => run('deleteSubmissions', { userId, formId: a, list: 'inbox', ids })
    expect(list().ids).toEqual([a, b, c])
    remove([last])
    expect(list().ids).toEqual([b, a, c])
    expectSound(folder)
    remove([first])
    expect(list().ids).toEqual([b, c, a])
    run('deleteForms', { userId, now: later, ids: [b] })
    expect(list()).toEqual({ total: 2, ids: [c, a] })
    expectSound(folder)
  })

  test('come in pages, without the forms of others, and a duplicate comes first', () => {
    const { create, list, submit, run, createForm, createUser, userId } = open()
    const ids = create(45)
    const strangers = createForm(createUser())
    submit(strangers, [later + 1_000_000])
    ids.forEach((id, i) => void submit(id, [later + ((i * 7) % 45) * 10_000]))
    const expected = ids
      .map((id, i) => ({ id, at: (i * 7) % 45 }))
      .sort((x, y) => y.at - x.at)
      .map(({ id }) => id)
    expect([1, 2, 3, 4].map((page) => list(page, 20))).toEqual(
      [0, 20, 40, 60].map((start) => ({ total: 45, ids: expected.slice(start, start + 20) })),
    )
    const copyId = `${'zz'}${(ids[0] as string).slice(2)}`
    run('duplicateForm', { userId, id: ids[0], copyId })
    expect(list(1, 1)).toEqual({ total: 46, ids: [copyId] })
  })
})

test('the list by activity reads and sorts the rows of its user alone', () => {
  const { db } = openData()
  const query =
    "EXPLAIN QUERY PLAN SELECT * FROM forms WHERE user_id = +'u' AND deleted_at IS NULL ORDER BY latest_id DESC"
  const steps = db.$client.query<{ detail: string }, []>(query).all()
  expect(steps.map(({ detail }) => detail)).toEqual([
    'SEARCH forms USING INDEX forms_of_user (user_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ])
})

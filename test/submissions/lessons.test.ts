import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId } from '../../src/base/id.ts'
import { runsOf } from '../runs.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'

const noon = Date.UTC(2026, 10, 22, 12)
const day = 86_400_000

const lessonOf = (...tokens: number[]): string => Buffer.from(new Uint32Array(tokens).buffer).toString('base64')

/** A form that learns, whose submissions this test marks and takes back. */
const open = (settings: object = { learnSpam: true }) => {
  const data = openData()
  const { folder, userId, formId, run } = data
  run('updateFormSettings', { userId, id: formId, now: noon, changes: settings })
  const about = (id: string, at: number) => ({ userId, formId, id, now: at })
  return {
    ...data,
    add(reason?: string): string {
      const id = newId(noon)
      run('createSubmission', { formId, id, data: '{"a":"b"}', fieldNames: reason ? [] : ['a'], reason })
      return id
    },
    mark: (id: string, lesson: string | null = lessonOf(1), at = noon) =>
      run('markSpam', { ...about(id, at), ...(lesson !== null && { lesson }) }),
    accept: (id: string, lesson: string | null = lessonOf(1), at = noon) =>
      run('acceptSpam', { ...about(id, at), ...(lesson !== null && { lesson }) }),
    keep: (id: string, lesson = lessonOf(1)) => run('keepInInbox', { ...about(id, noon), lesson }),
    remove: (list: string, id: string, isErasing = false) =>
      run('deleteSubmissions', { userId, formId, list, ids: [id], now: noon, isErasing }),
    lessons: () =>
      rowsOf<{ submission: string; spam: number }>(
        folder,
        'SELECT submission, is_spam AS spam FROM lessons ORDER BY number',
      ).map(({ submission, spam }) => [submission, spam === 1 ? 'spam' : 'good']),
    changes: () => rowsOf<{ n: number }>(folder, 'SELECT lesson_changes AS n FROM forms WHERE id = ?', formId)[0]?.n,
  }
}

describe('a form that learns', () => {
  test('stores the tokens of what is marked, and when it was', () => {
    const { folder, add, mark, changes } = open()
    const id = add()
    mark(id, lessonOf(3, 5, 2 ** 32 - 1), noon + 7)
    const [row] = rowsOf(folder, 'SELECT submission, is_spam, at, hex(tokens) AS tokens FROM lessons')
    expect(row).toEqual({ submission: id, is_spam: 1, at: noon + 7, tokens: '0300000005000000FFFFFFFF' })
    expect(changes()).toBe(1)
  })

  test('has one lesson after a mark, its undoing and another mark', () => {
    const { add, mark, accept, lessons } = open()
    const id = add()
    mark(id)
    accept(id)
    expect(lessons()).toEqual([])
    mark(id)
    expect(lessons()).toEqual([[id, 'spam']])
  })

  test('learns of its own mistakes, and of no other filter’s', () => {
    const { add, accept, lessons } = open()
    for (const reason of ['honeypot', 'terms', 'links']) accept(add(reason))
    expect(lessons()).toEqual([])
    const mistake = add('similar')
    accept(mistake)
    expect(lessons()).toEqual([[mistake, 'good']])
  })

  test('keeps what its spam taught when that is deleted, but not when it is erased', () => {
    const { userId, formId, folder, run, add, mark, remove, lessons } = open()
    const ids = [add(), add(), add()] as const
    for (const id of ids) mark(id)
    remove('spam', ids[0])
    remove('spam', ids[1], true)
    run('deleteAllSpam', { userId, formId, now: noon })
    expect(lessons()).toEqual([
      [ids[0], 'spam'],
      [ids[2], 'spam'],
    ])
    expectSound(folder)
  })

  test('forgets what was taken back when that is deleted, erased or too old', () => {
    const { userId, formId, run, add, accept, keep, remove, lessons } = open()
    const ids = [add('similar'), add('similar'), add()] as const
    accept(ids[0])
    accept(ids[1])
    keep(ids[2])
    expect(lessons()).toHaveLength(3)
    remove('inbox', ids[0])
    remove('inbox', ids[1], true)
    expect(lessons()).toEqual([[ids[2], 'good']])
    run('updateFormSettings', { userId, id: formId, now: noon, changes: { retentionDays: 1 } })
    run('removeOldSubmissions', { list: 'inbox', form: 0, from: '', now: noon + 2 * day, maxForms: 9, maxRows: 99 })
    expect(lessons()).toEqual([])
  })

  test('keeps nothing of the inbox that is not there, or in the spam', () => {
    const { add, keep, mark, lessons } = open()
    const id = add()
    mark(id)
    expect(() => keep(id)).toThrow('Submission not found')
    expect(lessons()).toEqual([[id, 'spam']])
  })

  test('has the newest 300 marks, and the newest 100 that were taken back', () => {
    const { folder, add, mark, keep, lessons } = open()
    const marked = Array.from({ length: 302 }, () => add())
    const kept = Array.from({ length: 101 }, () => add())
    for (const id of marked) mark(id)
    for (const id of kept) keep(id)
    expect(lessons()).toEqual([
      ...marked.slice(2).map((id) => [id, 'spam']),
      ...kept.slice(1).map((id) => [id, 'good']),
    ])
    expectSound(folder)
  })

  test('learns once of what was marked before, if that is still in its spam', () => {
    const { folder, formId, run, add, mark, accept, lessons, changes } = open()
    const ids = [add(), add(), add('honeypot')] as const
    mark(ids[0], null)
    mark(ids[1], null)
    accept(ids[1], null)
    expect([lessons(), changes()]).toEqual([[], 0])
    const old = ids.map((id) => ({ id, at: noon - day, lesson: lessonOf(2) }))
    run('learnMarked', { formId, lessons: old })
    expect(lessons()).toEqual([[ids[0], 'spam']])
    expect(rowsOf(folder, 'SELECT at FROM lessons')).toEqual([{ at: noon - day }])
    const before = changes()
    run('learnMarked', { formId, lessons: old })
    expect(changes()).toBe(before)
  })

  test('forgets everything at once, and does not learn it again', () => {
    const { userId, formId, run, add, mark, lessons } = open()
    const id = add()
    mark(id)
    run('forgetLessons', { userId, formId, now: noon })
    run('learnMarked', { formId, lessons: [{ id, at: noon, lesson: lessonOf(1) }] })
    expect(lessons()).toEqual([])
  })

  test('lets no one forget who may not change its settings', () => {
    const { formId, run, createUser } = open()
    expect(() => run('forgetLessons', { userId: createUser(), formId, now: noon })).toThrow()
  })

  test('takes its lessons along when it is deleted, and a copy of it begins without', () => {
    const { folder, userId, formId, run, add, mark } = open()
    mark(add())
    run('duplicateForm', { userId, id: formId, copyId: newId(noon), seed: 's', now: noon })
    expect(rowsOf(folder, 'SELECT lesson_changes AS n FROM forms ORDER BY number')).toEqual([{ n: 1 }, { n: 0 }])
    run('deleteForms', { userId, now: noon, ids: [formId] })
    while (run('removeDeletedSlice', { maxRows: 500, maxBytes: 1 })) {}
    expect(rowsOf(folder, 'SELECT * FROM lessons')).toEqual([])
    expectSound(folder)
  })
})

test('a form that does not learn stores nothing of a mark, but forgets what is taken back', () => {
  const { userId, formId, run, add, mark, accept, lessons, changes } = open({})
  mark(add())
  expect([lessons(), changes()]).toEqual([[], 0])
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { learnSpam: true } })
  const id = add()
  mark(id)
  run('updateFormSettings', { userId, id: formId, now: noon, changes: { learnSpam: false } })
  expect(lessons()).toEqual([[id, 'spam']])
  accept(id)
  expect(lessons()).toEqual([])
})

test('whatever is done, the lessons are those of a list that is kept by hand', () => {
  const step = fc.tuple(fc.constantFrom('add', 'similar', 'mark', 'accept', 'keep', 'delete', 'erase'), fc.nat(9))
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
      const { folder, add, mark, accept, keep, remove, lessons } = open()
      const places = new Map<string, { list: 'inbox' | 'spam'; reason?: 'marked' | 'similar' }>()
      let expected: string[][] = []
      const forget = (id: string) => {
        expected = expected.filter(([one]) => one !== id)
      }
      const teach = (id: string, kind: string) => {
        forget(id)
        expected.push([id, kind])
      }
      for (const [what, nth] of steps) {
        if (what === 'add') places.set(add(), { list: 'inbox' })
        else if (what === 'similar') places.set(add('similar'), { list: 'spam', reason: 'similar' })
        else {
          const [id, place] = [...places][nth] ?? []
          if (id === undefined || place === undefined) continue
          if (what === 'delete' || what === 'erase') {
            remove(place.list, id, what === 'erase')
            places.delete(id)
            if (what === 'erase' || place.list === 'inbox') forget(id)
          } else if (place.list === 'inbox' && what === 'mark') {
            mark(id)
            places.set(id, { list: 'spam', reason: 'marked' })
            teach(id, 'spam')
          } else if (place.list === 'inbox' && what === 'keep') {
            keep(id)
            teach(id, 'good')
          } else if (place.list === 'spam' && what === 'accept') {
            accept(id)
            places.set(id, { list: 'inbox' })
            if (place.reason === 'similar') teach(id, 'good')
            else forget(id)
          }
        }
      }
      expect(lessons()).toEqual(expected)
      expectSound(folder)
    }),
    { numRuns: runsOf(60) },
  )
})

import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { importRows } from './import-rows.ts'

const noon = Date.UTC(2026, 10, 22, 12)

/** A form with three submissions of a hundred notes each. */
const withNotes = () => {
  const data = openData()
  const { userId, formId, submit, run } = data
  const ids = submit(formId, [noon, noon + 1, noon + 2])
  for (const submissionId of ids)
    for (let i = 0; i < 100; i++)
      run('addNote', { userId, formId, submissionId, id: newId(noon), text: 'x'.repeat(2000) })
  const left = () => rowsOf(data.folder, 'SELECT submission FROM notes').length
  const slice = () => run('removeDeletedSlice', { maxRows: 500, maxBytes: 1 })
  return { ...data, ids, left, slice }
}

test('the notes of submissions that are deleted together are removed in slices', () => {
  const { folder, userId, formId, ids, run, left, slice } = withNotes()
  expect(run('deleteSubmissions', { userId, formId, list: 'inbox', ids })).toBe(true)
  for (const rest of [300, 200, 100]) {
    expect(left()).toBe(rest)
    expectSound(folder)
    expect(slice()).toBe(1)
  }
  expect([left(), slice()]).toEqual([0, 0])
})

test.each([
  ['the whole spam', 'deleteAllSpam', 'formId'],
  ['a form', 'deleteForms', 'ids'],
] as const)('the notes of %s are removed in slices', (_, command, name) => {
  const { userId, formId, ids, run, left, slice } = withNotes()
  if (command === 'deleteAllSpam') for (const id of ids) run('markSpam', { userId, formId, id, now: noon })
  run(command, { userId, now: noon, [name]: name === 'ids' ? [formId] : formId })
  for (const rest of [300, 200, 100]) {
    expect(left()).toBe(rest)
    expect(slice()).toBeLessThanOrEqual(2)
  }
  while (slice());
  expect(left()).toBe(0)
})

test('what is imported again finds no notes from before, and keeps its own', () => {
  const { folder, userId, formId, ids, run, left, slice } = withNotes()
  run('deleteSubmissions', { userId, formId, list: 'inbox', ids })
  const [first, second] = ids as [string, string]
  importRows({ run, userId, formId }, [
    [first, '{"a":1}'],
    [second, '{"a":1}', JSON.stringify([[newId(noon), 'Kept']])],
  ])
  expect(left()).toBe(101)
  while (slice());
  expect(rowsOf(folder, 'SELECT submission, text, user_id FROM notes')).toEqual([
    { submission: second, text: 'Kept', user_id: null },
  ])
  expectSound(folder)
})

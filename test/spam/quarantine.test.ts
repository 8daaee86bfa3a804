import { expect, test } from 'bun:test'
import { newId } from '../../src/id.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'

const noon = Date.UTC(2026, 10, 22, 12)

test('goes with the user who is deleted', () => {
  const { folder, userId, formId, createUser, createForm, run } = openData()
  const other = createForm(createUser())
  for (const form of [formId, other])
    run('createSpam', { formId: form, id: newId(noon), data: '{"a":1}', reason: 'honeypot' })
  run('deleteUser', { userId, now: noon })
  while (run('removeDeletedSlice', { maxRows: 500, maxBytes: 1 })) {}
  expect(rowsOf(folder, 'SELECT id FROM forms ORDER BY number')).toEqual([{ id: other }, { id: `spam:${other}` }])
  expect(rowsOf(folder, 'SELECT id FROM submissions')).toHaveLength(1)
  expectSound(folder)
})

test('keeps its stretches short, and those of the list, when much is moved newest first', () => {
  const { folder, userId, formId, submit, run } = openData()
  const ids = submit(
    formId,
    Array.from({ length: 1500 }, (_, i) => noon + i),
  ).reverse()
  const longest = () =>
    rowsOf<{ count: number }>(folder, 'SELECT max(count) AS count FROM tallies WHERE level = 0')[0]?.count
  for (const id of ids) run('markSpam', { userId, formId, id, now: noon })
  expect(longest()).toBeLessThanOrEqual(1024)
  for (const id of ids) run('acceptSpam', { userId, formId, id, now: noon })
  expect(longest()).toBeLessThanOrEqual(1024)
  expect(rowsOf(folder, 'SELECT submission_count AS count FROM forms ORDER BY number')).toEqual([
    { count: 1500 },
    { count: 0 },
  ])
  expectSound(folder)
}, 60_000)

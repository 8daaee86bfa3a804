import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { importRows } from './import-rows.ts'

const noon = Date.UTC(2026, 10, 22, 12)

test('goes with the user who is deleted', () => {
  const { folder, userId, formId, createUser, createForm, run } = openData()
  const other = createForm(createUser())
  for (const form of [formId, other])
    run('createSubmission', { fieldNames: [], formId: form, id: newId(noon), data: '{"a":1}', reason: 'honeypot' })
  run('deleteUser', { userId, now: noon })
  while (run('removeDeletedSlice', { maxRows: 500, maxBytes: 1 })) {}
  expect(rowsOf(folder, 'SELECT id FROM forms ORDER BY number')).toEqual([{ id: other }])
  expect(rowsOf(folder, 'SELECT id FROM submissions')).toHaveLength(1)
  expectSound(folder)
})

const webhook = (userId: string, formId: string) => ({
  userId,
  formId,
  id: newId(noon),
  url: 'https://hooks.example/',
  host: 'hooks.example:443',
  format: 'standard',
  description: null,
  secret: 'whsec_x',
})

/** As if every receiver had answered. */
const deliverAll = (run: ReturnType<typeof openData>['run']): void => {
  const room = { limit: 100, maxUnderWay: 64, maxPerHost: 64, maxLong: 4, underWay: [], pausedHosts: [] }
  const place = { node: 'a', after: 0, now: noon, lostAt: noon + 60_000 }
  const { claimed } = run('claimDeliveries', { ...room, ...place }) as { claimed: { form: number; id: string }[] }
  const log = { at: noon, milliseconds: 1, status: 204, error: null, answer: '' }
  run(
    'finishDeliveries',
    claimed.map(({ form, id }) => ({
      form,
      id,
      attempt: 1,
      outcome: { state: 'delivered' },
      log,
      disabledReason: null,
    })),
  )
}

test('goes at once and is removed in slices, with what was told of it, when all of it is deleted', () => {
  const { folder, userId, formId, submit, run } = openData()
  run('createWebhook', webhook(userId, formId))
  const [good, ...marked] = submit(formId, [noon, noon + 1, noon + 2, noon + 3])
  deliverAll(run)
  const removeAll = () => {
    while (run('removeDeletedSlice', { maxRows: 2, maxBytes: 1 })) {}
  }
  const abandoned = () => rowsOf(folder, 'SELECT list FROM abandoned_lists ORDER BY list')
  for (const id of marked) run('markSpam', { userId, formId, id, now: noon })
  expect(rowsOf(folder, "SELECT id FROM deliveries WHERE state = 'delivered'")).toHaveLength(4)
  expect(run('deleteAllSpam', { userId, formId })).toBe(3)
  // Once more before anything is removed, and nothing the third time.
  run('createSubmission', { fieldNames: [], formId, id: newId(noon + 4), data: '{"a":1}', reason: 'honeypot' })
  expect(run('deleteAllSpam', { userId, formId })).toBe(1)
  expect(run('deleteAllSpam', { userId, formId })).toBe(0)
  expect(abandoned()).toEqual([{ list: 1 }, { list: 2 }])
  expectSound(folder)
  const last = newId(noon + 5)
  run('createSubmission', { fieldNames: [], formId, id: last, data: '{"a":1}', reason: 'honeypot' })
  removeAll()
  expect(abandoned()).toEqual([])
  expect(rowsOf(folder, 'SELECT id FROM submissions ORDER BY id')).toEqual([{ id: good }, { id: last }])
  expect(rowsOf(folder, 'SELECT submission FROM deliveries')).toEqual([{ submission: good }])
  expectSound(folder)
})

test('keeps its stretches short, and those of the list, when much is moved newest first', () => {
  const { folder, userId, formId, submit, execute } = openData()
  const ids = submit(
    formId,
    Array.from({ length: 1500 }, (_, i) => noon + i),
  ).reverse()
  // In one transaction: 1,500 of them took two minutes on a busy disk.
  const moveAll = (command: 'markSpam' | 'acceptSpam'): void => {
    const outcomes = execute(ids.map((id) => [command, { userId, formId, id, now: noon }]))
    expect(outcomes.filter((outcome) => !('result' in outcome))).toEqual([])
  }
  const longest = () =>
    rowsOf<{ count: number }>(folder, 'SELECT max(count) AS count FROM tallies WHERE level = 0')[0]?.count
  moveAll('markSpam')
  expect(longest()).toBeLessThanOrEqual(1024)
  moveAll('acceptSpam')
  expect(longest()).toBeLessThanOrEqual(1024)
  expect(rowsOf(folder, 'SELECT submission_count, spam_count FROM forms')).toEqual([
    { submission_count: 1500, spam_count: 0 },
  ])
  expectSound(folder)
})

test('is forgotten at once by what is imported again, which keeps what comes with it', () => {
  const { folder, userId, formId, submit, run } = openData()
  run('createWebhook', webhook(userId, formId))
  const ids = submit(formId, [noon, noon + 1])
  const [first, second] = ids as [string, string]
  deliverAll(run)
  const addNote = (submissionId: string, text: string) =>
    run('addNote', { userId, formId, submissionId, id: newId(noon), text })
  run('markRead', { userId, formId, ids })
  run('handleSubmissions', { userId, formId, ids, state: 'done', now: noon })
  for (const id of ids) addNote(id, 'Old')
  for (const id of ids) run('markSpam', { userId, formId, id, now: noon })
  run('deleteAllSpam', { userId, formId, now: noon })

  importRows({ run, userId, formId }, [
    [first, '{"a":1}'],
    [second, JSON.stringify({ a: 'x'.repeat(200_000) })],
  ])
  expectSound(folder)
  addNote(first, 'New')
  run('handleSubmissions', { userId, formId, ids: [second], state: 'done', now: noon })
  while (run('removeDeletedSlice', { maxRows: 1, maxBytes: 1 })) {}
  expectSound(folder)
  expect(rowsOf(folder, 'SELECT text FROM notes')).toEqual([{ text: 'New' }])
  expect(rowsOf(folder, 'SELECT submission, state FROM handling')).toEqual([{ submission: second, state: 'done' }])
  expect(rowsOf(folder, 'SELECT submission FROM opened_submissions')).toEqual([])
  expect(rowsOf(folder, 'SELECT submission FROM deliveries')).toEqual([])
  expect(rowsOf(folder, 'SELECT list FROM abandoned_lists')).toEqual([])
  expect(rowsOf(folder, 'SELECT list, count(*) AS pieces FROM pieces')).toEqual([{ list: 0, pieces: 4 }])
})

test('takes a long submission again whose pieces are still to be removed', () => {
  const { folder, userId, formId, run } = openData()
  const id = newId(noon)
  const data = JSON.stringify({ a: 'x'.repeat(200_000) })
  const chosen = { userId, formId, id, now: noon }
  run('createSubmission', { fieldNames: [], formId, id, data })
  run('markSpam', chosen)
  run('deleteSubmissions', { userId, formId, list: 'spam', ids: [id] })
  importRows({ run, userId, formId }, [[id, data]])
  run('markSpam', chosen)
  expectSound(folder)
  while (run('removeDeletedSlice', { maxRows: 1, maxBytes: 1 })) {}
  expect(rowsOf(folder, 'SELECT list, position FROM pieces ORDER BY position')).toEqual(
    [0, 1, 2, 3].map((position) => ({ list: 1, position })),
  )
  expectSound(folder)
})

test('keeps every column of what is marked as spam and accepted again, also one that is added later', () => {
  const { folder, db, userId, formId, submit, run } = openData()
  db.$client.run('ALTER TABLE submissions ADD COLUMN added_later TEXT')
  const [id] = submit(formId, [noon])
  const moved = { list: null, reason: null, marked_at: null }
  const kept = rowsOf<{ name: string; pk: number }>(folder, 'PRAGMA table_info(submissions)').filter(
    ({ name, pk }) => pk === 0 && !(name in moved),
  )
  const filled = Object.fromEntries(kept.map(({ name }) => [name, JSON.stringify({ [name]: 'kept' })]))
  db.$client.run(
    `UPDATE submissions SET ${kept.map(({ name }) => `${name} = ?`).join()}`,
    kept.map(({ name }) => filled[name] as string),
  )
  const row = () => rowsOf(folder, 'SELECT * FROM submissions')
  const before = row()
  run('markSpam', { userId, formId, id, now: noon + 1 })
  expect(row()).toMatchObject([{ id, list: 1, ...filled, reason: 'marked', marked_at: noon + 1 }])
  run('acceptSpam', { userId, formId, id, now: noon + 2 })
  expect(row()).toEqual(before)
  expectSound(folder)
})

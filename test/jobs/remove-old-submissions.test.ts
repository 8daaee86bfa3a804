import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { removeOldSubmissions, retentionReads } from '../../src/upkeep/jobs/remove-rows.ts'
import { openData } from '../storage/data.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { stepsOf } from './slices.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 10, 22, 12)

const setUp = () => {
  const data = openData()
  const { db, folder, run } = data
  let piecesLeft = 0
  const { mayHaveOld } = retentionReads(db)
  const onDeleted = () => piecesLeft++
  const sweep = (now: number) =>
    stepsOf(run, (needs) => removeOldSubmissions({ ...needs, mayHaveOld, now: () => now, onDeleted }))

  const set = (formId: string, changes: object) =>
    run('updateFormSettings', { userId: data.userId, id: formId, now: noon, changes })
  const left = () => rowsOf<{ id: string }>(folder, 'SELECT id FROM submissions ORDER BY id').map(({ id }) => id)
  return { ...data, sweep, set, left, piecesLeft: () => piecesLeft }
}

test('deletes what has been spam for as many days as each form says, in slices, and counts exactly', async () => {
  const { folder, userId, formId, createForm, submit, run, set, sweep, left, piecesLeft } = setUp()
  const other = createForm(userId)
  set(other, { spamDays: 3 })
  const addSpam = (form: string, age: number, data = '{"a":1}'): string => {
    const id = newId(noon - age)
    run('createSubmission', { fieldNames: [], formId: form, id, data, reason: 'honeypot' })
    return id
  }
  // More than one slice.
  for (let i = 0; i < 450; i++) addSpam(formId, 31 * day + i)
  addSpam(formId, 40 * day, JSON.stringify({ long: 'x'.repeat(100_000) }))
  const kept = [addSpam(formId, 30 * day), addSpam(formId, 29 * day), addSpam(other, 2 * day)]
  addSpam(other, 4 * day)
  const [old, older] = submit(formId, [noon - 60 * day, noon - 50 * day]) as [string, string]
  run('markSpam', { userId, formId, id: old, now: noon - 29 * day })
  run('markSpam', { userId, formId, id: older, now: noon - 31 * day })
  const [good] = submit(formId, [noon - 100 * day])

  await sweep(noon)

  expect(left()).toEqual([...kept, old, good as string].sort())
  expect(piecesLeft()).toBe(1)
  expectSound(folder)
})

describe('retentionDays', () => {
  test('deletes what is older, in slices, with its deliveries, and counts exactly', async () => {
    const { folder, userId, formId, createForm, submit, run, set, sweep, left, piecesLeft } = setUp()
    const [keeping, brief] = [createForm(userId), createForm(userId)]
    run('createWebhook', {
      userId,
      formId,
      id: newId(noon),
      url: 'https://example.com/',
      host: 'example.com',
      format: 'standard',
      description: null,
      secret: 'x',
    })
    set(formId, { retentionDays: 30 })
    set(brief, { retentionDays: 1 })
    // More than one slice.
    submit(
      formId,
      Array.from({ length: 450 }, (_, i) => noon - 31 * day + i),
    )
    const long = newId(noon - 40 * day)
    const data = JSON.stringify({ long: 'x'.repeat(100_000) })
    run('createSubmission', { formId, id: long, data, fieldNames: ['long'] })
    submit(brief, [noon - 2 * day])
    const kept = [
      ...submit(formId, [noon - 30 * day, noon - 29 * day, noon]),
      ...submit(keeping, [noon - 3650 * day]),
      ...submit(brief, [noon - day + 1]),
    ]

    expect(await sweep(noon)).toEqual([
      'checkClock',
      'removeOldSubmissions',
      'removeOldSubmissions',
      'removeOldSubmissions',
    ])

    expect(left()).toEqual(kept.sort())
    expect(piecesLeft()).toBe(1)
    expect(run('removeDeletedSlice', oneSlice)).toBeGreaterThan(0)
    expect(rowsOf(folder, 'SELECT number FROM pieces')).toEqual([])
    expect(rowsOf(folder, 'SELECT DISTINCT substr(submission, 1, 12) AS told FROM deliveries').length).toBe(3)
    expect(rowsOf(folder, 'SELECT field_names FROM forms WHERE id = ?', formId)).toEqual([
      { field_names: '["number","long"]' },
    ])
    expectSound(folder)
  })

  test('asks for nothing where no form has it, and reads no other form', async () => {
    const { formId, userId, createForm, submit, run, set, sweep } = setUp()
    submit(formId, [noon - 3650 * day])
    expect(await sweep(noon)).toEqual([])
    for (let i = 0; i < 10; i++) createForm(userId)
    set(formId, { retentionDays: 3650 })
    expect(await sweep(noon)).toEqual(['checkClock', 'removeOldSubmissions'])
    run('deleteForms', { userId, now: noon, ids: [formId] })
  })

  test('is a setting of a duplicate too', async () => {
    const { folder, userId, formId, submit, run, set, sweep, left } = setUp()
    set(formId, { retentionDays: 10 })
    const copyId = newId(noon)
    run('duplicateForm', { userId, id: formId, copyId, seed: '', now: noon })
    submit(copyId, [noon - 11 * day])
    await sweep(noon)
    expect(left()).toEqual([])
    expectSound(folder)
  })

  test('goes through more forms than one write looks at', async () => {
    const { userId, createForm, submit, set, sweep, left } = setUp()
    const forms = Array.from({ length: 501 }, () => createForm(userId))
    for (const form of forms) set(form, { retentionDays: 10 })
    submit(forms[0] as string, [noon - 11 * day])
    submit(forms.at(-1) as string, [noon - 11 * day])
    const kept = submit(forms.at(-1) as string, [noon - 9 * day])
    expect(await sweep(noon)).toEqual(['checkClock', 'removeOldSubmissions', 'removeOldSubmissions'])
    expect(left()).toEqual(kept)
  })

  test('does the same when two machines execute each command twice', async () => {
    const { folder, formId, submit, run, set, left } = setUp()
    set(formId, { retentionDays: 30 })
    const old = submit(
      formId,
      Array.from({ length: 250 }, (_, i) => noon - 31 * day + i),
    )
    const kept = submit(formId, [noon])
    const command = { list: 'inbox', form: 0, from: '', now: noon, maxForms: 500, maxRows: 200 }
    const first = run('removeOldSubmissions', command)
    expect(first).toEqual({
      next: { form: rowsOf<{ number: number }>(folder, 'SELECT number FROM forms')[0]?.number, from: `${old[199]}~` },
      isMoreLeft: false,
    })
    expect(run('removeOldSubmissions', command)).toEqual({ next: null, isMoreLeft: false })
    expect(run('removeOldSubmissions', command)).toEqual({ next: null, isMoreLeft: false })
    expect(left()).toEqual(kept)
    expectSound(folder)
  })
})

describe('a clock that is set', () => {
  const setUpOld = () => {
    const data = setUp()
    data.set(data.formId, { retentionDays: 30 })
    const ids = data.submit(data.formId, [noon - 29 * day, noon])
    data.run('createSubmission', {
      fieldNames: [],
      formId: data.formId,
      id: newId(noon - day),
      data: '{}',
      reason: 'honeypot',
    })
    return { ...data, ids }
  }

  test('by no one, on a machine that is on for some hours every other day, deletes at the next start', async () => {
    const { ids, sweep, left } = setUpOld()
    const runAt = async (start: number): Promise<void> => {
      for (let hours = 0; hours < 8; hours++) await sweep(start + hours * 3_600_000)
    }
    await runAt(noon)
    expect(left()).toHaveLength(3)
    // 29 days old on the first day, 31 on the third.
    await runAt(noon + 2 * day)
    expect(left()).toHaveLength(3)
    await runAt(noon + 4 * day)
    expect(left()).not.toContain(ids[0] as string)
    expect(left()).toHaveLength(2)
  })

  test('ahead by a year at one start, and by more at the next one, deletes nothing', async () => {
    const { sweep, left } = setUpOld()
    for (const days of [0, 365, 365 + 32, 3 * 365, 2, 2.1]) await sweep(noon + days * day)
    expect(left()).toHaveLength(3)
  })

  test('forward by weeks twice within an hour deletes nothing', async () => {
    const { sweep, left } = setUpOld()
    for (const days of [0, 20, 20.01, 40, 40.01, 0.1]) await sweep(noon + days * day)
    expect(left()).toHaveLength(3)
  })

  test('forward by a year deletes nothing if it is put right within a day, and nothing the next day', async () => {
    const { ids, sweep, left } = setUpOld()
    await sweep(noon)
    for (const now of [noon + 365 * day, noon + 366 * day - 1, noon + 3_600_000]) await sweep(now)
    expect(left()).toHaveLength(3)
    await sweep(noon + day)
    expect(left()).toHaveLength(3)
    // The usual work has gone on.
    await sweep(noon + 2 * day)
    expect(left()).not.toContain(ids[0] as string)
    expect(left()).toContain(ids[1] as string)
  })

  test('back by a year deletes nothing, and stops no later work', async () => {
    const { sweep, left } = setUpOld()
    await sweep(noon)
    for (const now of [noon - 365 * day, noon - 364 * day, noon - 363 * day]) await sweep(now)
    expect(left()).toHaveLength(3)
    await sweep(noon + 2 * day)
    expect(left()).toHaveLength(3)
    await sweep(noon + 3 * day)
    expect(left()).toHaveLength(2)
  })

  test('of a server that was off for a month: deletes a day after its start', async () => {
    const { sweep, left } = setUpOld()
    await sweep(noon)
    await sweep(noon + 40 * day)
    expect(left()).toHaveLength(3)
    await sweep(noon + 41 * day)
    expect(left()).toHaveLength(0)
  })
})

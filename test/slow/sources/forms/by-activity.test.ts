// Lists of more forms than take a moment to make.
import { test } from 'bun:test'
import { newId } from '../../../../src/base/id.ts'
import { expectBelow, processorMillisecondsOf } from '../../../expect-below.ts'
import { openStores } from '../../../storage/stores.ts'

const open = () => {
  const { form, formLists, createUser, run, db } = openStores()
  const userId = createUser()
  return {
    db,
    userId,
    createForms: (length: number) =>
      run('createForms', { userId, forms: Array.from({ length }, () => ({ id: newId(Date.now()), title: 'F' })) }),
    list(page: number, perPage: number): void {
      form()
      formLists.listFormsByActivity(userId, { page, perPage })
    },
  }
}

test('the list by activity costs little more than reading the times, whatever else the forms hold', async () => {
  const { createForms, list, db, userId } = open()
  createForms(2000)
  const settings = JSON.stringify({ blockedTerms: Array.from({ length: 200 }, (_, i) => `a blocked term, ${i}`) })
  db.$client.query('UPDATE forms SET settings = ?').run(settings)
  const latest = db.$client.query('SELECT max(latest_id) FROM forms WHERE user_id = ? AND deleted_at IS NULL')
  const reading = () => processorMillisecondsOf(() => latest.values(userId))
  const lowest = Math.min(await reading(), await reading(), await reading(), await reading(), await reading())
  await expectBelow(5 * lowest, () => processorMillisecondsOf(() => list(100, 20)))
})

test('the first and the last page of the list by activity cost little more than reading the times', async () => {
  const { createForms, list, db, userId } = open()
  for (let i = 0; i < 20; i++) createForms(1000)
  const latest = db.$client.query('SELECT max(latest_id) FROM forms WHERE user_id = ? AND deleted_at IS NULL')
  const reading = () => processorMillisecondsOf(() => latest.values(userId))
  await reading()
  const lowest = Math.min(await reading(), await reading(), await reading(), await reading(), await reading())
  for (const page of [1, 1000]) await expectBelow(1.5 * lowest, () => processorMillisecondsOf(() => list(page, 20)))
})

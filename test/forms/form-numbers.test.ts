import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { openStores } from '../storage/stores.ts'

const open = () => {
  const { userId, formId, run, db, forms } = openStores()
  const numberOf = (id: string) =>
    db.$client.query<{ number: number }, [string]>('SELECT number FROM forms WHERE id = ?').get(id)?.number ?? 0
  const remove = (id: string): void => {
    run('deleteForms', { userId, now: Date.now(), ids: [id] })
    while (run('removeDeletedSlice', oneSlice) !== 0);
    expect(numberOf(id)).toBe(0)
  }
  return { userId, formId, run, forms, numberOf, remove }
}

type Opened = ReturnType<typeof open>

const ways: Record<string, (opened: Opened) => Promise<string> | string> = {
  'a new form': async ({ forms, userId }) => (await forms.createForm(userId, { title: 'New' })).id,
  'one of several': async ({ forms, userId }) =>
    (await forms.createForms(userId, [{ title: 'New' }, { title: 'Newer' }])).ids[1] as string,
  'a copy': async ({ forms, userId, formId }) => (await forms.duplicateForm(userId, formId)).id,
  'a form of a file': ({ run, userId }) => {
    const id = newId(Date.now())
    const form = { name: 'a', id, before: null, fields: { title: 'New' }, settings: {}, webhooks: [] }
    run('applyForms', { userId, now: Date.now(), oldSecretUntil: 0, forms: [form] })
    return id
  },
}

describe('the number of a form in the file', () => {
  test.each(Object.entries(ways))('is never that of one that was removed: %s', async (_, make) => {
    const opened = open()
    const seen = new Set([opened.numberOf(opened.formId)])
    for (let times = 1; times <= 3; times++) {
      const id = await make(opened)
      const number = opened.numberOf(id)
      expect(seen).not.toContain(number)
      seen.add(number)
      opened.remove(id)
    }
  })
})

import { expect, test } from 'bun:test'
import { openStores } from '../storage/stores.ts'

test('a form and its settings are saved in one write', async () => {
  const { forms, form, sent, userId, formId } = openStores()
  await forms.saveForm(userId, formId, { title: 'Saved', description: null, columns: ['name'] })
  expect(sent).toEqual(['saveForm'])
  expect(form()).toMatchObject({ title: 'Saved', description: null, settings: '{"columns":["name"]}' })
  await forms.saveForm(userId, formId, { columns: undefined })
  expect(form()).toMatchObject({ title: 'Saved', settings: '{"columns":["name"]}' })
})

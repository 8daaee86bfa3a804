import { expect, test } from 'bun:test'
import type { FormTo } from '../../src/forms/access.ts'
import type { Form } from '../../src/forms/form.ts'
import { openStores } from '../storage/stores.ts'

test('what needs a right takes the proof of it, and no form without one', () => {
  const { submissions, submit, findForm, form, formId, userId } = openStores()
  submit(formId, [1])
  const readable = form()
  const plain = findForm(formId) as Form
  // @ts-expect-error No one has asked what the user may do with it.
  expect(submissions.countUnread(plain, userId)).toBe(1)
  expect(submissions.countUnread(readable, userId)).toBe(1)
  // @ts-expect-error Who may read it may not change it.
  const changeable: FormTo<'configure'> = readable
  expect(changeable.id).toBe(formId)
})

import { expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import type { FormTo } from '../../src/forms/access.ts'
import type { Form } from '../../src/forms/form.ts'
import { rememberedForms } from '../../src/forms/remembered-forms.ts'
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

test('forms and roles are remembered until something is committed, those of many forms too', () => {
  const { reader, run, execute, userId, createUser } = openStores()
  const grace = createUser()
  const { findForm, access } = rememberedForms(reader)
  const member = { email: `${grace}@example.com`, inviteHash: '', inviteEndsAt: 0, mailTo: null, mayInvite: true }
  const formIds = Array.from({ length: 120 }, () => newId(Date.now()))
  run('createForms', { userId, forms: formIds.map((id) => ({ id, title: id })) })
  execute(formIds.map((formId, i) => ['addMember', { userId, formId, now: 1, id: `m${i}`, role: 'reader', ...member }]))
  const rolesNow = () => {
    reader.release()
    return formIds.map((id) => access.roleOf(grace, findForm(id) as Form))
  }
  expect(new Set([...rolesNow(), ...rolesNow()])).toEqual(new Set(['reader']))
  expect(findForm(formIds[0] as string)).toBe(findForm(formIds[0] as string) as Form)
  run('updateMember', { userId, formId: formIds[0], id: 'm0', role: 'editor', now: 2 })
  run('removeMember', { userId, formId: formIds[119], id: 'm119', now: 2 })
  const roles = rolesNow()
  expect([roles[0], roles[1], roles[119]]).toEqual(['editor', 'reader', undefined])
  expect([findForm('x'.repeat(28)), findForm('../forms'), findForm('')]).toEqual([undefined, undefined, undefined])
})

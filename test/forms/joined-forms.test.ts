import { expect, test } from 'bun:test'
import { openFormLists } from '../../src/forms/lists/store.ts'
import { openStores } from '../storage/stores.ts'

// After all that the tests create, however long they take.
const later = Date.now() + 3_600_000

test('the own forms and the shared ones are one list, by what arrived last, in pages, a menu and a state', () => {
  const stores = openStores()
  const { run, form, submit, createUser, createForm, userId: bob, formId: shared } = stores
  const { listJoined, listForMenu, stateOfForms } = openFormLists(stores)
  const ada = createUser()
  const [older, newer] = [createForm(ada, 'Older'), createForm(ada, 'Newer')]
  const read = () => {
    form()
    const page = (number: number) => listJoined(ada, { page: number, perPage: 2 })
    return {
      total: page(1).total,
      ids: [1, 2].flatMap((number) => page(number).forms.map(({ id }) => id)),
      sharing: [...page(2).sharing.keys()],
      menu: listForMenu(ada).forms.map(({ id }) => id),
      state: stateOfForms(ada),
    }
  }

  const alone = read()
  expect(alone).toMatchObject({ total: 2, ids: [newer, older], sharing: [], menu: [newer, older] })
  const member = { email: `${ada}@example.com`, role: 'reader', inviteHash: 'hash', inviteEndsAt: later, mailTo: null }
  run('addMember', { userId: bob, formId: shared, now: 0, id: 'm', ...member, mayInvite: true })
  const withShared = read()
  expect(withShared).toMatchObject({ total: 3, sharing: [shared] })
  submit(shared, [later])
  submit(older, [later + 1])
  const after = read()
  expect(after).toMatchObject({ total: 3, ids: [older, shared, newer], menu: [older, shared, newer] })
  expect(new Set([alone, withShared, after, read()].map(({ state }) => state)).size).toBe(3)
})

import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { oneSlice } from '../../src/submissions/slices.ts'
import { openStores } from '../storage/stores.ts'

/** A form with an inbox that takes several turns to read, and a function that deletes it and gives its place to another one. */
const open = () => {
  const stores = openStores()
  const { formId, userId, submit, run, db } = stores
  submit(
    formId,
    Array.from({ length: 40 }, (_, i) => Date.now() - i),
  )
  const [id = ''] = submit(formId, [Date.now()])
  run('markAllRead', { userId, formId, upTo: id })
  run('updateFormSettings', { userId, id: formId, now: Date.now(), changes: { learnSpam: true } })
  return {
    ...stores,
    id,
    replaceForm: () => {
      run('deleteForms', { userId, now: Date.now(), ids: [formId] })
      while (run('removeDeletedSlice', oneSlice) !== 0);
      const other = stores.createForm(stores.createUser())
      submit(other, [Date.now()])
    },
    /** Shares it with a user, and returns what takes that back. */
    share: () => {
      const reader = stores.createUser()
      db.$client.run(
        `INSERT INTO members (id, form, user_id, email, role)
        SELECT ?, number, ?, 'reader@example.com', 'editor' FROM forms WHERE id = ?`,
        [newId(Date.now()), reader, formId],
      )
      return { reader, unshare: () => db.$client.run('DELETE FROM members WHERE user_id = ?', [reader]) }
    },
  }
}

const calls = {
  'the numbers of what was learned': ({ submissions, formId }, userId) =>
    submissions.learning.numbersOf(userId, formId),
  'why something looks like spam': ({ submissions, formId, id }, userId) =>
    submissions.learning.explain(userId, formId, [{ id, fields: [] }]),
  'the lesson of a mark': ({ submissions, formId, id }, userId) => submissions.markSpam(userId, formId, id),
} as const satisfies Record<string, (world: ReturnType<typeof open>, userId: string) => Promise<unknown>>

describe('a form that was found before a wait', () => {
  for (const [what, call] of Object.entries(calls)) {
    test(`is not found if it was deleted meanwhile: ${what}`, async () => {
      const world = open()
      // The second one also waits until the first has been made.
      const asked = [call(world, world.userId), world.submissions.learning.numbersOf(world.userId, world.formId)]
      world.replaceForm()
      for (const one of await Promise.allSettled(asked))
        expect(one).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
    })

    test(`is not for someone with whom it is no longer shared: ${what}`, async () => {
      const world = open()
      const { reader, unshare } = world.share()
      const asked = call(world, reader)
      unshare()
      await expect(asked).rejects.toMatchObject({ code: 'forbidden' })
    })
  }
})

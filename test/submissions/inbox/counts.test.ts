import { expect, test } from 'bun:test'
import { newId } from '../../../src/base/id.ts'
import { openInbox } from '../../../src/submissions/inbox/inbox.ts'
import { openSearchTurns } from '../../../src/submissions/search/turns.ts'
import { expectSound } from '../../storage/sound.ts'
import { openStores } from '../../storage/stores.ts'

const noon = Date.UTC(2026, 10, 21, 12)

/** An inbox of two forms, with the counts that are kept and a check that they are those of the rows. */
const open = () => {
  const stores = openStores()
  const { run, userId, formId, reader, access, folder, createForm } = stores
  const turns = openSearchTurns(reader, { queued: () => 0 })
  const inbox = openInbox({ reader, access, turns })
  const about = { userId, formId, now: noon }
  return {
    ...stores,
    other: createForm(userId, 'Other'),
    handle: (ids: readonly string[], state: string) => run('handleSubmissions', { ...about, ids, state }),
    act: (name: string, id: string) => run(name, { ...about, id }),
    remove: (list: string, ids: readonly string[]) => run('deleteSubmissions', { ...about, list, ids }),
    counts(formIds: readonly string[] = [], group = '') {
      reader.release()
      expectSound(folder)
      return inbox.count(userId, { formIds, group })
    },
  }
}

test('an inbox counts what is open, done and unread, whatever becomes of it', () => {
  const { submit, formId, other, handle, act, remove, counts, run, userId } = open()
  expect(counts()).toEqual({ all: 0, open: 0, done: 0, unread: 0 })
  const [a, b, c] = submit(formId, [noon, noon + 1, noon + 2]) as [string, string, string]
  submit(other, [noon + 3, noon + 4])
  expect(counts()).toEqual({ all: 5, open: 5, done: 0, unread: 5 })
  handle([a, b, a], 'done')
  handle([a], 'done')
  expect(counts()).toEqual({ all: 5, open: 3, done: 2, unread: 5 })
  expect(counts([other])).toEqual({ all: 2, open: 2, done: 0, unread: 2 })
  run('markRead', { userId, formId, ids: [b] })
  run('markAllRead', { userId, formId: other, upTo: newId(noon + 60_000) })
  expect(counts()).toEqual({ all: 5, open: 3, done: 2, unread: 2 })
  act('markSpam', a)
  expect(counts()).toEqual({ all: 4, open: 3, done: 1, unread: 1 })
  act('acceptSpam', a)
  expect(counts()).toMatchObject({ open: 3, done: 2 })
  handle([b], 'open')
  expect(counts()).toMatchObject({ open: 4, done: 1 })
  act('markSpam', a)
  remove('spam', [a])
  remove('inbox', [c])
  handle([b], 'done')
  remove('inbox', [b])
  expect(counts()).toEqual({ all: 2, open: 2, done: 0, unread: 0 })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { idAt } from '../../../../src/base/id.ts'
import { openInbox } from '../../../../src/submissions/inbox/inbox.ts'
import { filterPicks } from '../../../../src/submissions/search/filter.ts'
import { openSearchTurns } from '../../../../src/submissions/search/turns.ts'
import { runsOf } from '../../../runs.ts'
import { openStores } from '../../../storage/stores.ts'

const noon = Date.UTC(2026, 10, 21, 12)

type Action =
  | {
      readonly do: 'arrive' | 'arriveLate' | 'done' | 'open' | 'delete' | 'spam' | 'accept' | 'read'
      readonly at: number
    }
  | { readonly do: 'page' }

const action = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'page' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('arrive', 'arriveLate', 'done', 'open', 'delete', 'spam', 'accept', 'read'),
      at: fc.nat(1000),
    }) as fc.Arbitrary<Action>,
  },
)

/** Three forms, of which Ada owns two and reads a third, and one that she may not see. */
const prepare = (stores: ReturnType<typeof openStores>) => {
  const { run, createUser, createForm, reader } = stores
  const [userId, bob] = [createUser(), createUser()]
  const shared = createForm(bob, 'Shared')
  const member = { email: `${userId}@example.com`, role: 'editor', inviteHash: 'x', inviteEndsAt: 1, mailTo: null }
  run('addMember', { userId: bob, formId: shared, now: 0, id: shared, ...member })
  const formIds = [createForm(userId, 'First'), createForm(userId, 'Second'), shared, createForm(bob, 'Hidden')]
  const known: { id: string; formId: string }[] = []
  let time = 0
  const picks = filterPicks(reader.db)

  const arrive = (at: number, time: number): void => {
    const formId = formIds[at % formIds.length] as string
    // One that was imported into another form keeps its identifier.
    const same = known.at(-1)?.id ?? ''
    const isTaken = known.some((one) => one.id === same && one.formId === formId)
    const id = at % 7 === 0 && same && !isTaken ? same : idAt(noon + time, at)
    run('createSubmission', { formId, id, data: '{"a":"x"}', fieldNames: ['a'] })
    known.push({ id, formId })
  }

  const act = ({ do: what, at }: Exclude<Action, { do: 'page' }>): void => {
    if (what === 'arrive') arrive(at, ++time)
    else if (what === 'arriveLate') arrive(at, Math.max(0, time - (at % 50)) + 0.5)
    else change(what, at)
  }

  const change = (what: 'done' | 'open' | 'delete' | 'spam' | 'accept' | 'read', at: number): void => {
    const one = known[at % known.length]
    if (!one) return
    const byOwner = { userId: one.formId === formIds[3] ? bob : userId, formId: one.formId, now: noon }
    const ids = [one.id]
    try {
      if (what === 'done' || what === 'open') run('handleSubmissions', { ...byOwner, ids, state: what })
      else if (what === 'delete') run('deleteSubmissions', { ...byOwner, list: 'inbox', ids })
      else if (what === 'spam') run('markSpam', { ...byOwner, id: one.id })
      else if (what === 'accept') run('acceptSpam', { ...byOwner, id: one.id })
      else run('markRead', { ...byOwner, ids })
    } catch {
      // It is deleted, or in the spam.
    }
  }

  /** What Ada has to see, in its order, as the lists of the single forms have it. */
  const expected = (state: 'open' | 'done' | null, isUnread: boolean): string[] => {
    reader.release()
    return formIds
      .slice(0, 3)
      .flatMap((formId) => {
        const form = stores.access.findFormTo('read', userId, formId)
        const page = { page: 1, perPage: 1000 }
        const range = { start: null, end: null }
        const ids = stores.submissions.listSubmissions(form, 'inbox', page, range).submissions.map(({ id }) => id)
        const inState = picks(form, userId, { state, reason: null })(ids)
        return (isUnread ? picks(form, userId, { state: 'unread', reason: null })(inState) : inState).map(
          (id) => `${id} ${formId}`,
        )
      })
      .sort()
      .reverse()
  }
  return { userId, act, expected }
}

describe('the cursors of an inbox', () => {
  test('neither lose nor repeat anything while messages arrive, are done, read, marked or deleted', async () => {
    const stores = openStores()
    const { reader, access } = stores
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 20, maxLength: 80 }),
        fc.constantFrom('open' as const, 'done' as const, null),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        fc.boolean(),
        async (actions, state, isUnread, limit, isSlow, isSearch) => {
          const { act, expected, userId } = prepare(stores)
          const turns = openSearchTurns(reader, { queued: () => 0 })
          const inbox = openInbox({ reader, access, turns, ...(isSlow && { maxOthers: 1, pageMilliseconds: 0 }) })
          const query = {
            wanted: { terms: [], hasFiles: isSearch ? false : null },
            state,
            isUnread,
            formIds: [],
            group: '',
            range: { start: null, end: null },
            newer: '',
            limit,
          }
          const asker = { userId, forms: null, signal: new AbortController().signal, checkAccess() {} }
          const half = actions.length >> 1
          for (const one of actions.slice(0, half)) if (one.do !== 'page') act(one)

          let always = new Set(expected(state, isUnread))
          const shown: string[] = []
          let cursor: string | null = null
          const page = async () => {
            reader.release()
            const now = expected(state, isUnread)
            const part = await inbox.read(asker, { ...query, cursor })
            const rows = part.submissions.map(({ form, submission }) => `${submission.id} ${form.id}`)
            for (const row of rows) expect(now).toContain(row)
            shown.push(...rows)
            cursor = part.next
            return part.next !== null
          }
          let isMore = await page()
          for (const one of actions.slice(half)) {
            if (one.do === 'page') isMore = isMore && (await page())
            else act(one)
            always = always.intersection(new Set(expected(state, isUnread)))
          }
          while (isMore) isMore = await page()

          expect(shown).toEqual(shown.toSorted().reverse())
          expect(new Set(shown).size).toBe(shown.length)
          expect([...always].filter((row) => !shown.includes(row))).toEqual([])
        },
      ),
      { numRuns: runsOf(150) },
    )
  })
})

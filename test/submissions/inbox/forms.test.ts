import { expect, test } from 'bun:test'
import { newId } from '../../../src/base/id.ts'
import { openInbox } from '../../../src/submissions/inbox/inbox.ts'
import { openSearchTurns } from '../../../src/submissions/search/turns.ts'
import { openStores } from '../../storage/stores.ts'

test('an inbox of more than a thousand forms has those in which something arrived last, and says so', async () => {
  const { run, userId, reader, access, execute } = openStores()
  const forms = Array.from({ length: 1002 }, (_, i) => ({ id: newId(Date.now()), title: `Form ${i}` }))
  run('createForms', { userId, forms })
  // In the first one something arrives last, and in the last one nothing.
  const order = [...forms.slice(1, -1), forms[0]]
  const sent = order.map((form) => ({ formId: form?.id as string, id: newId(Date.now() + 60_000) }))
  execute(sent.map((one) => ['createSubmission', { ...one, data: '{}', fieldNames: [] }]))
  const turns = openSearchTurns(reader, { queued: () => 0 })
  const inbox = openInbox({ reader, access, turns })

  const ids: string[] = []
  const asker = { userId, forms: null, signal: new AbortController().signal, checkAccess() {} }
  const query = {
    wanted: { terms: [], hasFiles: null },
    state: null,
    isUnread: false,
    formIds: [],
    group: '',
    range: { start: null, end: null },
    newer: '',
    limit: 100,
  }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = await inbox.read(asker, { ...query, cursor: cursor ?? null })
    expect(part.forms).toBe(1000)
    ids.push(...part.submissions.map(({ submission }) => submission.id))
    cursor = part.next
  }

  expect(ids).toEqual(
    sent
      .slice(1)
      .map(({ id }) => id)
      .reverse(),
  )
})

// A data folder with a user and a form, and the writes of the service on a connection of the test's own: what the
// writer's thread does, without the thread.

import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { newId } from '../../src/base/id.ts'
import { connect } from '../../src/storage/open.ts'
import { type Batch, createBatchExecutor, type Outcome, toError } from '../../src/storage/writer/batch.ts'
import { joinWrites } from '../../src/upkeep/all-writes.ts'
import { prepareData } from '../empty-data.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'

/** @param signedUpAt when its user signed up, in Unix milliseconds */
export const openData = (folder = temporaryFolder(), signedUpAt = Date.now()) => {
  prepareData(folder)
  const db = connect(folder)
  afterThisTest(() => db.$client.close())
  const execute = createBatchExecutor(db, joinWrites(db))

  /** One command in a transaction of its own; throws what it was refused with. */
  const run = (name: string, input: unknown): unknown => resultOf(execute([[name, input]])[0] as Outcome)

  const createUser = (now = Date.now()): string => {
    const id = newId(now)
    userWrites(db).createUser({ id, email: `${id}@example.com`, passwordHash: 'none' })
    return id
  }

  const createForm = (userId: string, title = 'Contact'): string => {
    const id = newId(Date.now())
    run('createForms', { userId, forms: [{ id, title }] })
    return id
  }

  /** Adds a submission at each of these moments, a thousand to a transaction, and returns their identifiers. */
  const submit = (formId: string, times: readonly number[]): string[] => {
    const ids = times.map(newId)
    for (let start = 0; start < ids.length; start += 1000) {
      const batch: Batch = ids.slice(start, start + 1000).map((id, position) => {
        const data = JSON.stringify({ number: start + position })
        return ['createSubmission', { formId, id, data, fieldNames: ['number'] }]
      })
      execute(batch).forEach(resultOf)
    }
    return ids
  }

  const userId = createUser(signedUpAt)
  const formId = createForm(userId)
  return { folder, db, userId, formId, run, execute, createUser, createForm, submit }
}

const resultOf = (outcome: Outcome): unknown => {
  if ('result' in outcome) return outcome.result
  throw toError(outcome)
}

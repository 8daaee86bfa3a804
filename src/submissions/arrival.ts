import { fieldNameWrites } from '../forms/field-names.ts'
import type { Form } from '../forms/form.ts'
import { silenceWrites } from '../forms/silence-writes.ts'
import { type EnqueuedSubmission, enqueuer } from '../outbox/enqueue.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { inboxOf } from './lists.ts'
import { fieldsIn } from './sent-fields.ts'
import { wholeReader } from './whole-text.ts'

type Arrived = EnqueuedSubmission & { readonly fieldNames: readonly string[] }

/** What follows when submissions come into an inbox, but by an import. Must run in the same transaction, after that. */
export const arrivals = oncePerConnection((db: Db) => {
  const { noteArrival } = silenceWrites(db)
  const { addFieldNames } = fieldNameWrites(db)
  const enqueue = enqueuer(db)
  const readWhole = wholeReader(db)

  /** Returns whether there are deliveries. */
  const arrive = (form: Form, arrived: readonly Arrived[]): boolean => {
    noteArrival(form, arrived)
    addFieldNames(form, arrived)
    return enqueue(form, arrived)
  }

  /** Of those that were in another list until now. */
  const arriveFromList = (form: Form, moved: readonly EnqueuedSubmission[]): boolean => {
    const fieldsOf = (id: string) => fieldsIn(readWhole(inboxOf(form.number), id)?.data ?? '{}')
    const named = moved.map((one) => ({ ...one, fieldNames: fieldsOf(one.id).map(({ name }) => name) }))
    return arrive(form, named)
  }

  return { arrive, arriveFromList }
})

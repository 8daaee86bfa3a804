import { and, eq, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import { accessIn } from '../forms/access.ts'
import { type Db, oncePerConnection } from '../storage/open.ts'
import { statement } from '../storage/statement.ts'
import { countedStates, forms, handling, param, stateCounts, submissions } from '../storage/tables.ts'
import { inboxOf, inList, type ListName } from './lists.ts'
import type { HandlingState } from './states.ts'

interface Handled {
  readonly userId: string
  readonly formId: string
  readonly ids: readonly string[]
  /** Undefined to change nothing. */
  readonly state?: HandlingState | undefined
  /** Unix milliseconds. */
  readonly now: number
}

export const handlingWrites = (db: Db) => {
  const { findFormTo } = accessIn(db)
  const { isInInbox, find, save, countChange } = statements(db)

  return {
    /**
     * Changes all of them or none. What stays as it is gets no row, and keeps who changed it last.
     *
     * @throws AppError `not_found` if one is not in the inbox
     */
    handleSubmissions({ userId, formId, ids, now: at, state }: Handled): void {
      const { number: form } = findFormTo('edit', userId, formId)
      let isChanged = false
      const by = noChange()
      for (const id of new Set(ids)) {
        if (!isInInbox.get({ ...inboxOf(form), id })) throw notFound('Submission')
        const before = find.get({ form, id })?.state ?? 'open'
        if (state === undefined || state === before) continue
        save.run({ form, id, state, userId, at })
        isChanged = true
        by[before]--
        by[state]++
      }
      if (isChanged) countChange(form, by)
    },
  }
}

/** Removes the rows of submissions that were deleted. Must run in the same transaction, and after that. */
export const handlingRemoval = oncePerConnection((db: Db) => {
  const ofForm = eq(handling.form, param('form'))
  const any = db.select({ form: handling.form }).from(handling).where(ofForm).limit(1).prepare()
  const remove = db
    .delete(handling)
    .where(and(ofForm, eq(handling.submission, param('id'))))
    .returning({ state: handling.state })
    .prepare()
  const { countChange } = statements(db)
  return (form: number, from: ListName | null, ids: Iterable<string>): void => {
    if (!any.get({ form })) return
    let isChanged = false
    const by = noChange()
    for (const id of ids) {
      const removed = remove.get({ form, id })
      if (!removed) continue
      isChanged = true
      if (from === 'inbox') by[removed.state]--
    }
    // For spam, nothing else changes the count. With the last row, the columns for handling are gone from exports.
    if (isChanged) countChange(form, by)
  }
})

/** Counts a submission that has a state and was moved between the lists. Must run in the same transaction. */
export const movedHandling = oncePerConnection((db: Db) => {
  const { find, countMoved } = statements(db)
  return (form: number, to: ListName, id: string): void => {
    const state = find.get({ form, id })?.state ?? 'open'
    if (state !== 'open') countMoved.run({ form, ...noChange(), [state]: to === 'inbox' ? 1 : -1 })
  }
})

/** How many more submissions of the inbox have each state. */
type StateChanges = Record<HandlingState, number>

const noChange = () => Object.fromEntries(handling.state.enumValues.map((state) => [state, 0])) as StateChanges

const counter = (db: Db, more: { readonly changeCount?: SQL }) =>
  db
    .update(forms)
    .set({
      ...more,
      ...Object.fromEntries(
        countedStates.map((state) => [stateCounts[state], sql`${forms[stateCounts[state]]} + ${param(state)}`]),
      ),
    })
    .where(eq(forms.number, param('form')))
    .prepare()

export const changeCounter = (db: Db): ((form: number, by?: StateChanges) => void) => {
  const count = counter(db, { changeCount: sql`${forms.changeCount} + 1` })
  return (form, by = noChange()) => void count.run({ form, ...by })
}

const statements = oncePerConnection((db: Db) => {
  const byId = and(eq(handling.form, param('form')), eq(handling.submission, param('id')))
  const isInInbox = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(inList(submissions), eq(submissions.id, param('id'))))
    .prepare()
  const find = db.select({ state: handling.state }).from(handling).where(byId).prepare()
  return { isInInbox, find, save: save(db), countChange: changeCounter(db), countMoved: counter(db, {}) }
})

const save = statement(`
  INSERT INTO handling (form, submission, state, user_id, at)
  VALUES ($form, $id, $state, $userId, $at)
  ON CONFLICT (form, submission) DO UPDATE SET
    state = excluded.state, user_id = excluded.user_id, at = excluded.at`)

import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import type { Form } from '../forms/ownership.ts'

/**
 * The number of the row that holds a form's spam, which is inserted before the first one. It is a row of `forms` whose
 * submissions are the spam, so that tallies, totals, pieces and removal in slices are the same for both, and no list of
 * submissions ever passes over spam. The row has no user, and its identifier is none (`isId`), so no request finds it.
 */
export const spamFormMaker = (db: Db): ((form: Pick<Form, 'number' | 'id' | 'spamForm'>) => number) => {
  const insert = db
    .insert(forms)
    .values({ id: param('id'), title: sql`''`, latestId: param('id') })
    .returning({ number: forms.number })
    .prepare()
  const connect = db
    .update(forms)
    .set({ spamForm: sql`${param('spamForm')}` })
    .where(eq(forms.number, param('number')))
    .prepare()
  return ({ number, id, spamForm: existing }) => {
    if (existing !== null) return existing
    const spamForm = insert.get({ id: `spam:${id}` }).number
    connect.run({ number, spamForm })
    return spamForm
  }
}

/**
 * Takes the row that holds a form's spam away from it, to be removed in slices like a deleted form. The next spam gets a new
 * one.
 */
export const spamFormRemover = (db: Db): ((form: Pick<Form, 'number' | 'spamForm'>, now: number) => void) => {
  const disconnect = db
    .update(forms)
    .set({ spamForm: null })
    .where(eq(forms.number, param('number')))
    .prepare()
  const markDeleted = db
    .update(forms)
    .set({ id: sql`${param('id')}`, deletedAt: sql`${param('now')}`, spamForm: sql`${param('form')}` })
    .where(eq(forms.number, param('number')))
    .prepare()
  return ({ number: form, spamForm }, now) => {
    disconnect.run({ number: form })
    markDeleted.run({ number: spamForm, id: `removed spam:${spamForm}`, now, form })
  }
}

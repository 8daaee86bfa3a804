import { and, asc, eq, lt, sql } from 'drizzle-orm'
import { together } from '../db/batch.ts'
import type { Db } from '../db/open.ts'
import { forms, param, submissions } from '../db/tables.ts'
import { notFound } from '../errors.ts'
import { formOwnership, formReader, liveForm } from '../forms/ownership.ts'
import { rememberFieldNames } from './field-names.ts'
import { tallyWrites } from './tally.ts'

export interface NewSubmission {
  readonly formId: string
  readonly id: string
  /** JSON object. */
  readonly data: string
  readonly fieldNames: readonly string[]
}

export type SubmissionWrites = ReturnType<typeof submissionWrites>

export const submissionWrites = (db: Db) => {
  const tally = tallyWrites(db)
  const { findOwnForm } = formOwnership(formReader(db))
  const target = db
    .select({ number: forms.number, fieldNames: forms.fieldNames })
    .from(forms)
    .where(and(eq(forms.id, param('formId')), liveForm))
    .prepare()
  const insert = db
    .insert(submissions)
    .values({ form: param('form'), id: param('id'), data: param('data') })
    .prepare()
  const count = db
    .update(forms)
    .set({ submissionCount: sql`${forms.submissionCount} + ${param('by')}` })
    .where(eq(forms.number, param('form')))
    .prepare()
  const setFieldNames = db
    .update(forms)
    .set({ fieldNames: sql`${param('fieldNames')}` })
    .where(eq(forms.number, param('form')))
    .prepare()
  const ofForm = eq(submissions.form, param('form'))
  const remove = db
    .delete(submissions)
    .where(and(ofForm, eq(submissions.id, param('id'))))
    .returning({ id: submissions.id })
    .prepare()
  const startOfRest = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(ofForm)
    .orderBy(asc(submissions.id))
    .limit(1)
    .offset(param('limit'))
    .prepare()
  const removeBefore = db
    .delete(submissions)
    .where(and(ofForm, lt(submissions.id, param('end'))))
    .prepare()
  const removeRest = db.delete(submissions).where(ofForm).prepare()
  const formBeingRemoved = db
    .select({ number: forms.number })
    .from(forms)
    .where(sql`${forms.deletedAt} is not null`)
    .limit(1)
    .prepare()
  const removeForm = db
    .delete(forms)
    .where(eq(forms.number, param('form')))
    .prepare()

  const addTo = (formId: string, added: readonly NewSubmission[]): void => {
    const form = target.get({ formId })
    if (!form) throw notFound('Form')
    tally.add(form.number, added.map(({ id }) => id).sort())
    for (const { id, data } of added) insert.run({ form: form.number, id, data })
    count.run({ form: form.number, by: added.length })
    const names = added.reduce((known, { fieldNames }) => rememberFieldNames(known, fieldNames), form.fieldNames)
    if (names !== form.fieldNames) setFieldNames.run({ form: form.number, fieldNames: names })
  }

  return {
    createSubmission: together((submissions: readonly NewSubmission[]): undefined[] => {
      for (const [formId, ofForm] of Map.groupBy(submissions, (submission) => submission.formId)) addTo(formId, ofForm)
      return submissions.map(() => undefined)
    }),

    /** All of them or none. An identifier named twice counts once. */
    deleteSubmissions(input: { userId: string; formId: string; ids: readonly string[] }): void {
      const form = findOwnForm(input.userId, input.formId)
      const ids = new Set(input.ids)
      for (const id of ids) {
        if (!remove.get({ form: form.number, id })) throw notFound('Submission')
        tally.remove(form.number, id)
      }
      count.run({ form: form.number, by: -ids.size })
    },

    /**
     * Removes up to `limit` submissions of a form that was deleted, and the form itself with the last of them. Returns
     * false when there is nothing left to remove. A form of a million submissions would hold up every other write if
     * it went at once.
     */
    removeDeletedSlice({ limit }: { limit: number }): boolean {
      const form = formBeingRemoved.get()?.number
      if (form === undefined) return false
      const rest = startOfRest.get({ form, limit })
      if (rest) {
        removeBefore.run({ form, end: rest.id })
      } else {
        removeRest.run({ form })
        tally.removeAll(form)
        removeForm.run({ form })
      }
      return true
    },
  }
}

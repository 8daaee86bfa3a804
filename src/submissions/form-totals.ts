import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param, submissions } from '../db/tables.ts'
import type { Form } from '../forms/ownership.ts'
import { boundaryAfter, isNew } from '../forms/unseen.ts'

/**
 * Keeps what a form's row says of its submissions: how many there are, which identifier is the latest, and from where on
 * they are new. Must run in the transaction that adds or removes them, and after that.
 */
export const formTotals = (db: Db) => {
  const { newest, added, changed, raiseBoundary } = statements(db)

  return {
    /** @param ids of submissions of visitors, in ascending order */
    add(form: number, ids: readonly string[]): void {
      added.run({ form, by: ids.length, oldest: ids[0], newest: ids.at(-1) })
    },

    remove(form: number, by: number): void {
      changed.run({ form, by: -by })
    },

    /** Whether one of the form's submissions is new. */
    hasNew(form: Pick<Form, 'number' | 'unseenFrom'>): boolean {
      const last = newest.get({ form: form.number })
      return last !== undefined && isNew(form, last.id)
    },

    /** Adds what no visitor has sent just now. @param areSeen whether no submission of the form is new afterwards */
    import(form: number, by: number, areSeen: boolean): void {
      changed.run({ form, by })
      const last = newest.get({ form })
      if (areSeen && last) raiseBoundary.run({ form, boundary: boundaryAfter(last.id) })
    },
  }
}

const statements = (db: Db) => {
  const byNumber = eq(forms.number, param('form'))
  const newest = db
    .select({ id: submissions.id })
    .from(submissions)
    .where(eq(submissions.form, param('form')))
    .orderBy(desc(submissions.id))
    .limit(1)
    .prepare()
  const added = db
    .update(forms)
    .set({
      submissionCount: sql`${forms.submissionCount} + ${param('by')}`,
      latestId: sql`max(${forms.latestId}, ${param('newest')})`,
      // Lower only after the clock was set back, see unseen.ts.
      unseenFrom: sql`min(${forms.unseenFrom}, ${param('oldest')})`,
    })
    .where(byNumber)
    .prepare()
  const newestId = sql`(select max(${submissions.id}) from ${submissions} where ${submissions.form} = ${forms.number})`
  const changed = db
    .update(forms)
    .set({
      submissionCount: sql`${forms.submissionCount} + ${param('by')}`,
      latestId: sql`max(${forms.id}, coalesce(${newestId}, ''))`,
    })
    .where(byNumber)
    .prepare()
  const raiseBoundary = db
    .update(forms)
    .set({ unseenFrom: sql`max(${forms.unseenFrom}, ${param('boundary')})` })
    .where(byNumber)
    .prepare()
  return { newest, added, changed, raiseBoundary }
}

import { eq } from 'drizzle-orm'
import type { Db } from '../db/open.ts'
import { forms, param } from '../db/tables.ts'
import type { Form } from './ownership.ts'

/** How much spam a form has. One row is read, however much there is: the one that holds it. */
export const spamCounter = (db: Db): ((form: Pick<Form, 'spamForm'>) => number) => {
  const byNumber = db
    .select({ count: forms.submissionCount })
    .from(forms)
    .where(eq(forms.number, param('form')))
    .prepare()
  return ({ spamForm }) => (spamForm === null ? 0 : (byNumber.get({ form: spamForm })?.count ?? 0))
}

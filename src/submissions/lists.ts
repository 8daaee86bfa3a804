import { and, eq, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Form } from '../forms/form.ts'
import { param } from '../storage/tables.ts'

/** A submission is in one of the two lists of its form: its inbox, or its spam, which is held back (see judge.ts). */
export type ListName = 'inbox' | 'spam'

/** A list by the key that its rows begin with. */
export interface List {
  /** Number of the form. */
  readonly form: number
  readonly list: number
}

export type ListedForm = Pick<Form, 'number' | 'spamList'>

export const inboxOf = (formNumber: number): List => ({ form: formNumber, list: 0 })

export const listOf = ({ number, spamList }: ListedForm, name: ListName): List => ({
  form: number,
  list: name === 'inbox' ? 0 : spamList,
})

/** How many submissions a list has. */
export const countOf = (form: Pick<Form, 'submissionCount' | 'spamCount'>, name: ListName): number =>
  name === 'inbox' ? form.submissionCount : form.spamCount

/** The rows of the list that a statement gets as its parameters `form` and `list`. */
export const inList = (table: { readonly form: AnySQLiteColumn; readonly list: AnySQLiteColumn }): SQL | undefined =>
  and(eq(table.form, param('form')), eq(table.list, param('list')))

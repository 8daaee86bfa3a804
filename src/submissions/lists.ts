import { and, eq, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Form } from '../forms/form.ts'
import { param } from '../storage/tables.ts'

/**
 * A submission is in one of the lists of its form: its inbox, its spam, which is held back (see spam/judge.ts), or what waits
 * for its address to be confirmed (see confirm/moves.ts). What is in one list is in no read of another.
 */
export type ListName = 'inbox' | 'spam' | 'unconfirmed'

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
  list: name === 'inbox' ? 0 : name === 'spam' ? spamList : unconfirmedList,
})

/** The number of every form's list of what waits for its address to be confirmed. */
export const unconfirmedList = -1

/** How many submissions a list has. */
export const countOf = (form: CountedForm, name: ListName): number => {
  if (name === 'inbox') return form.submissionCount
  return name === 'spam' ? form.spamCount : form.unconfirmedCount
}

type CountedForm = Pick<Form, 'submissionCount' | 'spamCount' | 'unconfirmedCount'>

/** The rows of the list that a statement gets as its parameters `form` and `list`. */
export const inList = (table: { readonly form: AnySQLiteColumn; readonly list: AnySQLiteColumn }): SQL | undefined =>
  and(eq(table.form, param('form')), eq(table.list, param('list')))

import { and, eq, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Form } from '../forms/form.ts'
import type { FormSettings } from '../forms/settings/settings.ts'
import { forms, hasRetention, hasSpam, param } from '../storage/tables.ts'

/**
 * A submission is in one of the lists of its form: its inbox, its spam, which is held back (see spam/judge.ts), or what waits
 * for its address to be confirmed (see confirm/moves.ts). What is in one list is in no read of another.
 */
export type ListName = 'unconfirmed' | 'inbox' | 'spam'

/** The number of every form's list of what waits for its address to be confirmed. */
export const unconfirmedList = -1

interface ListFacts {
  /** Of this list of every form; null if the form's row has it. */
  readonly number: number | null
  /** The column of `forms` that counts it. */
  readonly counter: 'submissionCount' | 'spamCount' | 'unconfirmedCount'
  /** Whether what is in it takes the places of options. What is moved back takes them again. */
  readonly takesPlaces: boolean
  /** The forms of which something may be too old, found through an index; null for a list with an end of its own. */
  readonly swept: { readonly isIn: SQL; readonly days: (settings: FormSettings) => number | null } | null
  /** The list by whose name the API reaches what is in it. */
  readonly reachedAs: ListName
  /** What marks one of it among others; null for what is as it should be. */
  readonly label: string | null
  /** What the person who sent it is told about it. */
  readonly told: string
}

/** A scan goes in this order: what is confirmed or marked as spam meanwhile is found in both lists, and not in none. */
export const lists: Readonly<Record<ListName, ListFacts>> = {
  unconfirmed: {
    ...{ number: unconfirmedList, counter: 'unconfirmedCount', takesPlaces: true, swept: null },
    ...{ reachedAs: 'spam', label: 'Not confirmed', told: ', and held until the address is confirmed' },
  },
  inbox: {
    ...{ number: 0, counter: 'submissionCount', takesPlaces: true, reachedAs: 'inbox', label: null, told: '' },
    swept: { isIn: hasRetention(forms.settings), days: ({ retentionDays }) => retentionDays },
  },
  spam: {
    ...{ number: null, counter: 'spamCount', takesPlaces: false },
    ...{ reachedAs: 'spam', label: 'Spam', told: ', and held back as spam' },
    swept: { isIn: hasSpam(forms.spamCount), days: ({ spamDays }) => spamDays },
  },
}

export const listNames = Object.keys(lists) as ListName[]

/** Between them, they reach all. */
export const reachedLists = listNames.filter((name) => lists[name].reachedAs === name)

/** What `make` makes of each list. */
export const ofEachList = <Made>(make: (facts: ListFacts, name: ListName) => Made): Readonly<Record<ListName, Made>> =>
  Object.fromEntries(listNames.map((name) => [name, make(lists[name], name)])) as Record<ListName, Made>

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
  list: lists[name].number ?? spamList,
})

/** SQL: the numbers of all lists of a form, but that of its spam. */
export const sameLists = listNames.flatMap((name) => lists[name].number ?? []).join(', ')

/** How many submissions a list has. */
export const countOf = (form: Pick<Form, ListFacts['counter']>, name: ListName): number => form[lists[name].counter]

/** The rows of the list that a statement gets as its parameters `form` and `list`. */
export const inList = (table: { readonly form: AnySQLiteColumn; readonly list: AnySQLiteColumn }): SQL | undefined =>
  and(eq(table.form, param('form')), eq(table.list, param('list')))

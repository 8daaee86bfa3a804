import { and, eq, type SQL } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Form } from '../forms/form.ts'
import type { FormSettings } from '../forms/settings/settings.ts'
import { forms, hasRetention, hasSpam, param, placeCounters } from '../storage/tables.ts'

/**
 * A submission is in one of the lists of its form: its inbox, its spam, which is held back (see spam/judge.ts), or one of those
 * in which it waits for something (see `held`). What is in one list is in no read of another.
 */
export type ListName = HeldList | ReachedList

/** Between them, they reach all: what is held is shown beside the spam, and reached as spam. */
type ReachedList = 'inbox' | 'spam'
export const reachedLists: ReachedList[] = ['inbox', 'spam']

/** For the `reason` of this name (see storage/tables.ts). */
export type HeldList = 'unconfirmed'

interface ListFacts {
  /** Of this list of every form; null if the form's row has it. */
  readonly number: number | null
  /** The column of `forms` that counts it. */
  readonly counter: (typeof placeCounters)[number] | 'spamCount'
  /** The forms of which something may be too old, found through an index; null for a list with an end of its own. */
  readonly swept: { readonly isIn: SQL; readonly days: (settings: FormSettings) => number | null } | null
  /** What marks one of it among others; null for what is as it should be. */
  readonly label: string | null
  /** What the person who sent it is told about it. */
  readonly told: string
}

/** What ends the wait: for the API; where it is missed; in its empty list; above its list; where it is let in by hand. */
type HeldFacts = ListFacts & {
  readonly isAsked: (settings: FormSettings) => boolean
} & Readonly<Record<'label' | 'until' | 'missed' | 'empty' | 'ends' | 'without', string>>

/** Beside the spam. What is held takes places as if it were in the inbox, and no values that come once. */
export const held: Readonly<Record<HeldList, HeldFacts>> = {
  unconfirmed: {
    ...{ number: -1, counter: 'unconfirmedCount', swept: null, label: 'Not confirmed' },
    ...{ isAsked: ({ confirm }) => confirm !== null, told: ', and held until the address is confirmed' },
    ...{ until: 'its address is confirmed', without: 'without a confirmed address' },
    ...{ missed: 'the link in the email is used', empty: 'they have used the link in their email' },
    ends: 'Deleted when the link in their email ends.',
  },
}

/** A scan goes in this order: what is let in or marked as spam meanwhile is found in both lists, and not in none. */
export const lists: Readonly<Record<ListName, ListFacts>> = {
  ...held,
  inbox: {
    ...{ number: 0, counter: 'submissionCount', label: null, told: '' },
    swept: { isIn: hasRetention(forms.settings), days: ({ retentionDays }) => retentionDays },
  },
  spam: {
    ...{ number: null, counter: 'spamCount', label: 'Spam', told: ', and held back as spam' },
    swept: { isIn: hasSpam(forms.spamCount), days: ({ spamDays }) => spamDays },
  },
}

export const listNames = Object.keys(lists) as ListName[]
export const heldLists = Object.keys(held) as HeldList[]

/** First the inbox, in which most are. What is moved back takes its places again. */
export const placeLists = listNames.filter((name) => placeCounters.some((one) => one === lists[name].counter)).reverse()

export const isHeldList = (name: string): name is HeldList => Object.hasOwn(held, name)
export const reachedAs = (name: ListName): ReachedList => (isHeldList(name) ? 'spam' : name)

/** What ends a wait in any of them, for the API. */
export const untilThen = heldLists.map((name) => `until ${held[name].until}`).join(', or ')

/** What `make` makes of each list. */
export const ofEachList = <Made>(make: (facts: ListFacts, name: ListName) => Made): Readonly<Record<ListName, Made>> =>
  Object.fromEntries(listNames.map((name) => [name, make(lists[name], name)])) as Record<ListName, Made>

/** The same of each in which something waits. */
export const ofEachHeld = <Made>(make: (facts: HeldFacts) => Made): Readonly<Record<HeldList, Made>> =>
  Object.fromEntries(heldLists.map((name) => [name, make(held[name])])) as Record<HeldList, Made>

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

type Counts = Pick<Form, ListFacts['counter']>

/** How many submissions a list has. */
export const countOf = (form: Counts, name: ListName): number => form[lists[name].counter]

/** The other lists that are reached as this one, without empty ones. */
export const heldBeside = (form: Counts, name: ListName): readonly HeldList[] =>
  name === 'spam' ? heldLists.filter((one) => countOf(form, one) > 0) : []

/** The list that has what is reached as one of `name`; that one, if none of the others does. */
export const whereIs = (form: Counts & ListedForm, name: ListName, isIn: (list: List) => unknown): ListName =>
  heldBeside(form, name).find((one) => isIn(listOf(form, one))) ?? name

/** The rows of the list that a statement gets as its parameters `form` and `list`. */
export const inList = (table: { readonly form: AnySQLiteColumn; readonly list: AnySQLiteColumn }): SQL | undefined =>
  and(eq(table.form, param('form')), eq(table.list, param('list')))

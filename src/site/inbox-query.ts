import { isId } from '../base/id.ts'
import { homePath, inboxExportPath } from '../config/addresses.ts'
import type { Html } from '../html/html.ts'
import { hiddenInput } from '../html/labelled-input.ts'
import type { InboxQuery, Which } from '../submissions/inbox/inbox.ts'
import { parseQuery } from '../submissions/search/terms.ts'
import { type ListedState, listedStates } from '../submissions/states.ts'
import { notTooLong, queryOf, rangeOf, type TypedDates, typedDates } from './list-query.ts'

/** What the inbox shows. */
export interface Asked extends TypedDates {
  readonly state: ListedState
  readonly unread: '' | 'true'
  /** The one form; empty for all. */
  readonly form: string
  /** The one group of forms; empty for all. */
  readonly group: string
  /** The search as it was typed; empty for everything. */
  readonly q: string
  readonly hasFiles: '' | 'true'
  /** Where the page begins; empty for the newest. */
  readonly cursor: string
  /** How many submissions come before. */
  readonly after: number
}

/** What is kept in the cookie. */
type Kept = Pick<Asked, 'state' | 'unread' | 'form' | 'group'>

type Given = Readonly<Record<string, unknown>>

const stateIn = ({ state }: Given) => listedStates.find((one) => one === state)

/** Everything that is open. */
export const wholeInbox: Asked = {
  state: 'open',
  unread: '',
  form: '',
  group: '',
  q: '',
  startDate: '',
  endDate: '',
  hasFiles: '',
  cursor: '',
  after: 0,
}

/**
 * An address that names a state has the whole filter. Any other begins with the one that was kept, or in a search with all
 * states.
 *
 * @param given a query, or a form that was sent @param kept as `toKept` made it
 */
export const toAsked = (given: Given, kept: string | undefined): Asked => {
  const q = typeof given.q === 'string' ? given.q.trim() : ''
  const filter = stateIn(given) ? given : q === '' ? fromKept(kept) : { ...given, state: 'all' }
  return {
    ...typedDates(given),
    state: stateIn(filter) ?? 'open',
    unread: filter.unread === 'true' ? 'true' : '',
    form: isId(filter.form) ? filter.form : '',
    group: typeof filter.group === 'string' ? filter.group.slice(0, maxGroupLength) : '',
    q,
    hasFiles: given.hasFiles === 'true' ? 'true' : '',
    cursor: typeof given.cursor === 'string' ? given.cursor : '',
    after: /^\d{1,9}$/.test(String(given.after)) ? Number(given.after) : 0,
  }
}

const maxGroupLength = 60

/** Of a cookie: nothing but state, unread, form and group, such as `open.unread.01kahp5x2r00v7m3k9qd4tznwe8c`. */
export const keptShape = new RegExp(
  `^(${listedStates.join('|')})(\\.unread)?(?:\\.([0-9a-z]{28}))?(?:\\.-([\\w%.!~*'()-]{1,720}))?$`,
)

export const toKept = ({ state, unread, form, group }: Kept): string =>
  `${state}${unread && '.unread'}${form && `.${form}`}${group && `.-${encodeURIComponent(group.toWellFormed())}`}`

const fromKept = (kept = 'open'): Given => {
  const [, state, unread, form, group] = keptShape.exec(kept) ?? []
  return { state, form, unread: unread && 'true', group: group && decoded(group) }
}

/** A cookie may hold anything. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Whether it shows what a search finds, of whatever state. */
export const isSearching = ({ q, hasFiles }: Asked): boolean => q !== '' || hasFiles !== ''

/** Whether it asks for nothing but what is counted anyway: a state, or what is unread, of some forms. */
export const isCounted = (asked: Asked): boolean =>
  membersOf(asked).every(([name]) => ['state', 'unread', 'form', 'group', 'cursor', 'after'].includes(name))

/** The path of the inbox with this filter. @param more such as what was just done */
export const inboxPath = (asked: Asked, more?: Readonly<Record<string, string>>): string =>
  homePath() + queryOf(membersOf(asked), more)

/** The address of all that this filter shows as a file. */
export const inboxExportAddress = (asked: Asked, format: string): string =>
  inboxExportPath() + queryOf(membersOf(changed(asked, {})), { format })

/** The first page with another filter. */
export const changed = (asked: Asked, changes: Partial<Asked>): Asked => ({
  ...asked,
  cursor: '',
  after: 0,
  ...changes,
})

/** The first page, whenever its submissions were received, with files or without. */
export const withoutReceived = (asked: Asked): Asked => changed(asked, { startDate: '', endDate: '', hasFiles: '' })

export const hiddenInputs = (asked: Asked, without: readonly (keyof Asked)[] = []): Html[] =>
  membersOf(asked)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => hiddenInput(name, value))

const membersOf = (asked: Asked): [keyof Asked, string][] =>
  (Object.keys(wholeInbox) as (keyof Asked)[]).flatMap((name): [keyof Asked, string][] => {
    const value = String(asked[name])
    return value === '' || value === '0' ? [] : [[name, value]]
  })

/** The forms that are shown. */
export const toWhich = ({ form, group }: Pick<Asked, 'form' | 'group'>): Which => ({
  formIds: form === '' ? [] : [form],
  group: form === '' ? group : '',
})

/** @throws AppError `invalid` if the dates are none, or the search is too long */
export const toInboxQuery = (asked: Asked, rest: Pick<InboxQuery, 'limit' | 'newer'>): InboxQuery => ({
  wanted: { terms: parseQuery(notTooLong(asked.q)), hasFiles: asked.hasFiles === 'true' ? true : null },
  state: asked.state === 'all' ? null : asked.state,
  isUnread: asked.unread === 'true',
  ...toWhich(asked),
  range: rangeOf(asked),
  cursor: asked.cursor || null,
  ...rest,
})

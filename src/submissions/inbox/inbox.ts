import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { FormAccess, FormTo } from '../../forms/access.ts'
import { type InboxForm, inboxForms, maxInboxForms } from '../../forms/lists/inbox-forms.ts'
import { parseSettings } from '../../forms/settings/settings.ts'
import type { Reader } from '../../storage/reader.ts'
import { countedStates } from '../../storage/tables.ts'
import { bounds, type DateRange } from '../date-range.ts'
import { countOfState } from '../handling.ts'
import { inboxOf, type List } from '../lists.ts'
import { noteReads } from '../notes.ts'
import { isOfContent, type Wanted } from '../search/match.ts'
import type { Searcher } from '../search/search.ts'
import { type SearchTurns, searchTime } from '../search/turns.ts'
import { type HandlingState, handlingStates } from '../states.ts'
import { type StoredSubmission, storedReads } from '../stored-submission.ts'
import { type FoundSubmissions, submissionReads } from '../submission-reads.ts'
import { boundaryAfter, unreadReads } from '../unread.ts'
import { inboxMerge, type Looked, type Part, type Place } from './merge.ts'
import { inboxSearch } from './search.ts'

/** What an inbox is asked for. Without terms, and whatever its files, it is no search. */
export interface InboxQuery {
  readonly wanted: Wanted
  readonly state: HandlingState | null
  /** Only what is unread to the one who asks. */
  readonly isUnread: boolean
  /** Identifiers of forms; empty for all. */
  readonly formIds: readonly string[]
  /** Only forms with this setting; empty for all. */
  readonly group: string
  readonly range: DateRange
  /** Only those after this identifier; empty for all. */
  readonly newer: string
  /** Submissions to end after. */
  readonly limit: number
  /** `next` of the response to go on with; null to begin with the newest submission. */
  readonly cursor: string | null
}

/** A submission in an inbox. */
export interface InboxSubmission {
  readonly form: FormTo<'read'>
  readonly submission: StoredSubmission
  readonly readPiece: FoundSubmissions['readPiece']
  readonly noteCount: number
}

/** A part of an inbox, newest first. */
export interface InboxPart {
  readonly submissions: readonly InboxSubmission[]
  /** How many submissions were looked at. */
  readonly searched: number
  /** The identifier of the last one that was looked at; null if there are no more. */
  readonly endedAt: string | null
  /** The cursor to go on with; null if there are no more. */
  readonly next: string | null
  /** How many forms it covers, if there are more. */
  readonly forms: number | undefined
}

export type InboxStore = ReturnType<typeof openInbox>

interface Options {
  readonly reader: Reader
  readonly access: FormAccess
  readonly turns: SearchTurns
  readonly maxReadingMilliseconds?: number
  /** After so many submissions of another state, a page ends when its time is over. */
  readonly maxOthers?: number
  readonly pageMilliseconds?: number
}

/** Forms that `findLatest` finds: as many as a menu has. */
const maxLatest = 20

/** The inbox of a user: the submissions of all forms that the user may read. */
export const openInbox = ({
  reader,
  access,
  turns,
  maxReadingMilliseconds = searchTime.maxReadingMilliseconds,
  maxOthers = 100,
  // A request for a page must not hold others up.
  pageMilliseconds = 5,
}: Options) => {
  const listForms = inboxForms(reader.db)
  const merge = inboxMerge(reader.db)
  const { unreadCounter } = unreadReads(reader.db)
  const searchIn = inboxSearch({ db: reader.db, turns, maxReadingMilliseconds })
  const { pieceReader } = submissionReads(reader.db)
  const { findRow, newestFirst } = storedReads(reader.db)
  const { countNotes } = noteReads(reader.db)

  /** @throws AppError `not_found`, `forbidden` */
  const coveredForms = ({ userId, forms: ofKey }: Asker, { formIds, group }: Which): Covered => {
    if (formIds.length > 0 || ofKey) {
      const isNamed = formIds.length > 0
      const forms = isNamed
        ? access.findFormsTo('read', userId, formIds)
        : access.findReadable(userId, [...(ofKey ?? [])])
      return { forms: forms.filter(({ settings }) => isInGroup(settings, group)), isCut: false }
    }
    const found = listForms(userId, group)
    return { forms: found.slice(0, maxInboxForms), isCut: found.length > maxInboxForms }
  }

  /** Reads those of one form that there still are. Neighbours are read at once. */
  const rowsOf = (list: List, ids: readonly string[]): readonly StoredSubmission[] => {
    const ends = { from: ids.at(-1) as string, before: boundaryAfter(ids[0] as string) }
    const neighbours = newestFirst(list, { ...ends, limit: ids.length })
    if (neighbours.every(({ id }, i) => id === ids[i]) && neighbours.length === ids.length) return neighbours
    return ids.flatMap((id) => findRow(list, id) ?? [])
  }

  /** Those that there still are, in forms that the user may still read. */
  const toSubmissions = (userId: string, places: readonly Place[]): InboxSubmission[] => {
    const found = new Map<string, InboxSubmission>()
    for (const [formId, ofForm] of Map.groupBy(places, (place) => place.formId)) {
      const [form] = access.findReadable(userId, [formId])
      if (!form) continue
      const list = inboxOf(form.number)
      const ids = ofForm.map(({ id }) => id)
      const [readPiece, noteCounts] = [pieceReader(list), countNotes(form, ids)]
      for (const submission of rowsOf(list, ids)) {
        const noteCount = noteCounts[submission.id] ?? 0
        found.set(formId + submission.id, { form, submission, readPiece, noteCount })
      }
    }
    return places.flatMap(({ id, formId }) => found.get(formId + id) ?? [])
  }

  /** Those that are wanted, as far as that takes no longer than a page may. */
  const look = (forms: readonly InboxForm[], part: Part, limit: number): Looked => {
    const places: Place[] = []
    let searched = 0
    const startedAt = performance.now()
    for (const { id, form, isWanted } of merge(forms, part)) {
      if (isWanted && places.length === limit) return { places, searched, ended: places.at(-1) as Place }
      const place = { id, formId: form.id }
      if (isWanted) places.push(place)
      const isSlow = ++searched - places.length > maxOthers
      if (isSlow && performance.now() - startedAt > pageMilliseconds) return { places, searched, ended: place }
    }
    return { places, searched, ended: null }
  }

  const count = (userId: string, which: Which): InboxCounts => {
    const { forms } = coveredForms({ userId, forms: null }, which)
    const countUnread = unreadCounter(forms, userId)
    const sum = (countOf: (form: InboxForm) => number) => forms.reduce((count, form) => count + countOf(form), 0)
    const states = handlingStates.map((state) => [state, sum((form) => countOfState(form, state))])
    return {
      ...(Object.fromEntries(states) as Record<HandlingState, number>),
      all: sum((form) => form.submissionCount),
      unread: sum(countUnread),
    }
  }

  // Read once for all streams that look after a commit, and for the count above each page.
  const countAll = reader.remembering((userId: string) => count(userId, allForms))
  const latestOf = reader.remembering((userId: string) => listForms(userId).slice(0, maxLatest))

  return {
    /** Counts the submissions of each state, and what is unread, in all forms or in those that are named. */
    count: (userId: string, which = allForms): InboxCounts =>
      (which.formIds.length === 0 && which.group === '' ? countAll(userId) : undefined) ?? count(userId, which),

    /** What an export of an inbox is made of: its forms, and which of their submissions. Without terms. */
    partOf(userId: string, query: InboxQuery): { readonly formIds: readonly string[]; readonly part: Part } {
      const { forms } = coveredForms({ userId, forms: null }, query)
      return { formIds: forms.map(({ id }) => id), part: toPart(userId, query, null) }
    },

    /** Finds the forms in which something arrived last. */
    findLatest: (userId: string): FormTo<'read'>[] =>
      access.findReadable(userId, latestOf(userId)?.map(({ id }) => id) ?? []),

    /** Finds the forms with something unread, and the latest identifier in each. */
    findUnread(userId: string, which: Which): { readonly formId: string; readonly latestId: string }[] {
      const { forms } = coveredForms({ userId, forms: null }, which)
      const countUnread = unreadCounter(forms, userId)
      return forms.filter((form) => countUnread(form) > 0).map(({ id, latestId }) => ({ formId: id, latestId }))
    },

    /** Differs when something has arrived, was handled, read or deleted. */
    stateOf(userId: string): string {
      const counts = countAll(userId) ?? count(userId, allForms)
      const states = countedStates.map((state) => counts[state])
      return [this.newestOf(userId), counts.all, ...states, counts.unread].join('-')
    },

    /** No submission of the user has a later identifier. Empty if there is none. */
    newestOf: (userId: string): string => latestOf(userId)?.[0]?.latestId ?? '',

    /**
     * Without terms, all is read at once, in the turn in which it is called.
     *
     * @throws AppError `not_found` or `forbidden` for a form that is named, `invalid` if the cursor is of another query,
     *   and what a search throws if it is one
     */
    async read(asker: Searcher, query: InboxQuery): Promise<InboxPart> {
      const { userId } = asker
      const { forms, isCut } = coveredForms(asker, query)
      const cursors = cursorsOf(query)
      const part = toPart(userId, query, cursors.parse(query.cursor))
      const { places, searched, ended } = part.hasText
        ? await searchIn(asker, merge(forms, part), query)
        : look(forms, part, query.limit)
      return {
        submissions: toSubmissions(userId, places),
        searched,
        endedAt: ended?.id ?? null,
        next: ended && cursors.make(ended),
        forms: isCut ? forms.length : undefined,
      }
    },
  }
}

/** How many submissions an inbox has. */
export type InboxCounts = Readonly<Record<HandlingState | 'all' | 'unread', number>>

/** Forms of an inbox, as they are asked for. */
export type Which = Pick<InboxQuery, 'formIds' | 'group'>

const allForms: Which = { formIds: [], group: '' }

const isInGroup = (settings: string | null, group: string): boolean =>
  group === '' || parseSettings(settings).group === group

interface Covered {
  readonly forms: readonly InboxForm[]
  /** Whether there are more. */
  readonly isCut: boolean
}

type Asker = Pick<Searcher, 'userId' | 'forms'>

const toPart = (userId: string, { wanted, range, newer, state, isUnread }: InboxQuery, after: Place | null): Part => {
  const { from, before } = bounds(range)
  return {
    userId,
    from: newer === '' || newer < from ? from : boundaryAfter(newer),
    before,
    after,
    state,
    isUnread,
    hasText: isOfContent(wanted),
  }
}

/** A cursor is the place that was come to, and a hash of the query that it belongs to. */
const cursorsOf = ({ wanted, state, isUnread, formIds, group, range }: InboxQuery) => {
  const hash = sha256(JSON.stringify([wanted, state, isUnread, formIds, group, range]), 'base64url').slice(0, 16)
  return {
    make: ({ id, formId }: Place): string => `${hash}${id}${formId}`,
    parse(cursor: string | null): Place | null {
      if (cursor === null) return null
      const [, id, formId] = /^([0-9a-z]{28})([0-9a-z]{28})$/.exec(cursor.slice(hash.length)) ?? []
      if (cursor.startsWith(hash) && id !== undefined && formId !== undefined) return { id, formId }
      throw invalid({ field: 'cursor', message: 'must be the `next` of a response to the same query' })
    },
  }
}

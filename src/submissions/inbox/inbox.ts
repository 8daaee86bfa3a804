import { invalid } from '../../base/errors.ts'
import { sha256 } from '../../base/hash.ts'
import type { FormAccess, FormTo } from '../../forms/access.ts'
import { type InboxForm, inboxForms, maxInboxForms } from '../../forms/inbox-forms.ts'
import type { Reader } from '../../storage/reader.ts'
import { bounds, type DateRange } from '../date-range.ts'
import type { HandlingState } from '../handling.ts'
import { inboxOf } from '../lists.ts'
import { noteReads } from '../notes.ts'
import type { Wanted } from '../search/match.ts'
import type { Searcher } from '../search/search.ts'
import { type SearchTurns, searchTime } from '../search/turns.ts'
import type { StoredSubmission } from '../stored-submission.ts'
import { type FoundSubmissions, submissionReads } from '../submission-reads.ts'
import { boundaryAfter, nothingRead, unreadReads } from '../unread.ts'
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

/** The inbox of a user: the submissions of all forms that the user may read. */
export const openInbox = ({
  reader,
  access,
  turns,
  maxReadingMilliseconds = searchTime.maxReadingMilliseconds,
  maxOthers = 500,
  // A request for a page must not hold others up.
  pageMilliseconds = 5,
}: Options) => {
  const listForms = inboxForms(reader.db)
  const merge = inboxMerge(reader.db)
  const { countUnreadBy, listMarks } = unreadReads(reader.db)
  const searchIn = inboxSearch({ db: reader.db, turns, maxReadingMilliseconds })
  const { findRow, pieceReader } = submissionReads(reader.db)
  const { countOf } = noteReads(reader.db)

  /** @throws AppError `not_found`, `forbidden` */
  const coveredForms = ({ userId, forms: ofKey = null }: Asker, formIds: readonly string[]): Covered => {
    if (formIds.length > 0 || ofKey) {
      const isNamed = formIds.length > 0
      const forms = isNamed
        ? access.findFormsTo('read', userId, formIds)
        : access.findReadable(userId, [...(ofKey ?? [])])
      return { forms, isCut: false }
    }
    const found = listForms(userId)
    return { forms: found.slice(0, maxInboxForms), isCut: found.length > maxInboxForms }
  }

  /** Those that there still are, in forms that the user may still read. */
  const toSubmissions = (userId: string, places: readonly Place[]): InboxSubmission[] => {
    const forms = new Map(
      access.findReadable(userId, [...new Set(places.map(({ formId }) => formId))]).map((form) => [form.id, form]),
    )
    return places.flatMap(({ id, formId }) => {
      const form = forms.get(formId)
      const list = form && inboxOf(form.number)
      const submission = list && findRow(list, id)
      return submission ? [{ form, submission, readPiece: pieceReader(list), noteCount: countOf(form.number, id) }] : []
    })
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

  return {
    /** Counts the submissions of each state, and what is unread, in all forms or in those that are named. */
    count(asker: Asker, formIds: readonly string[] = []): InboxCounts {
      const { forms } = coveredForms(asker, formIds)
      const marks = new Map(listMarks(forms, asker.userId).map((one) => [one.form, one]))
      const counts = { all: 0, done: 0, unread: 0 }
      for (const form of forms) {
        counts.all += form.submissionCount
        counts.done += form.doneCount
        counts.unread += countUnreadBy(form, marks.get(form.number) ?? nothingRead)
      }
      return { ...counts, open: counts.all - counts.done }
    },

    /**
     * Without terms, all is read at once, in the turn in which it is called.
     *
     * @throws AppError `not_found` or `forbidden` for a form that is named, `invalid` if the cursor is of another query,
     *   and what a search throws if it is one
     */
    async read(asker: Searcher, query: InboxQuery): Promise<InboxPart> {
      const { userId } = asker
      const { forms, isCut } = coveredForms(asker, query.formIds)
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
export interface InboxCounts {
  readonly all: number
  readonly open: number
  readonly done: number
  readonly unread: number
}

interface Covered {
  readonly forms: readonly InboxForm[]
  /** Whether there are more. */
  readonly isCut: boolean
}

type Asker = Pick<Searcher, 'userId' | 'forms'>

const toPart = (userId: string, { wanted, range, newer, state, isUnread }: InboxQuery, after: Place | null): Part => {
  const { from, before } = bounds(range)
  const hasText = wanted.terms.length > 0 || wanted.hasFiles !== null
  return {
    userId,
    from: newer === '' || newer < from ? from : boundaryAfter(newer),
    before,
    after,
    state,
    isUnread,
    hasText,
  }
}

/** A cursor is the place that was come to, and a hash of the query that it belongs to. */
const cursorsOf = ({ wanted, state, isUnread, formIds, range }: InboxQuery) => {
  const hash = sha256(JSON.stringify([wanted, state, isUnread, formIds, range]), 'base64url').slice(0, 16)
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

import type { InboxForm } from '../../forms/lists/inbox-forms.ts'
import type { Db } from '../../storage/open.ts'
import { computed, statement } from '../../storage/statement.ts'
import { submissions } from '../../storage/tables.ts'
import { countOfState, handlingReads } from '../handling.ts'
import { inboxOf } from '../lists.ts'
import type { HandlingState } from '../states.ts'
import { type StoredSubmission, storedReads } from '../stored-submission.ts'
import { boundaryAfter, later, type ReadMarks, unreadReads } from '../unread.ts'

/** A place in an inbox: what follows is older, or of the same identifier and of a form whose identifier sorts before. */
export interface Place {
  readonly id: string
  readonly formId: string
}

/** What was found, and the place at which it ended; null at the end. */
export interface Looked {
  readonly places: readonly Place[]
  /** How many submissions were looked at. */
  readonly searched: number
  readonly ended: Place | null
}

/** What is read of an inbox. */
export interface Part {
  readonly userId: string
  /** Identifiers: from the first one on, up to the second one without it. */
  readonly from: string
  readonly before: string
  /** Only what follows this place; null for all. */
  readonly after: Place | null
  /** Null for all. */
  readonly state: HandlingState | null
  readonly isUnread: boolean
  /** Whether the text of each submission is needed. */
  readonly hasText: boolean
}

/** A submission that was come to. */
export interface Step {
  readonly id: string
  readonly form: InboxForm
  /** Its JSON text as it was when it was read; empty if it is long, or not needed. */
  readonly data: string
  /** Whether it is of the state that is asked for. */
  readonly isWanted: boolean
}

/** The submissions of one form that are still to come. */
interface Source {
  readonly form: InboxForm
  /** The next identifier, or one that is not less than it. */
  top: string
  /** The next ones, newest first, and the position of the next one. */
  rows: readonly Row[]
  position: number
  /** Those of them that are not of the state. */
  left: ReadonlySet<string>
  readonly from: string
  /** The first one that has been read, or that is not asked for. */
  before: string
  /** Identifiers that are read at once. */
  limit: number
  isAtEnd: boolean
  readonly marks: ReadMarks | undefined
}

type Row = Pick<StoredSubmission, 'id'> & Partial<StoredSubmission>

const [firstLimit, lastLimit] = [8, 128]
/** Texts that are in memory: of 4,096 characters each at most. */
const maxTexts = 4096

/**
 * Goes through the submissions of many forms, newest first. A form is first read when its newest submission may be the next
 * one, then in growing steps. So a page of a thousand forms reads few of them.
 */
export const inboxMerge = (db: Db) => {
  const { listState, statesAmong } = handlingReads(db)
  const { marksIn, openedAmong } = unreadReads(db)
  const { newestFirst, findRow } = storedReads(db)
  const [older, newestOf] = [olderThan(db), newestOfForms(db)]

  const sourcesOf = (forms: readonly InboxForm[], part: Part): Source[] => {
    const marksOf = part.isUnread && marksIn(forms, part.userId)
    const sources = forms.flatMap((form): Source[] => {
      if (countOf(form, part.state) === 0) return []
      const marks = marksOf ? marksOf(form) : undefined
      const from = later(part.from, marks?.unreadFrom ?? '')
      const before = beginningOf(form, part)
      const rest = { rows: [], position: 0, left: none, limit: firstLimit, isAtEnd: false, marks }
      return form.latestId < from ? [] : [{ form, top: form.latestId, from, before, ...rest }]
    })
    tighten(sources)
    return sources.filter(({ top, from }) => top >= from).sort(inOrder)
  }

  /** Where a part begins in the middle, or a form is younger than what was imported, reads which one is the next. */
  const tighten = (sources: readonly Source[]): void => {
    const unknown = sources.filter(({ form, before }) => form.latestId >= before || form.latestId === form.id)
    if (unknown.length === 0) return
    // Two at most: forms whose identifiers sort before that of the cursor, and the others.
    for (const [before, group] of Map.groupBy(unknown, (source) => source.before)) {
      const wanted = JSON.stringify(group.map(({ form }) => form.number))
      for (const { position, id } of newestOf.all({ wanted, before })) (group[position] as Source).top = id ?? ''
    }
  }

  const rowsOf = ({ form, from, before, limit }: Source, { state, hasText }: Part): readonly Row[] => {
    const list = inboxOf(form.number)
    if (state !== null && state !== 'open') {
      const { ids } = listState(form, state, { from, before, limit })
      return hasText ? ids.map((id) => findRow(list, id) ?? { id }) : ids.map((id) => ({ id }))
    }
    return hasText ? newestFirst(list, { from, before, limit }) : older.all({ form: form.number, from, before, limit })
  }

  /** Returns false if there are no more. */
  const fill = (source: Source, part: Part, most: number): boolean => {
    if (source.isAtEnd) return false
    const { form, limit, marks } = source
    const rows = rowsOf(source, part)
    source.isAtEnd = rows.length < limit
    const last = rows.at(-1)
    if (last === undefined) return false
    const ids = rows.map(({ id }) => id)
    const handled = part.state === 'open' ? statesAmong(form, ids) : none
    const opened = marks && marks.openedCount > 0 ? openedAmong(form, part.userId, ids) : none
    source.left = handled.size === 0 ? opened : opened.union(handled)
    source.rows = rows
    source.position = 0
    source.before = last.id
    source.top = ids[0] as string
    source.limit = Math.min(most, limit * 4)
    return true
  }

  return function* merge(forms: readonly InboxForm[], part: Part): Generator<Step, void> {
    const sources = sourcesOf(forms, part)
    const most = part.hasText
      ? Math.max(firstLimit, Math.min(lastLimit, Math.floor(maxTexts / forms.length)))
      : lastLimit
    for (let source = sources.pop(); source; source = sources.pop()) {
      while (!isBehind(source, sources.at(-1))) {
        const row = source.rows[source.position]
        if (row) {
          const { id, data = '' } = row
          yield { id, form: source.form, data, isWanted: !source.left.has(id) }
          source.top = source.rows[++source.position]?.id ?? id
        } else if (!fill(source, part, most)) break
      }
      if (source.position < source.rows.length || !source.isAtEnd) insert(sources, source)
    }
  }
}

const none: ReadonlySet<string> = new Set()

/** How many submissions of a form are of a state. */
const countOf = (form: InboxForm, state: HandlingState | null): number =>
  state === null ? form.submissionCount : countOfState(form, state)

/** Before which identifier a form is read. */
const beginningOf = ({ id }: InboxForm, { before, after }: Part): string => {
  if (!after) return before
  const end = id < after.formId ? boundaryAfter(after.id) : after.id
  return end < before ? end : before
}

/** The one that comes first stands at the end, from where it is taken. */
const inOrder = (one: Source, other: Source): number => {
  if (one.top !== other.top) return one.top < other.top ? -1 : 1
  return one.form.id < other.form.id ? -1 : 1
}

const isBehind = (source: Source, next: Source | undefined): boolean => next !== undefined && inOrder(source, next) < 0

const insert = (sources: Source[], source: Source): void => {
  let [from, to] = [0, sources.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (inOrder(sources[middle] as Source, source) < 0) from = middle + 1
    else to = middle
  }
  sources.splice(from, 0, source)
}

const olderThan = statement(
  `SELECT id FROM submissions WHERE form = $form AND list = 0 AND id >= $from AND id < $before ORDER BY id DESC LIMIT $limit`,
  { id: submissions.id },
)

const newestOfForms = statement(
  `SELECT key AS position, (
    SELECT max(submissions.id) FROM submissions
    WHERE submissions.form = value AND list = 0 AND submissions.id < $before) AS id
  FROM json_each($wanted)`,
  { position: computed<number>(), id: computed<string | null>() },
)

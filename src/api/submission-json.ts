import { type Static, Type } from '@sinclair/typebox'
import type { ListPage } from '../base/list-page.ts'
import { momentPattern } from '../base/moment.ts'
import { maxInboxForms } from '../forms/lists/inbox-forms.ts'
import { BrokenOff, type JsonPart } from '../http/streamed.ts'
import { submissions } from '../storage/tables.ts'
import { type DateRange, parseDateRange } from '../submissions/date-range.ts'
import type { InboxPart } from '../submissions/inbox/inbox.ts'
import { type HeldList, heldLists, type ListName, ofEachHeld, untilThen } from '../submissions/lists.ts'
import { maxNotes } from '../submissions/notes.ts'
import { pieceBytes } from '../submissions/pieces.ts'
import type { SearchResult } from '../submissions/search/search.ts'
import { aroundData, type Reason, type StoredSubmission, storedJson } from '../submissions/stored-submission.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { Choice, NamedObject } from './kind-schema.ts'
import { listParameters, PaginationSchema, paginationJson, toPage } from './pagination.ts'
import { checkedQuery, contractQuery } from './schema-check.ts'

const date = (which: string, example: string) =>
  Type.Optional(
    Type.String({
      description:
        `${which} creation time, inclusive: a date (the whole day in UTC) or a date-time with an offset. ` +
        'A + in the offset must be sent as %2B. ' +
        '`startDate` must not be after `endDate`.',
      example,
      documented: { pattern: momentPattern },
    }),
  )

export const dateParameters = {
  startDate: date('Earliest', '2026-11-01'),
  endDate: date('Latest', '2026-11-21T23:59:59Z'),
}

const SubmissionsQuerySchema = Type.Object({ ...listParameters, ...dateParameters })

export const SubmissionDataSchema = NamedObject(
  'SubmissionData',
  {},
  {
    additionalProperties: true,
    description: 'The submitted values by field name. A field that was sent more than once has an array of its values.',
    example: { name: 'Ada', email: 'ada@example.com', message: 'Hello' },
  },
)

export const SubmissionSchema = NamedObject('Submission', {
  id: Type.String({ description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' }),
  formId: Type.String({
    description: 'Identifier of the form that it belongs to',
    example: '01kahp5x2r00v7m3k9qd4tznwe8c',
  }),
  data: SubmissionDataSchema,
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

export const SubmissionListSchema = NamedObject('SubmissionList', {
  submissions: Type.Array(SubmissionSchema),
  pagination: PaginationSchema,
})

const reasons: Readonly<Record<Reason, string>> = {
  honeypot: 'the trap field was filled in',
  terms: 'it contains a blocked term',
  links: 'it has too many links',
  similar: 'it looks like what was marked as spam',
  repeated: 'another one has the same value of a field whose values come once',
  marked: 'it was marked as spam',
  ...ofEachHeld(({ until }) => `it is no spam, but waits until ${until}`),
}

const SpamReasonSchema = Type.Unsafe<Reason>({
  name: 'SpamReason',
  type: 'string',
  enum: [...submissions.reason.enumValues],
  description: `Why it is spam. ${Object.entries(reasons)
    .map(([name, words]) => `\`${name}\`: ${words}`)
    .join('; ')}`,
  example: 'honeypot',
})

/** A submission that is in quarantine. */
export const SpamSchema = NamedObject('Spam', {
  ...SubmissionSchema.properties,
  reason: SpamReasonSchema,
})

export const SpamListSchema = NamedObject('SpamList', {
  spam: Type.Array(SpamSchema),
  pagination: PaginationSchema,
})

const SpamQuerySchema = Type.Object({
  ...SubmissionsQuerySchema.properties,
  reason: Type.Optional(
    Choice<HeldList>({
      choices: heldLists,
      example: 'unconfirmed',
      description: `Only what waits ${untilThen}, and which is not listed otherwise`,
    }),
  ),
})

interface Listed {
  readonly page: ListPage
  readonly range: DateRange
  /** If it is not the list of the path. */
  readonly name?: ListName
}

/** Page and date range of a list. */
const toListed = (given: Static<typeof SubmissionsQuerySchema>): Listed => ({
  page: toPage(given),
  range: parseDateRange(given.startDate, given.endDate),
})
export const submissionsQuery = contractQuery(SubmissionsQuerySchema, toListed)
export const spamQuery = checkedQuery(
  SpamQuerySchema,
  ({ reason, ...given }): Listed => ({ ...toListed(given), ...(reason && { name: reason }) }),
)

type FoundPage = FoundSubmissions & { readonly total: number }

const searchProgress = {
  searched: Type.Integer({ minimum: 0, example: 1250, description: 'How many submissions were looked at' }),
  next: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    example: null,
    description: '`cursor` of the request that goes on where this one ended; null if there are no more submissions',
  }),
}

export const SpamSearchResultSchema = NamedObject('SpamSearchResult', {
  spam: Type.Array(SpamSchema),
  ...searchProgress,
})

/** A submission of the inbox as searches show it. */
const FoundSubmissionSchema = NamedObject('FoundSubmission', {
  ...SubmissionSchema.properties,
  noteCount: Type.Integer({ minimum: 0, maximum: maxNotes, description: 'How many notes it has', example: 2 }),
})

export const InboxSchema = NamedObject('Inbox', {
  submissions: Type.Array(FoundSubmissionSchema),
  ...searchProgress,
  forms: Type.Optional(
    Type.Integer({
      example: maxInboxForms,
      description: 'How many forms were read: those in which something arrived last. Absent if these are all',
    }),
  ),
})

export const SearchResultSchema = NamedObject('SearchResult', {
  submissions: Type.Array(FoundSubmissionSchema),
  ...searchProgress,
})

type Json = string | Generator<JsonPart, void>

/** JSON text of the one submission that was found: whole, or in parts if it is long. */
export const submissionJson = (found: FoundSubmissions): Json => {
  const [submission] = found.submissions as [StoredSubmission]
  const item = { ...found, submission }
  return isLong(submission) ? longSubmission(item, '') : toJson(item)
}

type Listing = 'submissions' | 'spam'

/** JSON text of a page. */
export const submissionListJson = (found: FoundPage, page: ListPage, name: Listing = 'submissions'): Json =>
  listJson(name, found, `"pagination":${paginationJson(page, found.total)}`)

/** JSON text of what a search found. */
export const searchResultJson = (found: SearchResult, name: Listing = 'submissions'): Json =>
  listJson(name, found, `"searched":${found.searched},"next":${JSON.stringify(found.next)}`)

/** A part of an inbox as JSON. */
export const inboxJson = ({ submissions, searched, next, forms }: InboxPart): Json => {
  const items = submissions.map(({ form, ...found }) => ({ formId: form.id, ...found }))
  const progress = `"searched":${searched},"next":${JSON.stringify(next)}`
  const members = forms === undefined ? progress : `${progress},"forms":${forms}`
  if (items.some(({ submission }) => isLong(submission))) return longList('submissions', items, members)
  return `{"submissions":[${items.map(toJson).join()}],${members}}`
}

/** A submission of a list, and how it is read if it is long. */
interface Item extends Pick<FoundSubmissions, 'formId' | 'readPiece'> {
  readonly submission: StoredSubmission
  /** Where it is asked for. */
  readonly noteCount?: number | undefined
}

/** Whole, or in parts if one of its submissions is long. @param members what follows the list */
const listJson = (name: string, found: FoundSubmissions, members: string): Json => {
  const { formId, submissions, readPiece, noteCounts } = found
  const noteCountOf = ({ id }: StoredSubmission) => noteCounts && (noteCounts[id] ?? 0)
  if (submissions.some(isLong)) {
    const items = submissions.map((one): Item => ({ formId, submission: one, readPiece, noteCount: noteCountOf(one) }))
    return longList(name, items, members)
  }
  const rows = submissions.map((one) => storedJson(formId, one, lastMembers(one, noteCountOf(one))))
  return `{"${name}":[${rows.join()}],${members}}`
}

const isLong = ({ data }: StoredSubmission): boolean => data === ''

const toJson = ({ formId, submission, noteCount }: Item): string =>
  storedJson(formId, submission, lastMembers(submission, noteCount))

/** Spam says why it is, and what was searched for how many notes it has. */
const lastMembers = ({ reason }: StoredSubmission, noteCount: Item['noteCount']): string =>
  `${reason === null ? '' : `,"reason":"${reason}"`}${noteCount === undefined ? '' : `,"noteCount":${noteCount}`}`

/** Leaves out a submission that is deleted before its turn. */
function* longList(name: string, items: readonly Item[], members: string): Generator<JsonPart, void> {
  yield `{"${name}":[`
  let separator = ''
  for (const item of items) {
    const { submission, readPiece } = item
    if (isLong(submission) && !readPiece(submission.id, 0)) continue
    if (isLong(submission)) yield* longSubmission(item, separator)
    else yield separator + toJson(item)
    separator = ','
  }
  yield `],${members}}`
}

/** @throws BrokenOff if it is deleted before its last piece was read */
function* longSubmission(item: Item, separator: string): Generator<JsonPart, void> {
  const { formId, submission, readPiece } = item
  const { id } = submission
  const [before, after] = aroundData(formId, submission, lastMembers(submission, item.noteCount))
  yield separator + before
  for (let position = 0; ; position++) {
    const piece = readPiece(id, position)
    if (!piece) throw new BrokenOff('the submission was deleted while it was being sent')
    yield piece
    if (piece.length < pieceBytes) break
  }
  yield after
}

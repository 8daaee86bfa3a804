import { Type } from '@sinclair/typebox'
import { createdAt } from '../base/id.ts'
import { exportedFile } from '../http/attachment.ts'
import type { Stores } from '../stores/stores.ts'
import { type ListName, reachedAs, reachedLists, untilThen } from '../submissions/lists.ts'
import type { Receipt } from '../transfer/people/erase.ts'
import type { Match } from '../transfer/people/scan.ts'
import { maxOfPerson, valueRule } from '../transfer/people/store.ts'
import { jsonBody } from './json-body.ts'
import { NamedObject, NullableText, Text } from './kind-schema.ts'
import { writeOperation } from './operation.ts'
import { createErrors } from './response-schemas.ts'
import { searcherOf } from './searcher.ts'

const tags = ['Data about a person'] as const

const value = Text({
  ...valueRule,
  description: 'What to look for: an email address, a name or another text, as a visitor typed it',
  example: 'ada@example.com',
})

const PersonSearchSchema = NamedObject('PersonSearch', {
  value,
  cursor: Type.Optional(
    NullableText({
      maxLength: 100,
      description: 'The `next` of a response for the same value, to continue there',
      example: null,
    }),
  ),
})

const PersonSchema = NamedObject('Person', { value })

const PersonErasureSchema = NamedObject('PersonErasure', {
  value,
  count: Type.Integer({
    minimum: 0,
    maximum: maxOfPerson,
    description: 'The number of submissions that a search finds now',
    example: 1,
    error: `must be a whole number from 0 to ${maxOfPerson}`,
  }),
})

const ListNameSchema = Type.Unsafe<ListName>({
  name: 'ListName',
  type: 'string',
  enum: reachedLists,
  description: `\`spam\` also for what waits ${untilThen}, and is reached in the same way`,
  example: 'inbox',
})

const submission = {
  formId: Type.String({ description: 'Form identifier', example: '01kahp5x2r00v7m3k9qd4tznwe8c' }),
  submissionId: Type.String({ description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' }),
  list: ListNameSchema,
}
const createdAtSchema = Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' })

const PersonMatchSchema = NamedObject('PersonMatch', {
  ...submission,
  formTitle: Type.String({ example: 'Contact' }),
  field: Type.String({ description: 'Name of the first field that has the value', example: 'email' }),
  createdAt: createdAtSchema,
})

const FoundPersonSchema = NamedObject('FoundPerson', {
  matches: Type.Array(PersonMatchSchema),
  next: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'The `cursor` of the next request; null if all submissions were looked through',
    example: null,
  }),
})

const ErasedSubmissionSchema = NamedObject('ErasedSubmission', { ...submission, createdAt: createdAtSchema })

const KeptBackupsSchema = NamedObject('KeptBackups', {
  kept: Type.Unsafe<string>({
    type: 'string',
    enum: ['none', 'some', 'all'],
    description:
      'Automatic backups that still have what was erased: `none`; `some`, until `endAt`; `all`, until someone deletes ' +
      'those that were made before `erasedAt`',
    example: 'some',
  }),
  endAt: Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the last of them is removed at the latest, if the server goes on making backups',
    example: '2026-11-28T08:01:00.000Z',
  }),
  offSite: Type.Boolean({ description: 'Whether they are on an S3 server too', example: false }),
})

const ErasureReceiptSchema = NamedObject('ErasureReceipt', {
  erasedAt: createdAtSchema,
  submissions: Type.Array(ErasedSubmissionSchema),
  backups: KeptBackupsSchema,
})

const ErasedSchema = NamedObject('Erased', {
  erased: Type.Integer({ description: 'How many submissions were deleted', minimum: 0, example: 1 }),
  receipt: ErasureReceiptSchema,
})

const matchJson = <One extends Pick<Match, 'submissionId' | 'list'>>(match: One) => ({
  ...match,
  list: reachedAs(match.list),
  createdAt: createdAt(match.submissionId),
})

const receiptJson = ({ erasedAt, submissions, backups: { kept, endAt, isOffSite } }: Receipt) => ({
  erasedAt: toIso(erasedAt),
  submissions: submissions.map(matchJson),
  backups: { kept, endAt: endAt === null ? null : toIso(endAt), offSite: isOffSite },
})

const toIso = (time: number): string => new Date(time).toISOString()

export const personalDataOperations = ({ people: store }: Stores) => [
  writeOperation({
    method: 'POST',
    path: '/personal-data/search',
    role: 'user',
    operationId: 'findPerson',
    forms: 'several',
    tags,
    summary: 'Find what a person has sent',
    description:
      'Finds the submissions and the spam of all forms that you may read in which a text is this value: as a whole, in upper or lower ' +
      'case, with or without accents or white space at the ends, in arrays and nested values too. So `ada@example.com` does not find ' +
      '`adada@example.com`. Each submission is there once. A response has at most 500, and ends after a second of ' +
      'reading: go on with `next` as the `cursor` until it is null. One search a user and four in total can run at the ' +
      'same time; the next one gets 429. A read-only key may call this.',
    isRead: true,
    body: jsonBody(PersonSearchSchema),
    answer: FoundPersonSchema,
    errors: createErrors,
    async handle(call) {
      const { value, cursor } = call.body
      const { matches, next } = await store.findPerson(searcherOf(call), value, cursor ?? null)
      return { matches: matches.map(matchJson), next }
    },
  }),
  writeOperation({
    method: 'POST',
    isSlow: true,
    path: '/personal-data/export',
    role: 'user',
    operationId: 'exportPerson',
    forms: 'several',
    tags,
    summary: 'Export what a person has sent',
    description:
      'Returns what a search for this value finds as a ZIP archive: `about.html`, a page to read, `submissions.json`, and the ' +
      'folder `files`. At most 10,000 submissions and 65,000 files. Limits of searches and of exports apply. A read-only ' +
      'key may call this.',
    isRead: true,
    body: jsonBody(PersonSchema),
    answer: 'zip',
    errors: createErrors,
    handle: async (call) => exportedFile(await store.exportPerson(searcherOf(call), call.body.value)),
  }),
  writeOperation({
    method: 'POST',
    isSlow: true,
    path: '/personal-data/erase',
    role: 'user',
    operationId: 'erasePerson',
    forms: 'several',
    tags,
    summary: 'Erase what a person has sent',
    description:
      'Permanently deletes what a search for this value finds in forms in which you may delete, with its files and deliveries. `count` must be the number of ' +
      'submissions that it finds there now; otherwise nothing is deleted, and the response is 400. The receipt has ' +
      'identifiers and times, and nothing of what was deleted. If it ends in the middle, a search finds what is ' +
      'left. An error after some were deleted has `erased` and `receipt` for these, too. At most 10,000 submissions.',
    body: jsonBody(PersonErasureSchema),
    answer: ErasedSchema,
    errors: createErrors,
    async handle(call) {
      const { value, count } = call.body
      const { receipt, refusal } = await store.erasePerson(searcherOf(call), value, count)
      const answer = { erased: receipt.submissions.length, receipt: receiptJson(receipt) }
      if (refusal) throw Object.assign(refusal, { done: answer })
      return answer
    },
  }),
]

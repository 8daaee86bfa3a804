import { Type } from '@sinclair/typebox'
import type { Stores } from '../stores/stores.ts'
import { parseDateRange } from '../submissions/date-range.ts'
import { toFilter } from '../submissions/search/filter.ts'
import { NamedObject, Text } from './kind-schema.ts'
import { slowReadOperation } from './operation.ts'
import { commonErrors } from './response-schemas.ts'
import { checkedQuery } from './schema-check.ts'
import { filterIn, filterParameters, type SentFilter } from './search.ts'
import { searcherOf } from './searcher.ts'
import { dateParameters } from './submission-json.ts'

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, example })
const numberOrNull = (description: string, example: number) =>
  Type.Unsafe<number | null>({ type: 'number', nullable: true, description, example })

const AnswerOptionSchema = NamedObject('AnswerOption', {
  // OpenAPI 3.0 has no schema for two types and null that clients agree on.
  value: Type.Unsafe<string | boolean | null>({
    description:
      'The option; true and false of a check box; null for all answers that are no option, or no option any more',
    example: 'Morning',
  }),
  count: count('Submissions with it', 27),
})

const NumberAnswersSchema = NamedObject('NumberAnswers', {
  count: count('Numbers', 61),
  sum: Type.Number({ example: 358070 }),
  least: numberOrNull('Null without any', 180),
  most: numberOrNull('Null without any', 41000),
  median: numberOrNull('Of all pages; null until the last one', 3200),
  mean: numberOrNull('Of all pages; null until the last one', 5870),
  isAbout: Type.Boolean({
    description: 'Whether median and bins are not exact: of more than 10,000 different numbers, or several pages',
    example: false,
  }),
  bins: Type.Array(
    NamedObject('AnswerBin', {
      from: Type.Number({ example: 180 }),
      to: Type.Number({ example: 3582 }),
      count: count('Numbers in it', 20),
    }),
    {
      description:
        'Twelve of the same width, with the same ends on all pages; what lies outside is in the first or the last',
    },
  ),
})

const FieldAnswersSchema = NamedObject('FieldAnswers', {
  name: Type.String({ example: 'slot' }),
  label: Type.String({ example: 'When would you like to come?' }),
  type: Type.String({ description: 'As in `fields` of the form', example: 'choice' }),
  answered: count('Submissions with an answer; of a check box, all', 88),
  options: Type.Optional(Type.Array(AnswerOptionSchema, { description: 'Of choices and check boxes' })),
  number: Type.Optional(NumberAnswersSchema),
  months: Type.Optional(
    Type.Array(
      NamedObject('AnswerMonth', { month: Type.String({ example: '2026-11' }), count: count('Dates in it', 9) }),
      { description: 'Of dates, in their order; at most 1,200' },
    ),
  ),
  files: Type.Optional(
    NamedObject('AnswerFiles', { count: count('Files', 81), bytes: count('Their size together', 212_000_000) }),
  ),
})

const AnswersSchema = NamedObject('Answers', {
  total: count('Submissions that match, on this page', 92),
  searched: count('Submissions that were looked at, on this page', 92),
  next: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'The `cursor` to go on with; null if there are no more',
    example: null,
  }),
  fields: Type.Array(FieldAnswersSchema),
})

const AnswersQuerySchema = Type.Object({
  ...filterParameters,
  ...dateParameters,
  cursor: Type.Optional(
    Text({
      maxLength: 12_000,
      description: '`next` of a response to the same query, to continue there; empty to begin',
      example: '',
    }),
  ),
})

type Given = SentFilter & { readonly [Name in 'startDate' | 'endDate' | 'cursor']?: string | undefined }

const toQuery = ({ startDate, endDate, cursor, ...given }: Given) => ({
  filter: toFilter(filterIn(given)),
  range: parseDateRange(startDate, endDate),
  cursor: cursor || null,
})

export const answersOperations = ({ answers }: Stores) => [
  slowReadOperation({
    method: 'GET',
    isSlow: true,
    path: '/forms/:formId/answers',
    role: 'reader',
    operationId: 'getAnswers',
    tags: ['Search'],
    summary: 'Add up the answers to a form',
    description:
      'What people answered to each field of the form but hidden ones, in their order. Without `fields`, the names with at most ' +
      '20 different short values among the newest 1,000 submissions. Spam does not count. It has the limits of a search: after ' +
      'a second of reading, `next` goes on, and the counts of all pages are to be added up.',
    query: checkedQuery(AnswersQuerySchema, toQuery),
    answer: AnswersSchema,
    errors: [...commonErrors, 431],
    handle: async (call) => JSON.stringify(await answers.read(searcherOf(call), call.params.formId, call.query)),
  }),
]

import { type TSchema, Type } from '@sinclair/typebox'
import type { Stores } from '../stores/stores.ts'
import { parseDateRange } from '../submissions/date-range.ts'
import type { ListName } from '../submissions/lists.ts'
import { type GivenFilter, toFilter } from '../submissions/search/filter.ts'
import type { Search } from '../submissions/search/search.ts'
import { maxQueryLength } from '../submissions/search/terms.ts'
import { handlingStates, submissionStates } from '../submissions/states.ts'
import { Choice, Text } from './kind-schema.ts'
import { linkToFirst } from './links.ts'
import { slowReadOperation } from './operation.ts'
import { QueryBoolean, QueryInteger, toFlag } from './query-types.ts'
import { commonErrors } from './response-schemas.ts'
import { checkedQuery } from './schema-check.ts'
import { type ReadingCall, searcherOf } from './searcher.ts'
import { dateParameters, SearchResultSchema, SpamSearchResultSchema, searchResultJson } from './submission-json.ts'

const limit = QueryInteger({ minimum: 1, maximum: 100, preset: 20, description: 'Found submissions to end after' })

const SubmissionStateSchema = Choice({
  choices: submissionStates,
  example: 'open',
  description: `Only submissions that are ${handlingStates.join(' or ')}, or unread to the user of the key`,
})

/** Query parameters that say what is searched for. For what spam is held, no operation asks. */
export const filterParameters = {
  q: Type.Optional(
    Text({
      maxLength: maxQueryLength,
      description:
        'Up to 20 words and phrases, all of which must be in the submission: `word`, `"a phrase"`, `-word` (must not be ' +
        'there), `name:word` (in that field), `"my name":"a phrase"`',
      example: 'norway -oslo email:example.com',
    }),
  ),
  state: Type.Optional(SubmissionStateSchema),
  hasFiles: QueryBoolean({ description: 'Only submissions with files; `false`: only those without', example: true }),
} satisfies { readonly [Name in Exclude<keyof GivenFilter, 'reason'>]: TSchema }

/** These parameters as they were sent. */
export type SentFilter = Pick<GivenFilter, 'q' | 'state'> & { readonly hasFiles?: string | undefined }

export const filterIn = ({ q, state, hasFiles }: SentFilter): Required<Omit<GivenFilter, 'reason'>> => ({
  q,
  state,
  hasFiles: toFlag(hasFiles),
})

const pageParameters = {
  ...dateParameters,
  limit,
  cursor: Type.Optional(
    Text({
      maxLength: 60,
      description: '`next` of a response to the same query, to continue there; empty to begin',
      example: '',
    }),
  ),
}

const SearchQuerySchema = Type.Object({ ...filterParameters, ...pageParameters })

/** The parameters of a search for spam, which has no state. */
export const spamFilterParameters = { q: filterParameters.q, hasFiles: filterParameters.hasFiles }

const SpamSearchQuerySchema = Type.Object({ ...spamFilterParameters, ...pageParameters })

type Given = SentFilter & { [Name in 'startDate' | 'endDate' | 'limit' | 'cursor']?: string | undefined }

const toSearch = (list: ListName, { startDate, endDate, limit: most, cursor, ...given }: Given): Search => ({
  list,
  filter: toFilter(filterIn(given)),
  range: parseDateRange(startDate, endDate),
  newer: '',
  limit: Number(most ?? limit.preset),
  cursor: cursor || null,
})

const described =
  'Newest first. Looks for parts of words in the values and the names of files, whatever the case and the accents of ' +
  'Latin, Greek and Cyrillic letters. A search ends when it has found `limit` submissions, or after a second of reading. ' +
  '`next` then goes on, even if there were no submissions in the response. One search per user and four in total can run ' +
  'at the same time; the next one gets 429.'

export const searchOperations = ({ searches }: Stores) => {
  const search = async (call: SearchCall) => searches.search(searcherOf(call), call.params.formId, call.query)
  const shared = { method: 'GET', isSlow: true, role: 'reader', tags: ['Search'], description: described } as const
  return [
    slowReadOperation({
      ...shared,
      path: '/forms/:formId/submissions/search',
      operationId: 'searchSubmissions',
      summary: 'Search the submissions of a form',
      query: checkedQuery(SearchQuerySchema, (given) => toSearch('inbox', given)),
      answer: SearchResultSchema,
      errors: [...commonErrors, 431],
      links: linkToFirst('submissions', 'getSubmission', 'Gets the newest submission that was found.'),
      handle: async (call) => searchResultJson(await search(call)),
    }),
    slowReadOperation({
      ...shared,
      path: '/forms/:formId/spam/search',
      operationId: 'searchSpam',
      summary: 'Search the spam of a form',
      query: checkedQuery(SpamSearchQuerySchema, (given: Given) => toSearch('spam', { ...given, state: undefined })),
      answer: SpamSearchResultSchema,
      errors: [...commonErrors, 431],
      links: linkToFirst('spam', 'getSpam', 'Gets the newest spam that was found.'),
      handle: async (call) => searchResultJson(await search(call), 'spam'),
    }),
  ]
}

interface SearchCall extends ReadingCall {
  readonly params: { readonly formId: string }
  readonly query: Search
}

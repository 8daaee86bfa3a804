import { Type } from '@sinclair/typebox'
import { refuseOtherForms } from '../accounts/keys/store.ts'
import { invalid } from '../base/errors.ts'
import { maxInboxForms } from '../forms/lists/inbox-forms.ts'
import type { Stores } from '../stores/stores.ts'
import { parseDateRange } from '../submissions/date-range.ts'
import type { InboxQuery } from '../submissions/inbox/inbox.ts'
import { toFilter } from '../submissions/search/filter.ts'
import type { HandlingState } from '../submissions/states.ts'
import { HandlingStateSchema } from './handling.ts'
import { Text } from './kind-schema.ts'
import { linkToFirstOfInbox } from './links.ts'
import { type QueryParameters, slowReadOperation } from './operation.ts'
import { QueryBoolean, QueryInteger, toFlag } from './query-types.ts'
import { commonErrors } from './response-schemas.ts'
import { checkedQuery, repeated } from './schema-check.ts'
import { filterIn, filterParameters } from './search.ts'
import { searcherOf } from './searcher.ts'
import { dateParameters, InboxSchema, inboxJson } from './submission-json.ts'

const maxNamed = 100
const limit = QueryInteger({ minimum: 1, maximum: 100, preset: 30, description: 'Submissions to end after' })

const InboxQuerySchema = Type.Object({
  state: Type.Optional(HandlingStateSchema),
  unread: QueryBoolean({ description: 'Only submissions that are unread to the user of the key' }),
  formId: Type.Optional(
    Type.Array(Type.String(), {
      description: `Only submissions of these forms: repeat the parameter, up to ${maxNamed} times`,
      example: ['01kahp5x2r00v7m3k9qd4tznwe8c'],
      documented: { maxItems: maxNamed },
    }),
  ),
  group: Type.Optional(
    Text({ maxLength: 60, description: 'Only submissions of forms with this `group`', example: 'Workshop' }),
  ),
  q: filterParameters.q,
  hasFiles: filterParameters.hasFiles,
  ...dateParameters,
  limit,
  cursor: Type.Optional(
    Text({
      maxLength: 80,
      description: '`next` of a response to the same query, to continue there; empty to begin',
      example: '',
    }),
  ),
})

interface Given {
  readonly state?: HandlingState | undefined
  readonly [Name: string]: string | undefined
}

const { formId: _, ...single } = InboxQuerySchema.properties
const checked = checkedQuery(Type.Object(single), (given: Given): Omit<InboxQuery, 'formIds'> => {
  const { terms, hasFiles } = toFilter(filterIn(given))
  return {
    wanted: { terms, hasFiles },
    state: given.state ?? null,
    isUnread: toFlag(given.unread) === 'true',
    group: given.group ?? '',
    range: parseDateRange(given.startDate, given.endDate),
    newer: '',
    limit: Number(given.limit ?? limit.preset),
    cursor: given.cursor || null,
  }
})

const inboxQuery: QueryParameters<InboxQuery> = {
  schema: InboxQuerySchema,
  parse(given, url) {
    const formIds = [...new Set(repeated(url, 'formId'))].sort()
    if (formIds.length > maxNamed)
      throw invalid({ field: 'formId', message: `must be at most ${maxNamed} forms; got ${formIds.length}` })
    return { ...checked.parse(given, url), formIds }
  },
}

export const inboxOperations = ({ inbox }: Stores) => [
  slowReadOperation({
    method: 'GET',
    isSlow: true,
    path: '/inbox',
    role: 'user',
    forms: 'several',
    operationId: 'listInbox',
    tags: ['Inbox'],
    summary: 'List the submissions of all forms',
    description:
      'The submissions of all forms that the user of the key may read, own and shared, newest first. Spam is not among them. ' +
      `Of more than ${maxInboxForms.toLocaleString('en')} forms, it has those in which something arrived last. With \`q\` or \`hasFiles\` it is a search, with ` +
      'the limits of one. `next` goes on where the response ends, even if there were no submissions in it; nothing is lost or ' +
      'repeated if submissions arrive, are handled or deleted meanwhile.',
    query: inboxQuery,
    answer: InboxSchema,
    errors: [...commonErrors, 431],
    links: linkToFirstOfInbox('getSubmission', 'Gets the newest submission.'),
    async handle(call) {
      const { caller, query } = call
      refuseOtherForms(caller, query.formIds)
      return inboxJson(await inbox.read(searcherOf(call), query))
    },
  }),
]

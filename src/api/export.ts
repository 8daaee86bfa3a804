import { type TOptional, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { flag } from '../forms/settings/kinds.ts'
import { exportedFile } from '../http/attachment.ts'
import type { Stores } from '../stores/stores.ts'
import { parseDateRange } from '../submissions/date-range.ts'
import { isAnythingAsked, toFilter } from '../submissions/search/filter.ts'
import { type CsvOption, csvOptions, toCsvStyle } from '../transfer/export/csv.ts'
import { type LastName, lastGroups } from '../transfer/export/last-columns.ts'
import { type ExportFormat, exportFormatNames, fileFormats } from '../transfer/formats.ts'
import { ConfirmationSchema } from './confirmations.ts'
import { HandlingStateSchema } from './handling.ts'
import { Choice, NamedObject, schemaOf } from './kind-schema.ts'
import { ExportedNoteSchema } from './notes.ts'
import { slowReadOperation } from './operation.ts'
import { QueryBoolean, toFlag } from './query-types.ts'
import { commonErrors } from './response-schemas.ts'
import { checkedQuery } from './schema-check.ts'
import { filterIn, filterParameters, type SentFilter, spamFilterParameters } from './search.ts'
import { dateParameters, SubmissionSchema } from './submission-json.ts'

const format = Type.Optional(
  Choice<ExportFormat>({
    choices: exportFormatNames,
    preset: 'csv',
    example: 'json',
    description: 'Format of the file',
  }),
)

const otherParameters = {
  ...dateParameters,
  ...(Object.fromEntries(
    Object.entries(csvOptions).map(([name, { kind, words }]) => [
      name,
      kind === flag ? QueryBoolean({ description: words.description }) : Type.Optional(schemaOf<unknown>(kind, words)),
    ]),
  ) as Record<CsvOption, TOptional<TUnsafe<string>>>),
}

const ExportQuerySchema = Type.Object({ format, ...filterParameters, ...otherParameters })
const SpamExportQuerySchema = Type.Object({ format, ...spamFilterParameters, ...otherParameters })

const ExportedSubmissionsSchema = Type.Array(
  NamedObject('ExportedSubmission', {
    ...SubmissionSchema.properties,
    ...({
      state: Type.Optional(HandlingStateSchema),
      notes: Type.Optional(Type.Array(ExportedNoteSchema)),
      confirmedAt: Type.Optional(ConfirmationSchema.properties.confirmedAt),
      consent: Type.Optional(ConfirmationSchema.properties.consent),
    } satisfies Record<LastName, TSchema>),
  }),
  { name: 'ExportedSubmissions' },
)

type Given = SentFilter & {
  readonly format?: ExportFormat | undefined
} & { readonly [Name in 'startDate' | 'endDate' | CsvOption]?: string | undefined }

const toExport = ({ format: chosen = 'csv', startDate, endDate, ...given }: Given) => {
  const asked = filterIn(given)
  return {
    format: chosen,
    range: parseDateRange(startDate, endDate),
    ...(isAnythingAsked(asked) && { filter: toFilter(asked) }),
    style: toCsvStyle((name) => (csvOptions[name].kind === flag ? toFlag(given[name]) === 'true' : given[name])),
  }
}

const packed = exportFormatNames.map((name) => fileFormats[name]).filter(({ isPacked }) => isPacked)

// Some generated clients read every response as the first of these that they know: so bytes come first, and then CSV, the
// default. Java's would parse texts as JSON, and one of Python's knows no ZIP.
const otherAnswers = {
  ...Object.fromEntries(packed.map(({ mediaType }) => [mediaType, null])),
  'text/csv': 'id,createdAt,name,more\r\n01kahp6a8d00q2s4tznwe8cm3k9f,2026-11-21T08:01:00.000Z,Ada,\r\n',
  'application/x-ndjson':
    '{"id":"01kahp6a8d00q2s4tznwe8cm3k9f","formId":"01kahp5x2r00v7m3k9qd4tznwe8c","data":{"name":"Ada"},' +
    '"createdAt":"2026-11-21T08:01:00.000Z"}\n',
}

export const exportOperations = ({ exports: store }: Stores) => [
  slowReadOperation({
    method: 'GET',
    isSlow: true,
    path: '/forms/:formId/export',
    role: 'reader',
    operationId: 'exportSubmissions',
    tags: ['Export'],
    summary: 'Export the submissions of a form',
    description:
      'Returns all submissions of the form, or those in a date range, or those that a search finds, as a file named after ' +
      'the form, oldest first. ' +
      'The file contains each submission that existed when the export began, exactly once. ' +
      'CSV has the columns `id` and `createdAt`, one for each of the form’s `keys`, and `more`, which holds all other ' +
      `fields as JSON. ${lastGroups.map(({ about }) => about).join(' ')} ` +
      'Cells that a spreadsheet would run as a formula begin with an apostrophe. ZIP has the submissions ' +
      'as CSV and as NDJSON, and their files, at most 65,000. XLSX has the columns of CSV, with dates as dates and texts as texts; texts of more than 32,767 characters are cut. Two exports per user ' +
      'and four in total can run at the same time; the next one gets 429. If an export takes more than an hour, the ' +
      'connection is closed before the end of the file.',
    query: checkedQuery(ExportQuerySchema, toExport),
    answer: ExportedSubmissionsSchema,
    otherAnswers,
    errors: commonErrors,
    handle: async ({ caller, params, query, signal }) =>
      exportedFile(await store.exportSubmissions(caller.userId, params.formId, query, signal)),
  }),

  slowReadOperation({
    method: 'GET',
    isSlow: true,
    path: '/forms/:formId/spam/export',
    role: 'reader',
    operationId: 'exportSpam',
    tags: ['Export'],
    summary: 'Export the spam of a form',
    description:
      'Does the same for what the form holds back. The name of the file says that it is spam. In CSV, fields that only ' +
      'spam has are in `more`. Exports of submissions and of spam count together.',
    query: checkedQuery(SpamExportQuerySchema, (given: Given) => toExport({ ...given, state: undefined })),
    answer: ExportedSubmissionsSchema,
    otherAnswers,
    errors: commonErrors,
    handle: async ({ caller, params, query, signal }) =>
      exportedFile(await store.exportSubmissions(caller.userId, params.formId, { ...query, list: 'spam' }, signal)),
  }),
]

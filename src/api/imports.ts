import { Type } from '@sinclair/typebox'
import { invalid } from '../base/errors.ts'
import { createdAt } from '../base/id.ts'
import { timeZoneInWords, toTimeZone } from '../base/time-zone.ts'
import type { Stores } from '../stores/stores.ts'
import { fileFormats, type ImportFormat, importFormatNames, importsInWords } from '../transfer/formats.ts'
import { type DateOrder, dateOrders } from '../transfer/import/read-date.ts'
import type { Given, ShownImport } from '../transfer/import/store.ts'
import { maxImportBytes } from '../transfer/import/take-file.ts'
import { Choice, NamedObject } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { QueryBoolean, toFlag } from './query-types.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'
import { checkedQuery } from './schema-check.ts'

const tags = ['Import'] as const

export const importOperations = ({ access, imports: store }: Stores) => {
  const show = (userId: string, formId: string, id: string) =>
    toJson(store.find(access.findFormTo('import', userId, formId), id))

  return [
    writeOperation({
      method: 'POST',
      isSlow: true,
      path: '/forms/:formId/imports',
      role: 'manager',
      operationId: 'importSubmissions',
      tags,
      summary: 'Import submissions',
      description:
        'Adds all submissions of a file to the form, or none. The body is the file: ' +
        `${importsInWords({ csv: 'CSV with a header', zip: 'an archive of Formbox' })}, ` +
        `at most ${maxImportBytes / 1024 / 1024} MiB. \`Content-Type\` or \`format\` says what it is. ` +
        'The file is read and checked first: what is wrong with it gets 400, and nothing is imported. Then the import is ' +
        '`running`; ask for it until it is `done`. With `dryRun`, the response says what would be imported, and nothing ' +
        'is. A file has at most 1,000,000 submissions. Imported submissions cause no notifications. A user can import one ' +
        'file at a time; the next one gets 429.',
      query: checkedQuery(ImportQuerySchema, (query) => query),
      takesFile: importedFile,
      answer: ImportSchema,
      errors: commonErrors,
      async handle({ caller: { userId }, params: { formId }, query, receiveFile, mediaType, signal }) {
        const given = toGiven(query, mediaType)
        const act = toFlag(query.dryRun) === 'true' ? store.check : store.import
        return show(userId, formId, await act(userId, formId, receiveFile(maxImportBytes), given, signal))
      },
    }),

    readOperation({
      method: 'GET',
      path: '/forms/:formId/imports/:importId',
      role: 'manager',
      operationId: 'getImport',
      tags,
      summary: 'Get an import',
      description:
        'How far the import is, and what it was understood as. It can be read for 90 days, a dry run for an hour.',
      answer: ImportSchema,
      errors: commonErrors,
      handle: ({ caller, params }) => JSON.stringify(show(caller.userId, params.formId, params.importId)),
    }),

    writeOperation({
      method: 'DELETE',
      path: '/forms/:formId/imports/:importId',
      role: 'manager',
      operationId: 'deleteImport',
      tags,
      summary: 'Take back an import',
      description:
        'Deletes the submissions that the import has added, wherever they are by now: within an hour after it was done. ' +
        'Those that the form had before stay. An import that is `running` is cancelled.',
      answer: SuccessSchema,
      errors: commonErrors,
      handle: ({ caller, params }) => store.end(caller.userId, params.formId, params.importId),
    }),
  ]
}

const importedFile = {
  mediaTypes: ['application/octet-stream', ...importFormatNames.map((name) => mediaTypeOf(name))],
  example: [{ data: { name: 'Ada' }, createdAt: '2026-03-04T14:05:06.000Z' }],
}

function mediaTypeOf(format: ImportFormat): string {
  return fileFormats[format].mediaType.split(';')[0] as string
}

const ImportQuerySchema = Type.Object({
  format: Type.Optional(
    Choice<ImportFormat>({
      choices: importFormatNames,
      example: 'csv',
      description: 'Format of the file, if `Content-Type` does not say it',
    }),
  ),
  date: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'The column that says when a submission came. Without it, it is found by its name.',
      example: 'Submitted at',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The zone of dates that name none; UTC without it',
      example: 'Europe/Berlin',
    }),
  ),
  dateFormat: Type.Optional(
    Choice<DateOrder>({ choices: dateOrders, example: 'dmy', description: 'Whether 3/4 is 3 April or 4 March' }),
  ),
  noDates: QueryBoolean({ description: 'No column says it: all submissions get the time of the import' }),
  raw: QueryBoolean({ description: 'For CSV: the file was exported with `raw`' }),
  dryRun: QueryBoolean({ description: 'Only check the file' }),
})

const words = {
  column: 'date',
  order: 'dateFormat=dmy or dateFormat=mdy',
  isOff: 'noDates=true',
}

type Query = { readonly format?: ImportFormat; readonly dateFormat?: DateOrder } & {
  readonly [Name in 'date' | 'timeZone' | 'noDates' | 'raw']?: string | undefined
}

const toGiven = ({ format, date, timeZone: zone, dateFormat, noDates, raw }: Query, mediaType: string): Given => {
  const found = format ?? importFormatNames.find((name) => mediaTypeOf(name) === mediaType)
  if (!found)
    throw invalid({ field: 'format', message: `must be one of ${importFormatNames.join(', ')}; or send Content-Type` })
  const isOff = toFlag(noDates) === 'true'
  if (isOff && date !== undefined) throw invalid({ field: 'noDates', message: 'must not be true with date' })
  const timeZone = toTimeZone(zone ?? 'UTC')
  if (timeZone === null) throw invalid({ field: 'timeZone', message: `must be ${timeZoneInWords}` })
  return {
    format: found,
    isRaw: toFlag(raw) === 'true',
    time: { column: date, timeZone, order: dateFormat, isOff, words },
  }
}

const states = ['planned', 'running', 'done', 'failed', 'removed'] as const

const stateOf = (state: ShownImport['state']): (typeof states)[number] => {
  if (state === 'staging' || state === 'adding') return 'running'
  return state === 'removing' ? 'removed' : state
}

const toJson = ({ id, state, report, added, progress }: ShownImport) => ({
  id,
  state: stateOf(state),
  progress: Math.round(progress * 1000) / 1000,
  added,
  ...report,
  createdAt: createdAt(id),
})

const ImportSchema = NamedObject('Import', {
  id: Type.String({ description: 'Import identifier', example: '01kahp5x2r00mp0rt4tznwe8cm3k' }),
  state: Choice<(typeof states)[number]>({ choices: states, example: 'done', description: 'How far it is' }),
  progress: Type.Number({ description: 'From 0 to 1', example: 1 }),
  added: Type.Integer({ description: 'Submissions that were added so far', example: 2 }),
  format: Choice<ImportFormat>({ choices: importFormatNames, example: 'csv', description: 'Format of the file' }),
  separator: Type.Unsafe<string | null>({ type: 'string', nullable: true, description: 'Of CSV', example: ';' }),
  rows: Type.Integer({ description: 'Submissions that are imported', example: 2 }),
  columns: Type.Array(
    NamedObject('ImportColumn', {
      name: Type.String({ example: 'Other 2' }),
      renamedFrom: Type.Optional(
        Type.String({ description: 'Its name in the file, if another column has it', example: 'Other' }),
      ),
    }),
    { description: 'The first 1,000, each name cut to 200 characters' },
  ),
  time: Type.Unsafe({
    ...NamedObject('ImportTime', {
      column: Type.String({ example: 'Submitted at' }),
      format: Type.String({ description: '`iso`, `words`, `unix`, `numbers`, `dmy` or `mdy`', example: 'dmy' }),
      timeZone: Type.String({ example: 'Europe/Berlin' }),
    }),
    nullable: true,
  }),
  examples: Type.Array(
    NamedObject('ImportExample', {
      date: Type.Unsafe<string | null>({
        type: 'string',
        nullable: true,
        description: 'As it is in the file',
        example: '3/4/2026 14:05',
      }),
      createdAt: Type.String({ format: 'date-time', example: '2026-04-03T12:05:00.000Z' }),
      values: Type.Object(
        {},
        {
          additionalProperties: Type.String(),
          description: 'The first 50 values, each cut to 200 characters',
          example: { Name: 'Ada' },
        },
      ),
    }),
    { description: 'The first five submissions; of a dry run only' },
  ),
  left: Type.Array(
    NamedObject('ImportLeftOut', {
      why: Type.String({ example: 'empty rows' }),
      count: Type.Integer({ example: 1 }),
    }),
    { description: 'What is not imported, or not as it is in the file' },
  ),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

import { Type } from '@sinclair/typebox'
import { maxSheets } from '../accounts/sheets/sheet-writes.ts'
import { type Sheet, sheetDescriptionRule } from '../accounts/sheets/store.ts'
import { createdAt } from '../base/id.ts'
import { sheetName, sheetPath } from '../config/addresses.ts'
import type { Stores } from '../stores/stores.ts'
import { jsonBody } from './json-body.ts'
import { NamedObject, NullableText } from './kind-schema.ts'
import { readOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'

const tags = ['Sheets'] as const

export const sheetOperations = ({ access, sheets: store }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/sheets',
    role: 'manager',
    operationId: 'listSheets',
    tags,
    summary: 'List the sheets of a form',
    description: `All sheets, at most ${maxSheets}, in the order in which they were made, without their addresses.`,
    answer: SheetListSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      JSON.stringify({
        sheets: store.listSheets(access.findFormTo('sheets', caller.userId, params.formId)).map(toJson),
      }),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/sheets',
    role: 'manager',
    operationId: 'createSheet',
    tags,
    summary: 'Create a sheet',
    description:
      'Makes an address at which spreadsheets and programs read the submissions of the form as CSV, newest first, without ' +
      `an API key. Returns the address, which is never shown again. A form has at most ${maxSheets} sheets.`,
    body: jsonBody(SheetInputSchema),
    hasSecret: true,
    answer: CreatedSheetSchema,
    errors: commonErrors,
    async handle({ caller, params, body, serverAddress }) {
      const { id, token } = await store.createSheet(caller.userId, params.formId, body.description ?? null)
      return { id, url: `${serverAddress}${sheetPath(sheetName(token))}` }
    },
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/sheets/:sheetId',
    role: 'manager',
    operationId: 'deleteSheet',
    tags,
    summary: 'Delete a sheet',
    description: 'Its address leads nowhere from then on.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => store.deleteSheet(caller.userId, params.formId, params.sheetId),
  }),
]

const toJson = ({ id, description, lastUsedAt }: Sheet) => ({
  id,
  description,
  lastUsedAt: lastUsedAt && new Date(lastUsedAt).toISOString(),
  createdAt: createdAt(id),
})

const SheetInputSchema = NamedObject('SheetInput', {
  description: Type.Optional(
    NullableText({
      ...sheetDescriptionRule,
      description: 'Where the sheet is used. NUL and unpaired surrogates are refused.',
      example: 'Guest list of the team',
    }),
  ),
})

const id = Type.String({ description: 'Sheet identifier', example: '01kahp5x2r00sheet4tznwe8cm3k' })

const CreatedSheetSchema = NamedObject('CreatedSheet', {
  id,
  url: Type.String({
    description:
      'The address, on the host of the request if the operator has not set FORMBOX_URL. It is never shown again.',
    example: 'https://forms.example.com/sheet/mZ0x3vJ1uQ8bT5rY7kLw2nHs4dFgA6cE.csv',
  }),
})

const SheetSchema = NamedObject('Sheet', {
  id,
  description: Type.Unsafe<string | null>({ type: 'string', nullable: true, example: 'Guest list of the team' }),
  lastUsedAt: Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it was read last, to the minute; null if it never was',
    example: '2026-11-21T08:01:00.000Z',
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

const SheetListSchema = NamedObject('SheetList', { sheets: Type.Array(SheetSchema) })

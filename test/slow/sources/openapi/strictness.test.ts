// The document and the service refuse the same input, as far as a schema can tell.
import { describe, expect, test } from 'bun:test'
import Ajv, { type ValidateFunction } from 'ajv'
import { readDocument } from '../../../documented.ts'
import { serverWithUser } from '../../../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

const nul = '\0'
const newForm = (fields: object) => ({ title: 'Contact', ...fields })

const taken = {
  createForm: [
    { title: 'x' },
    { title: ' x ' },
    { title: '\n\u00a0x\u2028' },
    { title: '😀'.repeat(255) },
    newForm({ description: '' }),
    newForm({ description: ' \n' }),
    newForm({ description: null, returnUrl: null }),
    newForm({ returnUrl: 'http://localhost:8080/a?b=c#d' }),
    newForm({ returnUrl: 'HTTPS://example.com' }),
    ...['straße', 'größe', 'À', '日本', '\u00a1'].map((path) => newForm({ returnUrl: `https://example.com/${path}` })),
    newForm({ unknown: 1 }),
  ],
  createForms: [{ forms: [{ title: 'x' }, { title: 'x' }] }],
  updateForms: [{ forms: [{ id: 'a' }, { id: 'b' }] }],
  updateFormSettings: [
    {},
    { unknown: 1 },
    { open: false },
    { notify: [] },
    { challenge: true },
    { thankYou: null },
    { thankYou: 'a\nb' },
    { thankYou: '😀'.repeat(1000) },
    { columns: null },
    { columns: [] },
    { columns: ['', ' ', '\n', '__proto__', 'e', '😀', 'A', 'a'] },
    { columns: ['x'.repeat(998)] },
    { fileTypes: ['.PDF', 'Image/*', 'application/vnd.ms-excel', 'image/svg+xml', '.tar.gz', `.${'x'.repeat(99)}`] },
    { maxFiles: null, maxFileBytes: null },
    { maxFiles: 20, maxFileBytes: 1 },
  ],
  deleteForms: [{ ids: ['a', 'a'] }, { ids: ['x'.repeat(64)] }],
  createWebhook: [
    { url: 'https://example.com' },
    { url: 'HTTP://n8n.lan:5678/webhook?a=b@c#d@e' },
    { url: 'https://[2606:4700::1]:8080/@' },
    { url: 'https://example.com', format: 'ntfy', description: '😀'.repeat(200), unknown: 1 },
    { url: 'https://example.com', description: null },
    { url: 'https://example.com', only: null, headers: {} },
    {
      url: 'https://example.com',
      only: { field: 'a', equals: 'b', c: 1 },
      headers: { 'X-A': 'a b', Authorization: 'c' },
    },
  ],
  updateWebhook: [
    { headers: {} },
    { only: null },
    {},
    { enabled: false },
    { description: '' },
    { format: 'slack' },
    { url: 'http://n8n.lan' },
  ],
}

const refused = {
  createForm: [
    {},
    { title: null },
    { title: '' },
    { title: ' ' },
    { title: '\t\r\n \u00a0\u2003\u2028\ufeff' },
    { title: nul },
    { title: `x${nul}` },
    { title: `${nul}x` },
    { title: 'x'.repeat(256) },
    newForm({ description: nul }),
    newForm({ description: 'x'.repeat(1001) }),
    newForm({ returnUrl: '' }),
    newForm({ returnUrl: 'ftp://example.com' }),
    newForm({ returnUrl: '//example.com' }),
    newForm({ returnUrl: 'https://' }),
    newForm({ returnUrl: 'https://example.com/a b' }),
    newForm({ returnUrl: 'https://example.com/\n' }),
    newForm({ returnUrl: `https://example.com/${nul}` }),
  ],
  createForms: [{ forms: [] }, { forms: [{ title: 'x' }, { title: ' ' }] }],
  updateForms: [{ forms: [{ id: 'a' }, { id: 'a' }] }, { forms: [{ id: ' ' }] }, { forms: [{ id: 'x'.repeat(65) }] }],
  updateFormSettings: [
    { open: null },
    { notify: null },
    { notify: 'a@b' },
    { notify: [null] },
    { notify: ['a'] },
    { notify: ['a@b c'] },
    { notify: ['a@b@c'] },
    { notify: ['@b'] },
    { notify: ['a@b', 'a@b'] },
    { notify: Array.from({ length: 11 }, (_, i) => `${i}@b`) },
    { thankYou: '' },
    { thankYou: ' ' },
    { thankYou: nul },
    { thankYou: 1 },
    { thankYou: 'x'.repeat(1001) },
    { open: 'true' },
    { open: 1 },
    { columns: 'a' },
    { columns: {} },
    { columns: [null] },
    { columns: [1] },
    { columns: ['a', 'a'] },
    { columns: [nul] },
    { columns: ['x'.repeat(999)] },
    { columns: [...'abcdefghi'] },
    { fileTypes: null },
    { fileTypes: '.pdf' },
    ...['', 'pdf', '*/*', '.', 'image/', 'image/*;q=1', '.a,b', 'a/b/c', `.${'x'.repeat(100)}`].map((fileType) => ({
      fileTypes: [fileType],
    })),
    { fileTypes: Array.from({ length: 21 }, () => '.a') },
    { maxFiles: 0 },
    { maxFiles: 21 },
    { maxFileBytes: 0 },
    { maxFileBytes: 104_857_601 },
    { attachFiles: null },
  ],
  deleteForms: [{ ids: [] }, { ids: [''] }, { ids: ['x'.repeat(65)] }],
  createWebhook: [
    ...['a', {}, { field: 'a' }, { field: '', equals: 'a' }, { field: 'a', equals: ' ' }].map((only) => ({
      url: 'https://example.com',
      only,
    })),
    ...[null, [], 'a', { 'X-A': 1 }, { 'X-A': '' }, { 'X-A': ' a' }, { 'X-A': 'ü' }].map((headers) => ({
      url: 'https://example.com',
      headers,
    })),
    {},
    { url: null },
    { url: '' },
    { url: 'example.com' },
    { url: 'ftp://example.com' },
    { url: 'https://' },
    { url: 'https://example.com/a b' },
    { url: 'https://ada@example.com' },
    { url: 'https://ada:secret@example.com/' },
    { url: `https://example.com/${'x'.repeat(2029)}` },
    { url: 'https://example.com', format: 'Slack' },
    { url: 'https://example.com', format: null },
    { url: 'https://example.com', description: 'x'.repeat(201) },
    { url: 'https://example.com', description: nul },
  ],
  updateWebhook: [{ url: null }, { url: 'x' }, { format: '' }, { enabled: null }, { enabled: 1 }, { description: 1 }],
}

const dates = ['2028-02-29', '2026-11-21T08:01Z', '2026-11-21t23:59:59.999999999z', '2026-11-21T00:00:00-23:59']
const noDates = ['', 'a', '2026-02-29', '2026-04-31', '2026-11-21T08:01', '2026-11-21T24:00Z', '2026-11-21T08:01:60Z']

const takenQueries = {
  listSubmissions: dates.flatMap((date) => [{ startDate: date }, { endDate: date }]),
  listDeliveries: [
    { state: ['pending'] },
    { state: ['failed', 'delivered', 'pending'] },
    { state: ['failed', 'failed'] },
  ],
  deleteForms: [{ ids: ['a'] }, { ids: ['a', 'b'] }, { ids: ['a,b'] }, { ids: ['x'.repeat(64)] }],
}

const refusedQueries = {
  listSubmissions: [
    ...noDates.flatMap((date) => [{ startDate: date }, { endDate: date }]),
    ...[{ page: '0' }, { page: '-1' }, { perPage: '0' }, { perPage: '101' }, { perPage: '1.5' }],
    { page: '9007199254740992' },
  ],
  listDeliveries: [
    { state: [''] },
    { state: ['x'] },
    { state: ['Failed'] },
    { state: ['x', 'failed'] },
    { state: ['failed, pending'] },
  ],
  deleteForms: [{ ids: [''] }, { ids: ['a,'] }, { ids: ['a', ''] }, { ids: ['x'.repeat(65)] }],
}

const rows = <T>(table: Record<string, readonly T[]>): [string, T][] =>
  Object.entries(table).flatMap(([operationId, inputs]) => inputs.map((input): [string, T] => [operationId, input]))

describe('a body of', () => {
  test.each(rows<object>(taken))('%s that the service takes is valid: %j', async (operationId, body) => {
    expect(await judge(operationId, { body })).toEqual({ isValid: true, isRefused: false })
  })

  test.each(rows<object>(refused))('%s that the service refuses is not valid: %j', async (operationId, body) => {
    expect(await judge(operationId, { body })).toEqual({ isValid: false, isRefused: true })
  })
})

type Query = Record<string, string | string[]>

describe('a query of', () => {
  test.each(rows<Query>(takenQueries))('%s that the service takes is valid: %j', async (operationId, query) => {
    expect(await judge(operationId, { query })).toEqual({ isValid: true, isRefused: false })
  })

  test.each(rows<Query>(refusedQueries))('%s that the service refuses is not valid: %j', async (operationId, query) => {
    expect(await judge(operationId, { query })).toEqual({ isValid: false, isRefused: true })
  })
})

test.each([
  ['updateForms', 'forms', 'No two may have the same `id`'],
  ['listSubmissions', 'startDate', '`startDate` must not be after `endDate`'],
  ['listSubmissions', 'endDate', '`startDate` must not be after `endDate`'],
  ['deleteForms', 'ids', 'They must not be in the body as well'],
  ['deleteSubmissions', 'ids', 'They must not be in the body as well'],
  ['deleteSpamInBulk', 'ids', 'They must not be in the body as well'],
  ['updateFormSettings', 'columns', 'at most 1000 bytes as JSON'],
  ['createForm', 'title', 'unpaired surrogates'],
  ['createForm', 'description', 'unpaired surrogates'],
  ['createForm', 'returnUrl', 'without control characters'],
])('what no schema can tell is in the description: %s, %s', async (operationId, name, sentence) => {
  const { server } = await serverWithUser()
  const document = await readDocument(server.url)
  const { parameters = [], requestBody } = find(document, operationId).operation

  const parameter = parameters.find((parameter: Json) => parameter.name === name)
  const property = () => {
    const { schema } = requestBody.content['application/json']
    return (schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema).properties[name]
  }

  expect((parameter ?? property()).description).toContain(sentence)
})

/** What the document says of an input, and what the service says. */
const judge = async (operationId: string, { body, query = {} }: { body?: object; query?: Query }) => {
  const { server, ada } = await serverWithUser()
  const document = await readDocument(server.url)
  const ajv = new Ajv({ strict: false, formats: { uri: URL.canParse, 'date-time': true, int32: true, int64: true } })
  ajv.addSchema(document, 'document')
  const { path, method, operation } = find(document, operationId)
  const schemaAt = (...keys: (string | number)[]): ValidateFunction =>
    ajv.compile({ $ref: `document#/${['paths', path, method, ...keys].map(escaped).join('/')}` })

  const isValidBody = !body || schemaAt('requestBody', 'content', 'application/json', 'schema')(body)
  const isValidQuery = Object.entries(query).every(([name, value]) => {
    const at = operation.parameters.findIndex((parameter: Json) => parameter.name === name)
    const isNumber = operation.parameters[at].schema.type === 'integer'
    return schemaAt('parameters', at, 'schema')(isNumber ? Number(value) : value)
  })

  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
  const formId = await ada.createForm()
  const filled = path.replace('{formId}', formId).replace('{webhookId}', 'nobody')
  const address = `${filled}?${new URLSearchParams(pairs)}`
  const { status } = await ada.call(method.toUpperCase(), address, body)
  // The identifiers are no one's: what is not found was not refused.
  expect([200, 400, 404]).toContain(status)
  return { isValid: isValidBody && isValidQuery, isRefused: status === 400 }
}

const find = (document: Json, operationId: string): { path: string; method: string; operation: Json } => {
  const all = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ path, method, operation })),
  )
  const found = all.find(({ operation }) => operation.operationId === operationId)
  if (!found) throw new Error(`no operation ${operationId}`)
  return found
}

const escaped = (key: string | number): string =>
  encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'))

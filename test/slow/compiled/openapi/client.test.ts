import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { noMailServer } from '../../../contract/api-routes.ts'
import { readDocument } from '../../../documented.ts'
import { serverWithUser, temporaryFolder } from '../../../harness.ts'
import { runTool } from '../../../openapi/run-tool.ts'
import { submitFiles } from '../../../stored-files.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

test('openapi-fetch, with types made of the OpenAPI document, compiles for every operation and calls most', async () => {
  const { server, ada } = await serverWithUser(noMailServer)
  const folder = temporaryFolder()
  symlinkSync(join(import.meta.dir, '../../../../node_modules'), join(folder, 'node_modules'))
  await Bun.write(join(folder, 'openapi.json'), await server.fetch('/api/v1/openapi.json'))
  await Bun.write(join(folder, 'program.ts'), program)
  const document = await Bun.file(join(folder, 'openapi.json')).json()
  await Bun.write(join(folder, 'examples.ts'), examplesOf(await readDocument(server.url)))
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await Bun.write(join(folder, 'typescript-5.js'), typescript5)

  await run(folder, 'openapi-typescript', ['openapi.json', '-o', 'openapi.d.ts'], ['--preload', './typescript-5.js'])
  const operations = pathsWithMethod(document)
  const lines = (await Bun.file(join(folder, 'openapi.d.ts')).text()).split('\n')
  // 255 for each operation while each repeated its errors and parameters.
  expect(lines.length).toBeLessThan(120 * operations.length)
  expect(await run(folder, 'tsc', ['--project', folder])).toBe('')
  const formId = await ada.createForm()
  const [inbox, spam] = [false, true].map((isSpam) => {
    const { id, files } = submitFiles(server, formId, [{ name: 'a.txt', type: '', bytes: Buffer.from('Hi') }], {
      isSpam,
    })
    return { formId, submissionId: id, fileId: files[0] }
  })
  const printed = await run(folder, 'program.ts', [ada.key, server.url, JSON.stringify([inbox, spam])])

  const [form, submissions, called] = JSON.parse(printed)
  expect(form).toMatchObject({ title: 'Contact us', description: null, keys: ['name'], submissionCount: 3 })
  expect(submissions).toMatchObject([{ formId: form.id, data: { name: 'third' } }, {}, {}])
  expect(operations).toEqual(expect.arrayContaining(called))
  const left = await ada.call('GET', '/forms')
  expect(left.body.forms).toEqual([])
}, 60_000)

/** openapi-typescript prints through TypeScript's own API, which version 7 does not have. */
const typescript5 = `
import typescript from 'typescript-5'

Bun.plugin({
  name: 'typescript 5',
  setup: (build) =>
    void build.module('typescript', () => ({ loader: 'object', exports: { ...typescript, default: typescript } })),
})
`

const compilerOptions = {
  target: 'ESNext',
  module: 'Preserve',
  moduleResolution: 'bundler',
  lib: ['ESNext', 'DOM', 'DOM.Iterable'],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/** A user of the client. What the document requires, the compiler must require. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.d.ts'

type Schemas = components['schemas']
declare const process: { argv: string[] }

const [, , key = '', server = '', files = ''] = process.argv
const api = createClient<paths>({ baseUrl: server + '/api/v1', headers: { authorization: 'Bearer ' + key } })
const site = createClient<paths>({ baseUrl: server })
const { GET, POST, PATCH, DELETE } = api
const called = new Set<string>()
for (const client of [api, site])
  client.use({ onRequest: ({ request, schemaPath }) => void called.add(request.method + ' ' + schemaPath) })

/** The body of an answer. */
const ok = async <T>(answer: Promise<{ data?: T; error?: unknown }>) => {
  const { data, error } = await answer
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data as Exclude<T, undefined>
}
const check = (isRight: boolean, what: string) => {
  if (!isRight) throw new Error(what)
}

const { id } = await ok(POST('/forms', { body: { title: 'Contact', description: 'Old', returnUrl: null } }))
const path = { formId: id }
const collect = (name: string) => ok(site.POST('/s/{formId}', { params: { path }, body: { name } }))
for (const name of ['first', 'second', 'third']) await collect(name)
const { challenge } = await ok(site.GET('/s/{formId}/challenge', { params: { path } }))
check(challenge === null, 'getChallenge')
await ok(PATCH('/forms/{formId}', { params: { path }, body: { title: 'Contact us', description: null } }))
const form: Schemas['Form'] = await ok(GET('/forms/{formId}', { params: { path } }))
const listed = await ok(
  GET('/forms/{formId}/submissions', { params: { path, query: { page: 1, startDate: '2020-01-01' } } }),
)
const list: Schemas['Submission'][] = listed.submissions
const first = { ...path, submissionId: list[0]!.id }
const one = await ok(GET('/forms/{formId}/submissions/{submissionId}', { params: { path: first } }))
check(one.data.name === 'third' && listed.pagination.total === 3, 'listSubmissions')
const hits = await ok(
  GET('/forms/{formId}/submissions/search', { params: { path, query: { q: 'third', limit: 1, state: 'open' } } }),
)
check(hits.submissions.length === 1, 'searchSubmissions')
const foundSpam = await ok(GET('/forms/{formId}/spam/search', { params: { path, query: { q: 'third' } } }))
check(foundSpam.spam.length === 0, 'searchSpam')
const exported = await ok(GET('/forms/{formId}/export', { params: { path, query: { format: 'json', raw: false } } }))
check(exported.length === 3, 'exportSubmissions')
const csv = await ok(GET('/forms/{formId}/spam/export', { params: { path }, parseAs: 'text' }))
check(csv.startsWith('id,'), 'exportSpam')
const handling = '/forms/{formId}/submissions/{submissionId}/handling'
const { by } = await ok(PATCH(handling, { params: { path: first }, body: { state: 'done' } }))
check(by !== null, 'updateHandling')
const ids = [first.submissionId]
await ok(PATCH('/forms/{formId}/submissions/handling/bulk', { params: { path }, body: { ids, state: 'open' } }))
check((await ok(GET(handling, { params: { path: first } }))).state === 'open', 'updateHandlingInBulk')
const thread = '/forms/{formId}/submissions/{submissionId}/notes'
const [note] = (await ok(POST(thread, { params: { path: first }, body: { text: 'Called' } }))).notes
check(note?.text === 'Called' && note.by === by, 'addNote')
const own = { ...first, noteId: note!.id }
await ok(DELETE('/forms/{formId}/submissions/{submissionId}/notes/{noteId}', { params: { path: own } }))
check((await ok(GET(thread, { params: { path: first } }))).notes.length === 0, 'deleteNote')
await ok(DELETE('/forms/{formId}/submissions/{submissionId}', { params: { path: first } }))
await ok(DELETE('/forms/{formId}/submissions/bulk', { params: { path }, body: { ids: [list[1]!.id] } }))
await ok(DELETE('/forms/{formId}/submissions/bulk', { params: { path, query: { ids: [list[2]!.id] } } }))

const spamOf = async () => {
  const { spam } = await ok(GET('/forms/{formId}/spam', { params: { path } }))
  return spam.map((each) => each.id + ' ' + each.reason).join()
}
const submissionsNow = async () =>
  (await ok(GET('/forms/{formId}/submissions', { params: { path } }))).submissions.map((each) => ({
    params: { path: { formId: id, submissionId: each.id } },
  }))
const mark = '/forms/{formId}/submissions/{submissionId}/spam'
for (const name of ['good', 'bad']) await collect(name)
const [bad, good] = await submissionsNow()
await ok(POST(mark, bad!))
check((await spamOf()) === bad!.params.path.submissionId + ' marked', 'listSpam')
check((await ok(GET('/forms/{formId}/spam/{submissionId}', bad!))).data.name === 'bad', 'getSpam')
await ok(POST('/forms/{formId}/spam/{submissionId}/accept', bad!))
await ok(POST(mark, bad!))
await ok(DELETE('/forms/{formId}/spam/{submissionId}', bad!))
await ok(POST(mark, good!))
const goodIds = [good!.params.path.submissionId]
await ok(DELETE('/forms/{formId}/spam/bulk', { params: { path, query: { ids: goodIds } } }))
check((await spamOf()) === '', 'deleteSpamInBulk')
for (const name of ['worse', 'worst']) await collect(name)
for (const each of await submissionsNow()) await ok(POST(mark, each))
await ok(DELETE('/forms/{formId}/spam/all', { params: { path } }))
check((await spamOf()) === '', 'deleteAllSpam')

await collect('Zoë')
const sheet = await ok(POST('/forms/{formId}/sheets', { params: { path }, body: { description: null } }))
const { sheets } = await ok(GET('/forms/{formId}/sheets', { params: { path } }))
check(sheet.url.endsWith('.csv') && sheets[0]?.id === sheet.id, 'createSheet')
await ok(DELETE('/forms/{formId}/sheets/{sheetId}', { params: { path: { formId: id, sheetId: sheet.id } } }))
const invited = { email: 'grace@example.com', role: 'reader' } as const
const person = await ok(POST('/forms/{formId}/members', { params: { path }, body: invited }))
const member = { path: { formId: id, memberId: person.id } }
await ok(PATCH('/forms/{formId}/members/{memberId}', { params: member, body: { role: 'editor' } }))
const { members } = await ok(GET('/forms/{formId}/members', { params: { path } }))
check(members[0]?.role === 'editor' && !person.proved && person.inviteUrl === null, 'addMember')
await ok(DELETE('/forms/{formId}/members/{memberId}', { params: member }))
const refusal = await POST('/forms/{formId}/owner', { params: { path }, body: { email: 'nobody@example.com' } })
check(refusal.error?.code === 'BAD_REQUEST' && refusal.error.issues.length === 1, 'handOverForm')
const { trail } = await ok(GET('/forms/{formId}/trail', { params: { path } }))
check(trail[0]?.what === 'unshared', 'listTrail')
check((await ok(GET('/shared/forms'))).pagination.total === 0, 'listSharedForms')
const { matches } = await ok(POST('/personal-data/search', { body: { value: 'ZOË' } }))
check(matches[0]?.field === 'name', 'findPerson')
const archive = await ok(POST('/personal-data/export', { body: { value: 'Zoë' }, parseAs: 'blob' }))
check(archive.type === 'application/zip' && archive.size > 1000, 'exportPerson')
const { erased, receipt } = await ok(POST('/personal-data/erase', { body: { value: 'Zoë', count: 1 } }))
check(erased === 1 && receipt.backups.kept === 'none', 'erasePerson')

const reply = { field: 'name', subject: 'Thank you', text: 'We answer soon.' }
const entry = { address: 'ada@example.com', only: { field: 'topic', equals: 'Sales' }, digest: 'day' } as const
await ok(
  PATCH('/forms/{formId}/settings', { params: { path }, body: { columns: ['name'], reply, notify: [entry] } }),
)
const { columns, notify } = await ok(GET('/forms/{formId}/settings', { params: { path } }))
const [notified] = notify
check(columns?.join() === 'name', 'updateFormSettings')
check(typeof notified === 'object' && notified.only?.equals === 'Sales', 'getFormSettings')
check((await ok(POST('/forms/{formId}/reply/test', { params: { path } }))).status === null, 'testReply')
const url = 'http://hook.localhost:1/'
const { id: webhookId, secret } = await ok(
  POST('/forms/{formId}/webhooks', { params: { path, header: { 'Idempotency-Key': 'once' } }, body: { url } }),
)
const hook = { params: { path: { formId: id, webhookId } } }
const rotated = await ok(POST('/forms/{formId}/webhooks/{webhookId}/rotate', hook))
check(rotated.secret !== secret, 'rotateWebhook')
check((await ok(POST('/forms/{formId}/webhooks/{webhookId}/test', hook))).status === null, 'testWebhook')
await collect('fourth')
const { deliveries } = await ok(GET('/forms/{formId}/deliveries', { params: { path, query: { state: ['pending', 'failed'] } } }))
const deliveryId = deliveries.find((each) => each.kind === 'webhook')!.id
await ok(POST('/forms/{formId}/deliveries/{deliveryId}/retry', { params: { path: { formId: id, deliveryId } } }))
const { count } = await ok(POST('/forms/{formId}/deliveries/retry', { params: { path } }))
check(typeof count === 'number', 'retryDeliveries')
const webhook = '/forms/{formId}/webhooks/{webhookId}'
await ok(PATCH(webhook, { ...hook, body: { enabled: false, description: null } }))
const { enabled, disabledReason } = await ok(GET(webhook, hook))
const { webhooks } = await ok(GET('/forms/{formId}/webhooks', { params: { path } }))
check(!enabled && disabledReason === null && webhooks[0]?.id === webhookId, 'getWebhook')
await ok(DELETE(webhook, hook))
const copy = await ok(POST('/forms/{formId}/duplicate', { params: { path } }))
const created = await ok(POST('/forms/bulk', { body: { forms: [{ title: 'One' }, { title: 'Two' }] } }))
await ok(PATCH('/forms/bulk', { body: { forms: created.ids.map((each) => ({ id: each, title: 'Changed' })) } }))
const { forms } = await ok(GET('/forms', { params: { query: { perPage: 2 } } }))
check(forms.map(({ title }) => title).join() === 'Changed,Changed', 'listForms')
await ok(DELETE('/forms/bulk', { body: created }))
await ok(DELETE('/forms/bulk', { params: { query: { ids: [copy.id] } } }))
await ok(DELETE('/forms/{formId}', { params: { path } }))
const [inbox, held] = JSON.parse(files)
const kept = GET('/forms/{formId}/submissions/{submissionId}/files/{fileId}', { params: { path: inbox }, parseAs: 'text' })
const heldBack = GET('/forms/{formId}/spam/{submissionId}/files/{fileId}', { params: { path: held }, parseAs: 'text' })
check((await ok(kept)) === 'Hi' && (await ok(heldBack)) === 'Hi', 'getFile')
await ok(DELETE('/forms/{formId}', { params: { path: { formId: inbox.formId } } }))
console.log(JSON.stringify([form, listed.submissions, [...called].sort()]))

export const mistakes = () => [
  // @ts-expect-error: a title is required
  POST('/forms', { body: { description: 'None' } }),
  // @ts-expect-error: an id is required
  PATCH('/forms/bulk', { body: { forms: [{ title: 'Whose?' }] } }),
  // @ts-expect-error: the form is required
  GET('/forms/{formId}'),
  // @ts-expect-error: a field is misspelt; openapi-fetch itself takes more fields than it knows
  PATCH('/forms/{formId}', { params: { path }, body: { titel: 'Contact' } satisfies Schemas['FormChanges'] }),
  // @ts-expect-error: so is one in a list
  PATCH('/forms/bulk', { body: { forms: [{ id, titel: 'Contact' }] } satisfies Schemas['FormsChanges'] }),
  // @ts-expect-error: a number is meant
  GET('/forms', { params: { query: { page: 'two' } } }),
  // @ts-expect-error: no such state
  GET('/forms/{formId}/deliveries', { params: { path, query: { state: ['lost'] } } }),
  // @ts-expect-error: it may be null
  form.description.length,
]
`

/** A program that calls every operation with its examples, to be compiled and not run. */
const examplesOf = (document: Json): string => {
  const calls = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { parameters = [], requestBody }]) => {
      const ofPath = parameters.filter((one: Json) => one.in === 'path').map((one: Json) => [one.name, one.example])
      const params = ofPath.length > 0 && { params: { path: Object.fromEntries(ofPath) } }
      // Bytes of a file have none.
      const shown = requestBody && Object.values<Json>(requestBody.content).find((each) => 'example' in each)
      const body = shown && { body: shown.example }
      return `  () => api.${method.toUpperCase()}(${JSON.stringify(path)}, ${JSON.stringify({ ...params, ...body })}),`
    }),
  )
  return [
    "import createClient from 'openapi-fetch'",
    "import type { paths } from './openapi.d.ts'",
    'const api = createClient<paths>()',
    `export const calls = [\n${calls.join('\n')}\n]`,
  ].join('\n')
}

/** What a tool printed; fails with that when the tool fails. */
const run = async (
  folder: string,
  program: string,
  words: readonly string[],
  ofBun: readonly string[] = [],
): Promise<string> => {
  const { stdout, stderr, exitCode } = await runTool(folder, program, words, ofBun)
  expect(exitCode, `${program} ${words.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

const pathsWithMethod = ({ paths }: { paths: Record<string, object> }): string[] =>
  Object.entries(paths)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .sort()

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { noMailServer } from '../contract/api-routes.ts'
import { serverWithUser, temporaryFolder } from '../harness.ts'
import { submitFiles } from '../stored-files.ts'
import { runTool } from './run-tool.ts'

// The generator is Redocly's, which writes text: those that print through TypeScript's own API do not run beside
// TypeScript 7, which has none.
test('a client generated from the OpenAPI document compiles, and calls every operation', async () => {
  const { server, ada } = await serverWithUser(noMailServer)
  const folder = temporaryFolder()
  await Bun.write(join(folder, 'openapi.json'), await server.fetch('/api/v1/openapi.json'))
  await Bun.write(join(folder, 'program.ts'), program)
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [folder] }))

  await run(folder, 'redocly', [
    ...['generate-client', 'openapi.json', '--output', 'client.ts', '--server-url', `${server.url}/api/v1`],
    ...['--import-ext', 'ts', '--args-style', 'grouped'],
  ])
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
  expect(called).toEqual(operationIds(await Bun.file(join(folder, 'openapi.json')).json()))
  const left = await ada.call('GET', '/forms')
  expect(left.body.forms).toEqual([])
}, 60_000)

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
import { client, type Form, type Submission } from './client.ts'

declare const process: { argv: string[] }

client.auth.bearer(process.argv[2] ?? '')
const called = new Set<string>()
client.use({ onRequest: ({ operation }) => void called.add(operation.id) })

const { id } = await client.createForm({ body: { title: 'Contact', description: 'Old', returnUrl: null } })
const path = { formId: id }
const collect = (name: string) => fetch(process.argv[3] + '/s/' + id, { method: 'POST', body: new URLSearchParams({ name }) })
for (const name of ['first', 'second', 'third']) await collect(name)
await client.updateForm({ path, body: { title: 'Contact us', description: null } })
const form: Form = await client.getForm({ path })
const { submissions, pagination } = await client.listSubmissions({ path, query: { page: 1, startDate: '2020-01-01' } })
const list: Submission[] = submissions
const first = list[0]!.id
const one = await client.getSubmission({ path: { formId: id, submissionId: first } })
if (one.data.name !== 'third' || pagination.total !== 3) throw new Error('listSubmissions')
const hits = await client.searchSubmissions({ path, query: { q: 'third', limit: 1 } })
if (hits.submissions.length !== 1) throw new Error('searchSubmissions')
const foundSpam = await client.searchSpam({ path, query: { q: 'third' } })
if (foundSpam.spam.length !== 0) throw new Error('searchSpam')
const exported = await client.exportSubmissions({ path, query: { format: 'json', raw: false } })
if (exported.length !== 3) throw new Error('exportSubmissions')
if (!Array.isArray(await client.exportSpam({ path, query: { format: 'json' } }))) throw new Error('exportSpam')
const handled = { formId: id, submissionId: first }
const { note, by } = await client.updateHandling({ path: handled, body: { state: 'done', note: 'Called' } })
if (note !== 'Called' || by === null) throw new Error('updateHandling')
await client.updateHandlingInBulk({ path, body: { ids: [first], state: 'open' } })
if ((await client.getHandling({ path: handled })).state !== 'open') throw new Error('updateHandlingInBulk')
await client.deleteSubmission({ path: { formId: id, submissionId: first } })
await client.deleteSubmissions({ path, body: { ids: [list[1]!.id] } })
await client.deleteSubmissions({ path, query: { ids: [list[2]!.id] } })

const spamOf = async () => (await client.listSpam({ path })).spam.map((one) => [one.id, one.reason].join())
for (const name of ['good', 'bad']) await collect(name)
const [bad, good] = (await client.listSubmissions({ path })).submissions
const spam = { formId: id, submissionId: bad!.id }
await client.markSpam({ path: spam })
if ((await spamOf()).join() !== bad!.id + ',marked') throw new Error('listSpam')
if ((await client.getSpam({ path: spam })).data.name !== 'bad') throw new Error('getSpam')
await client.acceptSpam({ path: spam })
await client.markSpam({ path: spam })
await client.deleteSpam({ path: spam })
await client.markSpam({ path: { formId: id, submissionId: good!.id } })
await client.deleteSpamInBulk({ path, query: { ids: [good!.id] } })
if ((await spamOf()).length > 0) throw new Error('deleteSpamInBulk')
for (const name of ['worse', 'worst']) await collect(name)
for (const one of (await client.listSubmissions({ path })).submissions)
  await client.markSpam({ path: { formId: id, submissionId: one.id } })
await client.deleteAllSpam({ path })
if ((await spamOf()).length > 0) throw new Error('deleteAllSpam')

await collect('Zoë')
const sheet = await client.createSheet({ path, body: { description: null } })
const { sheets } = await client.listSheets({ path })
if (!sheet.url.endsWith('.csv') || sheets[0]?.id !== sheet.id) throw new Error('createSheet')
await client.deleteSheet({ path: { formId: id, sheetId: sheet.id } })
const person = await client.addMember({ path, body: { email: 'grace@example.com', role: 'reader' } })
await client.updateMember({ path: { formId: id, memberId: person.id }, body: { role: 'editor' } })
const { members } = await client.listMembers({ path })
if (members[0]?.role !== 'editor' || person.inviteUrl === null) throw new Error('addMember')
await client.removeMember({ path: { formId: id, memberId: person.id } })
const refusal = await client.handOverForm({ path, body: { email: 'nobody@example.com' } }).catch(() => 'refused')
if (refusal !== 'refused') throw new Error('handOverForm')
if ((await client.listTrail({ path })).trail[0]?.what !== 'unshared') throw new Error('listTrail')
if ((await client.listSharedForms({})).pagination.total !== 0) throw new Error('listSharedForms')
const { matches } = await client.findPerson({ body: { value: 'ZOË' } })
if (matches[0]?.field !== 'name') throw new Error('findPerson')
const archive = await client.exportPerson({ body: { value: 'Zoë' } })
if (archive.type !== 'application/zip' || archive.size < 1000) throw new Error('exportPerson')
const { erased, receipt } = await client.erasePerson({ body: { value: 'Zoë', count: 1 } })
if (erased !== 1 || receipt.backups.kept !== 'none') throw new Error('erasePerson')

await client.updateFormSettings({ path, body: { columns: ['name'] } })
const { columns } = await client.getFormSettings({ path })
if (columns?.join() !== 'name') throw new Error('updateFormSettings')
const reply = { field: 'name', subject: 'Thank you', text: 'We answer soon.' }
await client.updateFormSettings({ path, body: { reply } })
if ((await client.testReply({ path })).status !== null) throw new Error('testReply')
const { id: webhookId, secret } = await client.createWebhook({ path, body: { url: 'http://hook.localhost:1/' } })
const hook = { formId: id, webhookId }
if ((await client.rotateWebhook({ path: hook })).secret === secret) throw new Error('rotateWebhook')
if ((await client.testWebhook({ path: hook })).status !== null) throw new Error('testWebhook')
await collect('fourth')
const { deliveries } = await client.listDeliveries({ path, query: { state: ['pending', 'failed'] } })
await client.retryDelivery({ path: { formId: id, deliveryId: deliveries[0]!.id } })
if (typeof (await client.retryDeliveries({ path })).count !== 'number') throw new Error('retryDeliveries')
await client.updateWebhook({ path: hook, body: { enabled: false, description: null } })
const { enabled, disabledReason } = await client.getWebhook({ path: hook })
const { webhooks } = await client.listWebhooks({ path })
if (enabled || disabledReason !== null || webhooks[0]!.id !== webhookId) throw new Error('getWebhook')
await client.deleteWebhook({ path: hook })
const copy = await client.duplicateForm({ path })
const { ids } = await client.createForms({ body: { forms: [{ title: 'One' }, { title: 'Two' }] } })
await client.updateForms({ body: { forms: ids.map((each) => ({ id: each, title: 'Changed' })) } })
const { forms } = await client.listForms({ query: { perPage: 2 } })
if (forms.map(({ title }) => title).join() !== 'Changed,Changed') throw new Error('listForms')
await client.deleteForms({ body: { ids } })
await client.deleteForms({ query: { ids: [copy.id] } })
await client.deleteForm({ path })
const [inbox, held] = JSON.parse(process.argv[4] ?? '')
for (const file of [await client.getFile({ path: inbox }), await client.getSpamFile({ path: held })])
  if (await file.text() !== 'Hi') throw new Error('getFile')
await client.deleteForm({ path: { formId: inbox.formId } })
console.log(JSON.stringify([form, submissions, [...called].sort()]))

export const mistakes = () => [
  // @ts-expect-error: a title is required
  client.createForm({ body: { description: 'None' } }),
  // @ts-expect-error: an id is required
  client.updateForms({ body: { forms: [{ title: 'Whose?' }] } }),
  // @ts-expect-error: the form is required
  client.getForm({}),
  // @ts-expect-error: a field is misspelt
  client.updateForm({ path: { formId: form.id }, body: { titel: "Contact" } }),
  // @ts-expect-error: a number is meant
  client.listForms({ query: { page: 'two' } }),
  // @ts-expect-error: it may be null
  form.description.length,
]
`

/** What a tool printed; fails with that when the tool fails. */
const run = async (folder: string, program: string, words: readonly string[]): Promise<string> => {
  const { stdout, stderr, exitCode } = await runTool(folder, program, words)
  expect(exitCode, `${program} ${words.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const operationIds = (document: any): string[] =>
  Object.values<Record<string, { operationId: string }>>(document.paths)
    .flatMap((item) => Object.values(item).map((operation) => operation.operationId))
    .sort()

import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { settingOf } from '../../../../src/forms/settings/declared.ts'
import { settingNames } from '../../../../src/forms/settings/settings.ts'
import { filledIn, noMailServer, plannedRows, type Target } from '../../../contract/api-routes.ts'
import { defaultSettings } from '../../../default-settings.ts'
import { entriesOf } from '../../../export/archived.ts'
import { sharedServer, temporaryFolder, type User } from '../../../harness.ts'
import { noteSkipped } from '../../../skips.ts'
import { submitFiles } from '../../../stored-files.ts'

setDefaultTimeout(180_000)

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
type Json = any

interface Language {
  readonly label: string
  /** That has to be there. */
  readonly program: string
  readonly command: readonly string[]
  readonly extension: string
  /** What JavaScript and Python print is no JSON unless they are told. */
  readonly prelude: string
}

const languages: Language[] = [
  { label: 'curl', program: 'curl', command: ['sh'], extension: 'sh', prelude: '' },
  {
    label: 'JavaScript',
    program: process.execPath,
    command: [process.execPath],
    extension: 'mjs',
    prelude: 'console.log = (value) => process.stdout.write(JSON.stringify(value))\n',
  },
  {
    label: 'Python',
    program: 'python3',
    command: ['python3'],
    extension: 'py',
    prelude: 'import sys\nprint = lambda value: json.dump(value, sys.stdout)\n',
  },
]

interface World extends Target {
  readonly ada: User
  /** What a sample saves is here. */
  readonly folder: string
}

const titleOf = async ({ ada }: World, form: string) => (await ada.call('GET', `/forms/${form}`)).body.title
const statusOf = async ({ ada }: World, path: string) => (await ada.call('GET', path)).status
const formStatus = (world: World) => statusOf(world, `/forms/${world.form}`)
const submissionStatus = (world: World) => statusOf(world, `/forms/${world.form}/submissions/${world.submission}`)
const spamStatus = (world: World) => statusOf(world, `/forms/${world.form}/spam/${world.spam}`)
const success = { success: true }
const id = expect.stringMatching(/^[0-9a-z]{28}$/)
const secret = expect.stringMatching(/^whsec_/)
const webhookOf = ({ ada, form, webhook }: World, other = webhook) =>
  ada.call('GET', `/forms/${form}/webhooks/${other}`)

/** What the sample of an operation has to print and to have done, besides to succeed. */
const outcomes: Record<string, (printed: Json, world: World) => Promise<void> | void> = {
  listForms: ({ forms, pagination }, { form }) => {
    expect(forms).toMatchObject([{ id: form, title: 'Before', submissionCount: 1 }])
    expect(pagination).toEqual({ page: 1, perPage: 20, total: 1, totalPages: 1 })
  },
  async createForm(printed, world) {
    expect(printed).toEqual({ id })
    expect(await titleOf(world, printed.id)).toBe('Contact')
  },
  async createForms(printed, world) {
    expect(printed).toEqual({ ids: [id] })
    expect(await titleOf(world, printed.ids[0])).toBe('Contact')
  },
  async updateForms(printed, world) {
    expect(printed).toEqual(success)
    expect(await titleOf(world, world.form)).toBe('Contact')
  },
  async deleteForms(printed, world) {
    expect(printed).toEqual(success)
    expect(await formStatus(world)).toBe(404)
  },
  getForm: (printed, { form }) =>
    expect(printed).toMatchObject({ id: form, title: 'Before', keys: ['name', 'email', 'files'] }),
  async updateForm(printed, world) {
    expect(printed).toEqual(success)
    expect(await titleOf(world, world.form)).toBe('Contact')
  },
  async deleteForm(printed, world) {
    expect(printed).toEqual(success)
    expect(await formStatus(world)).toBe(404)
  },
  async duplicateForm(printed, world) {
    expect(printed).toEqual({ id })
    expect(printed.id).not.toBe(world.form)
    expect(await titleOf(world, printed.id)).toBe('Before')
  },
  getFormSettings: (printed) => expect(printed).toEqual(defaultSettings),
  async updateFormSettings(printed, { ada, form }) {
    expect(printed).toEqual(success)
    const examples = Object.fromEntries(settingNames.map((name) => [name, settingOf(name).example]))
    expect((await ada.call('GET', `/forms/${form}/settings`)).body).toEqual(examples)
  },
  // The dates of the example are not those of the submission.
  listSubmissions: ({ submissions, pagination }) => {
    expect(submissions).toBeArray()
    expect(pagination).toMatchObject({ page: 1, perPage: 20 })
  },
  getHandling: (printed) => expect(printed).toEqual({ state: 'open', by: null, at: null }),
  updateHandling: (printed) => expect(printed).toMatchObject({ state: 'done' }),
  async updateHandlingInBulk(printed, world) {
    expect(printed).toEqual(success)
    const path = `/forms/${world.form}/submissions/${world.submission}/handling`
    expect((await world.ada.call('GET', path)).body.state).toBe('done')
  },
  listNotes: ({ notes }, { note }) => expect(notes).toMatchObject([{ id: note, text: 'Nice' }]),
  addNote: ({ notes }) => expect(notes).toMatchObject([{ text: 'Nice' }, { text: 'Called back on Monday' }]),
  async deleteNote(printed, { ada, form, submission }) {
    expect(printed).toEqual(success)
    expect((await ada.call('GET', `/forms/${form}/submissions/${submission}/notes`)).body).toEqual({ notes: [] })
  },
  listSpam: ({ spam, pagination }) => {
    expect(spam).toBeArray()
    expect(pagination).toMatchObject({ page: 1, perPage: 20 })
  },
  getSpam: (printed, { form, spam }) =>
    expect(printed).toMatchObject({ id: spam, formId: form, data: { name: 'Robot' }, reason: 'honeypot' }),
  async acceptSpam(printed, world) {
    expect(printed).toEqual(success)
    expect(await spamStatus(world)).toBe(404)
    expect(await statusOf(world, `/forms/${world.form}/submissions/${world.spam}`)).toBe(200)
  },
  async markSpam(printed, world) {
    expect(printed).toEqual(success)
    expect(await submissionStatus(world)).toBe(404)
    expect(await statusOf(world, `/forms/${world.form}/spam/${world.submission}`)).toBe(200)
  },
  getLearnedSpam: (printed) => expect(printed).toMatchObject({ marked: 0, kept: 0, isActing: false, suspects: [] }),
  forgetLearnedSpam: (printed) => expect(printed).toEqual(success),
  keepSubmission: (printed) => expect(printed).toEqual(success),
  async deleteSpam(printed, world) {
    expect(printed).toEqual(success)
    expect(await spamStatus(world)).toBe(404)
  },
  async deleteSpamInBulk(printed, world) {
    expect(printed).toEqual(success)
    expect(await spamStatus(world)).toBe(404)
  },
  async deleteAllSpam(printed, world) {
    expect(printed).toEqual(success)
    expect(await spamStatus(world)).toBe(404)
  },
  getFile: (_, world) => expectSaved(world, 'Hello'),
  getSpamFile: (_, world) => expectSaved(world, 'Buy'),
  searchSubmissions: (printed) =>
    expect(printed).toEqual({ submissions: [], searched: expect.any(Number), next: null }),
  searchSpam: (printed) => expect(printed).toEqual({ spam: [], searched: expect.any(Number), next: null }),
  exportSubmissions: (printed) => expect(printed).toBeArray(),
  exportSpam: (printed) => expect(printed).toBeArray(),
  listWebhooks: ({ webhooks }, { webhook }) => expect(webhooks).toMatchObject([{ id: webhook, enabled: true }]),
  async createWebhook(printed, world) {
    expect(printed).toEqual({ id, secret })
    expect((await webhookOf(world, printed.id)).body).toMatchObject({ format: 'standard', enabled: true })
  },
  getWebhook: (printed, { webhook }) => expect(printed).toMatchObject({ id: webhook, description: null }),
  async updateWebhook(printed, world) {
    expect(printed).toEqual(success)
    expect((await webhookOf(world)).body).toMatchObject({ description: 'Booking calendar' })
  },
  async deleteWebhook(printed, world) {
    expect(printed).toEqual(success)
    expect((await webhookOf(world)).status).toBe(404)
  },
  rotateWebhook: (printed) => expect(printed).toEqual({ secret }),
  testReply: (printed, { ada }) => expect(printed).toMatchObject({ to: ada.email, subject: 'Thank you', status: null }),
  testConfirm: (printed, { ada }) =>
    expect(printed).toMatchObject({ to: ada.email, subject: 'Thank you', status: null }),
  getConfirmation: (printed) => expect(printed).toMatchObject({ confirmedAt: null, mail: null, consent: [] }),
  testWebhook: (printed) => expect(printed).toMatchObject({ status: null, answer: '' }),
  listDeliveries: ({ deliveries }, { delivery }) => expect(deliveries).toMatchObject([{ id: delivery }]),
  retryDelivery: (printed) => expect(printed).toEqual(success),
  dismissDelivery: (printed) => expect(printed).toEqual(success),
  retryDeliveries: (printed) => expect(printed).toEqual({ count: expect.any(Number) }),
  listSheets: ({ sheets }, { sheet }) => expect(sheets).toMatchObject([{ id: sheet, lastUsedAt: null }]),
  createSheet: (printed) =>
    expect(printed).toEqual({
      id,
      url: expect.stringMatching(/^https:\/\/forms\.example\.com\/sheet\/[\w-]{32}\.csv$/),
    }),
  importSubmissions: (printed) => expect(printed).toMatchObject({ rows: 1, format: 'json' }),
  getImport: (printed) => expect(printed).toMatchObject({ state: 'planned', rows: 1 }),
  deleteImport: (printed) => expect(printed).toEqual(success),
  async deleteSheet(printed, { ada, form }) {
    expect(printed).toEqual(success)
    expect((await ada.call('GET', `/forms/${form}/sheets`)).body).toEqual({ sheets: [] })
  },
  listMembers: ({ owner, members }, { ada, member }) => {
    expect([owner, members.map((one: Json) => one.id)]).toEqual([ada.email, [member]])
  },
  addMember: (printed) =>
    expect(printed).toMatchObject({ id, email: 'grace@example.com', role: 'reader', state: 'invited' }),
  async updateMember(printed, { ada, form }) {
    expect(printed).toEqual(success)
    const { members } = (await ada.call('GET', `/forms/${form}/members`)).body
    expect(members).toMatchObject([{ role: 'reader' }])
  },
  async removeMember(printed, { ada, form }) {
    expect(printed).toEqual(success)
    expect((await ada.call('GET', `/forms/${form}/members`)).body.members).toEqual([])
  },
  async handOverForm(printed, { ada, form }) {
    expect(printed).toEqual(success)
    expect((await ada.call('GET', '/shared/forms')).body.forms).toMatchObject([{ id: form, role: 'manager' }])
  },
  listTrail: ({ trail }) => expect(trail).toContainEqual(expect.objectContaining({ what: 'shared', count: 1 })),
  listSharedForms: (printed) => expect(printed).toMatchObject({ forms: [], pagination: { total: 0 } }),
  findPerson: (printed, { form, submission }) =>
    expect(printed).toMatchObject({ matches: [{ formId: form, submissionId: submission }], next: null }),
  exportPerson: async (_, world) => {
    const entries = await entriesOf(await takeSaved(world))
    const names = ['about.html', 'submissions.json', `files/${world.submission}/1-a.txt`]
    expect([...entries.keys()]).toEqual(names)
  },
  async erasePerson(printed, world) {
    expect(printed).toMatchObject({ erased: 1, receipt: { submissions: [{ submissionId: world.submission }] } })
    expect(await submissionStatus(world)).toBe(404)
  },
  async deleteSubmissions(printed, world) {
    expect(printed).toEqual(success)
    expect(await submissionStatus(world)).toBe(404)
    expect(await formStatus(world)).toBe(200)
  },
  async submit(printed, { ada, form }) {
    expect(printed).toEqual({ id, formId: form, ok: true })
    expect((await ada.call('GET', `/forms/${form}/submissions/${printed.id}`)).body.data.message).toBe('Hello')
  },
  getChallenge: (printed) => expect(printed).toEqual({ challenge: null }),
  getSubmission: (printed, { form, submission }) =>
    expect(printed).toMatchObject({ id: submission, formId: form, data: { name: "Ada O'Neill" } }),
  async deleteSubmission(printed, world) {
    expect(printed).toEqual(success)
    expect(await submissionStatus(world)).toBe(404)
    expect(await formStatus(world)).toBe(200)
  },
}

const fileOf = (text: string) => ({ name: 'a.txt', type: 'text/plain', bytes: Buffer.from(text) })

const expectSaved = async (world: World, text: string): Promise<void> => {
  expect(new TextDecoder().decode(await takeSaved(world))).toBe(text)
}

/** curl saves a file under its own name. */
const takeSaved = async ({ folder }: World): Promise<Uint8Array> => {
  const saved = ['a.txt', 'What was sent.zip', 'file'].map((name) => join(folder, name)).filter(existsSync)
  expect(saved).toHaveLength(1)
  const bytes = await Bun.file(saved[0] as string).bytes()
  rmSync(saved[0] as string)
  return bytes
}

for (const { label, program, command, extension, prelude } of languages) {
  const isMissing = Bun.which(program) === null
  if (isMissing) noteSkipped(`Skipping the code samples in ${label}: there is no ${program} here.`)

  test.skipIf(isMissing)(`the sample of every operation in ${label} does what it says`, async () => {
    const server = await sharedServer(noMailServer)
    const folder = temporaryFolder()
    const document = (await (await server.fetch('/api/v1/openapi.json')).json()) as Json
    const tried: string[] = []

    const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.values<Json>(item).map((operation) => ({ ...operation, path })),
    )
    for (const { path, operationId, ...operation } of operations) {
      const ada = await server.signUp()
      const form = await ada.createForm({ title: 'Before' })
      const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.', copy: false }
      if (operationId === 'testReply') await ada.call('PATCH', `/forms/${form}/settings`, { reply })
      // Refused before anything is sent.
      const created = await ada.call('POST', `/forms/${form}/webhooks`, { url: 'http://hook.localhost:1/' })
      const [submission, spam] = [
        submitFiles(server, form, [fileOf('Hello')], { fields: { name: "Ada O'Neill", email: 'ada@example.com' } }),
        submitFiles(server, form, [fileOf('Buy')], { fields: { name: 'Robot' }, isSpam: true }),
      ]
      const fields = [{ name: 'email', type: 'email', required: true }]
      if (operationId === 'testConfirm') await ada.call('PATCH', `/forms/${form}/settings`, { fields, confirm: reply })
      const { deliveries } = (await ada.call('GET', `/forms/${form}/deliveries`)).body
      const noted = await ada.call('POST', `/forms/${form}/submissions/${submission.id}/notes`, { text: 'Nice' })
      const note = noted.body.notes[0].id
      const sheet = (await ada.call('POST', `/forms/${form}/sheets`, {})).body.id
      const planned = (await ada.call('POST', `/forms/${form}/imports?dryRun=true`, plannedRows)).body.id
      const invited = { email: 'hopper@example.com', role: 'editor' }
      const member = (await ada.call('POST', `/forms/${form}/members`, invited)).body.id
      const heir = (await server.signUp()).email
      if (operationId === 'handOverForm')
        await ada.call('POST', `/forms/${form}/members`, { email: heir, role: 'reader' })
      const world = {
        ...{ ada, form, folder, submission: submission.id, spam: spam.id },
        ...{ file: submission.files[0] ?? '', spamFile: spam.files[0] ?? '' },
        ...{ webhook: created.body.id, delivery: deliveries[0].id, sheet, note, import: planned, member, heir },
      }
      const { source } = operation['x-codeSamples'].find((sample: Json) => sample.label === label)
      const file = join(folder, `${operationId}.${extension}`)
      // As a reader does it: with a key and identifiers of one's own in place of those of the example.
      expect(source.split('YOUR_KEY')).toHaveLength(operation.security ? 1 : 2)
      const own = filledIn(source.replace('YOUR_KEY', ada.key), path, world)
      const filled = own.replaceAll(noMailServer.FORMBOX_URL, server.url)
      await Bun.write(file, prelude + filled)

      const printed = await run([...command, file], folder)

      await outcomes[operationId]?.(printed, world)
      tried.push(operationId)
    }

    expect(tried).toEqual(expect.arrayContaining(Object.keys(outcomes)))
  })
}

/** What the sample printed, as JSON; undefined if that was nothing. */
const run = async (command: readonly string[], cwd: string): Promise<Json> => {
  // Not the whole environment: a proxy of the machine has no business here.
  const child = Bun.spawn([...command], { cwd, env: { PATH: process.env.PATH ?? '' }, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect(exitCode, `${await Bun.file(command.at(-1) ?? '').text()}\n${stderr}${stdout}`).toBe(0)
  return stdout === '' ? undefined : JSON.parse(stdout)
}

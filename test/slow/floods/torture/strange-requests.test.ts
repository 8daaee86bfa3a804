import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formats } from '../../../../src/forms/webhooks/formats.ts'
import { exportFormatNames } from '../../../../src/transfer/formats.ts'
import { sharedServer } from '../../../harness.ts'
import { fillIn, userRoutes } from '../../../site-routes.ts'
import { isLong, tell, timeout } from '../../../torture/process.ts'
import { owner } from '../../../visitor.ts'

/** Names that fields, settings and the server's own parameters have, and some that nothing should have. */
const name = fc.oneof(
  fc.constantFrom(
    'name',
    'message',
    'file',
    '_gotcha',
    '_next',
    '_challenge',
    '__proto__',
    '0',
    '',
    ' ',
    '\u0000',
    'ü',
  ),
  fc.constantFrom('n'.repeat(1000), '🦊'.repeat(250), '\ud800', '"'.repeat(600), '\u202e', '<b>'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const text = fc.oneof(
  fc.constantFrom('', ' ', 'Grace', 'grace@example.com', 'http://a.example/ http://b.example/', 'casino', '\u0000'),
  fc.constantFrom('x'.repeat(5000), '🦊'.repeat(20_000), `"${'\\'.repeat(999)}`, '{"filename":"a', '0', '-1', '1e400'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const sentFile = fc.record({ filename: text, type: text, size: fc.integer(), file: text })
const value = fc.oneof(
  text,
  fc.double(),
  fc.constantFrom(null, true, [], {}, [''], [[]]),
  sentFile,
  fc.array(fc.oneof(sentFile, text), { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
)
/** In `\u` escapes, which JSON also allows for half of a pair. */
const json = (data: unknown): string => JSON.stringify(data).replaceAll(/[^ -~]/g, (one) => `\\u${hex(one)}`)
const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')

const fields = fc.array(fc.tuple(name, text), { maxLength: 6 })
const submission = fc.oneof(
  fields.map((pairs) => new URLSearchParams(pairs)),
  fc.dictionary(name, value, { maxKeys: 6 }).map(json),
  fc
    .record({ pairs: fields, files: fc.array(fc.tuple(name, text, fc.constantFrom(0, 1, 70_000))) })
    .map(({ pairs, files }) => {
      const form = new FormData()
      for (const [key, of] of pairs) form.append(key, of)
      for (const [key, of, bytes] of files) form.append(key, new File(['x'.repeat(bytes)], of))
      return form
    }),
  // What holds nothing but the trap field, or a name that fits nowhere else.
  fc.constantFrom(
    new URLSearchParams({ _gotcha: 'x' }),
    new URLSearchParams({ ['n'.repeat(1000)]: '1' }),
    '{}',
    '[',
    '',
  ),
)

const settings = fc.record(
  {
    columns: fc.option(fc.array(name, { maxLength: 3 })),
    honeypot: name,
    blockedTerms: fc.array(text, { maxLength: 2 }),
    maxLinks: fc.constantFrom(null, 0, 1),
    acceptFiles: fc.boolean(),
    fileTypes: fc.constantFrom([], ['.pdf', 'image/*']),
    maxFiles: fc.constantFrom(null, 1),
    maxFileBytes: fc.constantFrom(null, 1),
    thankYou: fc.option(text),
    challenge: fc.constantFrom(false, false, false, true),
    retentionDays: fc.constantFrom(null, null, 1),
    open: fc.constantFrom(true, true, true, false),
    opensAt: fc.constantFrom(null, null, '2020-01-01T00:00Z', '9999-12-31T23:59:59+00:01', '0000-01-01T00:00+14:00'),
    closesAt: fc.constantFrom(null, null, '2100-01-01T00:00Z', '2020-01-01T00:00Z'),
    maxSubmissions: fc.constantFrom(null, 1, 1000),
    closedText: fc.option(text),
  },
  { requiredKeys: [] },
)

const aNumber = fc.constantFrom('', '0', '1', '2', '99', '-1', '1e9', '9'.repeat(30), 'x')
const date = fc.constantFrom(
  '',
  '2026-01-01',
  '2026-13-01',
  '0000-01-01',
  '9999-12-31',
  '2026-01-01T00:00:00.000+14:00',
  'x',
)
/** What queries and forms of the pages may say. Identifiers are filled in later. */
const parameters = fc.record(
  {
    page: aNumber,
    count: aNumber,
    startDate: date,
    endDate: date,
    done: fc.constantFrom('delete', 'spam', 'accept', 'retried', 'all', 'created', 'duplicated', 'tested', 'x'),
    select: fc.constantFrom('all', 'x'),
    state: fc.constantFrom('failed', 'pending', 'delivered', 'x'),
    format: fc.constantFrom(...exportFormatNames, ...Object.keys(formats), 'x'),
    file: aNumber,
    saved: fc.constantFrom('general', 'x'),
    with: fc.constantFrom('challenge', 'x'),
    section: fc.constantFrom('general', 'opening', 'collecting', 'files', 'spam', 'notifications', 'copy', 'x'),
    action: fc.constantFrom('accept', 'delete', 'delete-all', 'x'),
    confirm: fc.constantFrom('yes', '', 'Contact'),
    title: text,
    columns: text,
    description: text,
    returnUrl: fc.constantFrom('', 'https://example.com/', 'x'),
    name: text,
    value: text,
    found: fc.constantFrom('1', ''),
    url: fc.constantFrom('', 'http://127.0.0.1:1/', 'x'),
    expires: date,
    access: fc.constantFrom('full', 'read', 'x'),
    back: fc.constantFrom('settings', '01kahp5x2r00v7m3k9qd4tznwe8c', 'x'),
    ids: fc.constantFrom('submission', 'spam', 'x', ''),
    accept: fc.constantFrom('spam', 'x'),
    delete: fc.constantFrom('spam', 'x'),
    sent: fc.constantFrom('submission', 'x'),
  },
  { requiredKeys: [] },
)

/** Bun itself refuses a longer one than 16 KiB. */
const queryOf = (of: Record<string, string>): string => `?${new URLSearchParams(of)}`.slice(0, 4000)

/** These end the session, or check a password, which is slow. */
const isLeftOut = (path: string): boolean => path === '/sign-out' || path.startsWith('/settings/account/')
const pages = userRoutes.filter(({ path }) => !isLeftOut(path))
const page = fc.record({ route: fc.constantFrom(...pages), query: parameters, form: parameters })

const operations = [
  'GET /forms',
  'POST /forms',
  'POST /forms/bulk',
  'PATCH /forms/bulk',
  'GET /forms/:formId',
  'PATCH /forms/:formId',
  'POST /forms/:formId/duplicate',
  'GET /forms/:formId/settings',
  'GET /forms/:formId/submissions',
  'DELETE /forms/:formId/submissions/bulk',
  'GET /forms/:formId/submissions/:submissionId',
  'GET /forms/:formId/submissions/search',
  'POST /forms/:formId/submissions/:submissionId/spam',
  'GET /forms/:formId/spam',
  'DELETE /forms/:formId/spam/bulk',
  'POST /forms/:formId/spam/:spamId/accept',
  'GET /forms/:formId/export',
  'POST /forms/:formId/webhooks',
  'PATCH /forms/:formId/webhooks/:webhookId',
  'GET /forms/:formId/deliveries',
  'POST /forms/:formId/deliveries/retry',
  'POST /personal-data/search',
  'POST /personal-data/export',
  'POST /personal-data/erase',
]
const body = fc.oneof(
  fc.record(
    { title: text, description: value, returnUrl: value, ids: fc.constantFrom(['x'], [], null), url: text },
    { requiredKeys: [] },
  ),
  fc.record({ value: text, cursor: text, count: fc.integer({ min: -1, max: 3 }) }, { requiredKeys: ['value'] }),
  fc.record({ forms: fc.array(fc.record({ id: text, title: text }, { requiredKeys: [] }), { maxLength: 2 }) }),
  value,
)
const call = fc.record({ operation: fc.constantFrom(...operations), query: parameters, body })

const life = fc.record({
  submissions: fc.array(submission, { minLength: 1, maxLength: 4 }),
  settings: fc.array(settings, { maxLength: 2 }),
  pages: fc.array(page, { maxLength: 6 }),
  calls: fc.array(call, { maxLength: 4 }),
})

test(
  'no submission, posted form or call makes a page or the API answer with 5xx',
  async () => {
    const server = await sharedServer()
    // The errors that the server reports fail the test too.
    const ada = await owner(server)
    let requests = 0
    const expectAnswer = async (answer: Promise<{ readonly status: number }>, what: string): Promise<void> => {
      const { status } = await answer
      requests++
      expect(status, what).toBeLessThan(500)
    }

    const property = fc.asyncProperty(life, async (taken) => {
      const formId = await ada.api.createForm()
      const api = (method: string, path: string, of?: unknown) =>
        ada.api.call(method, path, of === undefined ? undefined : json(of))
      const { id: webhookId } = (await api('POST', `/forms/${formId}/webhooks`, { url: 'http://127.0.0.1:1/' })).body
      const send = async (of: (typeof taken.submissions)[number]): Promise<void> => {
        const headers = typeof of === 'string' ? { 'content-type': 'application/json' } : {}
        await expectAnswer(server.fetch(`/s/${formId}`, { method: 'POST', body: of, headers }), 'a submission')
      }
      const first = async (list: 'submissions' | 'spam'): Promise<string | undefined> =>
        (await api('GET', `/forms/${formId}/${list}`)).body[list]?.[0]?.id
      const look = async (): Promise<void> => {
        const ids = { formId, webhookId, submissionId: (await first('submissions')) ?? 'x' }
        for (const { method, path } of pages)
          if (method === 'GET') await expectAnswer(ada.get(fillIn(path, ids)), `GET ${path}`)
      }

      for (const of of taken.submissions) await send(of)
      await look()
      for (const of of taken.settings) {
        await expectAnswer(api('PATCH', `/forms/${formId}/settings`, of), 'settings')
        for (const sent of taken.submissions) await send(sent)
        const spamId = await first('spam')
        if (spamId) await expectAnswer(api('POST', `/forms/${formId}/spam/${spamId}/accept`), 'accepting spam')
        await look()
      }
      for (const { operation, query, body } of taken.calls) {
        const ids = { submission: (await first('submissions')) ?? 'x', spam: (await first('spam')) ?? 'x' }
        const [method = '', path = ''] = operation.split(' ')
        const of = path
          .replace(':formId', formId)
          .replace(':webhookId', webhookId)
          .replace(':submissionId', ids.submission)
          .replace(':spamId', ids.spam)
        const address = `${of.replace(/:\w+/, 'x')}${queryOf(query)}`
        await expectAnswer(api(method, address, method === 'GET' ? undefined : body), operation)
      }
      for (const { route, query, form } of taken.pages) {
        const ids = { submission: (await first('submissions')) ?? 'x', spam: (await first('spam')) ?? 'x' }
        const known = (given: object) =>
          Object.fromEntries(Object.entries(given).map(([key, of]) => [key, ids[of as keyof typeof ids] ?? of]))
        const address = `${fillIn(route.path, { formId, webhookId, submissionId: ids.submission })}${queryOf(known(query))}`
        const asked = route.method === 'GET' ? ada.get(address) : ada.post(address, known(form))
        await expectAnswer(asked, `${route.method} ${route.path}`)
      }
      await look()
    })
    const bounds = isLong ? { numRuns: 100_000, interruptAfterTimeLimit: 120_000 } : { numRuns: 20, seed: 23 }
    await fc.assert(property, bounds)
    tell(`${requests} requests`)
  },
  timeout,
)

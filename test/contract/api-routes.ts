import { allOperations } from '../../src/api/all-operations.ts'
import { toContent } from '../../src/api/document/to-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { newEmail, serverWithUser, type User } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { submitFiles } from '../stored-files.ts'
import { until } from '../until.ts'

export interface Target {
  readonly form: string
  readonly submission: string
  readonly spam: string
  readonly file: string
  readonly spamFile: string
  readonly webhook: string
  readonly delivery: string
  readonly sheet: string
  readonly note: string
  readonly import: string
  readonly member: string
  /** Address of a user with whom it is shared. */
  readonly heir: string
}

interface Route extends Pick<Operation, 'role' | 'forms'> {
  readonly route: string
  /** The body of a request that succeeds. */
  readonly body?: (target: Target) => object
  /** Whether it only reads, though its method is POST. */
  readonly isRead?: true
}

/** No one listens there, which is an answer as well. */
export const noMailServer = {
  FORMBOX_MAIL_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'https://forms.example.com',
}

/** Those that the document gives to what a call names. */
const exampleIds = {
  form: '01kahp5x2r00v7m3k9qd4tznwe8c',
  submission: '01kahp6a8d00q2s4tznwe8cm3k9f',
  file: '01kahp6a8d00m3k9qd4tznwe8c5x',
  webhook: '01kahp5x2r00q2s4tznwe8cm3k9f',
  delivery: '01kahp6a8d00x5tznwe8cm3k9f2q',
  sheet: '01kahp5x2r00sheet4tznwe8cm3k',
  note: '01kahp5x2r00note4tznwe8cm3kq',
  import: '01kahp5x2r00mp0rt4tznwe8cm3k',
  member: '01kahp5x2r00member4znwe8cm3k',
  heir: 'hopper@example.org',
} as const

/** An example of the document with identifiers of one's own. @param path of the operation, after `/api/v1` */
export const filledIn = (example: string, path: string, target: Target): string => {
  const ofSpam = path.includes('/spam/') && { submission: target.spam, file: target.spamFile }
  const ids = { ...target, ...ofSpam }
  // A bulk operation on one form has the identifiers of submissions in its body.
  const isOfSubmissions = path.endsWith('/bulk') && path !== '/forms/bulk'
  const own = example.replaceAll(`/forms/${exampleIds.form}`, `/forms/${ids.form}`)
  return Object.entries(exampleIds).reduce(
    (text, [name, id]) =>
      text.replaceAll(id, ids[isOfSubmissions && name === 'form' ? 'submission' : (name as keyof Target)]),
    own,
  )
}

const operations = allOperations({} as never)

/** The example of the document as the body, with identifiers of the target. */
const bodyOf = (operation: Operation): Route['body'] => {
  if (operation.method !== 'GET' && operation.takesFile) {
    const { example } = operation.takesFile
    return () => example
  }
  if (operation.method === 'GET' || !operation.body) return undefined
  const { example } = toContent(operation.body.schema)['application/json']
  // No submission of a target has that value.
  const sent = operation.operationId === 'erasePerson' ? { ...example, count: 0 } : example
  return (target) => JSON.parse(filledIn(JSON.stringify(sent), operation.path, target))
}

/** Every route of the API, and what stands behind them for all other paths and methods. */
export const routes: Route[] = [
  ...operations.map((operation) => {
    const { method, path, role, forms } = operation
    const body = bodyOf(operation)
    const isRead = 'isRead' in operation && operation.isRead
    return {
      route: `${method} ${path}`,
      role,
      ...(forms && { forms }),
      ...(body && { body }),
      ...(isRead && { isRead }),
    }
  }),
  { route: 'ALL /', role: 'user', forms: 'several' },
  { route: 'ALL /*', role: 'user', forms: 'several' },
]

export interface Request extends Route {
  readonly method: string
  readonly path: string
}

/** Nothing is behind these: whatever gets past the guard is 404. */
export const isUnknown = (route: string): boolean => /^ALL \/\*?$/.test(route)

export const requests = (of: readonly Route[]): Request[] =>
  of.flatMap((route) => {
    const [method = '', path = ''] = route.route.split(' ')
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
    const methods = method === 'ALL' ? all : method === 'GET' ? ['GET', 'HEAD'] : [method]
    return methods.map((one) => ({ ...route, method: one, path }))
  })

/** Whether the path or the body of the request names that part of a target, of which each costs a call. */
const names = ({ path, body }: Request, part: keyof typeof exampleIds): boolean =>
  path.includes(`:${part}Id`) || JSON.stringify(body?.(exampleIds as never) ?? null).includes(exampleIds[part])

/** One that the same user began may still be running. */
const plan = async (create: (path: string, body: object) => Promise<string>): Promise<string> => {
  let id: string | undefined
  await until(async () => {
    id = await create('imports?dryRun=true', plannedRows)
    return id !== undefined
  }, 'the user may import')
  return id ?? ''
}

/** A file that could be imported. */
export const plannedRows = [{ data: { name: 'Ada' }, createdAt: '2026-03-04T14:05:06.000Z' }]

export const start = async (settings: Record<string, string> = {}) => {
  const { server, ada } = await serverWithUser({ ...noMailServer, ...settings })
  /** With a limit, each call has a key of its own. */
  const caller = async (): Promise<User> => (Number(settings.FORMBOX_RATE_LIMIT ?? 0) === 0 ? ada : ada.withKey())
  let untouched: Promise<Target> | undefined

  /** A form with a submission and, for one request, no more than what that needs of all else. */
  const addTarget = async (request?: Request): Promise<Target> => {
    const needs = (part: keyof typeof exampleIds) => !request || names(request, part)
    const form = await (await caller()).createForm()
    const create = async (path: string, body: object): Promise<string> =>
      (await (await caller()).call('POST', `/forms/${form}/${path}`, body)).body.id
    const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.' }
    if (!request || request.path.includes('/reply'))
      await (await caller()).call('PATCH', `/forms/${form}/settings`, { reply })
    // Refused before anything is sent.
    const url = 'http://hook.localhost:1/'
    const hasWebhook = needs('webhook') || needs('delivery')
    const webhook = hasWebhook ? await create('webhooks', { url }) : ''
    const sent = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }]
    const { id: submission, files } = submitFiles(server, form, sent)
    const { id: spam, files: spamFiles } = submitFiles(server, form, sent, { isSpam: true })
    const [file = '', spamFile = ''] = [...files, ...spamFiles]
    const fields = [{ name: 'email', type: 'email', required: true }]
    if (request?.path.includes('/confirm/'))
      await (await caller()).call('PATCH', `/forms/${form}/settings`, { fields, confirm: reply })
    const delivery = hasWebhook
      ? (await (await caller()).call('GET', `/forms/${form}/deliveries`)).body.deliveries[0].id
      : ''
    const sheet = needs('sheet') ? await create('sheets', {}) : ''
    const noted = needs('note')
      ? await (await caller()).call('POST', `/forms/${form}/submissions/${submission}/notes`, { text: 'Called' })
      : undefined
    const note = noted?.body.notes[0].id ?? ''
    const planned = needs('import') ? await plan(create) : ''
    const member = needs('member') ? await create('members', { email: newEmail(), role: 'reader' }) : ''
    const heir = needs('heir') ? (await server.signUp()).email : ''
    if (heir !== '') await create('members', { email: heir, role: 'reader' })
    return { form, submission, spam, file, spamFile, webhook, delivery, sheet, note, import: planned, member, heir }
  }

  return {
    server,
    ada,

    /** The target with a note that the user of the key has written. */
    async withNote(target: Target, key: string): Promise<Target> {
      const response = await server.fetch(`/api/v1/forms/${target.form}/submissions/${target.submission}/notes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"text":"Mine"}',
      })
      return { ...target, note: ((await response.json()) as { notes: { id: string }[] }).notes.at(-1)?.id ?? '' }
    },

    async send({ method, path, body }: Request, target: Target, key: string | null, malformed = false) {
      const isRead = method === 'GET' || method === 'HEAD'
      const filled = path
        .replace('/spam/:submissionId/files/:fileId', `/spam/${target.spam}/files/${target.spamFile}`)
        .replace('/spam/:submissionId', `/spam/${target.spam}`)
        .replaceAll(
          /:(form|submission|file|webhook|delivery|sheet|note|import|member)Id/g,
          (_, name: keyof Target) => target[name],
        )
      const sent = isRead ? undefined : malformed ? '{' : body && JSON.stringify(body(target))
      const response = await server.fetch(`/api/v1${filled.replace('*', 'nowhere')}`, {
        method,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
        ...(sent !== undefined && { body: sent }),
      })
      const text = await response.text()
      const isJson = text !== '' && response.headers.get('content-type') === 'application/json'
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined }
    },

    addTarget,

    /** A target that no request before this one has changed. */
    targetFor(request: Request): Promise<Target> {
      const { method, isRead } = request
      if (!isRead && method !== 'GET' && method !== 'HEAD') return addTarget(request)
      untouched ??= addTarget()
      return untouched
    },

    async contents({ form }: Target) {
      const get = async (path: string) => (await (await caller()).call('GET', path)).body
      return {
        forms: await get('/forms'),
        settings: await get(`/forms/${form}/settings`),
        submissions: await get(`/forms/${form}/submissions`),
        spam: await get(`/forms/${form}/spam`),
        webhooks: await get(`/forms/${form}/webhooks`),
        sheets: await get(`/forms/${form}/sheets`),
        members: await get(`/forms/${form}/members`),
        secrets: rowsOf(
          server.folder,
          'SELECT id, secret FROM receivers WHERE form = (SELECT number FROM forms WHERE id = ?) ORDER BY id',
          form,
        ),
        deliveries: (await get(`/forms/${form}/deliveries`)).deliveries.map(({ id }: { id: string }) => id),
      }
    },
  }
}
export type World = Awaited<ReturnType<typeof start>>

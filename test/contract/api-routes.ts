import { newEmail, serverWithUser, type User } from '../harness.ts'
import { rowsOf } from '../storage/sound.ts'
import { submitFiles } from '../stored-files.ts'

export interface Target {
  readonly form: string
  readonly submission: string
  readonly spam: string
  readonly file: string
  readonly spamFile: string
  readonly webhook: string
  readonly delivery: string
  readonly sheet: string
  readonly member: string
  /** Address of a user with whom it is shared. */
  readonly heir: string
}

export interface Route {
  readonly route: string
  /** The body of a request that succeeds. */
  readonly body?: (target: Target) => object
  /** Whether it only reads, though its method is POST. */
  readonly isRead?: true
}

/** Nobody listens there, which is an answer as well. */
export const noMailServer = {
  FORMBOX_SMTP_URL: 'smtp://127.0.0.1:1',
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'https://forms.example.com',
}

/** Refused before anything is sent. */
const unreachable = 'http://hook.localhost:1/'

/** Every route of the API, and what stands behind them for all other paths and methods. */
export const routes: Route[] = [
  { route: 'GET /forms' },
  { route: 'POST /forms', body: () => ({ title: 'x' }) },
  { route: 'POST /forms/bulk', body: () => ({ forms: [{ title: 'x' }] }) },
  { route: 'PATCH /forms/bulk', body: ({ form }) => ({ forms: [{ id: form, title: 'x' }] }) },
  { route: 'DELETE /forms/bulk', body: ({ form }) => ({ ids: [form] }) },
  { route: 'GET /forms/:formId' },
  { route: 'PATCH /forms/:formId', body: () => ({ title: 'x' }) },
  { route: 'DELETE /forms/:formId' },
  { route: 'POST /forms/:formId/duplicate' },
  { route: 'GET /forms/:formId/settings' },
  { route: 'PATCH /forms/:formId/settings', body: () => ({ columns: ['a'] }) },
  { route: 'POST /forms/:formId/reply/test' },
  { route: 'GET /forms/:formId/submissions' },
  { route: 'DELETE /forms/:formId/submissions/bulk', body: ({ submission }) => ({ ids: [submission] }) },
  { route: 'GET /forms/:formId/submissions/:submissionId' },
  { route: 'DELETE /forms/:formId/submissions/:submissionId' },
  { route: 'GET /forms/:formId/spam' },
  { route: 'DELETE /forms/:formId/spam/bulk', body: ({ spam }) => ({ ids: [spam] }) },
  { route: 'GET /forms/:formId/spam/:submissionId' },
  { route: 'DELETE /forms/:formId/spam/:submissionId' },
  { route: 'DELETE /forms/:formId/spam/all' },
  { route: 'POST /forms/:formId/spam/:submissionId/accept' },
  { route: 'POST /forms/:formId/submissions/:submissionId/spam' },
  { route: 'GET /forms/:formId/submissions/:submissionId/handling' },
  { route: 'PATCH /forms/:formId/submissions/:submissionId/handling', body: () => ({ state: 'done' }) },
  {
    route: 'PATCH /forms/:formId/submissions/handling/bulk',
    body: ({ submission }) => ({ ids: [submission], state: 'done' }),
  },
  { route: 'GET /forms/:formId/submissions/:submissionId/files/:fileId' },
  { route: 'GET /forms/:formId/spam/:submissionId/files/:fileId' },
  { route: 'GET /forms/:formId/submissions/search' },
  { route: 'GET /forms/:formId/spam/search' },
  { route: 'GET /forms/:formId/export' },
  { route: 'GET /forms/:formId/spam/export' },
  { route: 'GET /forms/:formId/webhooks' },
  { route: 'POST /forms/:formId/webhooks', body: () => ({ url: unreachable }) },
  { route: 'GET /forms/:formId/webhooks/:webhookId' },
  { route: 'PATCH /forms/:formId/webhooks/:webhookId', body: () => ({ enabled: false }) },
  { route: 'DELETE /forms/:formId/webhooks/:webhookId' },
  { route: 'POST /forms/:formId/webhooks/:webhookId/rotate' },
  { route: 'POST /forms/:formId/webhooks/:webhookId/test' },
  { route: 'GET /forms/:formId/deliveries' },
  { route: 'POST /forms/:formId/deliveries/:deliveryId/retry' },
  { route: 'POST /forms/:formId/deliveries/retry' },
  { route: 'GET /forms/:formId/sheets' },
  { route: 'POST /forms/:formId/sheets', body: () => ({}) },
  { route: 'DELETE /forms/:formId/sheets/:sheetId' },
  { route: 'GET /forms/:formId/members' },
  { route: 'POST /forms/:formId/members', body: () => ({ email: newEmail(), role: 'reader' }) },
  { route: 'PATCH /forms/:formId/members/:memberId', body: () => ({ role: 'editor' }) },
  { route: 'DELETE /forms/:formId/members/:memberId' },
  { route: 'POST /forms/:formId/owner', body: ({ heir }) => ({ email: heir }) },
  { route: 'GET /forms/:formId/trail' },
  { route: 'GET /shared/forms' },
  { route: 'POST /people/search', body: () => ({ value: 'ada@example.com' }), isRead: true },
  { route: 'POST /people/export', body: () => ({ value: 'ada@example.com' }), isRead: true },
  { route: 'POST /people/erase', body: () => ({ value: 'ada@example.com', count: 0 }) },
  { route: 'ALL /' },
  { route: 'ALL /*' },
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

export const start = async (settings: Record<string, string> = {}) => {
  const { server, ada } = await serverWithUser({ ...noMailServer, ...settings })
  /** With a limit, each call has a key of its own. */
  const caller = async (): Promise<User> => (Number(settings.FORMBOX_RATE_LIMIT ?? 0) === 0 ? ada : ada.withKey())
  let untouched: Promise<Target> | undefined

  /** A form with a submission. */
  const addTarget = async (): Promise<Target> => {
    const form = await (await caller()).createForm()
    const reply = { field: 'email', subject: 'Thank you', text: 'We answer soon.' }
    await (await caller()).call('PATCH', `/forms/${form}/settings`, { reply })
    const url = unreachable
    const webhook = (await (await caller()).call('POST', `/forms/${form}/webhooks`, { url })).body.id
    const sent = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }]
    const { id: submission, files } = submitFiles(server, form, sent)
    const { id: spam, files: spamFiles } = submitFiles(server, form, sent, { isSpam: true })
    const [file = '', spamFile = ''] = [...files, ...spamFiles]
    const { deliveries } = (await (await caller()).call('GET', `/forms/${form}/deliveries`)).body
    const sheet = (await (await caller()).call('POST', `/forms/${form}/sheets`, {})).body.id
    const invited = { email: newEmail(), role: 'reader' }
    const member = (await (await caller()).call('POST', `/forms/${form}/members`, invited)).body.id
    const heir = (await server.signUp()).email
    await (await caller()).call('POST', `/forms/${form}/members`, { email: heir, role: 'reader' })
    return { form, submission, spam, file, spamFile, webhook, delivery: deliveries[0].id, sheet, member, heir }
  }

  return {
    server,
    ada,

    async send({ method, path, body }: Request, target: Target, key: string | null, malformed = false) {
      const isRead = method === 'GET' || method === 'HEAD'
      const filled = path
        .replace('/spam/:submissionId/files/:fileId', `/spam/${target.spam}/files/${target.spamFile}`)
        .replace('/spam/:submissionId', `/spam/${target.spam}`)
        .replaceAll(/:(form|submission|file|webhook|delivery|sheet|member)Id/g, (_, name: keyof Target) => target[name])
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

    /** A target that the requests before this one have only read. */
    targetFor({ method, isRead }: Request): Promise<Target> {
      const target = untouched ?? addTarget()
      untouched = isRead || method === 'GET' || method === 'HEAD' ? target : undefined
      return target
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

// The world of a test: a server, a user, and a form of hers with what the test needs of it.
import { expect } from 'bun:test'
import { type Answer, type Server, sharedServer, toAnswer, type User } from './harness.ts'
import { owner } from './visitor.ts'

export interface Wanted {
  /** The test's own server. Otherwise it is the one that the tests share. */
  readonly server?: Server
  /** `FORMBOX_` settings of the shared server. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** What the form is created with, and its settings. */
  readonly form?: object
  /** What the form is sent, one after the other. */
  readonly sent?: readonly object[]
}

export type World = Awaited<ReturnType<typeof world>>

/** Ada, who calls the API, and a form of hers. */
export const world = async (wanted: Wanted = {}) => {
  const server = wanted.server ?? (await sharedServer(wanted.environment))
  const ada = await server.signUp()
  return { ...(await addForm(server, ada, wanted)), ada }
}

/** The same world for Ada at her browser, who is signed in. `ada.api` calls the API. */
export const siteWorld = async (wanted: Wanted = {}) => {
  const server = wanted.server ?? (await sharedServer(wanted.environment))
  const ada = await owner(server)
  return { ...(await addForm(server, ada.api, wanted)), ada }
}

/** Creates a form, and returns it with what can be done with it. */
export const addForm = async (server: Server, user: User, { form: wanted = {}, sent = [] }: Wanted) => {
  const { title = 'Contact', description, returnUrl, ...settings } = wanted as Record<string, unknown>
  const formId = await user.createForm({ title, description, returnUrl })
  const path = `/forms/${formId}`
  const read = async (rest: string) => (await user.call('GET', path + rest)).body

  /** Changes settings of the form. */
  const change = (changes: object): Promise<Answer> => user.call('PATCH', `${path}/settings`, changes)
  /** Sends a submission, expects success, and returns the identifier. */
  const submit = (data: object): Promise<string> => server.submit(formId, data)
  /** Sends a body as it is. A text is urlencoded unless the headers name another type. */
  const post = async (body: BodyInit, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    toAnswer(
      await server.fetch(`/s/${formId}`, {
        method: 'POST',
        body,
        headers: { ...(typeof body === 'string' && urlencoded), ...headers },
      }),
    )

  if (Object.keys(settings).length > 0) expect((await change(settings)).status).toBe(200)
  const ids: string[] = []
  for (const data of sent) ids.push(await submit(data))
  return {
    server,
    formId,
    /** Of the form, for the API and on the site. */
    path,
    /** Of what was sent, in its order. */
    ids,
    change,
    submit,
    post,
    /** Sends JSON. */
    send: (data: object, headers: Readonly<Record<string, string>> = {}) =>
      post(JSON.stringify(data), { 'content-type': 'application/json', ...headers }),
    form: () => read(''),
    settings: () => read('/settings'),
    submissions: async () => (await read('/submissions')).submissions,
    spam: async () => (await read('/spam')).spam,
  }
}

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

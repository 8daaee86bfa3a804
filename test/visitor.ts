// A visitor of the pages without a browser: keeps cookies, sends forms as our pages would, and follows no redirects.
import { addKey, newEmail, type Server, writeUser } from './harness.ts'
import { readPage, type ShownPage } from './read-page.ts'

export const password = 'correct horse battery'

/** Creates an account with that password. The hash contains its cost, and this one is quick to check. */
export const createUser = async (server: Pick<Server, 'folder'>, email = 'ada@example.com'): Promise<string> => {
  passwordHash ??= await Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
  return writeUser(server.folder, email, passwordHash)
}
let passwordHash: string | undefined

interface Page extends ShownPage {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly location: string | null
  /** The first `Set-Cookie` header: that of the session, if it is set. */
  readonly cookie: string | null
  /** Every `Set-Cookie` header. */
  readonly cookies: readonly string[]
}

interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Page>
  post(
    path: string,
    fields?: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Page>
  signIn(email?: string, password?: string): Promise<Page>
  /** Sends a form with one file. */
  sendFile(path: string, name: string, text: string, headers?: Record<string, string>): Promise<Page>
  /** The stored cookie, such as `formbox_session_8080=…` or `__Host-formbox_device=…`. */
  cookie(name?: 'session' | 'device'): string | null
}

/** Of a stream of events, which ends with the session, the beginning. */
const textOf = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

type Target = Pick<Server, 'url' | 'fetch'>

export const visit = (server: Target, always: Record<string, string> = {}): Visitor => {
  const kept = new Map<string, string>()

  const request = async (path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Page> => {
    const headers = {
      accept: 'text/html',
      ...(kept.size > 0 && { cookie: [...kept.values()].join('; ') }),
      ...always,
      ...init.headers,
    }
    const response = await server.fetch(path, { ...init, headers })
    const cookies = response.headers.getSetCookie()
    for (const cookie of cookies) {
      const pair = cookie.split(';', 1)[0] as string
      const name = pair.split('=', 1)[0] as string
      if (cookie.includes('Max-Age=0')) kept.delete(name)
      else kept.set(name, pair)
    }
    const location = response.headers.get('location')
    const html = await textOf(response)
    const { status, headers: answered } = response
    return Object.assign(readPage(html), {
      ...{ status, headers: answered, html, location },
      cookie: cookies[0] ?? null,
      cookies,
    })
  }

  const visitor: Visitor = {
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, fields = {}, headers = {}) =>
      request(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.url, ...headers },
      }),
    sendFile: (path, name, text, headers = {}) => {
      const body = new FormData()
      body.append('file', new File([text], name))
      return request(path, { method: 'POST', body, headers: { origin: server.url, ...headers } })
    },
    signIn: (email = 'ada@example.com', typed = password) => visitor.post('/sign-in', { email, password: typed }),
    cookie: (name = 'session') =>
      [...kept].find(([kind]) => new RegExp(`formbox_${name}(_\\d+)?$`).test(kind))?.[1] ?? null,
  }
  return visitor
}

/** A visitor who is signed in to a new account. */
export const signedIn = async (server: Target & Pick<Server, 'folder'>, email = 'ada@example.com') => {
  const userId = await createUser(server, email)
  const visitor = visit(server)
  const { status } = await visitor.signIn(email)
  if (status !== 303) throw new Error(`sign-in answered ${status}`)
  return { ...visitor, userId, email }
}

/** The same, and a key of the account that can call the API. */
export const owner = async (server: Target & Pick<Server, 'folder'>) => {
  const visitor = await signedIn(server, newEmail())
  return { ...visitor, api: addKey(server, visitor.userId, visitor.email) }
}

// Starts the real service on a real data folder, for tests to talk to. If TEST_EXECUTABLE is set, that executable runs
// instead of the sources, so that the same tests check the compiled program.
import { afterAll, afterEach, expect } from 'bun:test'
import { existsSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { newKey } from '../src/accounts/keys/key-rules.ts'
import { keyWrites } from '../src/accounts/keys/key-writes.ts'
import { userWrites } from '../src/accounts/users/user-writes.ts'
import { newId } from '../src/base/id.ts'
import { parseConfig } from '../src/config/config.ts'
import { startFormbox } from '../src/server/start.ts'
import { type Connection, connect, type Db, dataFile } from '../src/storage/open.ts'
import { bundleThreads } from './bundled-threads.ts'
import { afterThisTest, cleanUpFile, cleanUpTest, forThisFile, forThisProcess, temporaryFolder } from './clean-ups.ts'
import { expectDocumented } from './documented.ts'
import { folderWithData, prepareData } from './empty-data.ts'
import { inOneTurn } from './one-turn.ts'
import { hashQuickly } from './password-cost.ts'
import { isCompiled, spawnProgram, testSettings } from './program.ts'
import { noteSkipped } from './skips.ts'
import { expectIntact, sharePages } from './storage/sound.ts'
import { takeWaits } from './until.ts'

export { afterThisTest, forThisFile, temporaryFolder } from './clean-ups.ts'

if (isCompiled)
  noteSkipped('Skipping the tests that need an injected clock or error reporter: the executable has neither.')
if (process.platform !== 'linux') noteSkipped('Skipping the tests that read /proc: this is not Linux.')

const reported: string[] = []

/** The servers that tests share, by settings. */
const shared = new Map<string, Promise<Server>>()

/** A folder that make removes after a run whose processes keep servers with the usual settings for all of their files. */
const lasting = process.env.TEST_KEEPS_SERVER && process.env.TEST_RUN
if (lasting) {
  await bundleThreads(mkdtempSync(join(lasting, 'threads-')))
  hashQuickly()
}

const expectNothingReported = (): void => {
  expect(reported.splice(0), 'errors that the service reported').toEqual([])
}

afterEach(async () => {
  for (const expected of takeWaits()) process.stderr.write(`the test ended before this was so: ${expected}\n`)
  // A shared server may still be starting if the test timed out. What it has opened must not be closed with the test.
  const servers = await Promise.allSettled(shared.values())
  await cleanUpTest()
  for (const server of servers) if (server.status === 'fulfilled') server.value.gatherReported()
  expectNothingReported()
})

afterAll(async () => {
  for (const name of shared.keys()) if (!lasting || !usual.has(name)) shared.delete(name)
  await cleanUpFile()
  expectNothingReported()
})

/** The errors that the service has reported so far. A test that expects errors takes them, so they do not fail it. */
export const takeReported = (): string[] => reported.splice(0)

interface StartOptions {
  readonly folder?: string
  /** `FORMBOX_` settings. The rate limits are off unless a test sets them. */
  readonly settings?: Readonly<Record<string, string>>
  /** Unix time in milliseconds. The executable ignores it. */
  readonly now?: () => number
}

export type Server = Awaited<ReturnType<typeof startServer>>

/**
 * The server that the tests of this file share, one for each set of settings. It stops after them; in `make test`, those
 * with the usual settings last for all files of their process. Each test uses its own users and forms. A test that concerns
 * the whole service needs `startServer`, for example if it uses up the limit of an address, counts users or stops the server.
 */
export const sharedServer = (settings: StartOptions['settings'] = {}, now?: () => number): Promise<Server> => {
  const name = nameOf(settings, now)
  const server = shared.get(name) ?? startNamed(name, { settings, ...(now && { now }) })
  shared.set(name, server)
  return server
}

const nameOf = (settings: StartOptions['settings'], now?: () => number): string =>
  JSON.stringify([{ ...testSettings, ...settings }, now !== undefined])

const usual = new Set([nameOf({}), nameOf({}, Date.now)])

const startNamed = (name: string, options: StartOptions): Promise<Server> => {
  if (!lasting || !usual.has(name)) return forThisFile(() => startShared(options))
  const folder = mkdtempSync(join(lasting, 'formbox-'))
  prepareData(folder)
  return forThisProcess(() => startShared({ ...options, folder }))
}

const clock = { now: 0 }

/** The server that tests share whose clock they set. It begins at the given time. The executable has no such clock. */
export const serverWithClock = async (now = Date.now(), settings: StartOptions['settings'] = {}) => {
  clock.now = now
  return { clock, server: await sharedServer(settings, () => clock.now) }
}

/** Connections to the data of shared servers. To open one for each write, and plan its statements, takes half of some tests. */
const kept = new Map<string, Connection>()

const startShared = async (options: StartOptions): Promise<Server> => {
  const server = await startServer(options)
  const db = connect(server.folder)
  kept.set(server.folder, db)
  sharePages(server.folder)
  afterThisTest(() => {
    kept.delete(server.folder)
    db.$client.close()
    expectIntact(server.folder)
  })
  return server
}

/** Starts the service on a free port without users. It stops after the test. */
export const startServer = async ({
  // The executable makes its own file.
  folder = isCompiled ? temporaryFolder() : folderWithData(),
  settings = {},
  now,
}: StartOptions = {}) => {
  const environment = {
    ...testSettings,
    FORMBOX_DATA: folder,
    // No one reads the log here, and a server that stops would wait a moment for a reader.
    FORMBOX_LOG_LEVEL: 'off',
    ...settings,
  }
  const running = isCompiled ? await spawnServer(environment) : await startSources(environment, now)
  afterThisTest(running.stop)

  return {
    ...running,
    folder,

    /** Sends one request. Answers of the API and to submissions are checked against the OpenAPI document. */
    async fetch(path: string, init: RequestInit = {}): Promise<Response> {
      const response = await fetch(running.url + path, { redirect: 'manual', ...init })
      if (/^\/(api\/v1|s)\//.test(path))
        await expectDocumented(running.url, path, init.method ?? 'GET', response.clone())
      return response
    },

    /** Sends a submission, expects success, and returns the identifier. */
    async submit(formId: string, data: object): Promise<string> {
      const headers = { 'content-type': 'application/json' }
      const response = await this.fetch(`/s/${formId}`, { method: 'POST', headers, body: JSON.stringify(data) })
      const { status, body } = await toAnswer(response)
      expect(status).toBe(200)
      return body.id
    },

    /** Creates a user with a key, who can call the API. */
    async signUp(email = newEmail(), key: Partial<KeyOptions> = {}): Promise<User> {
      return addUser(this, email, key)
    },
  }
}

/** The shared server, and a new user without forms. */
export const serverWithUser = async (settings?: StartOptions['settings']): Promise<{ server: Server; ada: User }> => {
  const server = await sharedServer(settings)
  return { server, ada: await server.signUp() }
}

interface KeyOptions {
  readonly isReadOnly: boolean
  readonly expiresAt: number | null
  /** Identifiers of the forms that it is limited to. */
  readonly forms: readonly string[] | null
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests check the contents
  readonly body: any
  readonly headers: Headers
}

export interface User {
  readonly id: string
  readonly email: string
  readonly key: string
  readonly keyId: string
  /** Calls an operation: `await ada.call('POST', '/forms', { title: 'Contact' })`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Creates a form and returns its identifier. */
  createForm(fields?: object): Promise<string>
  /** The same user with another, new key. */
  withKey(key?: Partial<KeyOptions>): Promise<User>
}

type Target = { folder: string; fetch: (path: string, init?: RequestInit) => Promise<Response> }

const addUser = (server: Target, email: string, keyOptions: Partial<KeyOptions>): User => {
  const id = newId(Date.now())
  // One commit for both: each test has users of its own.
  const key = writeTo(server.folder, (db) =>
    db.$client
      .transaction(() => {
        userWrites(db).createUser({ id, email, passwordHash: 'none' })
        return insertKey(db, id, keyOptions)
      })
      .immediate(),
  )
  return toUser(server, { id, email }, key)
}

/** Creates a key for a user, and returns the user with this key. */
export const addKey = (server: Target, id: string, email: string, options: Partial<KeyOptions> = {}): User =>
  toUser(server, { id, email }, writeKey(server.folder, id, options))

const toUser = (server: Target, { id, email }: Pick<User, 'id' | 'email'>, { key, keyId }: NewKey): User => {
  const call: User['call'] = async (method, path, body, headers = {}) => {
    const response = await server.fetch(`/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return toAnswer(response)
  }
  return {
    id,
    email,
    key,
    keyId,
    call,
    async createForm(fields = {}) {
      const { status, body } = await call('POST', '/forms', { title: 'Contact', ...fields })
      if (status !== 200) throw new Error(`a form was not created: ${status} ${JSON.stringify(body)}`)
      return body.id
    },
    withKey: async (more = {}) => addKey(server, id, email, more),
  }
}

/** The status, the headers and the body, which is parsed if it is JSON. */
export const toAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** An e-mail address that no other test uses. */
export const newEmail = (): string => `${newId(Date.now())}@example.com`

/** Writes a user as `formbox user create` does, but without hashing a password, which is slow on purpose. */
export const writeUser = (folder: string, email: string, passwordHash = 'none'): string => {
  const id = newId(Date.now())
  writeTo(folder, (db) => userWrites(db).createUser({ id, email, passwordHash }))
  return id
}

type NewKey = Pick<User, 'key' | 'keyId'>

/** Writes a key as `formbox key create` does. */
export const writeKey = (folder: string, userId: string, options: Partial<KeyOptions> = {}): NewKey =>
  writeTo(folder, (db) => insertKey(db, userId, options))

const insertKey = (db: Db, userId: string, options: Partial<KeyOptions>): NewKey => {
  const { value: key, hash, start } = newKey()
  const keyId = newId(Date.now())
  const { isReadOnly = false, expiresAt = null, forms = null } = options
  keyWrites(db).createKey({ id: keyId, userId, name: 'Test', hash, start, isReadOnly, expiresAt, forms })
  return { key, keyId }
}

/** Writes as another process does, such as `formbox key create`. Makes the data file if there is none. */
export const writeTo = <T>(folder: string, write: (db: Connection) => T): T => {
  const open = kept.get(folder)
  if (open) return write(open)
  if (!existsSync(dataFile(folder))) prepareData(folder)
  const db = connect(folder)
  try {
    return write(db)
  } finally {
    db.$client.close()
  }
}

const startSources = async (environment: Record<string, string>, now: (() => number) | undefined) => {
  const running = await startFormbox({
    config: parseConfig(environment),
    report: (message) => reported.push(message),
    onWriterDeath: (reason) => reported.push(`the writer died: ${reason}`),
    onJobFailure: (reason) => reported.push(reason),
    watchForm: inOneTurn,
    ...(now && { now }),
  })
  // A test that sets the clock, or writes to the file, comes after what is done at a start.
  await running.begun
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= running.stop())
  return { url: running.url, setupPath: running.setupPath, stop, gatherReported: () => {} }
}

const spawnServer = async (environment: Record<string, string>) => {
  const server = spawnProgram(['serve'], { environment })
  const url = await server.listening
  let gathered = 0
  /** Adds what the server has written to standard error since the last call to the reported errors. */
  const gatherReported = (): void => {
    const lines = server.errors().split('\n').filter(Boolean)
    reported.push(...lines.slice(gathered))
    gathered = lines.length
  }
  const end = async (): Promise<void> => {
    // One that has ended by itself, such as by a crash, fails the test.
    if (server.isAlive()) server.kill('SIGTERM')
    const { exitCode, signal } = await server.ended()
    gatherReported()
    expect({ exitCode, signal }, 'how the executable ended').toEqual({ exitCode: 0, signal: null })
  }
  let ended: Promise<void> | undefined
  const stop = () => (ended ??= end())
  return { url, setupPath: /\/setup\?token=[^\s"]+/.exec(server.output())?.[0] ?? null, stop, gatherReported }
}

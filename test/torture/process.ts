// Formbox as a process of its own, which the tests kill, starve and flood: the executable where TEST_EXECUTABLE names
// one, otherwise the sources.
import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { accountWrites } from '../../src/accounts/writes.ts'
import { newId } from '../../src/id.ts'
import { hashKey, newKey, startOfKey } from '../../src/keys/token.ts'
import { keyWrites } from '../../src/keys/writes.ts'
import { afterThisTest, temporaryFolder, writeTo } from '../harness.ts'

/** `make torture` runs the long form, `bun test` the short one. */
export const isLong = process.env.TORTURE === 'long'
export const timeout = isLong ? 1_800_000 : 60_000

const executable = process.env.TEST_EXECUTABLE
export const command = executable ? [executable] : [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/** What the long form found out, for whoever reads its output. */
export const tell = (text: string): void => {
  if (isLong) process.stdout.write(`  ${text}\n`)
}

export interface StartOptions {
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  /** Runs the command, such as `strace` or a shell that sets a limit. */
  readonly wrap?: (command: readonly string[]) => string[]
}

export type Process = Awaited<ReturnType<typeof startProcess>>

/** Starts the server and waits until it answers. It is gone after the test, whatever became of it. */
export const startProcess = async ({ folder = temporaryFolder(), settings = {}, wrap }: StartOptions = {}) => {
  const startedAt = performance.now()
  const words = [...command, 'serve']
  const child = Bun.spawn(wrap ? wrap(words) : words, {
    env: {
      PATH: process.env.PATH ?? '',
      FORMBOX_DATA: folder,
      FORMBOX_PORT: '0',
      FORMBOX_RATE_LIMIT: '0',
      FORMBOX_SUBMIT_LIMIT: '0',
      FORMBOX_LOG_LEVEL: 'off',
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  afterThisTest(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await child.exited
  })
  let output = ''
  let errors = ''
  const gather = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }))
  }
  let announce: (url: string) => void = () => {}
  const url = new Promise<string>((resolve) => (announce = resolve))
  const reading = Promise.all([
    gather(child.stdout, (text) => {
      output += text
      const address = / listens(?: on |","url":")(http:[^\s"]+).*\n/.exec(output)?.[1]
      if (address) announce(address)
    }),
    gather(child.stderr, (text) => (errors += text)),
  ])
  const died = child.exited.then(async (code) => {
    await reading
    throw new Error(`the server ended with ${code}: ${errors}`)
  })
  died.catch(() => {})
  const address = await Promise.race([url, died])

  return {
    url: address,
    folder,
    pid: child.pid,
    startMilliseconds: performance.now() - startedAt,
    output: () => output,
    errors: () => errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** The exit code, and the signal where one ended it, after everything it said was read. */
    async ended() {
      await child.exited
      await reading
      return { exitCode: child.exitCode, signal: child.signalCode }
    },
  }
}

/** Runs another command of the executable. */
export const run = async (folder: string, words: readonly string[], input = '') => {
  const child = Bun.spawn([...command, ...words, '--data', folder], {
    env: { PATH: process.env.PATH ?? '' },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output: output.trim(), errors: errors.trim(), exitCode }
}

/** A user with a key, written as the command line does, without waiting for two processes to start. */
export const createUser = (folder: string, email = 'ada@example.com'): string => {
  const [userId, key] = [newId(Date.now()), newKey()]
  writeTo(folder, (db) => {
    accountWrites(db).createUser({ id: userId, email, passwordHash: 'none' })
    keyWrites(db).createKey({
      id: newId(Date.now()),
      userId,
      name: 'Test',
      hash: hashKey(key),
      start: startOfKey(key),
      isReadOnly: false,
      expiresAt: null,
    })
  })
  return key
}

/** Calls the API: the status, and the body as JSON. */
export const caller =
  (url: string, key: string) =>
  async (
    method: string,
    path: string,
    body?: unknown,
    keepalive = true,
  ): Promise<{ status: number; body: Body; headers: Headers }> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      keepalive,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it holds
type Body = any
export type Call = ReturnType<typeof caller>

/** Every submission of a form by paging through the list, and the total that each page told. */
export const listAll = async (call: Call, formId: string) => {
  const submissions: { id: string; data: Record<string, unknown> }[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await call('GET', `/forms/${formId}/submissions?perPage=100&page=${page}`)
    expect(status).toBe(200)
    submissions.push(...body.submissions)
    if (page >= body.pagination.totalPages) return { submissions, total: body.pagination.total as number }
  }
}

/** What SQLite itself finds wrong with the data file: nothing, if all is well. */
export const faultsOf = (folder: string): unknown[] => {
  const db = new Database(join(folder, 'formbox.db'), { readonly: true })
  try {
    const integrity = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    const found: unknown[] = integrity.map((row) => row.integrity_check).filter((line) => line !== 'ok')
    return [
      ...found,
      ...db.query('PRAGMA foreign_key_check').all(),
      ...db
        .query(
          `SELECT number, submission_count, counted, tallied FROM (SELECT number, submission_count,
             (SELECT count(*) FROM submissions WHERE form = number) AS counted,
             (SELECT coalesce(sum(count), 0) FROM tallies WHERE form = number AND level = 0) AS tallied,
             (SELECT coalesce(sum(count), 0) FROM tallies WHERE form = number AND level = 1) AS upper
           FROM forms WHERE deleted_at IS NULL) WHERE submission_count <> counted OR counted <> tallied OR tallied <> upper`,
        )
        .all(),
      ...db
        .query(
          `SELECT id, form_count FROM users WHERE form_count <>
             (SELECT count(*) FROM forms WHERE user_id = users.id AND deleted_at IS NULL)`,
        )
        .all(),
    ]
  } finally {
    db.close()
  }
}

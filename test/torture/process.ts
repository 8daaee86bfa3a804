// Runs Formbox in its own process, which the tests kill, starve and flood: the executable if TEST_EXECUTABLE is set,
// otherwise the sources.
import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formbox } from '../commands/formbox.ts'
import { afterThisTest, temporaryFolder, writeKey, writeUser } from '../harness.ts'
import { spawnProgram, testSettings } from '../program.ts'

/** `make torture` runs the long form, `bun test` the short one. */
export const isLong = process.env.TORTURE === 'long'
export const timeout = isLong ? 1_800_000 : 120_000

/** Prints what the long form measured. */
export const tell = (text: string): void => {
  if (isLong) process.stdout.write(`  ${text}\n`)
}

interface StartOptions {
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  /** Runs the command, such as `strace` or a shell that sets a limit. */
  readonly wrap?: (command: readonly string[]) => string[]
}

export type Process = Awaited<ReturnType<typeof startProcess>>

/** Starts the server and waits until it answers. It ends with the test at the latest. */
export const startProcess = async ({ folder = temporaryFolder(), settings = {}, wrap }: StartOptions = {}) => {
  const startedAt = performance.now()
  const server = spawnProgram(['serve'], {
    environment: {
      PATH: process.env.PATH ?? '',
      ...testSettings,
      FORMBOX_DATA: folder,
      FORMBOX_LOG_LEVEL: 'off',
      ...settings,
    },
    wrap,
  })
  afterThisTest(server.destroy)
  const url = await server.listening
  return { ...server, url, folder, startMilliseconds: performance.now() - startedAt }
}

/** The highest memory use so far. */
export const peakBytes = (server: Pick<Process, 'pid'>): number => statusBytes(server, 'VmHWM')

/** The present memory use. */
export const residentBytes = (server: Process): number => statusBytes(server, 'VmRSS')

const statusBytes = ({ pid }: Pick<Process, 'pid'>, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Runs another command on the folder, and waits for its end. */
export const run = async (folder: string, words: readonly string[], input = '') => {
  const { exitCode, stdout, stderr } = await formbox([...words, '--data', folder], { input })
  return { output: stdout.trim(), errors: stderr.trim(), exitCode }
}

/** Creates a user with a key, and returns the key. */
export const createUser = (folder: string, email = 'ada@example.com'): string =>
  writeKey(folder, writeUser(folder, email)).key

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

/** All submissions of a form, read page by page, and the total that each page showed. */
export const listAll = async (call: Call, formId: string, perPage = 100) => {
  const submissions: { id: string; data: Record<string, unknown> }[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await call('GET', `/forms/${formId}/submissions?perPage=${perPage}&page=${page}`)
    expect(status).toBe(200)
    submissions.push(...body.submissions)
    if (page >= body.pagination.totalPages) return { submissions, total: body.pagination.total as number }
  }
}

/** The problems that SQLite itself finds in the data file; empty if there are none. */
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
             (SELECT count(*) FROM submissions WHERE form = number AND list = 0) AS counted,
             (SELECT coalesce(sum(count), 0) FROM tallies WHERE form = number AND list = 0 AND level = 0) AS tallied,
             (SELECT coalesce(sum(count), 0) FROM tallies WHERE form = number AND list = 0 AND level = 1) AS upper
           FROM forms WHERE deleted_at IS NULL) WHERE submission_count <> counted OR counted <> tallied OR tallied <> upper`,
        )
        .all(),
      ...db
        .query(
          `SELECT id, form_count FROM users WHERE form_count <>
             (SELECT count(*) FROM forms WHERE user_id = users.id AND deleted_at IS NULL)`,
        )
        .all(),
      ...db
        .query(
          `SELECT * FROM (SELECT number, pending_count, delivered_count, failed_count,
             (SELECT count(*) FROM deliveries WHERE receiver = number AND state = 'pending') AS pending,
             (SELECT count(*) FROM deliveries WHERE receiver = number AND state = 'delivered') AS delivered,
             (SELECT count(*) FROM deliveries WHERE receiver = number AND state = 'failed') AS failed
           FROM receivers) WHERE pending_count <> pending OR delivered_count <> delivered OR failed_count <> failed`,
        )
        .all(),
    ]
  } finally {
    db.close()
  }
}

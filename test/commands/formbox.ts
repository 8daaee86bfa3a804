// Runs Formbox as a user does: in its own process, in an empty folder, with only the environment that a test sets. If
// TEST_EXECUTABLE is set, that executable runs instead of the sources.
import { Database } from 'bun:sqlite'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../src/base/id.ts'
import { prepareDataFolder } from '../../src/storage/data-folder.ts'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { program, spawnProgram, testSettings } from '../program.ts'

interface Options {
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  readonly input?: string | Uint8Array
  /** What runs it, such as `strace`. */
  readonly wrap?: readonly string[]
}

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command to its end. */
export const formbox = async (words: readonly string[], options: Options = {}): Promise<Outcome> => {
  const { environment = {}, folder = temporaryFolder(), input = '', wrap = [] } = options
  const child = Bun.spawn([...wrap, ...program, ...words], {
    cwd: folder,
    env: { ...environment },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  afterThisTest(() => child.kill('SIGKILL'))
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

/** Runs one command to its end on a terminal, and returns what it showed there. */
export const onTerminal = async (words: readonly string[], folder: string): Promise<string> => {
  const shown: Uint8Array[] = []
  const data = (_terminal: unknown, bytes: Uint8Array): void => void shown.push(bytes)
  const { promise: closed, resolve: exit } = Promise.withResolvers<void>()
  const terminal = { cols: 80, rows: 24, data, exit: () => exit() }
  const child = Bun.spawn([...program, ...words], { cwd: folder, env: {}, terminal })
  afterThisTest(() => child.kill('SIGKILL'))
  await closed
  return Buffer.concat(shown).toString()
}

export type Serving = Awaited<ReturnType<typeof serve>>

/**
 * An address of this machine at which no other test listens, so that no one takes a port that was free a moment ago. Linux
 * alone has all of 127.0.0.0/8.
 */
export const ownAddress = (): string => {
  const [one, two, three = 0] = crypto.getRandomValues(new Uint8Array(3))
  return process.platform === 'linux' ? `127.${one}.${two}.${1 + (three % 254)}` : '127.0.0.1'
}

/** The whole output of a command that failed. */
export const oneLine = /^formbox: [^\n]+\n$/

/** Starts `formbox serve` and waits for the line that says where it listens. */
export const serve = async (words: readonly string[], options: Options = {}) => {
  const { environment = {}, folder = temporaryFolder(), wrap = [] } = options
  const server = spawnProgram(words, {
    environment: { ...testSettings, ...environment },
    folder,
    wrap: (command) => [...wrap, ...command],
  })
  afterThisTest(server.destroy)
  return {
    url: await server.listening,
    pid: server.pid,
    folder,
    kill: server.kill,
    /** Resolves when the process has ended. */
    async end(): Promise<Outcome> {
      await server.ended()
      return { exitCode: await server.exited, stdout: server.output(), stderr: server.errors() }
    },
  }
}

/**
 * Adds a user as `formbox user create` does, but without hashing a password, which is slow on purpose. It uses no
 * statements prepared by Drizzle: they would keep the connection open, and the server could not remove its log at the
 * end.
 */
export const addUser = (dataFolder: string, email: string): void => {
  prepareDataFolder(dataFolder)
  const client = new Database(join(dataFolder, 'formbox.db'), { readwrite: true, create: false })
  // The server may be writing.
  client.run('PRAGMA busy_timeout = 5000')
  client.run("INSERT INTO users (id, email, password_hash) VALUES (?, ?, 'none')", [newId(Date.now()), email])
  client.close()
}

/** Creates a user and a key in the data folder `data` in the working folder. */
export const signUp = async (folder: string, email = 'ada@example.com', flags: readonly string[] = []) => {
  addUser(join(folder, 'data'), email)
  const words = ['key', 'create', '--user', email, '--name', 'Test', ...flags, '--data', 'data']
  const { exitCode, stdout, stderr } = await formbox(words, { folder })
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

export const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort()

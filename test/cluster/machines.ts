// Starts real machines of a cluster: processes with data folders of their own, and a log in a real PostgreSQL.
import { expect } from 'bun:test'
import { afterThisTest, temporaryFolder } from '../harness.ts'
import { program, spawnProgram, testSettings } from '../program.ts'
import { slowly, until } from '../until.ts'
import { startPostgres } from './postgres.ts'

export type Machine = Awaited<ReturnType<Cluster['start']>>
export type Cluster = Awaited<ReturnType<typeof startCluster>>

interface MachineOptions {
  readonly folder?: string
  readonly settings?: Readonly<Record<string, string>>
  /** The command line of another version. */
  readonly program?: readonly string[]
}

export const startCluster = async (engine?: string) => {
  const postgres = engine === undefined ? await startPostgres() : undefined
  const url = engine ?? (postgres as NonNullable<typeof postgres>).urlOf()
  return {
    postgres,
    url,
    /** Starts a machine, which is ready when this resolves. It ends after the test. */
    async start(name: string, options: MachineOptions = {}) {
      const { folder = temporaryFolder(), settings = {}, program: other } = options
      const environment = {
        ...testSettings,
        FORMBOX_DATA: folder,
        FORMBOX_LOG_LEVEL: 'off',
        FORMBOX_CLUSTER: url,
        FORMBOX_NODE: name,
        ...settings,
      }
      const wrap = other && (() => [...other, 'serve'])
      const child = spawnProgram(['serve'], { environment, wrap })
      afterThisTest(child.destroy)
      const address = await child.listening
      const died = child.ended().then(() => {
        throw new Error(`${name} ended: ${child.errors()}`)
      })
      // Not before someone waits for it.
      died.catch(() => {})
      const machine = {
        ...child,
        name,
        folder,
        url: address,
        environment,
        isReady: async () => (await fetch(`${address}/readyz`)).ok,
        /** Fails with what it said if it ends. */
        ready: () => Promise.race([until(machine.isReady, 'the machine is ready', slowly).catch(() => died), died]),
        /** Runs a command of the command line on this machine. */
        run: (...words: string[]) => runCommand(environment, words),
        async stop(): Promise<void> {
          child.kill('SIGTERM')
          const { exitCode } = await child.ended()
          expect(exitCode, child.errors()).toBe(0)
        },
      }
      await machine.ready()
      return machine
    },
  }
}

export const runCommand = async (environment: Readonly<Record<string, string>>, words: readonly string[]) => {
  const child = Bun.spawn([...program, ...words], { env: environment, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, output, errors }
}

/** A user with a key, made by the command line of a machine. */
export const addUser = async (machine: Machine, email = 'ada@example.com'): Promise<string> => {
  expect(await machine.run('user', 'create', email)).toMatchObject({ exitCode: 0, errors: '' })
  const { output, errors } = await machine.run('key', 'create', '--user', email, '--name', 'k')
  expect(errors).toBe('')
  return output.trim()
}

/** A call of the API of one machine. */
export const call = async ({ url }: Pick<Machine, 'url'>, key: string, method: string, path: string, body?: object) => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

export const newForm = async (machine: Pick<Machine, 'url'>, key: string): Promise<string> => {
  const { status, body } = await call(machine, key, 'POST', '/forms', { title: 'A form' })
  expect(status).toBe(200)
  return body.id
}

export const submit = (
  machine: Pick<Machine, 'url'>,
  formId: string,
  data: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${machine.url}/s/${formId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(data),
  })

// Starts real PostgreSQL servers: on free ports, in temporary folders, as a user that is not root.
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { afterThisTest, forThisFile, temporaryFolder } from '../clean-ups.ts'
import { freePort } from '../free-port.ts'
import { slowly, until } from '../until.ts'

const debian = '/usr/lib/postgresql'
/** Debian keeps the programs of each version in a folder that is not on the PATH. */
const folders = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []
export const PATH = [process.env.PATH, ...folders].join(':')
const isRoot = process.geteuid?.() === 0
const tools = ['initdb', 'postgres', 'pg_basebackup', ...(isRoot ? ['setpriv', 'id'] : [])]

/** Why no server can be started; null if one can. */
export const whyNoPostgres = (): string | null => {
  const missing = tools.filter((tool) => Bun.which(tool, { PATH }) === null)
  if (missing.length > 0) return `there is no ${missing.join(', no ')} here`
  return isRoot && idOf('-u') === null ? 'PostgreSQL does not run as root, and there is no user postgres here' : null
}

const idOf = (flag: '-u' | '-g'): number | null => {
  const { exitCode, stdout } = Bun.spawnSync(['id', flag, 'postgres'])
  return exitCode === 0 ? Number(stdout) : null
}

/** PostgreSQL refuses to run as root. */
export const asUser = (words: readonly string[]): string[] => {
  const [program = '', ...rest] = words
  const line = [Bun.which(program, { PATH }) ?? program, ...rest]
  return isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...line] : line
}

export const runTool = async (words: readonly string[], env: Record<string, string> = {}): Promise<void> => {
  const child = Bun.spawn(asUser(words), { env: { PATH, ...env }, cwd: '/', stdout: 'pipe', stderr: 'pipe' })
  const [errors] = await Promise.all([new Response(child.stderr).text(), new Response(child.stdout).text()])
  if ((await child.exited) !== 0) throw new Error(`${words[0]}: ${errors}`)
}

/** Gives a file to the user that the servers run as. */
export const ownByServer = (path: string): void => {
  if (isRoot) chownSync(path, idOf('-u') as number, idOf('-g') as number)
}

export const ownFolder = (): string => {
  const folder = temporaryFolder()
  ownByServer(folder)
  return folder
}

const password = 'Of the+tests:1'
const account = `formbox:${encodeURIComponent(password)}`

let initialised: Promise<string> | null = null

/** An empty data folder, made once for each file of tests: initdb takes a second. */
const template = (): Promise<string> => {
  initialised ??= forThisFile(async () => {
    const folder = ownFolder()
    const file = join(folder, 'password')
    writeFileSync(file, password)
    ownByServer(file)
    const data = join(folder, 'data')
    await runTool([
      'initdb',
      '-D',
      data,
      '-U',
      'formbox',
      '-A',
      'scram-sha-256',
      `--pwfile=${file}`,
      '-N',
      '-E',
      'UTF8',
    ])
    return data
  })
  return initialised
}

export type PostgresProcess = Awaited<ReturnType<typeof startPostgres>>

/** Starts a server. It ends after the test. @param settings as in postgresql.conf; without fsync unless they say so */
export const startPostgres = async (settings: Readonly<Record<string, string>> = {}) => {
  const data = join(ownFolder(), 'data')
  cpSync(await template(), data, { recursive: true, preserveTimestamps: true })
  giveAway(data)
  return await serve(data, settings)
}

/** Starts a standby of the server, which it then waits for if `synchronous_standby_names` names it. */
export const startStandby = async (
  primary: PostgresProcess,
  name: string,
  settings: Readonly<Record<string, string>> = {},
) => {
  const data = join(ownFolder(), 'data')
  const from = `host=127.0.0.1 port=${primary.port} user=formbox application_name=${name}`
  await runTool(['pg_basebackup', '-D', data, '-d', from, '-R', '-c', 'fast', '-N'], { PGPASSWORD: password })
  return await serve(data, settings)
}

const giveAway = (folder: string): void => {
  if (!isRoot) return
  const [user, group] = [idOf('-u') as number, idOf('-g') as number]
  for (const name of ['.', ...(readdirSync(folder, { recursive: true }) as string[])])
    chownSync(join(folder, name), user, group)
}

const serve = async (data: string, settings: Readonly<Record<string, string>>) => {
  const port = await freePort()
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const urlOf = (database = 'postgres'): string => `postgres://${account}@127.0.0.1:${port}/${database}`
  let child: Bun.Subprocess | null = null

  const start = async (): Promise<void> => {
    // What a killed server leaves behind, it refuses to start over.
    await until(
      async () => {
        child = Bun.spawn(asUser(['postgres', '-D', data, '-p', String(port), ...flags]), {
          env: { PATH },
          cwd: '/',
          stdout: 'ignore',
          stderr: 'ignore',
        })
        const isUp = until(() => answers(urlOf()), 'PostgreSQL answers', slowly).then(() => true)
        return await Promise.race([isUp, child.exited.then(() => false)])
      },
      'PostgreSQL has started',
      slowly,
    )
  }
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const id of [child?.pid as number, ...childrenOf(child?.pid as number)]) signalTo(id, signal)
  }
  afterThisTest(async () => {
    signalAll('SIGKILL')
    await child?.exited
  })
  await start()

  return {
    port,
    urlOf,
    /** Runs a statement as the superuser. */
    async ask<T = Record<string, string>>(statement: string, database?: string): Promise<T[]> {
      const sql = new SQL({ url: urlOf(database), max: 1 })
      try {
        return await sql.unsafe(statement).simple()
      } finally {
        await sql.close({ timeout: 0 })
      }
    },
    /** Neither answers nor closes connections until it is thawed. */
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async kill(): Promise<void> {
      signalAll('SIGKILL')
      await child?.exited
    },
    start,
    promote: () => runTool(['pg_ctl', 'promote', '-D', data, '-w']),
  }
}

const answers = async (url: string): Promise<boolean> => {
  const sql = new SQL({ url, max: 1, connectionTimeout: 2 })
  try {
    await sql`SELECT 1`
    return true
  } catch {
    return false
  } finally {
    await sql.close({ timeout: 0 })
  }
}

const childrenOf = (id: number): number[] => {
  try {
    return readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const signalTo = (id: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(id, signal)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ESRCH') throw error
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Memory } from './measurement.ts'

/** A server under test. */
export interface Process {
  readonly url: string
  readonly pid: number
  memory(): Memory
  /** Microseconds of processor time until now, all threads together. */
  processorTime(): number
  stop(): Promise<void>
}

export const executable = join(import.meta.dir, '../../dist/formbox')

/** How much longer each fsync takes on the disk that is made slow. */
export const delayMilliseconds = 20
const slowly = [
  ...['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', `inject=fsync,fdatasync:delay_exit=${delayMilliseconds * 1000}`],
]

export interface Options {
  readonly isSlow?: boolean
  /** API requests per minute for each key; 0 for no limit. */
  readonly rateLimit?: number
  /** Whether each request is written to the log, as by default. */
  readonly isLogged?: boolean
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>
  /** How long `elysia-busy` takes for each answer. */
  readonly busyMicroseconds?: number
}

/** Starts the executable on a free port of the loopback. Resolves when it listens. */
export const startFormbox = (
  folder: string,
  { isSlow = false, rateLimit = 0, isLogged = true, settings = {} }: Options = {},
): Promise<Process> =>
  start([executable, 'serve'], isSlow, {
    FORMBOX_DATA: folder,
    FORMBOX_PORT: '0',
    FORMBOX_RATE_LIMIT: String(rateLimit),
    FORMBOX_SUBMIT_LIMIT: '0',
    ...(!isLogged && { FORMBOX_LOG_LEVEL: 'off' }),
    ...settings,
  })

/** Starts one of the servers in `baseline-server.ts`. */
export const startBaseline = (
  kind: string,
  operand: string,
  { isSlow = false, busyMicroseconds = 0 }: Options = {},
): Promise<Process> => {
  const server = join(import.meta.dir, 'baseline-server.ts')
  return start([process.execPath, server, kind, operand, String(busyMicroseconds)], isSlow, { NODE_ENV: 'production' })
}

/** Makes an executable of `baseline-server.ts`, as `make build` makes that of the product. Returns its path. */
export const compileBaseline = async (folder: string): Promise<string> => {
  const path = join(folder, 'baseline')
  const source = join(import.meta.dir, 'baseline-server.ts')
  const options = ['--compile', '--production', '--minify-whitespace', '--minify-syntax', '--bytecode', '--format=esm']
  const child = Bun.spawn([process.execPath, 'build', ...options, source, '--outfile', path], { stdout: 'ignore' })
  if ((await child.exited) !== 0) throw new Error('the baseline could not be compiled')
  return path
}

/** Starts the executable that `compileBaseline` has made, as a route that reads a database. */
export const startCompiled = (path: string, database: string): Promise<Process> =>
  start([path, 'elysia-sqlite', database], false, {})

/** Runs a command line of the executable and returns what it printed. */
export const runFormbox = async (...words: readonly string[]): Promise<string> => {
  const child = Bun.spawn([executable, ...words], { stdout: 'pipe', stderr: 'inherit', env: {} })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`formbox ${words.join(' ')} failed`)
  return text.trim()
}

const start = async (command: string[], isSlow: boolean, environment: Record<string, string>): Promise<Process> => {
  const child = Bun.spawn(isSlow ? [...slowly, ...command] : command, {
    env: environment,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const url = await firstUrl(child.stdout)
  if (url === undefined) throw new Error(`${command.join(' ')} did not start`)
  const pid = isSlow ? childOf(child.pid) : child.pid
  return {
    url,
    pid,
    memory: () => memoryOf(pid),
    processorTime: () => processorTime(pid),
    async stop() {
      process.kill(pid, 'SIGTERM')
      await child.exited
    },
  }
}

const firstUrl = async (output: ReadableStream<Uint8Array>): Promise<string | undefined> => {
  for await (const chunk of output) {
    const url = /http:\/\/\S+/.exec(new TextDecoder().decode(chunk))?.[0]
    if (url) return url
  }
  return undefined
}

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

const memoryOf = (pid: number): Memory => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string): number =>
    (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1_000_000
  return { memory: megabytes('VmRSS'), anonymous: megabytes('RssAnon') }
}

/** proc(5): fields 14 and 15 of `stat`, in hundredths of a second; the name before them may hold spaces. */
const processorTime = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

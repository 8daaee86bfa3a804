import { join } from 'node:path'
import { type Measurement, ofDurations } from './measurement.ts'
import type { Process } from './process.ts'

export interface Request {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Asks for another page of so many with each request. */
  readonly pages?: number
}

interface Printed {
  readonly requests: number
  readonly microseconds: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  readonly broken: number
}

/** One thread makes more requests than any server here can answer, and leaves the other core to the server. */
const threads = 1
/** Longer than the slowest answer, which waits for 256 commits of 20 ms, one after the other. */
const timeoutSeconds = 30

/** Sends the same request over a number of connections for some time. */
export const runWrk = async (
  server: Process,
  request: Request,
  connections: number,
  seconds: number,
): Promise<Measurement> => {
  const { method = 'GET', path, headers = {}, body = '', pages = 0 } = request
  const before = server.processorTime()
  const child = Bun.spawn(
    [
      ...['wrk', `-t${threads}`, `-c${connections}`, `-d${seconds}s`, `--timeout=${timeoutSeconds}s`],
      ...['-s', join(import.meta.dir, 'request.lua'), server.url + path, '--', method, body, String(pages)],
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const line = /^\{.*\}$/m.exec(await new Response(child.stdout).text())?.[0]
  if ((await child.exited) !== 0 || !line) throw new Error(`wrk failed on ${method} ${path}`)
  const { requests, microseconds, p50, p99, refused, broken } = JSON.parse(line) as Printed
  return {
    perSecond: (requests * 1_000_000) / microseconds,
    p50: p50 / 1000,
    p99: p99 / 1000,
    errors: refused + broken,
    cpu: requests > 0 ? (server.processorTime() - before) / requests : null,
    ...server.memory(),
  }
}

/** The same, after a warm-up and after checking that one answer is a success. */
export const load = async (
  server: Process,
  request: Request,
  connections: number,
  seconds: number,
): Promise<Measurement> => {
  await send(server, request)
  await runWrk(server, request, connections, Math.max(1, Math.round(seconds / 4)))
  return runWrk(server, request, connections, seconds)
}

/** One request after the other with pauses, so that it is others' work that they wait for. */
export const probe = async (server: Process, request: Request, isOver: () => boolean): Promise<Measurement> => {
  const durations: number[] = []
  while (!isOver()) {
    const begin = performance.now()
    await send(server, request)
    durations.push(performance.now() - begin)
    await Bun.sleep(5)
  }
  return { ...ofDurations(durations), ...server.memory() }
}

/** The text of the answer. @throws Error unless it is a success */
export const send = async (server: Process, { method = 'GET', path, headers = {}, body }: Request): Promise<string> => {
  const response = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
  return text
}

import { resolve } from 'node:path'
import { toIsoTime } from '../../base/moment.ts'
import { healthPath, readyPath, serverUrl } from '../../config/addresses.ts'
import { type LogFormat, type LogLevel, logLevels } from '../../config/config.ts'
import { isLoopback } from '../../config/networks.ts'
import type { TrustedProxies } from '../../config/proxies.ts'
import { clientOf } from '../../http/client-address.ts'
import type { OnAnswer } from '../../http/exchange.ts'

/** A logged request: the route's pattern instead of the path, and no query, header or body. */
interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** `none` if no route matches the path. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** Size of the response's body. */
  readonly bytes: number
  readonly client: string
  readonly keyId: string | null
}

export type RequestLog = (line: RequestLine) => void

/** Logs all requests except health checks. A request with a long response is logged when all of it was sent. */
export const answerLogger =
  (requestLog: RequestLog, trustedProxies: TrustedProxies): OnAnswer =>
  (exchange, route, status, answer) => {
    if (route === healthPath.route || route === readyPath.route) return
    const { request, requestId, startedAt, caller, whenSent } = exchange
    const line = {
      requestId,
      method: request.method,
      route,
      status,
      milliseconds: performance.now() - startedAt,
      bytes: request.method === 'HEAD' ? 0 : byteLength(answer),
      client: clientOf(exchange, trustedProxies),
      keyId: caller?.keyId ?? null,
    }
    if (!whenSent) requestLog(line)
    else void whenSent.then((bytes) => requestLog({ ...line, bytes, milliseconds: performance.now() - startedAt }))
  }

const byteLength = (answer: unknown): number => {
  // The Content-Length of a 304 is that of the unchanged content.
  if (answer instanceof Response) return answer.status === 304 ? 0 : Number(answer.headers.get('content-length'))
  if (typeof answer === 'string') return Buffer.byteLength(answer)
  return answer === undefined || answer === null ? 0 : Buffer.byteLength(JSON.stringify(answer))
}

/** Formats requests at or above the level; undefined if the log is off. `write` gets lines without a line break. */
export const logLines = (
  { format, level }: { readonly format: LogFormat; readonly level: LogLevel },
  write: (line: string) => void,
): RequestLog | undefined => {
  if (level === 'off') return undefined
  const least = logLevels.indexOf(level)
  const toLine = format === 'json' ? toJson : toText
  return (request) => {
    const own = levelOf(request.status)
    if (logLevels.indexOf(own) >= least) write(toLine(toIsoTime(Date.now()), own, request))
  }
}

type Level = Exclude<LogLevel, 'off'>
const padded: Record<Level, string> = { info: 'info ', warn: 'warn ', error: 'error' }

/** The server's faults are errors, the client's are warnings. */
const levelOf = (status: number): Level => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info')

const toText = (time: string, level: Level, line: RequestLine): string =>
  `${time} ${padded[level]} ${line.method} ${line.route} ${line.status} ${withTenths(line.milliseconds)}ms ` +
  `${line.bytes}B client=${line.client || '-'} key=${line.keyId ?? '-'} request=${line.requestId}`

/** Not `toFixed`, with which reading a form takes 3 % more of the main thread. */
const withTenths = (value: number): string => {
  const tenths = Math.round(value * 10)
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

const toJson = (time: string, level: string, line: RequestLine): string =>
  JSON.stringify({
    time,
    level,
    requestId: line.requestId,
    method: line.method,
    route: line.route,
    status: line.status,
    milliseconds: Math.round(line.milliseconds * 10) / 10,
    bytes: line.bytes,
    client: line.client,
    keyId: line.keyId,
  })

/** Replaces lines that were not read in time. */
export const droppedLine = (format: LogFormat, count: number): string => {
  const time = new Date().toISOString()
  const message = `${count} lines were dropped: the log was not read in time`
  return format === 'json' ? JSON.stringify({ time, level: 'warn', message }) : `${time} warn  ${message}`
}

interface Start {
  /** The address that the server listens on. */
  readonly url: string
  /** The address that visitors use, if it is configured. */
  readonly publicUrl: string | null
  /** The path for creating the first account; null if there is an account. */
  readonly setupPath: string | null
  /** The data folder. */
  readonly folder: string
}

/** The lines that a server prints when it listens. */
export const startLines = (format: LogFormat, { url, publicUrl, setupPath, folder }: Start): string[] => {
  const setupUrl = setupPath === null ? null : `${publicUrl ?? openable(url)}${setupPath}`
  const first = 'Create the first account within 30 minutes'
  if (format === 'text') {
    const listens = `Formbox listens on ${url}${publicUrl === null ? '' : ` (public address ${serverUrl(publicUrl)})`}`
    if (setupUrl === null) return [listens]
    // Started in another folder than before, a server has other data.
    const place = `There is no account yet in ${resolve(folder)}.`
    return [listens, place, `${first}: ${setupUrl}`, ...tunnelLine(setupUrl)]
  }
  const common = { time: new Date().toISOString(), level: 'info' }
  const listens = {
    ...common,
    message: 'Formbox listens',
    url,
    ...(publicUrl !== null && { publicUrl: serverUrl(publicUrl) }),
  }
  const lines = setupUrl === null ? [listens] : [listens, { ...common, message: first, url: setupUrl }]
  return lines.map((line) => JSON.stringify(line))
}

/** The address of a server that listens on all addresses of the machine: browsers open neither of these two. */
const openable = (url: string): string => url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost')

/** How to open a link that works only on this machine. Most people install a server from another one. */
export const tunnelLine = (link: string): string[] => {
  const { hostname, port } = new URL(link)
  const isHere = port !== '' && isLoopback(hostname)
  return isHere ? [`On another computer, first run there: ssh -L ${port}:${hostname}:${port} USER@HOST`] : []
}

import type { LogFormat, LogLevel } from '../config.ts'
import { logLevels } from '../config.ts'
import type { RequestLine, RequestLog } from './request-log.ts'

/** Makes lines of what is important enough; undefined when nothing is. `write` gets them without the line break. */
export const logLines = (
  { format, level }: { readonly format: LogFormat; readonly level: LogLevel },
  write: (line: string) => void,
): RequestLog | undefined => {
  if (level === 'off') return undefined
  const least = logLevels.indexOf(level)
  const toLine = format === 'json' ? toJson : toText
  return (request) => {
    const own = levelOf(request.status)
    if (logLevels.indexOf(own) >= least) write(toLine(new Date().toISOString(), own, request))
  }
}

type Level = Exclude<LogLevel, 'off'>
const padded: Record<Level, string> = { info: 'info ', warn: 'warn ', error: 'error' }

/** What we did wrong is an error, what the client did wrong a warning. */
const levelOf = (status: number): Level => (status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info')

const toText = (time: string, level: Level, line: RequestLine): string =>
  `${time} ${padded[level]} ${line.method} ${line.route} ${line.status} ${line.milliseconds.toFixed(1)}ms ` +
  `${line.bytes}B client=${line.client || '-'} key=${line.keyId ?? '-'} request=${line.requestId}`

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

/** Stands in the log for lines that nobody read in time. */
export const droppedLine = (format: LogFormat, count: number): string => {
  const time = new Date().toISOString()
  const message = `${count} lines were dropped: the log was not read in time`
  return format === 'json' ? JSON.stringify({ time, level: 'warn', message }) : `${time} warn  ${message}`
}

interface Start {
  /** Where it listens. */
  readonly url: string
  /** Under which address visitors reach it, where that is another one. */
  readonly publicUrl: string | null
  /** Where the first account is made; null when there is one. */
  readonly setupPath: string | null
}

/** What a server says when it listens, and where the first account is made while there is none. */
export const startLines = (format: LogFormat, { url, publicUrl, setupPath }: Start): string[] => {
  const setupUrl = setupPath === null ? null : `${publicUrl ?? url}${setupPath}`
  const first = 'Create the first account within 30 minutes'
  if (format === 'text') {
    const listens = `Formbox listens on ${url}${publicUrl === null ? '' : ` as ${publicUrl}`}`
    return setupUrl === null ? [listens] : [listens, `${first}: ${setupUrl}`]
  }
  const common = { time: new Date().toISOString(), level: 'info' }
  const listens = { ...common, message: 'Formbox listens', url, ...(publicUrl !== null && { publicUrl }) }
  const lines = setupUrl === null ? [listens] : [listens, { ...common, message: first, url: setupUrl }]
  return lines.map((line) => JSON.stringify(line))
}

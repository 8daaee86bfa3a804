import { readAtMost } from '../../base/joined-bytes.ts'
import { OperatorError } from '../../base/operator-errors.ts'
import { type LogLimits, type LogServer, LogUnavailable } from './log.ts'

/** A statement and its parameters. */
type Statement = readonly [sql: string, ...parameters: readonly (string | number | null)[]]

interface StatementResult {
  readonly rowsAffected: number
  readonly rows: readonly (readonly (string | number | null)[])[]
}

/** `strong` asks a majority, and never answers with less than was answered before. `weak` may, while leaders change. */
export type Level = 'weak' | 'strong'

interface Request {
  readonly path: string
  readonly body?: string
  /** Limit of the response. */
  readonly maxBytes: number
  readonly parse: (text: string, label: string) => unknown
}

const usualAnswerBytes = 1024 * 1024

/**
 * Statements for a cluster of rqlite. Any server takes them and passes them on to the leader. One that does not respond,
 * or knows no leader, is followed by the next. So every statement must be harmless when it is executed twice.
 */
export const openServers = (servers: readonly LogServer[], limits: LogLimits) => {
  /** The server that answered last. */
  let current = 0
  let isClosed = false
  const underWay = new Set<AbortController>()

  const ask = async <T>(request: Request, deadline: number): Promise<T> => {
    const failures: string[] = []
    for (let attempt = 0; attempt < servers.length && !isClosed; attempt++) {
      const index = (current + attempt) % servers.length
      const server = servers[index] as LogServer
      const rest = deadline - performance.now()
      const isLast = attempt === servers.length - 1
      try {
        const answer = await attemptOn(server, request, isLast ? rest : Math.min(rest, limits.connectMilliseconds))
        const result = request.parse(answer, server.label) as T
        current = index
        return result
      } catch (error) {
        if (error instanceof OperatorError) throw error
        if (isUntrusted(error)) throw new OperatorError(`rqlite at ${server.label}: ${(error as Error).message}`)
        failures.push(`rqlite at ${server.label}: ${inWords(error)}`)
      }
    }
    current = (current + 1) % servers.length
    throw new LogUnavailable(isClosed ? 'rqlite: closed' : failures.join('; '))
  }

  const attemptOn = async (server: LogServer, request: Request, milliseconds: number): Promise<string> => {
    const controller = new AbortController()
    const timer = setTimeout(
      () => controller.abort(new LogUnavailable('no response in time')),
      Math.max(0, milliseconds),
    )
    underWay.add(controller)
    try {
      const response = await fetch(new URL(request.path, server.url.origin), {
        ...(request.body !== undefined && { method: 'POST', body: request.body }),
        headers: { 'Content-Type': 'application/json', ...authorization(server) },
        // Credentials go to the servers that the operator named, and to no other.
        redirect: 'manual',
        signal: controller.signal,
      })
      const text = await readText(response, request.maxBytes)
      if (response.ok) return text
      throw refusal(response.status, text, server.label)
    } finally {
      clearTimeout(timer)
      underWay.delete(controller)
    }
  }

  return {
    /** Begins a call of the log. All that it asks for shares the time of one call. */
    begin() {
      const deadline = performance.now() + limits.callMilliseconds
      const post = (path: string, statements: readonly Statement[], maxBytes = usualAnswerBytes) =>
        ask<readonly StatementResult[]>(
          { path, body: JSON.stringify(statements), maxBytes, parse: parseResults },
          deadline,
        )
      return {
        /** Statements that may write, in one entry of rqlite's log: nothing comes between them. */
        write: (statements: readonly Statement[]) => post('/db/request?transaction', statements),
        read: (statement: Statement, level: Level = 'weak', maxBytes?: number) =>
          post(`/db/query?level=${level}`, [statement], maxBytes),
        /** Reads a state of rqlite itself, such as its nodes. */
        get: <T>(path: string) => ask<T>({ path, maxBytes: usualAnswerBytes, parse: parseJson }, deadline),
      }
    },
    close(): void {
      isClosed = true
      for (const controller of underWay) controller.abort(new LogUnavailable('closed'))
    },
  }
}

export type RqliteCall = ReturnType<ReturnType<typeof openServers>['begin']>

const authorization = ({ user, password }: LogServer): Record<string, string> =>
  user === '' ? {} : { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }

/** An `OperatorError` if it will not change before an operator does something. */
const refusal = (status: number, text: string, label: string): Error => {
  const start = `rqlite at ${label}:`
  if (status === 401) return new OperatorError(`${start} wrong user or password, or missing permissions`)
  if (status === 413) return new OperatorError(`${start} a proxy limits the size of requests`)
  if (status === 400 || status === 404 || status === 405 || (status >= 300 && status < 400))
    return new OperatorError(`${start} it responded with ${status}, so it is not rqlite, or too old a version`)
  return new LogUnavailable(text.trim() === '' ? `it responded with ${status}` : firstLine(text))
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) as string

const readText = async (response: Response, maxBytes: number): Promise<string> => {
  const bytes = await readAtMost(response.body, maxBytes)
  if (bytes === 'too large') throw new LogUnavailable(`its response is larger than ${maxBytes} bytes`)
  return new TextDecoder().decode(bytes)
}

interface Answer {
  readonly error?: string
  readonly results?: readonly {
    readonly error?: string
    readonly values?: (string | number | null)[][]
    readonly rows_affected?: number
  }[]
}

const parseResults = (text: string, label: string): readonly StatementResult[] => {
  const { results, error } = parseJson(text, label) as Answer
  const failure = error ?? results?.find((result) => result.error !== undefined)?.error
  if (failure !== undefined) throw statementError(failure, label)
  if (!results) throw new OperatorError(`rqlite at ${label}: its response has no results, so it is not rqlite`)
  return results.map(({ values, rows_affected }) => ({ rows: values ?? [], rowsAffected: rows_affected ?? 0 }))
}

const parseJson = (text: string, label: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new OperatorError(`rqlite at ${label}: its response is not JSON, so it is not rqlite`)
  }
}

/** A full disk or a change of leaders passes. A statement that SQLite cannot prepare does not. */
const statementError = (message: string, label: string): Error =>
  /^no such |syntax error|has no column|readonly database/.test(message)
    ? new OperatorError(`rqlite at ${label}: ${firstLine(message)}; is it too old a version, or were tables changed?`)
    : new LogUnavailable(firstLine(message))

/** Whether the certificate is not trusted. */
const isUntrusted = (error: unknown): boolean => /CERT|ALTNAME/.test(String((error as { code?: unknown }).code))

const inWords = (error: unknown): string => {
  if (error instanceof LogUnavailable) return error.message
  const { code } = error as { code?: unknown }
  return (
    words.find(([known]) => known === code)?.[1] ?? `connection failed${typeof code === 'string' ? ` (${code})` : ''}`
  )
}

const words: readonly (readonly [string, string])[] = [
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'no such host'],
  ['ECONNRESET', 'connection closed'],
  ['EPROTO', 'it does not speak TLS'],
]

// Writes HTTP to a socket, for requests that `fetch` would not send: a missing Host, two lengths, half a body.
import { connect, type Socket } from 'node:net'
import { afterThisTest } from './harness.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

interface Options {
  /** Closes the sending side after everything is written, as a client that gives up does. */
  readonly hangUp?: boolean
  /** Called after the bytes are written. The value that it resolves with is sent next. */
  readonly rest?: () => Promise<string>
}

/** A message of these lines and this body. Each character of a line, up to U+00FF, is sent as the byte of that value. */
export const message = (lines: readonly string[], body: string | Uint8Array = ''): Uint8Array =>
  Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'), Buffer.from(body as string)])

/** One chunk of a body that is sent with `Transfer-Encoding: chunked`; the last one is empty. */
export const chunk = (content = ''): string => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`

/** Sends the bytes. Resolves with the answers that arrive until the server closes the connection. */
export const exchange = (url: string, bytes: Uint8Array, options: Options = {}): Promise<RawAnswer[]> => {
  const { hostname, port } = new URL(url)
  const { hangUp = false, rest } = options
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
      socket.write(bytes, () => {
        if (hangUp) socket.end()
        rest?.().then((text) => socket.write(text), reject)
      })
    })
    socket.on('data', (data: Buffer) => received.push(data))
    socket.on('end', () => socket.end())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection before it has read everything. Its answer still counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(parseAnswers(Buffer.concat(received))))
  })
}

/** The answer to a message; undefined if the server closed the connection without one. */
export const answerTo = async (url: string, bytes: Uint8Array, options?: Options): Promise<RawAnswer | undefined> => {
  const answers = await exchange(url, bytes, options)
  if (answers.length > 1) throw new Error(`one answer was expected, ${answers.length} came`)
  return answers[0]
}

const parseAnswers = (bytes: Buffer): RawAnswer[] => {
  const answers: RawAnswer[] = []
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at)
    if (headEnd === -1) throw new Error(`the answer ended within its headers: ${bytes.toString('latin1', at)}`)
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n')
    const headers = new Headers(lines.map((line) => [line.split(':', 1)[0] ?? '', line.slice(line.indexOf(':') + 1)]))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const length = Number(headers.get('content-length') ?? 0)
    at = headEnd + 4 + length
    if (Number.isNaN(status) || at > bytes.length)
      throw new Error(`the answer is not whole: ${bytes.toString('latin1')}`)
    if (status >= 200) answers.push({ status, headers, body: bytes.toString('utf8', headEnd + 4, at) })
  }
  return answers
}

/** Sends a request with these header lines, and reads nothing of the answer. A body may follow the lines. */
export const stall = async (url: string, path: string, header: string, method = 'GET'): Promise<Socket> => {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  afterThisTest(() => socket.destroy())
  socket.on('error', () => {})
  socket.pause()
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n\r\n`
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  return socket
}

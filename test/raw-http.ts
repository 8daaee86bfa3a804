// HTTP written by hand over a socket, for what `fetch` would not send: a missing Host, two lengths, half a body.
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

interface Options {
  /** Ends the sending side once everything is written, as a client does that gives up. */
  readonly hangUp?: boolean
  /** Called once the bytes are written; what it resolves with is sent after them. */
  readonly rest?: () => Promise<string>
}

/** A message of these lines and this body. In a line, each character up to U+00FF stands for the byte of that value. */
export const message = (lines: readonly string[], body: string | Uint8Array = ''): Uint8Array =>
  Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'), Buffer.from(body as string)])

/** One chunk of a body that is sent with `Transfer-Encoding: chunked`; the last one is empty. */
export const chunk = (content = ''): string => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`

/** Sends the bytes, and resolves with the answers that came until the server closed the connection. */
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
      // The server may close before it has read everything; what it answered counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(parseAnswers(Buffer.concat(received))))
  })
}

/** The one answer to a message; undefined when the server closed the connection without any. */
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

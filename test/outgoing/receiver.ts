import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A server of webhooks that does with a connection what it likes. */
export interface Receiver {
  readonly port: number
  /** The text of each request, once it is complete. */
  readonly requests: readonly string[]
  /** How many connections it got. */
  readonly connections: () => number
  /** Resolves as soon as no connection is open. */
  readonly left: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface Options {
  readonly host?: string
  readonly tls?: TlsOptions
  /** Answers even before the request is complete. */
  readonly isHasty?: boolean
}

/** @param answer gets the connection when a request is complete */
export const receiver = async (
  answer: (socket: Socket) => void,
  { host = '127.0.0.1', tls, isHasty = false }: Options = {},
): Promise<Receiver> => {
  const requests: string[] = []
  const open = new Set<Socket>()
  let connections = 0
  let onLeft: (() => void)[] = []
  const connected = (socket: Socket): void => {
    connections++
    open.add(socket)
    let text = ''
    const got = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      if (!isComplete(text)) return
      socket.off('data', got)
      // Whatever comes after it must not stop the socket.
      socket.resume()
      requests.push(text)
      answer(socket)
    }
    socket
      .on('data', got)
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket)
        if (open.size > 0) return
        for (const tell of onLeft) tell()
        onLeft = []
      })
    if (isHasty) answer(socket)
  }
  const server = tls ? createTlsServer(tls, connected) : createServer(connected)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  return {
    port: (server.address() as { port: number }).port,
    requests,
    connections: () => connections,
    left: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => onLeft.push(resolve))),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

const isComplete = (text: string): boolean => {
  const head = text.indexOf('\r\n\r\n')
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return head !== -1 && text.length >= head + 4 + length
}

/** Sends the beginning, and then the same piece for as long as the connection is open. */
export const flood = (socket: Socket, beginning: string, piece: string): void => {
  socket.write(beginning)
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) {}
  }
  socket.on('drain', more)
  more()
}

/** Sends the beginning, and then one byte every few milliseconds. */
export const drip = (socket: Socket, beginning: string): void => {
  socket.write(beginning)
  const timer = setInterval(() => socket.write('x'), 20)
  socket.on('close', () => clearInterval(timer))
}

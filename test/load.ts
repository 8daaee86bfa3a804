// A load generator: a number of kept-alive connections, each with one submission under way at a time.
import { connect } from 'node:net'

export interface Answered {
  readonly id: string
  readonly value: string
}

interface Load {
  /** The submissions answered with success so far, in the order of the answers. */
  readonly answered: readonly Answered[]
  /** How often each other status was received. */
  readonly refused: ReadonlyMap<number, number>
  /** Values that were sent, answered or not. */
  readonly sent: ReadonlySet<string>
  /** Resolves when this many were answered with success. @throws Error if the connections end before that */
  reached(count: number): Promise<void>
  /** Sends nothing more. Resolves when each submission under way was answered or its connection has ended. */
  stop(): Promise<void>
}

interface Options {
  readonly url: string
  readonly formId: string
  readonly connections?: number
  /** Distinguishes runs on the same folder. */
  readonly run: string
}

export const startLoad = ({ url, formId, run, connections = 48 }: Options): Load => {
  const { hostname, port } = new URL(url)
  const answered: Answered[] = []
  const refused = new Map<number, number>()
  const sent = new Set<string>()
  const waiting = new Map<number, () => void>()
  let isStopped = false
  let count = 0

  const client = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      let value = ''
      let received = ''
      const send = () => {
        if (isStopped) return socket.end()
        value = `${run}-${count++}`
        sent.add(value)
        const body = `value=${value}&k${count % 7}=x`
        socket.write(
          `POST /s/${formId} HTTP/1.1\r\nHost: formbox\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
            `Content-Length: ${body.length}\r\n\r\n${body}`,
        )
      }
      socket.on('connect', send)
      socket.on('data', (data) => {
        received += data.toString('latin1')
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
        if (received.length < headEnd + 4 + length) return
        const status = Number(received.slice(9, 12))
        const id = /"id":"([^"]+)"/.exec(received)?.[1]
        if (status === 200 && id) {
          answered.push({ id, value })
          waiting.get(answered.length)?.()
        } else refused.set(status, (refused.get(status) ?? 0) + 1)
        const isLast = /\r\nconnection: close\r\n/i.test(received)
        received = ''
        if (isLast) socket.end()
        else send()
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  const clients = Promise.all(Array.from({ length: connections }, client))

  return {
    answered,
    refused,
    sent,
    async reached(wanted) {
      if (answered.length >= wanted) return
      const ended = clients.then(() => {
        throw new Error(`all connections have ended after ${answered.length} answers`)
      })
      await Promise.race([new Promise<void>((resolve) => waiting.set(wanted, resolve)), ended])
    },
    async stop() {
      isStopped = true
      await clients
    },
  }
}

// A TCP proxy in front of an engine, for faults of the network.
import { connect, createServer, type Socket } from 'node:net'
import { afterThisTest } from '../harness.ts'

/**
 * - `pass`: as if it were not there
 * - `drop`: what is sent either way gets lost, and no connection ends
 * - `swallow`: requests arrive, answers get lost
 * - `delay`: every packet takes 100 ms
 */
export type Mode = 'pass' | 'drop' | 'swallow' | 'delay'

/** It ends after the test. */
export const startProxy = async (port: number) => {
  let target = port
  const sockets = new Set<Socket>()
  let mode: Mode = 'pass'
  const forward = (from: Socket, to: Socket, lost: readonly Mode[]): void => {
    from.on('data', (data) => {
      if (lost.includes(mode)) return
      if (mode === 'delay') setTimeout(() => to.write(data), 100)
      else to.write(data)
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      if (!lost.includes(mode)) to.destroy()
    })
    sockets.add(from)
  }
  let connections = 0
  const server = createServer((client) => {
    connections++
    const upstream = connect(target, '127.0.0.1')
    forward(client, upstream, ['drop'])
    forward(upstream, client, ['drop', 'swallow'])
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const cut = (): void => {
    for (const socket of [...sockets]) socket.destroy()
  }
  afterThisTest(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as { port: number }).port,
    set(next: Mode): void {
      mode = next
    },
    /** How many were made so far. */
    connections: () => connections,
    /** Ends all connections. */
    cut,
    /** New connections lead there; the others end. */
    leadTo(next: number): void {
      target = next
      cut()
    },
  }
}

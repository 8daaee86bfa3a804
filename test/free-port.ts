import { createServer } from 'node:net'

/**
 * Below the ports that a system gives to clients, and to servers that ask for any. One of those may be taken before the
 * server starts, even by a client that tries to reach that server.
 */
const range = { first: 10_000, last: 32_767 }
/** A port is free until its server listens. Processes that run at the same time choose from other parts of the range. */
const parts = 32
const size = Math.floor((range.last - range.first + 1) / parts)
const first = range.first + (process.pid % parts) * size
const given = new Set<number>()

/** A port for a server that cannot say where it listens, or that must come back where it was. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = first + Math.floor(Math.random() * size)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })

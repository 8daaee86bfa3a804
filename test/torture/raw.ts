// Bytes over a socket, as no client library sends them.
import { connect } from 'node:net'

interface RawAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Writes the bytes, and resolves with all answers. If the server sends nothing for this long, the sending side is closed.
 * If the server does not close the connection then, it hangs.
 */
export const exchange = (
  url: string,
  bytes: string,
  { quietMilliseconds = 500, hangMilliseconds = 10_000 } = {},
): Promise<{ answers: RawAnswer[]; isHanging: boolean }> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let received = ''
    let isHanging = false
    const onQuiet = () => {
      // It has answered and waits for the next request, so it does not hang.
      if (received !== '') return socket.destroy()
      socket.end()
      timer = setTimeout(() => {
        isHanging = true
        socket.destroy()
      }, hangMilliseconds)
    }
    let timer = setTimeout(onQuiet, quietMilliseconds)
    socket.on('connect', () => socket.write(Buffer.from(bytes, 'latin1')))
    socket.on('data', (data) => {
      received += data.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(onQuiet, quietMilliseconds)
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      const answers = received
        .split(/(?=HTTP\/1\.1 \d{3} )/)
        .filter((text) => text.startsWith('HTTP/1.1 '))
        .map((text) => ({ status: Number(text.slice(9, 12)), text }))
      resolve({ answers, isHanging })
    })
  })

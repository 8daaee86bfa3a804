import { expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { afterThisTest, temporaryFolder } from '../../../harness.ts'
import { chunk } from '../../../raw-http.ts'
import { sendSlowly } from '../../../slow-sender.ts'
import { caller, createUser, isLong, listAll, startProcess, timeout } from '../../../torture/process.ts'

/** Bun alone would end each of these after 32 seconds, without an answer. */
const seconds = isLong ? 170 : 36
const largeSpeed = isLong ? 5000 : 10_000

const prepare = async () => {
  const folder = temporaryFolder()
  const key = createUser(folder)
  const server = await startProcess({ folder })
  const call = caller(server.url, key)
  const { id } = (await call('POST', '/forms', { title: 'Contact' })).body
  const open = () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    afterThisTest(() => socket.destroy())
    socket.on('error', () => {})
    return socket
  }
  const head = (path: string, length: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`
  return { call, open, head, formId: id as string }
}

/** An answer of ours is JSON: here its end is the end of the answer. */
const answerOn = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const gather = (data: Buffer) => {
      text += data
      if (!text.endsWith('}')) return
      socket.off('data', gather)
      resolve(text)
    }
    socket.on('data', gather)
    socket.on('close', () => reject(new Error(`the connection was closed after: ${text}`)))
  })

/** So many bytes of JSON. */
const json = (length: number, fields: object = {}): string => {
  const text = JSON.stringify({ ...fields, message: '' })
  return `${text.slice(0, -2)}${'x'.repeat(length - text.length)}"}`
}

test(
  `a body may take ${seconds} seconds, and is answered if it takes too long`,
  async () => {
    const { call, open, head, formId } = await prepare()
    const send = async (path: string, body: string, bytesPerSecond: number, isInChunks = false): Promise<Socket> => {
      const socket = open()
      const answer = answerOn(socket)
      socket.write(head(path, isInChunks ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`))
      await sendSlowly(socket, isInChunks ? chunk(body) + chunk() : body, bytesPerSecond)
      expect(await answer).toStartWith('HTTP/1.1 200 OK')
      return socket
    }
    const stop = async (sent: number): Promise<{ answer: string; afterSeconds: number }> => {
      const socket = open()
      const startedAt = performance.now()
      const answer = answerOn(socket)
      socket.write(head(`/s/${formId}`, 'Content-Length: 1000000') + 'x'.repeat(sent))
      return { answer: await answer, afterSeconds: (performance.now() - startedAt) / 1000 }
    }
    const large = json(seconds * largeSpeed)
    const small = json(60_000)

    const [socket, , , , stopped, late] = await Promise.all([
      send(`/s/${formId}`, large, largeSpeed),
      send(`/s/${formId}`, large, largeSpeed, true),
      send(`/s/${formId}`, small, small.length / seconds),
      send('/api/v1/forms', json(seconds * largeSpeed, { title: 'Slow' }), largeSpeed),
      stop(1000),
      isLong ? stop(900_000) : null,
    ])

    const { submissions } = await listAll(call, formId)
    expect(submissions.map(({ data }) => JSON.stringify(data).length).sort()).toEqual(
      [large.length, large.length, small.length].sort(),
    )
    expect((await call('GET', '/forms')).body.forms.map(({ title }: { title: string }) => title)).toContain('Slow')
    expect(stopped.answer).toStartWith('HTTP/1.1 400 Bad Request')
    expect(stopped.answer).toContain('body: must be sent with at least 4000 bytes a second')
    expect(stopped.afterSeconds).toBeWithin(30, 60)
    if (late) expect(late.answer).toContain('body: must be sent within 180 seconds')

    // The connection goes on, and is closed again when it is idle for half a minute.
    const next = answerOn(socket)
    socket.write(`${head(`/s/${formId}`, 'Content-Length: 7')}{"a":1}`)
    expect(await next).toStartWith('HTTP/1.1 200 OK')
    if (!isLong) return
    const idleFrom = performance.now()
    await new Promise((resolve) => socket.on('close', resolve))
    expect((performance.now() - idleFrom) / 1000).toBeWithin(25, 40)
  },
  Math.max(timeout, 120_000),
)

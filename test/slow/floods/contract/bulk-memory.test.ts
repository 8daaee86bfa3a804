import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { afterThisTest, type Server, serverWithUser, startServer, type User } from '../../../harness.ts'
import { chunk } from '../../../raw-http.ts'

const mebibyte = 1024 * 1024
/** The greatest body that there may be: as much as the share of one user. */
const greatest = (fields: object): string => {
  const text = JSON.stringify({ padding: '', ...fields })
  return text.replace('"padding":""', `"padding":"${'x'.repeat(16 * mebibyte - text.length)}"`)
}
const create = greatest({ forms: [{ title: 'T' }] })

/** Sends the head of a request and the beginning of its body, and holds the connection. */
const begin = async (server: Server, user: User, contentLength: string, beginning = ''): Promise<Socket> => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  afterThisTest(() => socket.destroy())
  socket.on('error', () => {})
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.write(
    `POST /api/v1/forms/bulk HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.key}\r\n` +
      `Content-Type: application/json\r\n${contentLength}\r\n\r\n${beginning}`,
    () => resolve(),
  )
  await promise
  return socket
}

const statusOfCreate = async (user: User): Promise<number> => (await user.call('POST', '/forms/bulk', create)).status

/** Asks until the answer is that one; a test that waits in vain times out. */
const untilCreateIs = async (user: User, status: number): Promise<void> => {
  while ((await statusOfCreate(user)) !== status);
}

describe('the memory that the bodies of bulk operations share', () => {
  test('is not held for bodies that someone else announced but does not send', async () => {
    const server = await startServer()
    const [ada, bob] = [await server.signUp(), await server.signUp()]
    for (let i = 0; i < 10; i++) await begin(server, ada, `Content-Length: ${16 * mebibyte}`)
    // It counts for whoever announced it.
    await untilCreateIs(ada, 503)

    for (const user of [ada, bob])
      expect((await user.call('POST', '/forms/bulk', { forms: [{ title: 'T' }] })).status).toBe(200)
    expect(await statusOfCreate(bob)).toBe(200)
  })

  test('has a share for each user: one that is used up is no one else’s trouble', async () => {
    const server = await startServer()
    const [ada, bob] = [await server.signUp(), await server.signUp()]
    const form = await ada.createForm()
    const socket = await begin(server, ada, `Content-Length: ${16 * mebibyte}`, create.slice(0, -1))
    await untilCreateIs(ada, 503)

    const { status, body, headers } = await ada.call('POST', '/forms/bulk', create)
    expect({ status, message: body.message }).toEqual({
      status: 503,
      message: 'Temporarily unable to write, retry after 5 seconds',
    })
    expect(headers.get('retry-after')).toBe('5')
    // A body of up to 32 KiB needs no share.
    expect((await ada.call('POST', '/forms/bulk', { forms: [{ title: 'T' }] })).status).toBe(200)
    expect(await statusOfCreate(bob)).toBe(200)
    const large = new URLSearchParams({ text: 'x'.repeat(mebibyte / 2) })
    expect((await server.fetch(`/s/${form}`, { method: 'POST', body: large })).status).toBe(200)
    expect((await ada.call('POST', '/forms', { title: 'T' })).status).toBe(200)

    socket.destroy()
    await untilCreateIs(ada, 200)
  })

  test('has room for the greatest body of each of two users at once', async () => {
    const server = await startServer()
    const users = [await server.signUp(), await server.signUp()]
    expect(await Promise.all(users.map(statusOfCreate))).toEqual([200, 200])
  })

  test.each<[string, number, (user: User) => Promise<{ status: number }>]>([
    ['done', 200, (user) => user.call('POST', '/forms/bulk', create)],
    ['of a body that is not JSON', 400, (user) => user.call('POST', '/forms/bulk', create.slice(0, -1))],
    ['of another type', 400, (user) => user.call('POST', '/forms/bulk', create, { 'content-type': 'text/plain' })],
    ['with invalid fields', 400, (user) => user.call('POST', '/forms/bulk', greatest({ forms: [{ title: '' }] }))],
    ['of too many bytes', 400, (user) => user.call('POST', '/forms/bulk', `${create} `)],
    ['that finds nothing', 404, (user) => user.call('PATCH', '/forms/bulk', greatest({ forms: [{ id: 'none' }] }))],
    ['that deletes nothing', 404, (user) => user.call('DELETE', '/forms/bulk', greatest({ ids: ['none'] }))],
    [
      'that deletes no submission',
      404,
      async (user) =>
        user.call('DELETE', `/forms/${await user.createForm()}/submissions/bulk`, greatest({ ids: ['no'] })),
    ],
    ['without a key', 401, (user) => user.call('POST', '/forms/bulk', create, { authorization: 'Bearer api_none' })],
  ])('is free again after an operation %s: %d', async (_, status, operate) => {
    const { ada } = await serverWithUser()
    expect((await operate(ada)).status).toBe(status)
    expect(await statusOfCreate(ada)).toBe(200)
    expect((await operate(ada)).status).toBe(status)
    expect(await statusOfCreate(ada)).toBe(200)
  })

  test('is free again after one of no announced length, done or broken off', async () => {
    const { server, ada } = await serverWithUser()
    const pieces = () => new Blob([create]).stream()
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' }
    const send = () => server.fetch('/api/v1/forms/bulk', { method: 'POST', headers, body: pieces() })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(200)

    const socket = await begin(server, ada, 'Transfer-Encoding: chunked')
    socket.write(chunk('x'.repeat(mebibyte)))
    await untilCreateIs(ada, 503)
    socket.destroy()
    await untilCreateIs(ada, 200)
  })
})

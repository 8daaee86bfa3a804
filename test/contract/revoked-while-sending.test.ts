// Whoever loses the right to call while a body is still on its way changes nothing more.
import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { afterThisTest, type Server, serverWithUser, type User, writeTo } from '../harness.ts'

/** Sends all of the request but the end of its body, and waits until the server has begun with it. */
const begin = async (server: Server, ada: User, method: string, path: string, body: object) => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  afterThisTest(() => socket.destroy())
  const text = JSON.stringify(body)
  const head = [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${ada.key}`]
  const lines = [...head, 'Content-Type: application/json', `Content-Length: ${text.length}`, 'Connection: close']
  let expected = (await remainingOf(ada)) - 1
  socket.write(`${lines.join('\r\n')}\r\n\r\n${text.slice(0, -5)}`)
  // It is counted when it is begun with: then fewer requests remain than those of ours leave.
  while ((await remainingOf(ada)) === expected) expected--

  return async (): Promise<string> => {
    socket.write(text.slice(-5))
    let answer = ''
    for await (const data of socket) answer += data
    return answer
  }
}

const remainingOf = async (user: User): Promise<number> =>
  Number((await user.call('GET', '/forms')).headers.get('x-ratelimit-remaining'))

const prepare = async () => {
  const { server, ada } = await serverWithUser({ FORMBOX_RATE_LIMIT: '100000' })
  const other = await ada.withKey()
  const formId = await other.createForm()
  return { server, ada, other, formId }
}

const revoke = ({ folder }: Server, { keyId }: User) => writeTo(folder, (db) => keyWrites(db).revokeKey({ id: keyId }))

const padding = 'x'.repeat(100_000)

test('a key that another process has made works at once, also beside a long answer', async () => {
  const { server, other, formId } = await prepare()
  const text = 'x'.repeat(900_000)
  for (let i = 0; i < 10; i++) await server.submit(formId, { text })
  let isOver = false
  const reading = (async () => {
    while (!isOver) expect((await other.call('GET', `/forms/${formId}/submissions`)).status).toBe(200)
  })()
  try {
    for (let i = 0; i < 30; i++) {
      const fresh = await other.withKey()
      expect((await fresh.call('GET', '/forms')).status).toBe(200)
    }
  } finally {
    isOver = true
    await reading
  }
})

describe('a key that is revoked while a body arrives', () => {
  test.each([
    ['POST', () => '/forms', () => ({ title: 'Late' })],
    ['POST', () => '/forms', () => ({ title: 'Late', padding })],
    ['POST', () => '/forms/bulk', () => ({ forms: [{ title: 'Late' }], padding })],
    ['PATCH', (id: string) => `/forms/${id}`, () => ({ title: 'Late' })],
    ['DELETE', () => '/forms/bulk', (id: string) => ({ ids: [id] })],
    ['DELETE', () => '/forms/bulk', (id: string) => ({ ids: [id], padding })],
  ])('changes nothing: %s', async (method, path, body) => {
    const { server, ada, other, formId } = await prepare()
    const before = (await other.call('GET', '/forms')).body
    const send = await begin(server, ada, method, path(formId), body(formId))
    revoke(server, ada)

    const answer = await send()

    expect(answer).toStartWith('HTTP/1.1 401 Unauthorized')
    expect(answer).toContain('"message":"Invalid or expired API key"')
    expect((await other.call('GET', '/forms')).body).toEqual(before)
  })
})

test('a user who is disabled while a body arrives changes nothing', async () => {
  const { server, ada, formId } = await prepare()
  const send = await begin(server, ada, 'DELETE', '/forms/bulk', { ids: [formId] })
  writeTo(server.folder, (db) => userWrites(db).disableUser({ userId: ada.id, now: Date.now() }))

  expect(await send()).toStartWith('HTTP/1.1 401 Unauthorized')

  writeTo(server.folder, (db) => userWrites(db).enableUser({ userId: ada.id }))
  expect((await ada.call('GET', `/forms/${formId}`)).status).toBe(200)
})

test('a request whose body arrives late is counted once', async () => {
  const { server, ada } = await prepare()
  const send = await begin(server, ada, 'POST', '/forms', { title: 'Late' })
  const before = await remainingOf(ada)

  const answer = await send()

  expect(answer).toStartWith('HTTP/1.1 200 OK')
  expect(answer.toLowerCase()).toContain('x-ratelimit-remaining:')
  expect(await remainingOf(ada)).toBe(before - 1)
})

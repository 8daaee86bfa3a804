// Whoever loses the right to read while a long answer is still being sent gets no more of it, and can see that it was
// cut.
import { describe, expect, test } from 'bun:test'
import { keyWrites } from '../../../../src/accounts/keys/key-writes.ts'
import { userWrites } from '../../../../src/accounts/users/user-writes.ts'
import { type Server, writeTo } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'
import { stall } from '../../../raw-http.ts'
import { submitFiles } from '../../../stored-files.ts'
import { owner, visit } from '../../../visitor.ts'
import { siteWorld } from '../../../world.ts'

/** More than the system takes from the server for a client that reads nothing: about 10 MB. */
const count = 30
const submissionBytes = 1_000_000

const prepare = async () => {
  const { server, ada, formId } = await siteWorld()
  const text = 'x'.repeat(submissionBytes)
  for (let i = 0; i < count; i++) await server.submit(formId, { text, email: 'eve@example.com' })
  const withKey = `Authorization: Bearer ${ada.api.key}`
  const withSession = `Cookie: ${ada.cookie()}\r\nConnection: close`
  return { server, ada, formId, withKey: `${withKey}\r\nConnection: close`, withSession }
}

type Setting = Awaited<ReturnType<typeof prepare>>

/** Asks for the answer, waits until it begins, does `meanwhile` and reads on until the server closes the connection. */
const read = async (
  server: Server,
  path: string,
  header: string,
  meanwhile: () => unknown,
  method?: string,
): Promise<string> => {
  const socket = await stall(server.url, path, header, method)
  const received: Buffer[] = []
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('data', (data: Buffer) => received.push(data))
  await new Promise<void>((resolve) => {
    socket.once('data', () => {
      socket.pause()
      // At once: a server in this process sends no more before it.
      resolve(Promise.resolve(meanwhile()).then(() => {}))
    })
    socket.resume()
  })
  socket.resume()
  await closed
  return Buffer.concat(received).toString('latin1')
}

/** The last chunk of an answer that is whole (RFC 9112 section 7.1). */
const lastChunk = '\r\n0\r\n\r\n'

const expectCut = (answer: string): void => {
  expect(answer).toStartWith('HTTP/1.1 200 OK')
  // Not `toEndWith`, which would show megabytes.
  expect(answer.endsWith(lastChunk)).toBe(false)
  expect(answer.length).toBeLessThan(count * submissionBytes)
}

const expectWhole = (answer: string): void => {
  expect(answer.endsWith(lastChunk)).toBe(true)
  expect(answer.length).toBeGreaterThan(count * submissionBytes)
}

const revokeKey = ({ server, ada }: Pick<Setting, 'server' | 'ada'>) =>
  writeTo(server.folder, (db) => keyWrites(db).revokeKey({ id: ada.api.keyId }))

const disableUser = ({ server, ada }: Pick<Setting, 'server' | 'ada'>) =>
  writeTo(server.folder, (db) => userWrites(db).disableUser({ userId: ada.userId, now: Date.now() }))

describe('a long answer to a key', () => {
  test.each([
    ['an export whose key is revoked', 'export', revokeKey],
    ['an export as JSON whose user is disabled', 'export?format=json', disableUser],
    ['an archive whose key is revoked', 'export?format=zip', revokeKey],
    ['a list whose key is revoked', 'submissions?perPage=100', revokeKey],
  ])('is cut: %s', async (_which, path, lose) => {
    const setting = await prepare()
    expectCut(
      await read(setting.server, `/api/v1/forms/${setting.formId}/${path}`, setting.withKey, () => lose(setting)),
    )
  })

  test('is whole though another key of the user is revoked, and the form deleted', async () => {
    const setting = await prepare()
    const { server, ada, formId, withKey } = setting
    const other = await ada.api.withKey()
    const answer = await read(server, `/api/v1/forms/${formId}/export`, withKey, async () => {
      revokeKey({ ...setting, ada: { ...ada, api: other } })
      expect((await ada.api.call('DELETE', `/forms/${formId}`)).status).toBe(200)
    })
    expectWhole(answer)
  })
})

describe('an export from a page', () => {
  test.each([
    ['the user signs out', ({ ada }: Setting) => ada.post('/sign-out')],
    ['the user is disabled', disableUser],
  ])('is cut when %s', async (_why, lose) => {
    const setting = await prepare()
    expectCut(await read(setting.server, `/forms/${setting.formId}/export`, setting.withSession, () => lose(setting)))
  })

  test('is whole though the user signs in elsewhere meanwhile', async () => {
    const { server, formId, ada, withSession } = await prepare()
    expectWhole(await read(server, `/forms/${formId}/export`, withSession, () => visit(server).signIn(ada.email)))
  })
})

describe('what a member reads is cut when the member is removed:', () => {
  const prepareShared = async () => {
    const { server, ada, formId } = await prepare()
    const grace = await owner(server)
    const shared = await ada.api.call('POST', `/forms/${formId}/members`, { email: grace.email, role: 'reader' })
    const remove = async () => {
      const removed = await ada.api.call('DELETE', `/forms/${formId}/members/${shared.body.id}`)
      expect(removed.status).toBe(200)
    }
    const withKey = `Authorization: Bearer ${grace.api.key}\r\nConnection: close`
    const withSession = `Cookie: ${grace.cookie()}\r\nConnection: close`
    return { server, formId, grace, remove, withKey, withSession }
  }

  test.each([
    ['an export by key', '/api/v1/forms/FORM/export', true],
    ['a list', '/api/v1/forms/FORM/submissions?perPage=100', true],
    ['an export from a page', '/forms/FORM/export', false],
  ])('%s', async (_what, path, isApi) => {
    const { server, formId, remove, withKey, withSession } = await prepareShared()
    expectCut(await read(server, path.replace('FORM', formId), isApi ? withKey : withSession, remove))
  })

  test.each([
    ['an archive about a person', true],
    ['the same from a page', false],
  ])('%s', async (_what, isApi) => {
    const { server, remove, withKey, withSession } = await prepareShared()
    const [type, body] = isApi
      ? ['json', '{"value":"eve@example.com"}']
      : ['x-www-form-urlencoded', 'value=eve%40example.com']
    const origin = `Origin: ${server.url}\r\nContent-Type: application/${type}`
    const header = `${isApi ? withKey : withSession}\r\n${origin}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expectCut(
      await read(server, isApi ? '/api/v1/personal-data/export' : '/personal-data/export', header, remove, 'POST'),
    )
  })

  test('a stream of events', async () => {
    const { server, formId, remove, withSession } = await prepareShared()
    const stream = await read(server, `/forms/${formId}/events`, withSession, remove)
    expect(stream).toContain('event: end')
  })
})

describe('a file', () => {
  const prepareFile = async () => {
    const { server, ada, formId } = await siteWorld()
    const bytes = Buffer.alloc(count * submissionBytes, 'x')
    const { id, files } = submitFiles(server, formId, [{ name: 'a.txt', type: 'text/plain', bytes }])
    const path = `/forms/${formId}/submissions/${id}/files/${files[0]}`
    const withKey = `Authorization: Bearer ${ada.api.key}\r\nConnection: close`
    const withSession = `Cookie: ${ada.cookie()}\r\nConnection: close`
    return { server, ada, formId, id, path, withKey, withSession }
  }
  type Prepared = Awaited<ReturnType<typeof prepareFile>>
  const change = (method: string, below: string) => async (file: Prepared) => {
    const { ada, formId, id } = file
    expect((await ada.api.call(method, `/forms/${formId}/submissions/${id}${below}`)).status).toBe(200)
  }
  const signOut = ({ ada }: Prepared) => ada.post('/sign-out')

  test.each<[what: string, isPage: boolean, lose: (file: Prepared) => unknown]>([
    ['whose key is revoked', false, revokeKey],
    ['whose user is disabled', false, disableUser],
    ['whose submission is deleted', false, change('DELETE', '')],
    ['on a page whose user signs out', true, signOut],
    ['on a page whose submission is deleted', true, change('DELETE', '')],
  ])('%s meanwhile is cut', async (_, isPage, lose) => {
    const file = await prepareFile()
    const { server, path, withKey, withSession } = file
    const [where, header] = isPage ? [path, withSession] : [`/api/v1${path}`, withKey]
    expectCut(await read(server, where, header, () => lose(file)))
  })

  test('is whole though its submission is marked as spam meanwhile', async () => {
    const file = await prepareFile()
    expectWhole(await read(file.server, `/api/v1${file.path}`, file.withKey, () => change('POST', '/spam')(file)))
  })
})

// The server must not go on while the user is disabled: a download is sent in a few milliseconds.
test.skipIf(isCompiled)('a download from a page is cut when the user is disabled', async () => {
  const { server, ada, formId } = await siteWorld()
  const id = await server.submit(formId, { text: 'x'.repeat(submissionBytes) })
  const path = `/forms/${formId}/submissions/${id}/fields/0`
  const header = `Cookie: ${ada.cookie()}\r\nConnection: close`
  const whole = await read(server, path, header, () => {})
  expect([whole.endsWith(lastChunk), whole.length > submissionBytes]).toEqual([true, true])

  const cut = await read(server, path, header, () => disableUser({ server, ada }))

  expect(cut).toStartWith('HTTP/1.1 200 OK')
  expect([cut.endsWith(lastChunk), cut.length < submissionBytes]).toEqual([false, true])
})

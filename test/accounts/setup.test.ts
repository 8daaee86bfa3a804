import { describe, expect, test } from 'bun:test'
import { newSetupToken } from '../../src/accounts/users/setup-token.ts'
import { userReads } from '../../src/accounts/users/user-reads.ts'
import { forThisFile, type Server, startServer, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { readPage } from '../read-page.ts'
import { createUser, password, visit } from '../visitor.ts'

const tokenOf = (path: string | null): string => /token=(.+)$/.exec(path ?? '')?.[1] ?? ''
const minute = 60_000

type Users = ReturnType<ReturnType<typeof userReads>['listUsers']>

const usersIn = (folder: string): Users => {
  let found: Users = []
  writeTo(folder, (db) => {
    found = userReads(db).listUsers()
  })
  return found
}

const emails = (folder: string): string[] => usersIn(folder).map(({ email }) => email)

const operators = (folder: string): string[] =>
  usersIn(folder)
    .filter(({ isOperator }) => isOperator)
    .map(({ email }) => email)

let starting: Promise<Server> | undefined

/** A server for the tests that are refused, and so leave it without an account. */
const withoutAccount = (): Promise<Server> => {
  starting ??= forThisFile(startServer)
  return starting
}

describe('/setup', () => {
  test('makes one account, however many are sent at once, and signs in; afterwards it leads to sign-in', async () => {
    const server = await startServer()
    const token = tokenOf(server.setupPath)
    const visitors = [visit(server), visit(server)]
    const page = await visit(server).get(server.setupPath ?? '')
    expect(page.status).toBe(200)
    expect(page.html).toContain('Create the first account.')

    const sent = await Promise.all(
      visitors.map((one, i) => one.post('/setup', { token, email: ` Ada${i}@Example.com`, password })),
    )

    expect(sent.map(({ status }) => status).sort()).toEqual([303, 404])
    const first = sent.findIndex(({ status }) => status === 303)
    const [visitor, email] = [visitors[first] as ReturnType<typeof visit>, `ada${first}@example.com`]
    expect(sent[first]?.location).toBe('/')
    expect((await visitor.get('/settings/keys')).html).toContain(email)
    expect(emails(server.folder)).toEqual([email])
    expect(operators(server.folder)).toEqual([email])
    const again = { token, email: 'eve@x.org', password }
    const refusals = [
      await visitor.get(server.setupPath ?? ''),
      await visit(server).get(server.setupPath ?? ''),
      await visit(server).get('/setup'),
      await visit(server).post('/setup', again),
    ]
    for (const { status, html, cookies } of refusals) {
      expect({ status, cookies }).toEqual({ status: 404, cookies: [] })
      expect(readPage(html).heading).toBe('The first account exists already')
      expect(readPage(html).link('Sign in')).toBe('/sign-in')
      expect(html).not.toContain(email)
    }
    const json = await server.fetch(server.setupPath ?? '', { headers: { accept: '*/*' } })
    expect({ status: json.status, body: await json.json() }).toMatchObject({
      status: 404,
      body: { message: 'The first account exists already. Sign in at /sign-in' },
    })
    expect(emails(server.folder)).toEqual([email])
  })

  test('never tells the token to where the page leads', async () => {
    const server = await withoutAccount()
    const page = await visit(server).get(server.setupPath ?? '')
    expect(page.headers.get('referrer-policy')).toBe('strict-origin')
    expect(page.html).toContain('action="/setup"')
    expect(page.html).not.toContain(server.setupPath ?? '')
  })

  test('has another token at every start, and is 404 from the moment when the command line makes an account', async () => {
    const first = await startServer()
    await first.stop()
    const second = await startServer({ folder: first.folder })
    const visitor = visit(second)
    expect(tokenOf(first.setupPath)).toMatch(/^[\w-]{43}$/)
    expect(tokenOf(second.setupPath)).not.toBe(tokenOf(first.setupPath))
    expect((await visitor.get(first.setupPath ?? '')).status).toBe(403)
    expect((await visitor.get(second.setupPath ?? '')).status).toBe(200)
    await createUser(second)
    expect((await visitor.get(second.setupPath ?? '')).status).toBe(404)
    const late = await visitor.post('/setup', { token: tokenOf(second.setupPath), email: 'eve@example.com', password })
    expect(late.status).toBe(404)
    expect(late.cookie).toBeNull()
    expect(emails(second.folder)).toEqual(['ada@example.com'])
    await second.stop()
    expect((await startServer({ folder: first.folder })).setupPath).toBeNull()
  })

  test.each([
    ['none', ''],
    ['a wrong one', 'A'.repeat(43)],
    ['one of 100 emoji', '🦊'.repeat(100)],
  ])('refuses with a token that is %s', async (_name, token) => {
    const server = await withoutAccount()
    const visitor = visit(server)
    expect((await visitor.get(`/setup?token=${encodeURIComponent(token)}`)).status).toBe(403)
    const sent = await visitor.post('/setup', { token, email: 'eve@example.com', password })
    expect(sent.status).toBe(403)
    expect(sent.html).not.toContain(tokenOf(server.setupPath))
    writeTo(server.folder, (db) => expect(userReads(db).hasUsers()).toBe(false))
  })

  test('says beside its field what is wrong, and keeps the address but not the password', async () => {
    const server = await withoutAccount()
    const token = tokenOf(server.setupPath)
    const page = await visit(server).post('/setup', { token, email: 'ada@example.com', password: 'short' })
    expect(page.status).toBe(400)
    expect(page.html).toContain('value="ada@example.com"')
    expect(page.html).toContain('id="password-error">Must be 12 to 256 characters; got 5.')
    expect(page.html).not.toContain('value="short"')
    const other = await visit(server).post('/setup', { token, email: '<script>', password })
    expect(other.html).toContain('id="email-error"')
    expect(other.html).not.toContain('<script>"')
    writeTo(server.folder, (db) => expect(userReads(db).hasUsers()).toBe(false))
  })
})

describe('the set-up token', () => {
  test.skipIf(isCompiled)('outlives a clock that is set right after the start', async () => {
    let now = Date.UTC(2020, 0, 1)
    const server = await startServer({ now: () => now })
    now = Date.UTC(2026, 10, 28)
    const token = tokenOf(server.setupPath)
    expect((await visit(server).get(server.setupPath ?? '')).status).toBe(200)
    expect((await visit(server).post('/setup', { token, email: 'ada@example.com', password })).status).toBe(303)
  })

  test('works for 30 minutes', () => {
    let now = 0
    const token = newSetupToken(undefined, () => now)
    expect(token.matches(token.value)).toBe(true)
    expect(token.matches(`${token.value}A`)).toBe(false)
    now = 30 * minute - 1
    expect(token.matches(token.value)).toBe(true)
    now = 30 * minute
    expect(token.matches(token.value)).toBe(false)
  })
})

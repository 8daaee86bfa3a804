import { describe, expect, test } from 'bun:test'
import { hashPassword, nobodysHash } from '../../src/accounts/users/passwords.ts'
import { newEmail, sharedServer, startServer, writeUser } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { createUser, password, signedIn, visit } from '../visitor.ts'

const minute = 60_000

describe('sign-in', () => {
  test.each([
    ['a page of ours', '/settings/account', '/settings/account'],
    [
      'the embed page of a form',
      '/forms/01kahp5x2r00v7m3k9qd4tznwe8c/embed',
      '/forms/01kahp5x2r00v7m3k9qd4tznwe8c/embed',
    ],
    [
      'a part of a list',
      '/forms/01kahp5x2r00v7m3k9qd4tznwe8c?startDate=2026-11-01&page=2',
      '/forms/01kahp5x2r00v7m3k9qd4tznwe8c?startDate=2026-11-01&page=2',
    ],
    ['a page of the list of forms', '/?page=2', '/?page=2'],
    ['what was found of a person', '/people?found=1', '/people?found=1'],
    ['what others share', '/shared?page=2', '/shared?page=2'],
    ['an invitation', `/invite/${'a-_Z'.repeat(8)}`, `/invite/${'a-_Z'.repeat(8)}`],
    ['nothing', undefined, '/'],
    ['another host behind a query', '/?next=//evil.example', '/'],
    ['a long query', `/?page=${'2'.repeat(1000)}`, '/'],
    ['another host', 'https://evil.example', '/'],
    ['another host, scheme left out', '//evil.example/settings/', '/'],
    ['another host, with backslashes', '/\\evil.example', '/'],
    ['another host behind our path', '/settings/@evil.example', '/'],
    ['a way out of our pages', '/settings/../s/x', '/'],
    ['a header', '/settings/keys\r\nX-A: b', '/'],
    ['a script', 'javascript:alert(1)', '/'],
  ])('leads to the page asked for: %s', async (_name, next, location) => {
    const server = await sharedServer()
    const email = newEmail()
    await createUser(server, email)
    const fields = { email, password, ...(next !== undefined && { next }) }
    expect(await visit(server).post('/sign-in', fields)).toMatchObject({ status: 303, location })
    const ada = visit(server)
    await ada.signIn(email)
    const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
    expect(await ada.get(`/sign-in${query}`)).toMatchObject({ status: 303, location })
  })

  test('keeps the page asked for through a wrong password', async () => {
    const server = await startServer()
    await createUser(server)
    const page = await visit(server).post('/sign-in', { email: 'x@y.z', password: 'no', next: '/settings/account' })
    expect(page.html).toContain('name="next" value="/settings/account"')
  })

  test('takes the address in any case', async () => {
    const server = await startServer()
    await createUser(server)
    expect((await visit(server).signIn(' ADA@example.COM ')).status).toBe(303)
  })

  test('reads the same for an unknown address as for a wrong password', async () => {
    const server = await startServer()
    await createUser(server)
    const wrong = await visit(server).signIn('ada@example.com', 'not the password')
    const unknown = await visit(server).signIn('eve@example.com', 'not the password')
    expect(wrong.status).toBe(401)
    expect(unknown.status).toBe(401)
    expect(unknown.html.replace('eve@', 'ada@')).toBe(wrong.html)
    expect(wrong.html).toContain('The email address or password is wrong.')
    expect(wrong.html).not.toContain('not the password')
    expect(wrong.cookie).toBeNull()
    expect((await visit(server).signIn('no address', 'x')).html).toContain('is wrong.')
  })

  test('takes as long for an unknown address as for a wrong password', async () => {
    const server = await startServer()
    writeUser(server.folder, 'ada@example.com', await hashPassword(password))
    await visit(server).signIn('ada@example.com', 'x')
    const times: Record<string, number[]> = { 'ada@example.com': [], 'eve@example.com': [] }
    for (let round = 0; round < 4; round++)
      for (const [email, taken] of Object.entries(times)) {
        const start = performance.now()
        await visit(server).signIn(email, 'not the password')
        taken.push(performance.now() - start)
      }
    const [wrong = 0, unknown = 0] = Object.values(times).map((taken) => Math.min(...taken))
    // Without a hash to check against, it would be a hundredth. Beside other work one of the two may take thrice as long.
    expect(unknown / wrong).toBeWithin(0.2, 5)
  })

  test('checks an unknown address against a hash of the cost that passwords have', async () => {
    const own = await Bun.password.hash('x', { algorithm: 'argon2id' })
    expect(nobodysHash.split('$').slice(0, 4)).toEqual(own.split('$').slice(0, 4))
    expect(nobodysHash).toHaveLength(own.length)
    expect(await Bun.password.verify('', nobodysHash)).toBe(false)
  })

  test('says where to begin while there is no account', async () => {
    const server = await startServer()
    const visitor = visit(server)
    expect((await visitor.get('/sign-in')).html).toContain('There is no account yet.')
    await createUser(server)
    expect((await visitor.get('/sign-in')).html).not.toContain('There is no account yet.')
  })

  test('comes first wherever one begins', async () => {
    const server = await startServer()
    const ada = await signedIn(server)
    expect(await visit(server).get('/')).toMatchObject({ status: 303, location: '/sign-in' })
    expect((await ada.get('/')).html).toContain('Create your first form')
  })
})

describe('ten failed attempts', () => {
  const fail = async (server: Awaited<ReturnType<typeof startServer>>, times: number, email: string, headers = {}) => {
    for (let i = 0; i < times; i++) expect((await visit(server, headers).signIn(email, 'wrong')).status).toBe(401)
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const proxy = { FORMBOX_TRUST_PROXY: '127.0.0.1' }

  test.skipIf(isCompiled)(
    'for an account refuse the right password, too, wherever it comes from, for 15 minutes',
    async () => {
      let now = Date.parse('2026-11-21T10:00:00Z')
      const server = await startServer({ now: () => now, settings: proxy })
      await createUser(server)
      await fail(server, 5, 'ada@example.com', from('192.0.2.1'))
      now += 5 * minute
      await fail(server, 5, 'ADA@example.com', from('192.0.2.2'))
      const refused = await visit(server, from('192.0.2.3')).signIn()
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('600')
      expect(refused.html).toContain('Too many failed attempts. Try again in 10 minutes.')
      expect(refused.html).toContain('value="ada@example.com"')
      expect(refused.cookie).toBeNull()
      now += 10 * minute
      expect((await visit(server, from('192.0.2.3')).signIn()).status).toBe(303)
    },
  )

  test('for an account that does not exist read the same', async () => {
    const server = await startServer({ settings: proxy })
    await createUser(server)
    await fail(server, 10, 'eve@example.com', from('192.0.2.1'))
    expect((await visit(server, from('192.0.2.2')).signIn('eve@example.com')).status).toBe(429)
  })

  test('from an address refuse every account from there, and no other address', async () => {
    const server = await startServer({ settings: proxy })
    await createUser(server)
    for (let i = 0; i < 10; i++) {
      await createUser(server, `user${i}@example.com`)
      await fail(server, 1, `user${i}@example.com`, from(`2001:db8:1:1::${i + 1}`))
    }
    expect((await visit(server, from('2001:db8:1:1::ffff')).signIn()).status).toBe(429)
    expect((await visit(server, from('2001:db8:1:2::1')).signIn()).status).toBe(303)
  })

  test('are counted when they come at once', async () => {
    const server = await startServer()
    await createUser(server)
    const tries = Array.from({ length: 15 }, () => visit(server).signIn('ada@example.com', 'wrong'))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('do not include the ones that succeeded', async () => {
    const server = await startServer()
    await createUser(server)
    await fail(server, 9, 'ada@example.com')
    for (let i = 0; i < 3; i++) expect((await visit(server).signIn()).status).toBe(303)
    await fail(server, 1, 'ada@example.com')
    expect((await visit(server).signIn()).status).toBe(429)
  })

  test('also guard the old password on the account page', async () => {
    const server = await startServer()
    const ada = await signedIn(server)
    const guess = () =>
      ada.post('/settings/account/password', { current: 'a wrong guess', new: 'another long password' })
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(400)
    const refused = await guess()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 901)
  })
})

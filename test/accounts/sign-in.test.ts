import { describe, expect, test } from 'bun:test'
import { hashPassword } from '../../src/accounts/users/passwords.ts'
import { expectBelow } from '../expect-below.ts'
import { newEmail, serverWithClock, sharedServer, startServer, writeTo, writeUser } from '../harness.ts'
import { atFullCost } from '../password-cost.ts'
import { isCompiled } from '../program.ts'
import { createUser, password, signedIn, visit } from '../visitor.ts'

const minute = 60_000
const proxy = { FORMBOX_TRUST_PROXY: '127.0.0.1' }
let networks = 0

/** A new account, and visitors from a network that failed at nothing, on the server that tests share behind a proxy. */
const account = async (now?: number) => {
  const { clock, server } = await serverWithClock(now, proxy)
  const email = newEmail()
  await createUser(server, email)
  const network = `198.18.${++networks}`
  const from = (address: number | string) =>
    visit(server, { 'x-forwarded-for': typeof address === 'string' ? address : `${network}.${address}` })
  return { clock, server, email, from }
}

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
    ['what was found of a person', '/personal-data?found=1', '/personal-data?found=1'],
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
    const { email, from } = await account()
    const page = await from(1).post('/sign-in', { email, password: 'no', next: '/settings/account' })
    expect(page.html).toContain('name="next" value="/settings/account"')
  })

  test('takes the address in any case', async () => {
    const { email, from } = await account()
    expect((await from(1).signIn(` ${email.toUpperCase()} `)).status).toBe(303)
  })

  test('reads the same, and takes as long, for an unknown address as for a wrong password', async () => {
    const { server, from } = await account()
    const [email, stranger] = [newEmail(), newEmail()]
    writeUser(server.folder, email, await atFullCost(() => hashPassword(password)))
    expect((await from(1).signIn('no address', 'x')).html).toContain('is wrong.')
    const timed = async (address: number, tried: string) => {
      const start = performance.now()
      const page = await from(address).signIn(tried, 'not the password')
      return { ...page, took: performance.now() - start }
    }
    // Without a hash to check against, it would be a hundredth. Beside other work one of the two may take thrice as long.
    await expectBelow(5, async () => {
      const wrong = await timed(2, email)
      const unknown = await timed(3, stranger)
      expect([wrong.status, unknown.status]).toEqual([401, 401])
      expect(unknown.html.replace(stranger, email)).toBe(wrong.html)
      expect(wrong.html).toContain('The email address or password is wrong.')
      expect(wrong.html).not.toContain('not the password')
      expect(wrong.cookie).toBeNull()
      return Math.max(unknown.took / wrong.took, wrong.took / unknown.took)
    })
  })

  test('says where to begin while there is no account', async () => {
    const server = await startServer()
    const visitor = visit(server)
    // In one piece: the parts of a notice stand beside each other.
    expect((await visitor.get('/sign-in')).html).toMatch(
      /<p class="notice"><span>There is no account yet\..*user create<\/code>\.<\/span><\/p>/s,
    )
    await createUser(server)
    expect((await visitor.get('/sign-in')).html).not.toContain('There is no account yet.')
  })

  test('comes first wherever one begins', async () => {
    const server = await sharedServer()
    const ada = await signedIn(server, newEmail())
    expect(await visit(server).get('/')).toMatchObject({ status: 303, location: '/sign-in' })
    expect((await ada.get('/')).html).toContain('Create your first form')
  })
})

describe('ten failed attempts', () => {
  const fail = async (visitor: ReturnType<typeof visit>, times: number, email: string) => {
    for (let i = 0; i < times; i++) expect((await visitor.signIn(email, 'wrong')).status).toBe(401)
  }

  test.skipIf(isCompiled)(
    'for an account refuse the right password, too, wherever it comes from, for 15 minutes',
    async () => {
      const { clock, email, from } = await account(Date.parse('2026-11-21T10:00:00Z'))
      await fail(from(1), 5, email)
      clock.now += 5 * minute
      await fail(from(2), 5, email.toUpperCase())
      const refused = await from(3).signIn(email)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('600')
      expect(refused.html).toContain('Too many failed attempts. Try again in 10 minutes.')
      expect(refused.html).toContain(`value="${email}"`)
      expect(refused.cookie).toBeNull()
      clock.now += 10 * minute
      expect((await from(3).signIn(email)).status).toBe(303)
    },
  )

  test('for an address without an account are counted as well', async () => {
    const { server, email, from } = await account()
    // To check an unknown address takes long. So it is of an account at first, whose password is checked quickly.
    await fail(from(1), 9, email)
    writeTo(server.folder, (db) => db.$client.run('DELETE FROM users WHERE email = ?', [email]))
    await fail(from(2), 1, email)
    expect((await from(3).signIn(email)).status).toBe(429)
  })

  test('from an address refuse every account from there, and no other address', async () => {
    const { server, email, from } = await account()
    for (let i = 0; i < 10; i++) {
      const other = newEmail()
      await createUser(server, other)
      await fail(from(`2001:db8:516e:1::${i + 1}`), 1, other)
    }
    expect((await from('2001:db8:516e:1::ffff').signIn(email)).status).toBe(429)
    expect((await from('2001:db8:516e:2::1').signIn(email)).status).toBe(303)
  })

  test('are counted when they come at once', async () => {
    const { email, from } = await account()
    const tries = Array.from({ length: 15 }, () => from(1).signIn(email, 'wrong'))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('do not include the ones that succeeded', async () => {
    const { email, from } = await account()
    await fail(from(1), 9, email)
    for (let i = 0; i < 3; i++) expect((await from(1).signIn(email)).status).toBe(303)
    await fail(from(1), 1, email)
    expect((await from(1).signIn(email)).status).toBe(429)
  })

  test('also guard the old password on the account page', async () => {
    const { email, from } = await account()
    const ada = from(1)
    await ada.signIn(email)
    const guess = () =>
      ada.post('/settings/account/password', { current: 'a wrong guess', new: 'another long password' })
    for (let i = 0; i < 10; i++) expect((await guess()).status).toBe(400)
    const refused = await guess()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 901)
  })
})

import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { keyWrites } from '../../src/accounts/keys/key-writes.ts'
import { userReads } from '../../src/accounts/users/user-reads.ts'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { keys, sessions } from '../../src/storage/tables.ts'
import { newEmail, type Server, serverWithClock, sharedServer, startServer, writeTo } from '../harness.ts'
import { isCompiled } from '../program.ts'
import { answerTo, message } from '../raw-http.ts'
import { createUser, password, signedIn, visit } from '../visitor.ts'

const hour = 3_600_000
const day = 24 * hour
const saturday = Date.parse('2026-11-21T10:00:00Z')
const home = '/settings/keys'
const newPassword = 'another long password'

/** A new user who is signed in. */
const start = async (given?: Server) => {
  const server = given ?? (await sharedServer())
  const ada = await signedIn(server, newEmail())
  const stored = () =>
    writeTo(server.folder, (db) => db.select().from(sessions).where(eq(sessions.userId, ada.userId)).all())
  const storedKeys = () =>
    writeTo(server.folder, (db) => db.select().from(keys).where(eq(keys.userId, ada.userId)).all())
  return { server, ada, stored, storedKeys }
}

describe('the session cookie', () => {
  test('over plain http is not Secure, so that it works in a local network', async () => {
    const { server, ada } = await start()
    const { cookie } = await visit(server).signIn(ada.email)
    expect(cookie).toMatch(/^formbox_session_\d+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('is Secure, and bound to the host by its name, where the public address is https', async () => {
    const server = await sharedServer({ FORMBOX_URL: 'https://forms.example.com' })
    const email = newEmail()
    await createUser(server, email)
    const visitor = visit(server, { origin: 'https://forms.example.com' })
    const { cookie } = await visitor.signIn(email)
    expect(cookie).toMatch(
      /^__Host-formbox_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect((await visitor.get(home)).status).toBe(200)
    // The name without the prefix could have been set by another host.
    const tossed = (visitor.cookie() ?? '').replace('__Host-', '')
    expect((await visit(server).get(home, { cookie: tossed })).status).toBe(303)
  })

  test('is of 256 random bits, of which only a hash is stored', async () => {
    const { server, ada, stored } = await start()
    const token = ada.cookie()?.split('=')[1] ?? ''
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const [{ hash } = { hash: '' }] = stored()
    expect(hash).toBe(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
    expect(
      (await visit(server).get(home, { cookie: `formbox_session_${new URL(server.url).port}=${hash}` })).status,
    ).toBe(303)
  })
})

describe('the cookies of two servers on one host', () => {
  test('are kept apart by their ports, so that signing in or out at one changes nothing at the other', async () => {
    const servers = [await sharedServer(), await sharedServer({ FORMBOX_INVITED_MAY_CREATE: 'true' })]
    const both: string[] = []
    for (const server of servers) {
      const email = newEmail()
      await createUser(server, email)
      const { cookies } = await visit(server, { cookie: both.join('; ') }).signIn(email)
      const { port } = new URL(server.url)
      expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual([
        `formbox_session_${port}`,
        `formbox_device_${port}`,
      ])
      both.push(...cookies.map((cookie) => cookie.split(';')[0] as string))
    }
    const cookie = both.join('; ')
    const [one, two] = servers.map((server) => visit(server, { cookie }))
    expect((await one?.get(home))?.status).toBe(200)
    expect((await two?.post('/sign-out'))?.status).toBe(303)
    expect((await one?.get(home))?.status).toBe(200)
    expect((await two?.get(home))?.status).toBe(303)
  })

  test.each([
    ['http://nas.lan', 'formbox_session'],
    ['http://nas.lan:8081', 'formbox_session_8081'],
    ['https://nas.lan:8443', '__Host-formbox_session_8443'],
  ])('are named after the port of %s: %s', async (FORMBOX_URL, name) => {
    const server = await sharedServer({ FORMBOX_URL })
    const email = newEmail()
    await createUser(server, email)
    const { cookie } = await visit(server, { origin: FORMBOX_URL }).signIn(email)
    expect(cookie).toStartWith(`${name}=`)
  })

  test('are at most ten beside its own: each demo has another port, and all are sent with each request', async () => {
    const { server, ada } = await start()
    const names = Array.from({ length: 30 }, (_, i) => `formbox_device_${40_000 + i}`)
    const others = ['a=b', '__Host-formbox_device_1=x', 'formbox_device_x=y', 'formbox_devices_1=z']
    const cookie = [...others, ...names.map((name) => `${name}=value`)].join('; ')
    const { cookies } = await visit(server, { cookie }).signIn(ada.email)
    const removed = cookies.slice(2).map((one) => one.split(';').slice(0, 2).join(';'))
    expect(removed).toEqual(names.slice(0, 20).map((name) => `${name}=; Max-Age=0`))
  })
})

describe('a session', () => {
  test.skipIf(isCompiled)('ends 30 days after it was last used', async () => {
    const { clock, server } = await serverWithClock(saturday)
    const { ada } = await start(server)
    clock.now += 29 * day
    const used = await ada.get(home)
    expect(used.status).toBe(200)
    expect(used.cookie).toContain('Max-Age=2592000')
    clock.now += 29 * day
    expect((await ada.get(home)).status).toBe(200)
    clock.now += 30 * day
    expect(await ada.get(home)).toMatchObject({ status: 303, location: '/sign-in?next=%2Fsettings%2Fkeys' })
  })

  test.skipIf(isCompiled)('is written at most once an hour while it is used', async () => {
    const { clock, server } = await serverWithClock(saturday)
    const { ada, stored } = await start(server)
    const expiresAt = clock.now + 30 * day
    clock.now += hour - 1
    expect((await ada.get(home)).cookie).toBeNull()
    expect(stored()[0]?.expiresAt).toBe(expiresAt)
    clock.now += 1
    expect((await ada.get(home)).cookie).not.toBeNull()
    expect(stored()[0]?.expiresAt).toBe(expiresAt + hour)
  })

  test.skipIf(isCompiled)('outlives a clock that is wrong for a while, though somebody signs in then', async () => {
    const { clock, server } = await serverWithClock(saturday)
    const { ada } = await start(server)
    const signInAgain = async () => expect((await visit(server).signIn(ada.email)).status).toBe(303)
    clock.now += 365 * day
    await signInAgain()
    clock.now -= 365 * day
    expect((await ada.get(home)).status).toBe(200)
  })

  test('ends with sign-out, and only that one', async () => {
    const { server, ada } = await start()
    const elsewhere = visit(server)
    await elsewhere.signIn(ada.email)
    const cookie = ada.cookie() ?? ''
    const out = await ada.post('/sign-out')
    expect(out).toMatchObject({ status: 303, location: '/sign-in?done=signed-out' })
    expect(out.cookie).toMatch(/^formbox_session_\d+=; Max-Age=0; Path=\/; HttpOnly/)
    expect((await visit(server).get(home, { cookie })).status).toBe(303)
    expect((await elsewhere.get(home)).status).toBe(200)
  })

  test('is replaced when one signs in again', async () => {
    const { server, ada, stored } = await start()
    const before = ada.cookie() ?? ''
    await ada.signIn(ada.email)
    expect(ada.cookie()).not.toBe(before)
    expect((await visit(server).get(home, { cookie: before })).status).toBe(303)
    expect(stored()).toHaveLength(1)
  })

  test('ends in all other browsers when that is asked for, and goes on in this one', async () => {
    const { server, ada } = await start()
    const other = visit(server)
    const eve = await signedIn(server, newEmail())
    await other.signIn(ada.email)
    expect((await ada.get('/settings/account')).html).toContain('Sign out the other browser')
    expect((await ada.post('/settings/account/sign-out-others')).location).toBe(
      '/settings/account?done=signed-out-others#notice',
    )
    expect((await other.get(home)).status).toBe(303)
    expect((await eve.get(home)).status).toBe(200)
    expect((await ada.get('/settings/account')).html).toContain('No other browser is signed in.')
  })

  test('ends everywhere at once when that is asked for, for this user only', async () => {
    const { server, ada } = await start()
    const elsewhere = visit(server)
    await elsewhere.signIn(ada.email)
    const bob = await signedIn(server, newEmail())
    expect((await ada.get('/settings/account')).html).toContain('2 browsers are signed in')
    const out = await ada.post('/settings/account/sign-out-everywhere')
    expect(out.location).toBe('/sign-in?done=signed-out-everywhere')
    expect((await elsewhere.get(home)).status).toBe(303)
    expect((await ada.get(home)).status).toBe(303)
    expect((await bob.get(home)).status).toBe(200)
  })

  test('of others ends with a change of the password, and the new one is what counts', async () => {
    const { server, ada } = await start()
    const elsewhere = visit(server)
    await elsewhere.signIn(ada.email)
    const changed = await ada.post('/settings/account/password', { current: password, new: newPassword })
    expect(changed).toMatchObject({ status: 303, location: '/settings/account?done=password#notice' })
    expect((await ada.get(home)).status).toBe(200)
    expect((await elsewhere.get(home)).status).toBe(303)
    expect((await visit(server).signIn(ada.email)).status).toBe(401)
    expect((await visit(server).signIn(ada.email, newPassword)).status).toBe(303)
  })

  test.each([
    ['the old password is wrong', { current: 'not it at all', new: newPassword }, 'current-error">This is not your'],
    ['the old password is missing', { current: '', new: newPassword }, 'current-error">Enter your current password.'],
    ['the new one is short', { current: password, new: 'short' }, 'new-error">Must be 12 to 256'],
    ['the new one is long', { current: password, new: 'x'.repeat(257) }, 'new-error">Must be 12 to 256'],
  ])('and password stay as they are when %s', async (_name, fields, message) => {
    const { server, ada } = await start()
    const page = await ada.post('/settings/account/password', fields)
    expect(page.status).toBe(400)
    expect(page.html).toContain(message)
    expect(page.html).not.toContain(newPassword)
    expect((await visit(server).signIn(ada.email)).status).toBe(303)
  })

  test('that ended while the password was checked no longer changes it', async () => {
    const { server, ada, stored } = await start()
    const [{ hash: session = '' } = {}] = stored()
    await visit(server).signIn(ada.email)
    await ada.post('/sign-out')
    writeTo(server.folder, (db) => {
      const oldHash = userReads(db).findUser(ada.email)?.passwordHash ?? ''
      const change = { userId: ada.userId, oldHash, passwordHash: 'another', session }
      expect(() => userWrites(db).changePassword(change)).toThrow('The account was changed in the meantime')
    })
    expect((await visit(server).signIn(ada.email)).status).toBe(303)
    expect(stored()).toHaveLength(2)
  })

  test('that ended before the write creates no key', async () => {
    const { server, ada, stored, storedKeys } = await start()
    const [{ hash: session = '' } = {}] = stored()
    const key = { userId: ada.userId, session, name: 'Website', start: 'api_1234', isReadOnly: false, expiresAt: null }
    const create = (id: string) => {
      const unique = `${id}-${ada.userId}`
      writeTo(server.folder, (db) => keyWrites(db).createKey({ ...key, id: unique, hash: unique }))
    }
    create('1')
    await ada.post('/sign-out')
    expect(() => create('2')).toThrow('The account was changed in the meantime')
    await visit(server).signIn(ada.email)
    expect(() => create('3')).toThrow('The account was changed in the meantime')
    expect(storedKeys().map(({ name }) => name)).toEqual(['Website'])
  })

  test('that ends while the server handles a form leads to sign-in, and creates no key', async () => {
    const { server, ada: user, storedKeys } = await start()
    const statuses: number[] = []
    // Nearly always the first time: both find the session, and then their writes follow each other in one transaction.
    while (!statuses.includes(401) && statuses.length < 20) {
      const ada = visit(server)
      await ada.signIn(user.email)
      const [, sent] = await Promise.all([ada.post('/sign-out'), ada.post('/settings/keys', { name: 'Website' })])
      statuses.push(sent.status)
      if (sent.status === 401) expect(sent.html).toContain('name="held"')
    }
    expect(statuses).toContain(401)
    const created = statuses.filter((status) => status === 303)
    expect(storedKeys()).toHaveLength(created.length)
  })

  test('ends when the user is disabled, who then can’t sign in until enabled', async () => {
    const { server, ada } = await start()
    writeTo(server.folder, (db) => userWrites(db).disableUser({ userId: ada.userId, now: Date.now() }))
    expect((await ada.get(home)).status).toBe(303)
    expect((await visit(server).signIn(ada.email)).status).toBe(401)
    writeTo(server.folder, (db) => userWrites(db).enableUser({ userId: ada.userId }))
    expect((await ada.get(home)).status).toBe(303)
    expect((await visit(server).signIn(ada.email)).status).toBe(303)
  })

  type Happening = (user: { folder: string; userId: string; signOut(): Promise<unknown> }) => unknown

  test.each<[string, number, number, Happening]>([
    ['goes on', 303, 1, () => {}],
    ['is ended in another browser', 401, 0, ({ signOut }) => signOut()],
    [
      'ends because the user is disabled',
      401,
      0,
      ({ folder, userId }) => writeTo(folder, (db) => userWrites(db).disableUser({ userId, now: Date.now() })),
    ],
  ])('that %s while a form arrives leads to %i and %i new keys', async (_name, status, keyCount, happen) => {
    const { server, ada, storedKeys } = await start()
    const elsewhere = visit(server)
    await elsewhere.signIn(ada.email)
    const lines = ['POST /settings/keys HTTP/1.1', `Host: ${new URL(server.url).host}`, `Origin: ${server.url}`]
    lines.push(`Cookie: ${ada.cookie()}`, 'Content-Type: application/x-www-form-urlencoded', 'Connection: close')

    const answer = await answerTo(server.url, message([...lines, 'Content-Length: 9'], 'name='), {
      async rest() {
        // By the time this is answered, the server has met the form with a session that is live.
        expect((await ada.get(home)).status).toBe(200)
        await happen({
          folder: server.folder,
          userId: ada.userId,
          signOut: () => elsewhere.post('/settings/account/sign-out-everywhere'),
        })
        return 'Late'
      },
    })

    expect(answer?.status).toBe(status)
    expect(storedKeys()).toHaveLength(keyCount)
  })

  test.skipIf(isCompiled)(
    'that is over is removed by a sign-in, if the clock has gone steadily for a day',
    async () => {
      let now = saturday
      const { server, ada, stored } = await start(await startServer({ now: () => now }))
      now += 31 * day
      await visit(server).signIn(ada.email)
      expect(stored()).toHaveLength(2)
      now += day
      await visit(server).signIn(ada.email)
      expect(stored().map(({ expiresAt }) => expiresAt - now)).toEqual([29 * day, 30 * day])
    },
  )
})

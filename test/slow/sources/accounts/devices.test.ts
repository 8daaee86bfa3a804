import { describe, expect, test } from 'bun:test'
import { nobodysHash } from '../../../../src/accounts/users/passwords.ts'
import { userWrites } from '../../../../src/accounts/users/user-writes.ts'
import { sessions } from '../../../../src/storage/tables.ts'
import { type Server, startServer, writeTo } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'
import { createUser, password, signedIn, visit } from '../../../visitor.ts'

const hour = 3_600_000
const day = 24 * hour
const newPassword = 'another long password'

/** Every test has a proxy that tells the address, so that each try can come from one of its own. */
const start = (options: Parameters<typeof startServer>[0] = {}) =>
  startServer({ ...options, settings: { FORMBOX_TRUST_PROXY: '127.0.0.1', ...options.settings } })

let lastAddress = 0
const somewhere = () => ({ 'x-forwarded-for': `192.0.2.${(lastAddress++ % 254) + 1}` })

/** Ten wrong passwords from ten addresses, with this cookie or none. */
const failTenTimes = async (server: Server, email = 'ada@example.com', cookie = ''): Promise<void> => {
  const tries = Array.from({ length: 10 }, () => visit(server, { ...somewhere(), cookie }).signIn(email, 'wrong'))
  for (const { status, cookies } of await Promise.all(tries)) {
    expect(status).toBe(401)
    expect(cookies).toEqual([])
  }
}

/** Signs in from an address that was not seen before, with this cookie or none. */
const signInWith = async (server: Server, cookie: string | null, typed = password, email = 'ada@example.com') =>
  (await visit(server, { ...somewhere(), cookie: cookie ?? '' }).signIn(email, typed)).status

/** The device cookie of a browser in which the user signs in now. */
const newDevice = async (server: Server, typed = password, email = 'ada@example.com'): Promise<string> => {
  const browser = visit(server, somewhere())
  expect((await browser.signIn(email, typed)).status).toBe(303)
  return browser.cookie('device') ?? ''
}

describe('a browser in which the account has signed in before', () => {
  test('signs in while wrong passwords from everywhere keep strangers out', async () => {
    const server = await start()
    const ada = await signedIn(server)
    await ada.post('/sign-out')
    const device = ada.cookie('device')
    expect(ada.cookie('session')).toBeNull()
    await failTenTimes(server)
    expect(await signInWith(server, null)).toBe(429)
    expect(await signInWith(server, device)).toBe(303)
    expect(await signInWith(server, null)).toBe(429)
  })

  test('signs in while wrong passwords from its own address keep strangers there out', async () => {
    const server = await start()
    const device = await signedIn(server).then((ada) => ada.cookie('device') ?? '')
    const here = somewhere()
    for (let i = 0; i < 10; i++) {
      await createUser(server, `user${i}@example.com`)
      expect((await visit(server, here).signIn(`user${i}@example.com`, 'wrong')).status).toBe(401)
    }
    expect((await visit(server, here).signIn()).status).toBe(429)
    expect((await visit(server, { ...here, cookie: device }).signIn()).status).toBe(303)
  })

  test('is kept out by ten wrong passwords of its own, and no one else is', async () => {
    const server = await start()
    await createUser(server)
    const [one, other] = [await newDevice(server), await newDevice(server)]
    await failTenTimes(server, 'ada@example.com', one)
    expect(await signInWith(server, one)).toBe(429)
    expect(await signInWith(server, other)).toBe(303)
    expect(await signInWith(server, null)).toBe(303)
  })

  test('is still one after a restart of the server', async () => {
    const server = await start()
    const ada = await signedIn(server)
    await server.stop()
    const again = await start({ folder: server.folder })
    await failTenTimes(again)
    expect(await signInWith(again, null)).toBe(429)
    // That of the test has another port now, which is in the name of the cookie.
    const device = ada.cookie('device')?.replace(/_\d+=/, `_${new URL(again.url).port}=`) ?? ''
    expect(await signInWith(again, device)).toBe(303)
  })

  test('changes the password meanwhile; then all others are strangers, and it is none', async () => {
    const server = await start()
    const ada = await signedIn(server)
    const before = ada.cookie('device')
    const elsewhere = await newDevice(server)
    await failTenTimes(server)
    const changed = await ada.post('/settings/account/password', { current: password, new: newPassword })
    expect(changed.location).toBe('/settings/account?done=password#notice')
    await ada.post('/sign-out')
    expect(ada.cookie('device')).not.toBe(before)
    expect(await signInWith(server, before, newPassword)).toBe(429)
    expect(await signInWith(server, elsewhere, newPassword)).toBe(429)
    expect(await signInWith(server, ada.cookie('device'), newPassword)).toBe(303)
  })

  test('is a stranger after a reset of the password, and for who gets the address later', async () => {
    const server = await start()
    const userId = await createUser(server)
    const device = await newDevice(server)
    writeTo(server.folder, (db) => userWrites(db).resetPassword({ userId, passwordHash: nobodysHash }))
    await failTenTimes(server)
    expect(await signInWith(server, device)).toBe(429)
    writeTo(server.folder, (db) => userWrites(db).deleteUser({ userId, now: Date.now() }))
    await createUser(server)
    expect(await signInWith(server, device)).toBe(429)
  })

  test('is none by a cookie that is forged, cut or of another account', async () => {
    const server = await start()
    await createUser(server)
    await createUser(server, 'bob@example.com')
    const device = await newDevice(server)
    const ofBob = await newDevice(server, password, 'bob@example.com')
    await failTenTimes(server)
    const [name = '', value = ''] = device.split('=')
    const [userId = '', expiresAt = '', id = '', signature = ''] = value.split('.')
    const [idOfBob = '', , , signatureOfBob = ''] = (ofBob.split('=')[1] ?? '').split('.')
    const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    const forged = {
      'of another account': ofBob,
      'of another account, in the name of this one': `${name}=${userId}.${expiresAt}.${id}.${signatureOfBob}`,
      'in the name of another account': `${name}=${idOfBob}.${expiresAt}.${id}.${signature}`,
      'of nobody': `${name}=${'0'.repeat(28)}.${expiresAt}.${id}.${signature}`,
      'that ends later': `${name}=${userId}.${Number(expiresAt) + 1}.${id}.${signature}`,
      'of another device': `${name}=${userId}.${expiresAt}.${other(id)}.${signature}`,
      'with another signature': `${name}=${userId}.${expiresAt}.${id}.${other(signature)}`,
      'without its last character': device.slice(0, -1),
      'without its signature': `${name}=${userId}.${expiresAt}.${id}.`,
      'without parts': `${name}=${userId}`,
      'that is empty': `${name}=`,
      'under another name': `${name}s=${value}`,
    }
    for (const [what, cookie] of Object.entries(forged)) expect(await signInWith(server, cookie), what).toBe(429)
    expect(await signInWith(server, device)).toBe(303)
    expect(await signInWith(server, `${name}=forged; a=b; ${device}`)).toBe(303)
  })

  test.skipIf(isCompiled)('is a stranger after a year in which it was not used', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const server = await start({ now: () => now })
    await createUser(server)
    const device = await newDevice(server)
    now += 365 * day - 1
    await failTenTimes(server)
    expect(await signInWith(server, device)).toBe(303)
    now += 1
    expect(await signInWith(server, device)).toBe(429)
  })

  test.skipIf(isCompiled)('stays one for as long as its session is in use, and counts on', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z')
    const server = await start({ now: () => now })
    const ada = await signedIn(server)
    const first = ada.cookie('device')
    now += hour
    expect((await ada.get('/settings/keys')).cookies).toHaveLength(2)
    const second = ada.cookie('device')
    expect(second).not.toBe(first)
    await failTenTimes(server, 'ada@example.com', second ?? '')
    expect(await signInWith(server, first)).toBe(429)
    now += 365 * day - hour
    await failTenTimes(server)
    expect(await signInWith(server, first)).toBe(429)
    expect(await signInWith(server, second)).toBe(303)
  })
})

describe('the device cookie', () => {
  test('is set where the first account is made, too', async () => {
    const server = await start()
    const token = /token=(.+)$/.exec(server.setupPath ?? '')?.[1] ?? ''
    const browser = visit(server)
    expect((await browser.post('/setup', { token, email: 'ada@example.com', password })).status).toBe(303)
    expect(browser.cookie('device')).toMatch(/^formbox_device_\d+=/)
  })

  test('over plain http is not Secure, and names no one in clear', async () => {
    const server = await start()
    await createUser(server)
    const { cookies } = await visit(server).signIn()
    expect(cookies).toHaveLength(2)
    expect(cookies[1]).toMatch(
      /^formbox_device_\d+=[0-9a-z]{28}\.\d{13}\.[\w-]{43}\.[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(cookies[1]).not.toContain('ada')
  })

  test('is Secure, and bound to the host by its name, where the public address is https', async () => {
    const url = 'https://forms.example.com'
    const server = await start({ settings: { FORMBOX_URL: url } })
    await createUser(server)
    const ada = visit(server, { origin: url })
    expect((await ada.signIn()).cookies[1]).toMatch(
      /^__Host-formbox_device=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const device = ada.cookie('device') ?? ''
    const tries = Array.from({ length: 10 }, () =>
      visit(server, { ...somewhere(), origin: url }).signIn(undefined, 'x'),
    )
    await Promise.all(tries)
    const tossed = visit(server, { ...somewhere(), origin: url, cookie: device.replace('__Host-', '') })
    expect((await tossed.signIn()).status).toBe(429)
    expect((await visit(server, { ...somewhere(), origin: url, cookie: device }).signIn()).status).toBe(303)
  })

  test('lets no one in, and tells nothing of the session', async () => {
    const server = await start()
    const ada = await signedIn(server)
    const device = ada.cookie('device') ?? ''
    expect((await visit(server).get('/settings/keys', { cookie: device })).status).toBe(303)
    const id = device.split('.')[2] ?? ''
    expect(id).toHaveLength(43)
    expect((await visit(server).get('/settings/keys', { cookie: `formbox_session=${id}` })).status).toBe(303)
    writeTo(server.folder, (db) => {
      const stored = db.select().from(sessions).all()
      expect(stored).toHaveLength(1)
      expect(Buffer.from(id, 'base64url').toString('hex')).not.toBe(stored[0]?.hash ?? '')
    })
  })
})

describe('the change of the password', () => {
  test('is tried ten times in each session, which keeps no other session and no sign-in out', async () => {
    const server = await start()
    const [ada, elsewhere] = [await signedIn(server), visit(server, somewhere())]
    await elsewhere.signIn()
    const change = (browser: Pick<typeof ada, 'post'>, current: string) =>
      browser.post('/settings/account/password', { current, new: newPassword })
    const guesses = await Promise.all(Array.from({ length: 11 }, () => change(ada, 'a wrong guess')))
    expect(guesses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(400), 429])
    expect((await change(ada, password)).status).toBe(429)
    expect(await signInWith(server, null)).toBe(303)
    expect((await change(elsewhere, password)).location).toBe('/settings/account?done=password#notice')
  })
})

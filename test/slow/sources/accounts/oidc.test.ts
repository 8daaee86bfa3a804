import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { identities, users } from '../../../../src/storage/tables.ts'
import { rowsOf } from '../../../guide-parts.ts'
import { type Server, startServer, takeReported, writeTo } from '../../../harness.ts'
import { type Algorithm, base64url, hs256, startProvider, type TestProvider } from '../../../oidc-provider.ts'
import { isCompiled } from '../../../program.ts'
import { expectSound } from '../../../storage/sound.ts'
import { codeFor, secretOn, stateOn } from '../../../totp.ts'
import { createUser, password, signedIn, visit } from '../../../visitor.ts'

// The library has a clock of its own.
afterEach(() => void setSystemTime())

const origin = 'https://forms.example.com'

const rowsIn = (folder: string) => {
  let rows: { email: string; hasPassword: boolean; subject: string | null }[] = []
  writeTo(folder, (db) => {
    const people = db.select().from(identities).all()
    rows = db
      .select()
      .from(users)
      .all()
      .map(({ id, email, hasPassword }) => ({
        email,
        hasPassword,
        subject: people.find(({ userId }) => userId === id)?.subject ?? null,
      }))
  })
  return rows
}

const start = async (settings: Record<string, string> = {}, alg?: Algorithm) => {
  const provider = await startProvider(alg)
  const server = await startServer({ settings: { ...provider.settings, FORMBOX_OIDC_USERS: 'all', ...settings } })
  return { provider, server }
}

const browserOf = (server: Server) => visit(server, { origin })
type Browser = ReturnType<typeof visit>

/** Goes to the provider, and returns the address at which it sends the browser back. */
const goThere = async (browser: Browser, path = '/sign-in/oidc'): Promise<string> => {
  const { status, location } = await browser.get(path)
  if (status !== 303) throw new Error(`${path} answered ${status}`)
  const back = await fetch(location ?? '', { redirect: 'manual' })
  return (back.headers.get('location') ?? '').replace(origin, '')
}

const signIn = async (browser: Browser, path?: string) => browser.get(await goThere(browser, path))

const isSignedIn = async (browser: Browser): Promise<boolean> => (await browser.get('/settings/keys')).status === 200

describe('signing in through an OpenID Connect provider', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)('takes a token that is signed with %s', async (alg) => {
    const { server } = await start({}, alg)
    const browser = browserOf(server)
    expect(await signIn(browser)).toMatchObject({ status: 303, location: '/' })
    expect(await isSignedIn(browser)).toBe(true)
    expect(rowsIn(server.folder)).toEqual([{ email: 'ada@example.com', hasPassword: false, subject: 'person-1' }])
  })

  test('has a button that leads to the page asked for, with PKCE, state and nonce', async () => {
    const { provider, server } = await start()
    const browser = browserOf(server)
    const page = await browser.get('/sign-in?next=%2Fsettings%2Fkeys')
    expect(page.html).toContain('href="/sign-in/oidc?next=%2Fsettings%2Fkeys">Sign in with Example ID</a>')
    const begun = await browser.get('/sign-in/oidc?next=%2Fsettings%2Fkeys')
    const url = new URL(begun.location ?? '')
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'formbox',
      redirect_uri: `${origin}/sign-in/oidc`,
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(begun.cookie).toMatch(/^__Host-formbox_oidc=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(begun.cookie).not.toContain(url.searchParams.get(name) ?? '')
    const back = await signIn(browser, '/sign-in/oidc?next=%2Fsettings%2Fkeys')
    expect(back.location).toBe('/settings/keys')
    expect(back.cookies.at(-1)).toStartWith('__Host-formbox_oidc=; Max-Age=0')
    expect((await browser.get('/sign-in/oidc?next=%2F%2Fevil.example')).location).toBe('/')
  })

  test('is not there without the settings', async () => {
    const server = await startServer()
    expect((await visit(server).get('/sign-in')).html).not.toContain('/sign-in/oidc')
    for (const path of ['/sign-in/oidc', '/sign-in/oidc?code=x&state=y'])
      expect((await visit(server).get(path)).status).toBe(404)
    expect((await (await signedIn(server)).get('/sign-in/oidc')).status).toBe(404)
  })

  test('knows a person by issuer and subject, also with another address, which changes nothing', async () => {
    const { provider, server } = await start()
    await signIn(browserOf(server))
    provider.person.email = 'eve@example.com'
    const browser = browserOf(server)
    await signIn(browser)
    expect((await browser.get('/settings/account')).html).toContain('ada@example.com')
    provider.person.email_verified = false
    expect(await isSignedIn(await signedInAgain(server))).toBe(true)
    expect(rowsIn(server.folder)).toHaveLength(1)
  })

  test('gives an address that changed hands no way into the account of its former owner', async () => {
    const { provider, server } = await start()
    await signIn(browserOf(server))
    provider.person.sub = 'person-2'
    const browser = browserOf(server)
    const refused = await signIn(browser)
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('one of them already has another connection')
    expect(await isSignedIn(browser)).toBe(false)
    expect(rowsIn(server.folder)).toMatchObject([{ subject: 'person-1' }])
  })

  test('takes the address from the user info where the token has none', async () => {
    const { provider, server } = await start()
    provider.changes.claims = ({ email, email_verified, ...rest }) => rest
    expect((await signIn(browserOf(server))).status).toBe(303)
    provider.person.sub = 'person-2'
    provider.person.email = 'bob@example.com'
    provider.changes.userinfo = (honest) => ({ ...honest, sub: 'person-1' })
    expect((await signIn(browserOf(server))).status).toBe(502)
    expect(takeReported()).toHaveLength(1)
    expect(rowsIn(server.folder)).toHaveLength(1)
  })

  test('asks a user for a code who has turned on two-step sign-in, and ends only the session here', async () => {
    const { server } = await start()
    await createUser(server)
    const browser = browserOf(server)
    await browser.signIn()
    await connect(browser)
    const page = '/settings/account/second-factor'
    const secret = secretOn((await browser.get(page)).html)
    await browser.post(page, { secret, code: codeFor(secret, Date.now()), current: password })
    const other = browserOf(server)
    const asked = await signIn(other)
    expect(asked.html).toContain('Enter your code')
    expect(await isSignedIn(other)).toBe(false)
    const fields = { state: stateOn(asked.html), code: codeFor(secret, Date.now() + 30_000) }
    expect((await other.post('/sign-in/code', fields)).status).toBe(303)
    expect(await isSignedIn(other)).toBe(true)
    expect((await other.post('/sign-out')).location).toBe('/sign-in?done=signed-out')
    expect(await isSignedIn(other)).toBe(false)
  })

  test('goes on after a restart of the server, while the browser is at the provider', async () => {
    const { provider, server } = await start()
    const begun = await browserOf(server).get('/sign-in/oidc')
    await server.stop()
    const settings = { ...provider.settings, FORMBOX_OIDC_USERS: 'all' }
    const again = await startServer({ folder: server.folder, settings })
    const back = await fetch(begun.location ?? '', { redirect: 'manual' })
    const path = (back.headers.get('location') ?? '').replace(origin, '')
    const browser = browserOf(again)
    expect((await browser.get(path, { cookie: begun.cookie?.split(';')[0] ?? '' })).status).toBe(303)
    expect(await isSignedIn(browser)).toBe(true)
  })

  const signedInAgain = async (server: Server): Promise<Browser> => {
    const browser = browserOf(server)
    await signIn(browser)
    return browser
  }
})

/** Connects the account of a browser that is signed in with the person at the provider. */
const connect = async (browser: Browser, current = password) => {
  const page = await browser.post('/settings/account/oidc', { current })
  const url = /href="(http:[^"]+\/authorize[^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&')
  if (url === undefined) return page
  const back = await fetch(url, { redirect: 'manual' })
  return browser.get((back.headers.get('location') ?? '').replace(origin, ''))
}

describe('who gets in', () => {
  test.each<[string, string, object, string | null]>([
    ['anybody whose address is verified, with all', 'all', {}, null],
    ['who has the domain', 'domain:Example.com', {}, null],
    ['nobody of another domain', 'domain:example.org', {}, 'There is no account for ada@example.com.'],
    ['nobody of a domain that ends alike', 'domain:ample.com', {}, 'There is no account for'],
    ['nobody without an account', 'invited', {}, 'There is no account for ada@example.com.'],
    ['nobody whose address is not verified', 'all', { email_verified: false }, 'does not confirm that'],
    ['nobody whose address is verified in words', 'all', { email_verified: 'true' }, 'does not confirm that'],
    ['nobody without a word on that', 'all', { email_verified: undefined }, 'does not confirm that'],
    ['nobody without an address', 'all', { email: undefined }, 'does not confirm that'],
    ['nobody with an address that is none', 'all', { email: 'ada' }, 'does not confirm that'],
    ['nobody with a number', 'domain:example.com', { email: 5 }, 'does not confirm that'],
  ])('%s', async (_name, policy, claims, problem) => {
    const { provider, server } = await start({ FORMBOX_OIDC_USERS: policy })
    Object.assign(provider.person, claims)
    const browser = browserOf(server)
    const answer = await signIn(browser)
    expect(answer.status).toBe(problem === null ? 303 : 403)
    if (problem !== null) expect(answer.html).toContain(problem)
    expect(await isSignedIn(browser)).toBe(problem === null)
    expect(rowsIn(server.folder)).toHaveLength(problem === null ? 1 : 0)
  })

  test('who was given an account without a password: the first verified person with its address, and no other', async () => {
    const { provider, server } = await start({ FORMBOX_OIDC_USERS: 'invited' })
    writeTo(server.folder, (db) =>
      db
        .insert(users)
        .values({ id: '0'.repeat(28), email: 'ada@example.com', passwordHash: 'x', hasPassword: false })
        .run(),
    )
    provider.person.email = 'ADA@Example.com'
    const browser = browserOf(server)
    expect((await signIn(browser)).status).toBe(303)
    provider.person.sub = 'person-2'
    expect((await signIn(browserOf(server))).status).toBe(403)
    expect(rowsIn(server.folder)).toEqual([{ email: 'ada@example.com', hasPassword: false, subject: 'person-1' }])
    expect((await browser.get('/settings/account')).html).toContain('which is your only way to sign in')
    await browser.post('/settings/account/oidc/disconnect')
    expect(rowsIn(server.folder)).toMatchObject([{ subject: 'person-1' }])
  })

  test('who was invited to a form, without the link: the account sees the form, and owns none', async () => {
    const { provider, server } = await start({ FORMBOX_OIDC_USERS: 'invited' })
    const bob = await server.signUp('bob@example.com')
    const form = await bob.createForm({ title: 'Shared' })
    const { body } = await bob.call('POST', `/forms/${form}/members`, { email: 'Ada@example.com', role: 'reader' })
    expect(body.state).toBe('invited')
    const invitation = new URL(body.inviteUrl).pathname
    expect((await browserOf(server).get(invitation)).html).toContain('Sign in with Example ID')
    provider.person.email_verified = false
    expect((await signIn(browserOf(server))).status).toBe(403)
    provider.person.email_verified = true
    const ada = browserOf(server)
    expect((await signIn(ada)).status).toBe(303)
    expect((await ada.get(`/forms/${form}`)).html).toContain('Shared')
    expect((await ada.get(invitation)).status).toBe(404)
    writeTo(server.folder, (db) => {
      const user = db
        .select()
        .from(users)
        .all()
        .find(({ email }) => email === 'ada@example.com')
      expect(user).toMatchObject({ mayOwnForms: false, hasPassword: false })
    })
    provider.person.sub = 'person-2'
    provider.person.email = 'eve@example.com'
    expect((await signIn(browserOf(server))).html).toContain('There is no account for eve@example.com.')
  })

  test('no one by an invitation that was taken back', async () => {
    const { server } = await start({ FORMBOX_OIDC_USERS: 'invited' })
    const bob = await server.signUp('bob@example.com')
    const form = await bob.createForm()
    const { body } = await bob.call('POST', `/forms/${form}/members`, { email: 'ada@example.com', role: 'reader' })
    expect((await bob.call('DELETE', `/forms/${form}/members/${body.id}`)).status).toBe(200)
    expect((await signIn(browserOf(server))).status).toBe(403)
  })

  test('who was invited, with FORMBOX_OIDC_ONLY through the provider alone', async () => {
    const { server } = await start({ FORMBOX_OIDC_USERS: 'invited', FORMBOX_OIDC_ONLY: 'true' })
    const bob = await server.signUp('bob@example.com')
    const form = await bob.createForm()
    const { body } = await bob.call('POST', `/forms/${form}/members`, { email: 'ada@example.com', role: 'reader' })
    const { pathname } = new URL(body.inviteUrl)
    const ada = browserOf(server)
    const page = await ada.get(pathname)
    expect(page.html).toContain('Sign in with Example ID')
    expect(page.html).not.toContain('type="password"')
    expect((await ada.post(pathname, { password })).cookies).toEqual([])
    expect(rowsIn(server.folder)).toHaveLength(1)
    expect((await signIn(ada)).status).toBe(303)
  })

  test.each(['invited', 'all', 'domain:example.com'])(
    'not into an account with a password before its user has connected it, with %s',
    async (policy) => {
      const { server } = await start({ FORMBOX_OIDC_USERS: policy })
      await createUser(server)
      const browser = browserOf(server)
      const refused = await signIn(browser)
      expect(refused.status).toBe(403)
      expect(refused.html).toContain('There is an account for ada@example.com with a password.')
      expect(await isSignedIn(browser)).toBe(false)
      expect(rowsIn(server.folder)).toMatchObject([{ subject: null }])
      await browser.signIn()
      expect((await connect(browser)).location).toBe('/settings/account?done=connected#notice')
      const other = browserOf(server)
      expect((await signIn(other)).status).toBe(303)
      expect((await other.get('/settings/account')).html).toContain('Your account is connected with Example ID.')
      await other.post('/settings/account/oidc/disconnect')
      expect((await signIn(browserOf(server))).status).toBe(403)
    },
  )

  describe('in the place of an account that someone else made with the link of an invitation', () => {
    /** Bob invites Ada, and opens the link himself. */
    const squat = async (server: Server) => {
      const bob = await server.signUp('bob@example.com')
      const trap = await bob.createForm({ title: 'Trap' })
      const { body } = await bob.call('POST', `/forms/${trap}/members`, { email: 'ada@example.com', role: 'reader' })
      const squatter = browserOf(server)
      await squatter.post(new URL(body.inviteUrl).pathname, { password })
      const eve = await server.signUp('eve@example.com')
      const form = await eve.createForm({ title: 'Secret' })
      await eve.call('POST', `/forms/${form}/members`, { email: 'ada@example.com', role: 'reader' })
      return { bob, trap, squatter, form }
    }

    test.each(['invited', 'all', 'domain:example.com'])(
      'the person with the verified address, with %s',
      async (policy) => {
        const { provider, server } = await start({ FORMBOX_OIDC_USERS: policy })
        const { bob, trap, squatter, form } = await squat(server)
        // The squatter connects a person of their own, with another address, and turns on two-step sign-in.
        Object.assign(provider.person, { sub: 'squatter', email: 'squatter@example.org' })
        expect((await connect(squatter)).location).toBe('/settings/account?done=connected#notice')
        const page = '/settings/account/second-factor'
        const secret = secretOn((await squatter.get(page)).html)
        const turnedOn = await squatter.post(page, { secret, code: codeFor(secret, Date.now()), current: password })
        expect(turnedOn.status).toBe(200)
        const pending = await browserOf(server).signIn('ada@example.com')
        expect(stateOn(pending.html)).not.toBe('')

        Object.assign(provider.person, { sub: 'person-1', email: 'ada@example.com', email_verified: false })
        expect((await signIn(browserOf(server))).status).toBe(403)
        provider.person.email_verified = true
        const ada = browserOf(server)
        expect(await signIn(ada)).toMatchObject({ status: 303, location: '/' })

        expect((await ada.get(`/forms/${form}`)).html).toContain('Secret')
        expect((await ada.get(`/forms/${trap}`)).status).toBe(403)
        expect((await ada.get('/forms')).html).toContain('Not shared with you any more')
        expect(await isSignedIn(squatter)).toBe(false)
        expect((await browserOf(server).signIn('ada@example.com')).status).toBe(401)
        const late = await browserOf(server).post('/sign-in/code', {
          state: stateOn(pending.html),
          code: codeFor(secret, Date.now() + 30_000),
        })
        expect(late.status).not.toBe(303)
        expect((await bob.call('GET', `/forms/${trap}/members`)).body.members).toEqual([])
        expect(rowsIn(server.folder).filter(({ email }) => email === 'ada@example.com')).toEqual([
          { email: 'ada@example.com', hasPassword: false, subject: 'person-1' },
        ])
        const mayOwn = writeTo(server.folder, (db) => db.select().from(users).all()).at(-1)?.mayOwnForms
        expect(mayOwn).toBe(policy !== 'invited')
        // The squatter's person signs in as no one, or as someone else.
        Object.assign(provider.person, { sub: 'squatter', email: 'squatter@example.org' })
        const again = browserOf(server)
        await signIn(again)
        expect((await again.get(`/forms/${form}`)).status).not.toBe(200)
        expectSound(server.folder)
      },
    )

    test('the person who uses the account, with a new one instead', async () => {
      const { server } = await start({ FORMBOX_OIDC_USERS: 'invited' })
      const { squatter: grace, form } = await squat(server)
      const other = browserOf(server)
      await other.signIn('ada@example.com')
      expect((await grace.get('/settings/account')).html).toContain('connect your account with Example ID')
      expect((await connect(grace)).location).toBe('/')
      expect((await grace.get(`/forms/${form}`)).status).toBe(200)
      expect((await grace.get('/settings/account')).html).not.toContain('You have not proved')
      expect(await isSignedIn(other)).toBe(false)
      expect((await browserOf(server).signIn('ada@example.com')).status).toBe(401)
      expect(rowsIn(server.folder).at(-1)).toEqual({
        email: 'ada@example.com',
        hasPassword: false,
        subject: 'person-1',
      })
      expectSound(server.folder)
    })

    test('not a person who has another account', async () => {
      const { provider, server } = await start()
      Object.assign(provider.person, { email: 'old@example.com' })
      await signIn(browserOf(server))
      const { squatter } = await squat(server)
      Object.assign(provider.person, { email: 'ada@example.com' })
      const same = browserOf(server)
      await signIn(same)
      expect((await same.get('/settings/account')).html).toContain('old@example.com')
      expect((await connect(squatter)).status).toBe(403)
      expect(await isSignedIn(squatter)).toBe(true)
    })
  })

  test('no one as a user who is disabled', async () => {
    const { server } = await start()
    await signIn(browserOf(server))
    writeTo(server.folder, (db) => db.update(users).set({ disabledAt: 1 }).run())
    const refused = await signIn(browserOf(server))
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('This account is disabled.')
  })
})

describe('connecting an account', () => {
  test('asks for the password, and does nothing with a wrong one', async () => {
    const { provider, server } = await start()
    await createUser(server)
    const browser = browserOf(server)
    await browser.signIn()
    expect((await connect(browser, 'wrong')).location).toBe('/settings/account?done=not-connected#notice')
    expect(provider.asked).toEqual([])
    expect(rowsIn(server.folder)).toMatchObject([{ subject: null }])
  })

  test('is not done for a browser in which another session has begun since', async () => {
    const { server } = await start()
    await createUser(server)
    await createUser(server, 'eve@example.com')
    const browser = browserOf(server)
    await browser.signIn()
    const page = await browser.post('/settings/account/oidc', { current: password })
    const url = /href="(http:[^"]+\/authorize[^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    await browser.signIn('eve@example.com')
    const back = await fetch(url, { redirect: 'manual' })
    const refused = await browser.get((back.headers.get('location') ?? '').replace(origin, ''))
    expect(refused.status).toBe(400)
    expect(rowsIn(server.folder).map(({ subject }) => subject)).toEqual([null, null])
  })

  test('is refused for a second person, until the first one is disconnected', async () => {
    const { provider, server } = await start()
    await createUser(server)
    const browser = browserOf(server)
    await browser.signIn()
    expect((await connect(browser)).status).toBe(303)
    provider.person.sub = 'person-2'
    const refused = await connect(browser)
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('one of them already has another connection')
    expect((await signIn(browserOf(server))).status).toBe(403)
    await browser.post('/settings/account/oidc/disconnect')
    expect((await connect(browser)).status).toBe(303)
    expect(rowsIn(server.folder)).toMatchObject([{ subject: 'person-2' }])
  })

  test('is refused for a person who has another account', async () => {
    const { provider, server } = await start()
    await signIn(browserOf(server))
    await createUser(server, 'eve@example.com')
    const eve = browserOf(server)
    await eve.signIn('eve@example.com')
    expect((await connect(eve)).status).toBe(403)
    expect(provider.person.sub).toBe('person-1')
    expect(rowsIn(server.folder)).toMatchObject([{ subject: 'person-1' }, { subject: null }])
  })
})

describe('a browser that comes back', () => {
  test('is refused with the state of another browser, without one, and with a cookie that is forged', async () => {
    const { provider, server } = await start()
    const [ada, eve] = [browserOf(server), browserOf(server)]
    const backOfEve = await goThere(eve)
    await goThere(ada)
    const refusals = [
      await ada.get(backOfEve),
      await browserOf(server).get(backOfEve),
      await ada.get(backOfEve.replace(/state=[^&]+/, 'state=')),
      await ada.get('/sign-in/oidc?code=x'),
      await ada.get('/sign-in/oidc?error=access_denied'),
    ]
    const begun = await eve.get('/sign-in/oidc')
    const cookie = begun.cookie?.split(';')[0] ?? ''
    const state = new URL(begun.location ?? '').searchParams.get('state')
    const forged = [
      cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A'),
      cookie.replace(/=\d{13}/, (text) => `=${Number(text.slice(1)) + 1}`),
      cookie.replace(/\.\.([\w-]*)\./, `..${base64url('/settings/keys')}.`),
      cookie.replace(/\.\./, `.${'0'.repeat(28)}.`),
    ]
    for (const other of forged)
      refusals.push(await browserOf(server).get(`/sign-in/oidc?code=x&state=${state}`, { cookie: other }))
    for (const { status, html, cookies } of refusals) {
      expect(status).toBe(400)
      expect(html).toContain('started in another browser')
      expect(cookies).toHaveLength(1)
    }
    expect(provider.asked).not.toContain('/token')
    expect(rowsIn(server.folder)).toEqual([])
  })

  test('is refused with a code that was used, though it kept its cookie', async () => {
    const { server } = await start()
    const browser = browserOf(server)
    const begun = await browser.get('/sign-in/oidc')
    const cookie = begun.cookie?.split(';')[0] ?? ''
    const back = await fetch(begun.location ?? '', { redirect: 'manual' })
    const path = (back.headers.get('location') ?? '').replace(origin, '')
    expect((await browserOf(server).get(path, { cookie })).status).toBe(303)
    const again = await browserOf(server).get(path, { cookie })
    expect(again.status).toBe(400)
    expect(again.html).toContain('has already been used')
    expect(again.cookies).toHaveLength(1)
    expect(takeReported()).toEqual([])
  })

  test.skipIf(isCompiled)('is refused after ten minutes', async () => {
    let now = Date.now()
    const provider = await startProvider()
    const settings = { ...provider.settings, FORMBOX_OIDC_USERS: 'all' }
    const server = await startServer({ settings, now: () => now })
    const browser = browserOf(server)
    const back = await goThere(browser)
    now += 600_000
    expect((await browser.get(back)).html).toContain('more than ten minutes ago')
  })

  test('is told when the provider says no', async () => {
    const { provider, server } = await start()
    provider.changes.callback = (answer) => {
      answer.delete('code')
      answer.set('error', 'access_denied')
    }
    const refused = await signIn(browserOf(server))
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('Example ID did not sign you in, or you declined there (access_denied).')
    expect(takeReported()).toEqual([])
  })

  test.each<[string, NonNullable<TestProvider['changes']['callback']>]>([
    ['with the issuer of another provider', (answer) => answer.set('iss', 'https://evil.example')],
    ['with two codes', (answer) => answer.append('code', 'x')],
    ['without a code', (answer) => answer.delete('code')],
    ['with an empty code', (answer) => answer.set('code', '')],
    ['with a token in place of a code', (answer) => answer.set('id_token', 'x.y.z')],
    ['with an answer in a token', (answer) => answer.set('response', 'x.y.z')],
    ['with two errors', (answer) => void [answer.append('error', 'a'), answer.append('error', 'b')]],
  ])('is refused %s, which is no error of the server', async (_name, callback) => {
    const { provider, server } = await start()
    provider.changes.callback = callback
    const refused = await signIn(browserOf(server))
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('Please sign in again')
    expect(takeReported()).toEqual([])
    expect(provider.asked).not.toContain('/token')
    expect(rowsIn(server.folder)).toEqual([])
  })

  test('ten times with codes that the provider refuses has to wait', async () => {
    const { server } = await start()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) {
      const browser = browserOf(server)
      const back = await goThere(browser)
      statuses.push((await browser.get(back.replace(/code=[^&]+/, 'code=guess'))).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
    expect(takeReported()).toEqual([])
  })
})

describe('a token', () => {
  const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
  const seconds = () => Math.floor(Date.now() / 1000)

  test.each<[string, (provider: TestProvider) => TestProvider['changes']]>([
    ['without a signature', () => ({ header: () => ({ alg: 'none' }), token: (_, signed) => `${signed}.` })],
    ['that names no algorithm', () => ({ header: () => ({ kid: 'one' }) })],
    [
      'signed with HS256 and the public key',
      ({ publicKey }) => ({
        header: () => ({ alg: 'HS256', kid: 'one' }),
        token: (_, signed) => hs256(signed, JSON.stringify(publicKey)),
      }),
    ],
    [
      'signed with HS256 and the secret of the client, though the provider lists it',
      () => ({
        metadata: (honest) => ({ ...honest, id_token_signing_alg_values_supported: ['HS256', 'none', 'RS256'] }),
        header: () => ({ alg: 'HS256' }),
        token: (_, signed) => hs256(signed, 'a secret of the client: %+'),
      }),
    ],
    ['whose signature is changed', () => ({ token: (honest) => `${honest.slice(0, -9)}${other(honest.slice(-9))}` })],
    [
      'whose claims are changed',
      () => ({
        token: (honest) => {
          const [header, payload = '', signature] = honest.split('.')
          const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
          return `${header}.${base64url({ ...claims, sub: 'admin' })}.${signature}`
        },
      }),
    ],
    ['that names a key which is not there', () => ({ header: (honest) => ({ ...honest, kid: 'two' }) })],
    ['with a key of its own', () => ({ header: ({ alg }) => ({ alg, jwk: { kty: 'RSA' } }), keys: () => [] })],
    ['with critical extensions', () => ({ header: (honest) => ({ ...honest, crit: ['x'], x: 1 }) })],
    ['that expired a minute ago', () => ({ claims: (honest) => ({ ...honest, exp: seconds() - 61 }) })],
    ['without an end', () => ({ claims: ({ exp, ...rest }) => rest })],
    ['of another audience', () => ({ claims: (honest) => ({ ...honest, aud: 'other' }) })],
    ['of another authorized party', () => ({ claims: (honest) => ({ ...honest, aud: ['formbox', 'x'], azp: 'x' }) })],
    ['of another issuer', () => ({ claims: (honest) => ({ ...honest, iss: 'https://evil.example' }) })],
    ['with another nonce', () => ({ claims: (honest) => ({ ...honest, nonce: other(String(honest.nonce)) }) })],
    ['without a nonce', () => ({ claims: ({ nonce, ...rest }) => rest })],
    ['without a subject', () => ({ claims: ({ sub, ...rest }) => rest })],
    ['with an empty subject', () => ({ claims: (honest) => ({ ...honest, sub: '' }) })],
    ['with a long subject', () => ({ claims: (honest) => ({ ...honest, sub: 'x'.repeat(256) }) })],
    ['that is none', () => ({ token: () => 'x.y.z' })],
    ['that is not there', () => ({ answer: ({ id_token, ...rest }) => rest })],
    [
      'in an answer that is no JSON',
      () => ({ respond: (path) => (path === '/token' ? new Response('<html>') : undefined) }),
    ],
  ])('%s is refused, and the reason is in the log', async (_name, changes) => {
    const { provider, server } = await start()
    Object.assign(provider.changes, changes(provider))
    const browser = browserOf(server)
    const refused = await signIn(browser)
    expect(refused.status).toBe(502)
    expect(refused.html).toContain('The response from Example ID is not valid.')
    expect(refused.cookies).toHaveLength(1)
    expect(await isSignedIn(browser)).toBe(false)
    expect(rowsIn(server.folder)).toEqual([])
    const reported = takeReported().join('\n')
    expect(reported).toContain('sign-in through the OpenID Connect provider failed: ')
    expect(reported).not.toContain('a secret of the client')
  })

  test('is taken for less than a minute after its end, for clocks that differ', async () => {
    const { provider, server } = await start()
    provider.changes.claims = (honest) => ({ ...honest, exp: seconds() - 30 })
    expect((await signIn(browserOf(server))).status).toBe(303)
  })

  test('that another provider signed is refused', async () => {
    const { provider, server } = await start()
    const stranger = await startProvider()
    provider.changes.keys = () => [stranger.publicKey as never]
    expect((await signIn(browserOf(server))).status).toBe(502)
    expect(takeReported()).toHaveLength(1)
  })
})

describe('the keys of a provider', () => {
  test('are asked for once a minute, whatever tokens name', async () => {
    const { provider, server } = await start()
    provider.changes.header = (honest) => ({ ...honest, kid: 'unknown' })
    for (let i = 0; i < 4; i++) expect((await signIn(browserOf(server))).status).toBe(502)
    expect(provider.asked.filter((path) => path === '/keys')).toHaveLength(1)
    expect(provider.asked.filter((path) => path.startsWith('/.well-known'))).toHaveLength(1)
    expect(takeReported()).toHaveLength(1)
  })

  test.skipIf(isCompiled)('are asked for again a minute later, when they were changed', async () => {
    const { provider, server } = await start()
    expect((await signIn(browserOf(server))).status).toBe(303)
    provider.changes.header = (honest) => ({ ...honest, kid: 'two' })
    provider.changes.keys = ([key]) => [{ ...key, kid: 'two' }]
    expect((await signIn(browserOf(server))).status).toBe(502)
    setSystemTime(Date.now() + 61_000)
    expect((await signIn(browserOf(server))).status).toBe(303)
    expect(provider.asked.filter((path) => path === '/keys')).toHaveLength(2)
    expect(takeReported()).toHaveLength(1)
  })

  test.skipIf(isCompiled)('are asked for by the first sign-in a minute after the last time', async () => {
    const begin = Math.ceil(Date.now() / 1000) * 1000
    const at = (milliseconds: number) => setSystemTime(begin + milliseconds)
    at(900)
    const { provider, server } = await start()
    expect((await signIn(browserOf(server))).status).toBe(303)
    provider.changes.header = (honest) => ({ ...honest, kid: 'two' })
    provider.changes.keys = ([key]) => [{ ...key, kid: 'two' }]
    // In whole seconds, as the library counts, this is a minute later. It is 0.2 s less.
    at(60_700)
    expect((await signIn(browserOf(server))).status).toBe(502)
    at(60_900)
    expect((await signIn(browserOf(server))).status).toBe(303)
    expect(provider.asked.filter((path) => path === '/keys')).toHaveLength(2)
    expect(takeReported()).toHaveLength(1)
  })

  test('are asked for once by many who sign in at the same time', async () => {
    const { provider, server } = await start()
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await signIn(browserOf(server))).status))
    expect(statuses).toContain(303)
    expect(provider.asked.filter((path) => path === '/keys')).toHaveLength(1)
  })

  test.each<[string, TestProvider['changes'], number]>([
    ['that are empty', { keys: () => [] }, 502],
    ['that are no list', { respond: (path) => (path === '/keys' ? Response.json({ keys: 'x' }) : undefined) }, 502],
    ['that are too many', { keys: (honest) => [...honest, { kty: 'RSA', n: 'x'.repeat(300_000) }] }, 503],
    [
      'that redirect',
      { respond: (path) => (path === '/keys' ? Response.redirect('http://127.0.0.1:1/', 302) : undefined) },
      502,
    ],
    [
      'that are compressed to almost nothing',
      {
        respond: (path) =>
          path === '/keys'
            ? new Response(Bun.gzipSync(Buffer.alloc(1_000_000, ' ')), {
                headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
              })
            : undefined,
      },
      502,
    ],
  ])('%s sign no one in', async (_name, changes, status) => {
    const { provider, server } = await start()
    Object.assign(provider.changes, changes)
    expect((await signIn(browserOf(server))).status).toBe(status)
    expect(takeReported()).toHaveLength(1)
    expect(rowsIn(server.folder)).toEqual([])
  })

  const trickling = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(20)
          controller.enqueue(new Uint8Array([32]))
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )

  test.each<[string, () => Response | Promise<Response>]>([
    ['never come', () => new Promise<Response>(() => {})],
    ['come byte by byte, without an end', trickling],
  ])('that %s end in time', async (_name, answer) => {
    const { provider, server } = await start()
    provider.changes.respond = (path) => (path === '/keys' ? answer() : undefined)
    expect((await signIn(browserOf(server))).status).toBe(503)
    expect(takeReported()).toHaveLength(1)
  })
})

describe('metadata', () => {
  test.each<[string, (honest: Record<string, unknown>) => Record<string, unknown>, number]>([
    ['of another issuer', (honest) => ({ ...honest, issuer: 'https://evil.example' }), 502],
    ['without an endpoint', ({ authorization_endpoint, ...rest }) => rest, 502],
    [
      'with an endpoint that runs scripts',
      (honest) => ({ ...honest, authorization_endpoint: 'javascript:alert(1)' }),
      502,
    ],
    ['without an issuer', ({ issuer, ...rest }) => rest, 502],
  ])('%s leads no one anywhere', async (_name, metadata, status) => {
    const { provider, server } = await start()
    provider.changes.metadata = metadata
    const refused = await browserOf(server).get('/sign-in/oidc')
    expect(refused.status).toBe(status)
    expect(takeReported()).toHaveLength(1)
  })

  test.each([
    ['a neighbour', 'https://10.0.0.1/keys'],
    ['the metadata of a cloud', 'https://169.254.169.254/keys'],
    ['this machine by another name', 'https://localhost/keys'],
    ['plain http', 'http://192.0.2.1/keys'],
  ])('leads the server to no address of %s', async (_name, url) => {
    const { provider, server } = await start()
    provider.changes.metadata = (honest) => ({ ...honest, jwks_uri: url })
    expect((await signIn(browserOf(server))).status).toBe(503)
    expect(takeReported().join()).toMatch(/The address is not public|not https/)
  })

  test('leads to a client that sends its secret in the body, where the provider wants that', async () => {
    const { provider, server } = await start()
    provider.changes.metadata = (honest) => ({
      ...honest,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    })
    expect((await signIn(browserOf(server))).status).toBe(303)
  })
})

describe('a provider that is down', () => {
  test('says so, and leaves the password as it is', async () => {
    const { provider, server } = await start()
    await createUser(server)
    provider.stop()
    const browser = browserOf(server)
    for (let i = 0; i < 3; i++) {
      const refused = await browser.get('/sign-in/oidc')
      expect(refused.status).toBe(503)
      expect(refused.html).toContain('Example ID is not responding.')
      expect(refused.link('Back to sign-in')).toBe('/sign-in')
    }
    expect(takeReported()).toHaveLength(1)
    expect((await browser.get('/sign-in')).html).toContain('Password')
    expect((await browser.signIn()).status).toBe(303)
  })
})

test.skipIf(isCompiled)('a failure while the clock was ahead is over when the clock is right again', async () => {
  const right = Date.now()
  let now = right + 30 * 86_400_000
  const provider = await startProvider()
  const settings = { ...provider.settings, FORMBOX_OIDC_USERS: 'all' }
  const server = await startServer({ settings, now: () => now })
  provider.changes.metadata = (honest) => ({ ...honest, issuer: 'https://evil.example' })
  expect((await browserOf(server).get('/sign-in/oidc')).status).toBe(502)
  expect(takeReported()).toHaveLength(1)

  now = right
  expect((await browserOf(server).get('/sign-in/oidc')).status).toBe(502)
  expect(takeReported()).toHaveLength(1)

  provider.changes.metadata = (honest) => honest
  now += 5000
  expect((await signIn(browserOf(server))).status).toBe(303)
})

describe('a provider whose tokens fail', () => {
  test('keeps no one at that address from the password', async () => {
    const { provider, server } = await start()
    await createUser(server)
    provider.changes.respond = (path) => (path === '/token' ? new Response('', { status: 503 }) : undefined)
    for (let i = 0; i < 10; i++) expect((await signIn(browserOf(server))).status).not.toBe(303)
    expect((await browserOf(server).signIn()).status).toBe(303)
    takeReported()
  })
})

test('the guide explains what pages and the log say, in their words', async () => {
  const said: string[] = []
  const fail = async (changes: TestProvider['changes'], person: object = {}) => {
    const { provider, server } = await start()
    Object.assign(provider.changes, changes)
    Object.assign(provider.person, person)
    const browser = browserOf(server)
    const { location, html } = await browser.get('/sign-in/oidc')
    said.push(html, location ? (await signIn(browser)).html : '', takeReported().join())
  }
  await fail({}, { email_verified: false })
  await fail({ callback: (answer) => void [answer.delete('code'), answer.set('error', 'access_denied')] })
  await fail({ callback: (answer) => answer.set('state', 'x') })
  const refusal = () => Response.json({ error: 'invalid_client' }, { status: 401 })
  await fail({ respond: (path) => (path === '/token' ? refusal() : undefined) })
  await fail({ header: (honest) => ({ ...honest, alg: 'HS256' }) })
  await fail({ metadata: (honest) => ({ ...honest, issuer: 'https://evil.example' }) })
  await fail({ metadata: (honest) => ({ ...honest, jwks_uri: 'https://192.168.0.1/keys' }) })
  const { provider, server } = await start()
  provider.stop()
  said.push((await browserOf(server).get('/sign-in/oidc')).html, takeReported().join())

  const guide = await Bun.file('docs/single-sign-on.md').text()
  const messages = rowsOf(guide, 'If it does not work').map(([cell = '']) => /`(.+?)(?: \(…\))?`/.exec(cell)?.[1] ?? '')
  expect(messages).toHaveLength(8)
  expect(messages.filter((message) => !said.some((text) => text.includes(message)))).toEqual([])
})

describe('a form whose session has ended', () => {
  test.each(['false', 'true'])(
    'is kept on the page while its user signs in in another tab, only so: %s',
    async (only) => {
      const { server } = await start({ FORMBOX_OIDC_ONLY: only })
      const browser = browserOf(server)
      await signIn(browser)
      await browser.post('/sign-out')
      const ended = await browser.post('/forms/new', { title: 'Kept' })
      expect(ended.html).toContain('This page keeps what you sent until then.')
      expect(ended.html).toContain('href="/sign-in/oidc" target="_blank"')
      const held = /name="held" value="([^"]+)"/.exec(ended.html)?.[1] ?? ''
      const early = await browser.post('/sign-in/go-on', { next: '/forms/new', held })
      expect(early.status).toBe(401)
      expect(early.html).toContain('You have not signed in yet.')
      expect(early.html).toContain(`name="held" value="${held}"`)
      await signIn(browser)
      const fields = { next: '/forms/new', held }
      expect(await browser.post('/sign-in/go-on', fields)).toMatchObject({ status: 307, location: '/forms/new' })
      expect((await browser.post('/forms/new', fields)).html).toContain('Kept')
      expect((await browser.post('/sign-in/go-on', { next: '//evil.example' })).location).toBe('/')
    },
  )
})

describe('FORMBOX_OIDC_ONLY', () => {
  test('takes no password, until the operator has set one: then for an hour, at its own address', async () => {
    const { server } = await start({ FORMBOX_OIDC_ONLY: 'true' })
    const userId = await createUser(server)
    const browser = browserOf(server)
    const page = await browser.get('/sign-in')
    expect(page.html).toContain('Sign in with Example ID')
    expect(page.html).not.toContain('type="password"')
    const refused = await browser.signIn()
    expect(refused.status).toBe(401)
    expect(await isSignedIn(browser)).toBe(false)
    const way = await browser.get('/sign-in?with=password')
    expect(way.html).toContain('type="password"')
    const fields = { email: 'ada@example.com', password, with: 'password' }
    const again = await browser.post('/sign-in', fields)
    expect(again.status).toBe(401)
    expect(again.html).toContain('type="password"')
    writeTo(server.folder, (db) =>
      db
        .update(users)
        .set({ passwordUntil: Date.now() - 1 })
        .run(),
    )
    expect((await browser.post('/sign-in', fields)).status).toBe(401)
    writeTo(server.folder, (db) =>
      db
        .update(users)
        .set({ passwordUntil: Date.now() + 60_000 })
        .run(),
    )
    expect((await browser.post('/sign-in', fields)).status).toBe(303)
    expect(userId).toHaveLength(28)
  })

  test('says how to connect an account with a password, which does not sign in', async () => {
    const { server } = await start({ FORMBOX_OIDC_ONLY: 'true' })
    await createUser(server)
    const refused = await signIn(browserOf(server))
    expect(refused.status).toBe(403)
    expect(refused.html).toContain('Ask the person who runs this server for a new password.')
  })

  test('lets the set-up link make an account for an address, which the provider has to verify', async () => {
    const { provider, server } = await start({ FORMBOX_OIDC_ONLY: 'true', FORMBOX_OIDC_USERS: 'invited' })
    const setupPath = server.setupPath ?? ''
    const browser = browserOf(server)
    const page = await browser.get(setupPath)
    expect(page.html).toContain('The one that Example ID has verified as yours.')
    expect(page.html).not.toContain('type="password"')
    const token = setupPath.replace(/.*=/, '')
    const wrong = await browser.post('/setup', { token, email: 'ada' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('id="email-error"')
    expect(wrong.html).not.toContain('type="password"')
    const made = await browser.post('/setup', { token, email: ' Ada@Example.com', password })
    expect(made).toMatchObject({ status: 303, location: '/sign-in?done=set-up', cookies: [] })
    expect(rowsIn(server.folder)).toEqual([{ email: 'ada@example.com', hasPassword: false, subject: null }])
    const next = await browser.get('/sign-in?done=set-up')
    expect(next.html).toContain('The account was created. Now sign in to it.')
    expect(next.html).toContain('Sign in with Example ID')

    provider.person.email_verified = false
    expect((await signIn(browser)).status).toBe(403)
    Object.assign(provider.person, { email: 'eve@example.com', email_verified: true })
    expect((await signIn(browser)).html).toContain('There is no account for eve@example.com.')
    provider.person.email = 'ada@example.com'
    expect((await signIn(browser)).status).toBe(303)
    expect((await browser.get('/forms/new')).status).toBe(200)
  })

  test('says nothing about a password while the way is closed, and keeps no one out once it is open', async () => {
    const { server } = await start({ FORMBOX_OIDC_ONLY: 'true', FORMBOX_TRUST_PROXY: '127.0.0.1' })
    await createUser(server)
    const from = (address: string, typed: string, email = 'ada@example.com') =>
      visit(server, { origin, 'x-forwarded-for': address }).signIn(email, typed)
    const answersTo = async (address: string, typed: string, email?: string) => {
      const answers = await Promise.all(Array.from({ length: 11 }, () => from(address, typed, email)))
      return answers.map(({ status, html }) => [status, /role="alert">([^<]*)/.exec(html)?.[1]]).toSorted()
    }
    const wrong = await answersTo('192.0.2.1', 'not the password')
    expect(wrong.map(([status]) => status)).toEqual([...Array(10).fill(401), 429])
    expect(await answersTo('192.0.2.2', password)).toEqual(wrong)
    expect(await answersTo('192.0.2.3', password, 'nobody@example.com')).toEqual(wrong)

    const passwordUntil = Date.now() + 60_000
    writeTo(server.folder, (db) => db.update(users).set({ passwordUntil }).run())
    expect((await from('192.0.2.4', password)).status).toBe(303)
    for (let i = 0; i < 10; i++) await from(`192.0.2.${10 + i}`, 'not the password')
    expect((await from('192.0.2.5', password)).status).toBe(429)
  })
})

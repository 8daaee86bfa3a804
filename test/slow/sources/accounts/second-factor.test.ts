import { describe, expect, test } from 'bun:test'
import { nobodysHash } from '../../../../src/accounts/users/passwords.ts'
import { secondFactorWrites, useCode } from '../../../../src/accounts/users/second-factor-writes.ts'
import { stepOf } from '../../../../src/accounts/users/totp.ts'
import { userWrites } from '../../../../src/accounts/users/user-writes.ts'
import { strangers } from '../../../../src/accounts/users/wrong-codes.ts'
import { secondFactors, sessions } from '../../../../src/storage/tables.ts'
import { type Server, startServer, writeTo } from '../../../harness.ts'
import { isCompiled } from '../../../program.ts'
import { codeFor, recoveryCodesOn, secretOn, stateOn } from '../../../totp.ts'
import { createUser, password, signedIn, visit } from '../../../visitor.ts'

const page = '/settings/account/second-factor'
const step = 30_000
const minute = 60_000

/** A clock that only a test moves: by another one, the step of 30 seconds could end in the middle of a test. */
const testClock = () => {
  const clock = { time: Date.parse('2026-11-21T10:00:00Z') }
  return { clock, now: () => clock.time }
}

const proxy = { FORMBOX_TRUST_PROXY: '127.0.0.1' }
let lastAddress = 0
const somewhere = () => ({ 'x-forwarded-for': `192.0.2.${(lastAddress++ % 254) + 1}` })

const rowsIn = (folder: string) => {
  let rows: (typeof secondFactors.$inferSelect)[] = []
  writeTo(folder, (db) => {
    rows = db.select().from(secondFactors).all()
  })
  return rows
}

const sessionsIn = (folder: string): number => {
  let count = -1
  writeTo(folder, (db) => {
    count = db.select().from(sessions).all().length
  })
  return count
}

/** A server whose only user has turned it on, with the code of the step before the current one. */
const startWithFactor = async () => {
  const { clock, now } = testClock()
  const server = await startServer({ now, settings: proxy })
  const ada = await signedIn(server)
  const secret = secretOn((await ada.get(page)).html)
  const code = codeFor(secret, clock.time - step)
  const turnedOn = await ada.post(page, { secret, code, current: password })
  expect(turnedOn.status).toBe(200)
  return { server, ada, secret, clock, turnedOn, recoveryCodes: recoveryCodesOn(turnedOn.html) }
}

/** Types the password in a browser at a new address, and returns it with the state that it got. */
const typePassword = async (server: Server, headers: Record<string, string> = somewhere(), typed = password) => {
  const browser = visit(server, headers)
  const asked = await browser.signIn('ada@example.com', typed)
  const send = (code: string, more: Record<string, string> = {}) =>
    browser.post('/sign-in/code', { state: stateOn(asked.html), next: '/settings/keys', code, ...more })
  return { ...browser, asked, send }
}

describe('one-time passwords', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

  test.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('are those of RFC 6238 at second %d', (second, code) => {
    const sixDigits = code.slice(2)
    expect(stepOf(secret, sixDigits, second * 1000)).toBe(Math.floor(second / 30))
    expect(codeFor(secret, second * 1000)).toBe(sixDigits)
  })

  test('are taken one step before and after their time, and no more', () => {
    const at = 1111111111_000
    const code = codeFor(secret, at)
    for (const [steps, found] of [
      [-2, null],
      [-1, true],
      [0, true],
      [1, true],
      [2, null],
    ] as const)
      expect(stepOf(secret, code, at + steps * step)).toBe(found && Math.floor(at / step))
    for (const wrong of ['', '000000', `${code}0`, code.slice(1), `-${code}`, '１２３４５６'])
      expect(stepOf(secret, wrong, at), wrong).toBeNull()
  })
})

describe.skipIf(isCompiled)('turning on two-step sign-in', () => {
  test('shows ten recovery codes once, stores their hashes only, and ends all other sessions', async () => {
    const { clock, now } = testClock()
    const server = await startServer({ now })
    const ada = await signedIn(server)
    const elsewhere = visit(server)
    await elsewhere.signIn()
    expect((await ada.get('/settings/account')).html).toContain('Turn on two-step sign-in')
    const shown = await ada.get(page)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const secret = secretOn(shown.html)
    const turnedOn = await ada.post(page, { secret, code: codeFor(secret, clock.time), current: password })
    const codes = recoveryCodesOn(turnedOn.html)
    expect(new Set(codes).size).toBe(10)
    const [stored] = rowsIn(server.folder)
    expect(stored).toMatchObject({ userId: ada.userId, secret })
    expect(JSON.parse(stored?.recoveryCodes ?? '')).toHaveLength(10)
    for (const code of codes) expect(stored?.recoveryCodes).not.toContain(code.replaceAll('-', ''))
    expect((await elsewhere.get('/settings/keys')).status).toBe(303)
    const after = await ada.get(page)
    expect(after.html).toContain('You have 10 recovery codes left.')
    expect(recoveryCodesOn(after.html)).toEqual([])
    expect(after.html).not.toContain(secret)
    expect((await ada.get('/settings/account')).html).toContain('Change two-step sign-in')
  })

  test.each([
    ['a wrong code', { code: '000000' }, 'This code is wrong.'],
    ['no code', { code: '' }, 'This code is wrong.'],
    ['a wrong password', { current: 'not the password' }, 'This is not your current password.'],
    ['no password', { current: '' }, 'This is not your current password.'],
  ])('changes nothing with %s, and keeps the secret', async (_name, change, problem) => {
    const { clock, now } = testClock()
    const server = await startServer({ now })
    const ada = await signedIn(server)
    const secret = secretOn((await ada.get(page)).html)
    const refused = await ada.post(page, { secret, code: codeFor(secret, clock.time), current: password, ...change })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain(problem)
    expect(secretOn(refused.html)).toBe(secret)
    expect(refused.html).not.toContain('not the password')
    expect(rowsIn(server.folder)).toEqual([])
  })

  test('takes no secret that Formbox did not make, and another one each time', async () => {
    const { now } = testClock()
    const server = await startServer({ now })
    const ada = await signedIn(server)
    const shown = [secretOn((await ada.get(page)).html)]
    for (const secret of ['', 'A'.repeat(31), 'A'.repeat(33), 'a'.repeat(32), `${'A'.repeat(31)}1`, '"><b>']) {
      const refused = await ada.post(page, { secret, code: '000000', current: password })
      expect(refused.status).toBe(400)
      shown.push(secretOn(refused.html))
    }
    expect(new Set(shown).size).toBe(7)
    expect(shown).not.toContain('')
  })

  test('counts wrong passwords of the session, as changing the password does', async () => {
    const { clock, now } = testClock()
    const server = await startServer({ now })
    const ada = await signedIn(server)
    const secret = secretOn((await ada.get(page)).html)
    const turnOn = (current: string) => ada.post(page, { secret, code: codeFor(secret, clock.time), current })
    const guesses = await Promise.all(Array.from({ length: 11 }, () => turnOn('a wrong guess')))
    expect(guesses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(400), 429])
    expect((await turnOn(password)).status).toBe(429)
    expect(rowsIn(server.folder)).toEqual([])
  })

  test('happens once, though two forms come at the same moment', async () => {
    const { clock, now } = testClock()
    const server = await startServer({ now })
    const ada = await signedIn(server)
    const turnOn = (secret: string) => ada.post(page, { secret, code: codeFor(secret, clock.time), current: password })
    const secrets = [secretOn((await ada.get(page)).html), secretOn((await ada.get(page)).html)]
    const answers = await Promise.all(secrets.map(turnOn))
    const [shown, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect(recoveryCodesOn(shown?.html ?? '')).toHaveLength(10)
    const [stored] = rowsIn(server.folder)
    expect(secrets[answers.indexOf(shown as (typeof answers)[0])]).toBe(stored?.secret ?? '')
    expect((await turnOn(secrets[0] ?? '')).location).toBe(page)
  })
})

describe.skipIf(isCompiled)('two-step sign-in', () => {
  test('asks for a code after the password, and leads to the page asked for', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { asked, send, get, cookie } = await typePassword(server)
    expect(asked.status).toBe(200)
    expect(asked.cookies).toEqual([])
    expect(asked.html).toContain('Enter your code')
    expect(asked.html).toContain('autocomplete="one-time-code"')
    expect(asked.html).toContain('inputmode="numeric"')
    expect((await get('/settings/keys')).status).toBe(303)
    const done = await send(codeFor(secret, clock.time))
    expect(done).toMatchObject({ status: 303, location: '/settings/keys' })
    expect(cookie('session')).not.toBeNull()
    expect((await get('/settings/keys')).status).toBe(200)
  })

  test('takes a code with spaces, as many apps show it', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { send } = await typePassword(server)
    const code = codeFor(secret, clock.time)
    expect((await send(` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(303)
  })

  test('says nothing of itself to who does not know the password', async () => {
    const { server } = await startWithFactor()
    const wrong = await visit(server, somewhere()).signIn('ada@example.com', 'not the password')
    const unknown = await visit(server, somewhere()).signIn('eve@example.com', 'not the password')
    expect(wrong.status).toBe(401)
    expect(wrong.html).toBe(unknown.html.replace('eve@', 'ada@'))
  })

  test('asks a browser for a code in which the account has signed in before', async () => {
    const { server, ada, secret, clock } = await startWithFactor()
    const device = ada.cookie('device') ?? ''
    const { asked, send } = await typePassword(server, { ...somewhere(), cookie: device })
    expect(stateOn(asked.html)).not.toBe('')
    expect((await send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('keeps a form that was sent after the session had ended, through both steps', async () => {
    const { ada, secret, clock } = await startWithFactor()
    await ada.post('/sign-out')
    const ended = await ada.post('/forms/new', { title: 'Kept <title>' })
    const held = /name="held" value="([^"]+)"/.exec(ended.html)?.[1] ?? ''
    const asked = await ada.post('/sign-in', { email: 'ada@example.com', password, next: '/forms/new', held })
    expect(asked.html).toContain(`name="held" value="${held}"`)
    const fields = { state: stateOn(asked.html), next: '/forms/new', held, code: codeFor(secret, clock.time) }
    expect(await ada.post('/sign-in/code', fields)).toMatchObject({ status: 307, location: '/forms/new' })
    expect((await ada.post('/forms/new', fields)).html).toContain('Kept &lt;title&gt;')
  })

  test('takes each code once, and none before one that was used', async () => {
    const { server, secret, clock } = await startWithFactor()
    const first = await typePassword(server)
    expect((await first.send(codeFor(secret, clock.time + step))).status).toBe(303)
    for (const at of [clock.time + step, clock.time]) {
      const again = await typePassword(server)
      const refused = await again.send(codeFor(secret, at))
      expect(refused.status).toBe(401)
      expect(refused.html).toContain('This code was used already. Wait for the next one.')
      expect(refused.cookies).toEqual([])
    }
  })

  test('takes a code once, though it comes many times at the same moment', async () => {
    const { server, secret, clock } = await startWithFactor()
    const browsers = await Promise.all(Array.from({ length: 5 }, () => typePassword(server)))
    const answers = await Promise.all(browsers.map(({ send }) => send(codeFor(secret, clock.time))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401, 401, 401, 401])
    expect(sessionsIn(server.folder)).toBe(2)
  })

  test('does not take the code again with which it was turned on', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { send } = await typePassword(server)
    expect((await send(codeFor(secret, clock.time - step))).html).toContain('was used already')
  })

  test('takes each recovery code once, in any case, also twice at the same moment', async () => {
    const { server, ada, recoveryCodes } = await startWithFactor()
    const [first = '', second = ''] = recoveryCodes
    const typed = ` ${first.toUpperCase().replaceAll('-', ' ')}`
    expect((await (await typePassword(server)).send(typed, { recovery: 'yes' })).status).toBe(303)
    const again = await (await typePassword(server)).send(first, { recovery: 'yes' })
    expect(again.status).toBe(401)
    expect(again.html).toContain('This is not one of your recovery codes, or it was used already.')
    expect(again.html).toContain('<details class="fold" open>')
    const browsers = await Promise.all([typePassword(server), typePassword(server)])
    const answers = await Promise.all(browsers.map(({ send }) => send(second)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401])
    expect((await ada.get(page)).html).toContain('You have 8 recovery codes left.')
  })

  test('goes on after a restart of the server between password and code', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { asked } = await typePassword(server)
    await server.stop()
    const again = await startServer({ folder: server.folder, now: () => clock.time })
    const fields = { state: stateOn(asked.html), code: codeFor(secret, clock.time) }
    expect((await visit(again).post('/sign-in/code', fields)).status).toBe(303)
  })

  test('leads a browser that opens its address again to the first step', async () => {
    const server = await startServer()
    expect(await visit(server).get('/sign-in/code')).toMatchObject({ status: 303, location: '/sign-in' })
  })

  test('does not change what an API key may do', async () => {
    const { server, ada } = await startWithFactor()
    await ada.post('/settings/keys', { name: 'Website' })
    const { createForm } = await server.signUp()
    expect(await createForm()).toMatch(/^\w{28}$/)
    const made = await ada.post('/settings/keys', { name: 'Backup' })
    const shown = await ada.get((made.location ?? '').split('#')[0] ?? '')
    const key = /api_\w+/.exec(shown.html)?.[0] ?? ''
    const answer = await server.fetch('/api/v1/forms', { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
  })
})

describe.skipIf(isCompiled)('the state between password and code', () => {
  test('is worth nothing if it is forged, of another user, of a device or missing', async () => {
    const { server, ada, secret, clock } = await startWithFactor()
    await createUser(server, 'bob@example.com')
    const { asked, post } = await typePassword(server)
    const state = stateOn(asked.html)
    const [userId = '', expiresAt = '', signature = ''] = state.split('.')
    const [, , , signatureOfDevice = ''] = (ada.cookie('device')?.split('=')[1] ?? '').split('.')
    const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    const forged = [
      '',
      userId,
      `${userId}.${expiresAt}`,
      `${userId}.${expiresAt}.`,
      `${userId}.${expiresAt}.${other(signature)}`,
      `${userId}.${expiresAt}.${signatureOfDevice}`,
      `${userId}.${Number(expiresAt) + 1}.${signature}`,
      `${userId}.Infinity.${signature}`,
      `${userId}.NaN.${signature}`,
      `${'0'.repeat(28)}.${expiresAt}.${signature}`,
      `${state}.x`,
      state.slice(0, -1),
    ]
    for (const text of forged) {
      const refused = await post('/sign-in/code', { state: text, code: codeFor(secret, clock.time) })
      expect(refused.status, text).toBe(401)
      expect(refused.html, text).toContain('Sign in again.')
      expect(refused.cookies, text).toEqual([])
    }
    expect((await post('/sign-in/code', { state, code: codeFor(secret, clock.time) })).status).toBe(303)
  })

  test('ends after ten minutes', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { send } = await typePassword(server)
    clock.time += 10 * minute
    expect((await send(codeFor(secret, clock.time))).html).toContain('That took too long')
    const again = await typePassword(server)
    clock.time += 10 * minute - 1
    expect((await again.send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('ends with a new password', async () => {
    const { server, ada, secret, clock } = await startWithFactor()
    const { send } = await typePassword(server)
    await ada.post('/settings/account/password', { current: password, new: 'another long password' })
    expect((await send(codeFor(secret, clock.time))).html).toContain('the account was changed')
    const next = await typePassword(server, somewhere(), 'another long password')
    expect((await next.send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('ends when the user is disabled, gets a password from the operator, or is deleted', async () => {
    const changes = {
      disabled: (userId: string) => (db: Parameters<typeof userWrites>[0]) =>
        userWrites(db).disableUser({ userId, now: Date.now() }),
      reset: (userId: string) => (db: Parameters<typeof userWrites>[0]) =>
        userWrites(db).resetPassword({ userId, passwordHash: nobodysHash }),
      deleted: (userId: string) => (db: Parameters<typeof userWrites>[0]) =>
        userWrites(db).deleteUser({ userId, now: Date.now() }),
    }
    for (const [name, change] of Object.entries(changes)) {
      const { server, ada, secret, clock } = await startWithFactor()
      const { send } = await typePassword(server)
      writeTo(server.folder, change(ada.userId))
      const refused = await send(codeFor(secret, clock.time))
      expect(refused.status, name).toBe(401)
      expect(refused.cookies, name).toEqual([])
      expect(rowsIn(server.folder), name).toHaveLength(name === 'deleted' ? 0 : 1)
      await server.stop()
    }
  })

  test('is not enough where it was turned on between the password and the session', async () => {
    const { clock, now } = testClock()
    const server = await startServer({ now, settings: proxy })
    const ada = await signedIn(server)
    const secret = secretOn((await ada.get(page)).html)
    // The check of the password takes longer than the other form needs, which comes later.
    const signingIn = Array.from({ length: 6 }, () => visit(server, somewhere()).signIn())
    const turnedOn = await ada.post(page, { secret, code: codeFor(secret, clock.time), current: password })
    expect(turnedOn.status).toBe(200)
    await Promise.all(signingIn)
    expect((await ada.get('/settings/keys')).status).toBe(200)
    // Whoever was faster was signed out; no one else has got in.
    expect(sessionsIn(server.folder)).toBe(1)
  })
})

describe.skipIf(isCompiled)('wrong codes', () => {
  test('count as wrong passwords do: ten for an account, wherever they come from', async () => {
    const { server, ada, secret, clock } = await startWithFactor()
    for (let i = 0; i < 10; i++) {
      const { send } = await typePassword(server)
      const refused = await send('000000')
      expect(refused.status).toBe(401)
      expect(refused.html).toContain('This code is wrong.')
      expect(refused.cookies).toEqual([])
    }
    expect((await visit(server, somewhere()).signIn()).status).toBe(429)
    const device = ada.cookie('device') ?? ''
    const known = await typePassword(server, { ...somewhere(), cookie: device })
    expect((await known.send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('are refused with 429 after ten, the right one too, and with the same state', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { send } = await typePassword(server)
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, n) => send(String(n).padStart(6, '0'))))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    const refused = await send(codeFor(secret, clock.time))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 901)
    expect(refused.html).toContain('Too many failed attempts.')
  })

  test('let no one guess for days: after 30 only known browsers and recovery codes are taken', async () => {
    const { server, ada, secret, clock, recoveryCodes } = await startWithFactor()
    for (let round = 0; round < 3; round++) {
      const { send } = await typePassword(server)
      for (let i = 0; i < 10; i++) expect((await send('000000')).status).toBe(401)
      clock.time += 15 * minute
    }
    const stranger = await typePassword(server)
    const refused = await stranger.send(codeFor(secret, clock.time))
    expect(refused.status).toBe(429)
    expect(refused.html).toContain('Too many failed attempts. Try again in 24 hours.')
    expect((await stranger.send(recoveryCodes[0] ?? '')).status).toBe(303)
    const known = await typePassword(server, { ...somewhere(), cookie: ada.cookie('device') ?? '' })
    expect((await known.send(codeFor(secret, clock.time))).status).toBe(303)
    clock.time += 24 * 60 * minute - 15 * minute
    expect((await (await typePassword(server)).send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('are still counted after a restart, which gives no one 30 more', async () => {
    const { server, secret, clock } = await startWithFactor()
    const { folder } = server
    let running = server
    const states: number[] = []
    for (let round = 0; round < 4; round++) {
      const { send } = await typePassword(running)
      for (let i = 0; i < 8; i++) states.push((await send('000000')).status)
      await running.stop()
      running = await startServer({ folder, settings: proxy, now: () => clock.time })
      clock.time += 15 * minute
    }
    expect(states).toEqual([...Array(30).fill(401), 429, 429])
    expect((await (await typePassword(running)).send(codeFor(secret, clock.time))).status).toBe(429)
  })

  test('that come at the same moment are counted before a right one is taken', async () => {
    const { server, secret, clock } = await startWithFactor()
    for (let round = 0; round < 2; round++) {
      const { send } = await typePassword(server)
      for (let i = 0; i < 10; i++) await send('000000')
      clock.time += 15 * minute
    }
    const guess = { guesser: strangers, at: clock.time }
    const [factor] = rowsIn(server.folder)
    const { userId = '', id = '' } = factor ?? {}
    const step = Math.floor(clock.time / 30_000)
    const count = writeTo(server.folder, (db) => {
      const { countWrongCode } = secondFactorWrites(db)
      return Array.from({ length: 12 }, () => countWrongCode({ userId, factor: id, ...guess }) > 0)
    })
    expect(count).toEqual([...Array(10).fill(false), true, true])
    const use = () => writeTo(server.folder, (db) => useCode(db, userId, { factor: id, step, ...guess }))
    expect(use()).toMatchObject({ state: 'wait' })
    const { send } = await typePassword(server)
    expect((await send(codeFor(secret, clock.time))).status).toBe(429)
  })

  test('from browsers that signed in before it was on count for the account, as those of strangers do', async () => {
    const { clock, now } = testClock()
    const server = await startServer({ now, settings: proxy })
    const ada = await signedIn(server)
    const thieves = [visit(server, somewhere()), visit(server, somewhere())]
    for (const thief of thieves) await thief.signIn()
    clock.time += minute
    const secret = secretOn((await ada.get(page)).html)
    await ada.post(page, { secret, code: codeFor(secret, clock.time - step), current: password })
    const statuses: number[] = []
    const states = await Promise.all(thieves.map(async (thief) => stateOn((await thief.signIn()).html)))
    for (const [n, thief] of thieves.entries())
      for (let i = 0; i < 8; i++)
        statuses.push((await thief.post('/sign-in/code', { state: states[n] ?? '', code: '000000' })).status)
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(6).fill(429)])
    const known = await typePassword(server, { ...somewhere(), cookie: ada.cookie('device') ?? '' })
    expect((await known.send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test.each(['a session', 'a known browser'])('of %s are taken thirty times a day, and not for ever', async (where) => {
    const { server, ada, secret, clock, recoveryCodes } = await startWithFactor()
    const known = { ...somewhere(), cookie: ada.cookie('device') ?? '' }
    const guess = async (code: string) => {
      if (where === 'a session') return (await ada.post(`${page}/off`, { off: code })).status
      return (await (await typePassword(server, known)).send(code)).status
    }
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) expect(await guess('000000')).toBe(where === 'a session' ? 400 : 401)
      clock.time += 15 * minute
    }
    expect(await guess(codeFor(secret, clock.time))).toBe(429)
    expect(rowsIn(server.folder)).toHaveLength(1)
    expect(await guess(recoveryCodes[0] ?? '')).toBe(303)
    const { send } = await typePassword(server)
    if (where !== 'a session') expect((await send(codeFor(secret, clock.time))).status).toBe(303)
  })

  test('of a session are counted for it alone', async () => {
    const { server, ada, secret, clock } = await startWithFactor()
    for (let i = 0; i < 10; i++) expect((await ada.post(`${page}/off`, { off: '000000' })).status).toBe(400)
    expect((await ada.post(`${page}/off`, { off: codeFor(secret, clock.time) })).status).toBe(429)
    expect(rowsIn(server.folder)).toHaveLength(1)
    const { send } = await typePassword(server)
    expect((await send(codeFor(secret, clock.time))).status).toBe(303)
  })
})

describe.skipIf(isCompiled)('turning it off, and new recovery codes', () => {
  test.each([
    ['nothing', ''],
    ['a wrong code', '123456'],
    ['the password', password],
  ])('are not done with %s', async (_name, code) => {
    const { server, ada } = await startWithFactor()
    const [{ wrongCodes, ...before } = { wrongCodes: '' }] = rowsIn(server.folder)
    expect(wrongCodes).toBe('{}')
    expect((await ada.post(`${page}/off`, { off: code })).status).toBe(400)
    const refused = await ada.post(`${page}/recovery-codes`, { renew: code })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('neither the current code in your app nor an unused recovery code')
    expect(rowsIn(server.folder)).toEqual([expect.objectContaining(before)])
  })

  test('are done with a code of the app, each code once', async () => {
    const { server, ada, secret, clock, recoveryCodes } = await startWithFactor()
    const code = codeFor(secret, clock.time)
    const renewed = await ada.post(`${page}/recovery-codes`, { renew: code })
    const fresh = recoveryCodesOn(renewed.html)
    expect(fresh).toHaveLength(10)
    expect(fresh.filter((one) => recoveryCodes.includes(one))).toEqual([])
    expect((await (await typePassword(server)).send(recoveryCodes[0] ?? '')).status).toBe(401)
    expect((await ada.post(`${page}/off`, { off: code })).html).toContain('was used already')
    const off = await ada.post(`${page}/off`, { off: codeFor(secret, clock.time + step) })
    expect(off.location).toBe('/settings/account?done=second-factor-off#notice')
    expect((await ada.get('/settings/account?done=second-factor-off')).html).toContain('Two-step sign-in is off.')
    expect(rowsIn(server.folder)).toEqual([])
    expect((await visit(server, somewhere()).signIn()).status).toBe(303)
  })

  test('are done with a recovery code', async () => {
    const { server, ada, recoveryCodes } = await startWithFactor()
    expect((await ada.post(`${page}/off`, { off: recoveryCodes[3] ?? '' })).status).toBe(303)
    expect(rowsIn(server.folder)).toEqual([])
    for (const path of [`${page}/off`, `${page}/recovery-codes`]) expect((await ada.post(path)).location).toBe(page)
  })

  test('makes codes of the app before worthless, after it was turned on again', async () => {
    const { server, ada, secret, clock, recoveryCodes } = await startWithFactor()
    await ada.post(`${page}/off`, { off: recoveryCodes[0] ?? '' })
    const next = secretOn((await ada.get(page)).html)
    await ada.post(page, { secret: next, code: codeFor(next, clock.time - step), current: password })
    for (const code of [codeFor(secret, clock.time), recoveryCodes[1] ?? ''])
      expect((await (await typePassword(server)).send(code)).status).toBe(401)
    expect((await (await typePassword(server)).send(codeFor(next, clock.time))).status).toBe(303)
  })
})

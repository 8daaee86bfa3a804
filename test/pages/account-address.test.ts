import { describe, expect, test } from 'bun:test'
import { addressWrites } from '../../src/accounts/members/address-writes.ts'
import { forThisFile, newEmail, type Server, serverWithClock, sharedServer, startServer, writeTo } from '../harness.ts'
import { startSmtp, unfolded } from '../mail/smtp-server.ts'
import { isCompiled } from '../program.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { owner, password, visit } from '../visitor.ts'
import { addForm } from '../world.ts'

const account = '/settings/account'
const addressPage = `${account}/address`

const settingsOf = (smtp: { readonly port: number }) => ({
  FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
  FORMBOX_MAIL_FROM: 'forms@example.com',
  FORMBOX_URL: 'http://forms.example.net',
})

const startMailing = async () => {
  const refusals = new Map<string, string>()
  const smtp = await startSmtp({ RCPT: (line) => refusals.get(/<(.*)>/.exec(line)?.[1] ?? '') ?? '250 2.1.5 Ok' })
  return { server: await startServer({ settings: settingsOf(smtp) }), smtp, refusals }
}

let starting: ReturnType<typeof startMailing> | undefined

/** A server with a mail server, which refuses whom a test says. */
const withMail = () => (starting ??= forThisFile(startMailing))

const mailsTo = (smtp: { readonly mails: readonly string[] }, email: string) =>
  smtp.mails.map(unfolded).filter((mail) => mail.includes(`\r\nTo: ${email}\r\n`))

/** A user who is signed in, with what is done about the address. */
const world = async () => {
  const { server, smtp, refusals } = await withMail()
  const at = () => visit(server)
  const ada = await owner(server)
  const ask = (address: string, current = password, who: Pick<typeof ada, 'post'> = ada) =>
    who.post(addressPage, { address, current })
  /** The path of the last link that was mailed there. */
  const linkTo = (email: string): string =>
    new RegExp(`${addressPage}/[\\w.-]+`).exec(mailsTo(smtp, email).at(-1) ?? '')?.[0] ?? 'none'
  return { server, smtp, refusals, ada, at, ask, linkTo, next: newEmail() }
}

const usersOf = (server: Pick<Server, 'folder'>, id: string) =>
  rowsOf(server.folder, 'SELECT email, is_proved AS proved, was_proved AS was FROM users WHERE id = ?', id)

describe('another address', () => {
  test('is the account’s once its owner has opened the link that was mailed there, and pressed the button', async () => {
    const { server, smtp, ada, at, ask, linkTo, next } = await world()
    const phone = at()
    await phone.signIn(ada.email)
    const { formId, path } = await addForm(server, ada.api, {})
    const waiting = await addForm(server, (await owner(server)).api, { form: { title: 'Waiting' } })

    const asked = await ask(` ${next.toUpperCase()} `)
    expect([asked.status, asked.location]).toEqual([303, `${account}?done=link#notice`])
    expect((await ada.get(`${account}?done=link`)).text).toContain('A link was emailed to that address.')
    const [mail = ''] = mailsTo(smtp, next)
    expect(mail).toContain(`Someone who is signed in on forms.example.net as ${ada.email} wants to use this address`)
    const shown = await ada.get(linkTo(next))
    expect([shown.status, shown.headers.get('referrer-policy')]).toEqual([200, 'strict-origin'])
    expect(shown.text).toContain(`you sign in as ${next}, and no longer as ${ada.email}`)
    expect(usersOf(server, ada.userId)).toEqual([{ email: ada.email, proved: 1, was: 0 }])
    expect(mailsTo(smtp, ada.email)).toEqual([])

    const link = linkTo(next)
    expect((await ada.post(link)).location).toBe(`${account}?done=address#notice`)

    expect(usersOf(server, ada.userId)).toEqual([{ email: next, proved: 1, was: 0 }])
    const after = await ada.get(`${account}?done=address`)
    expect(after.text).toContain('Your address has been changed.')
    expect(after.html).toContain(`<bdi>${next}</bdi>`)
    expect((await phone.get(account)).location).toStartWith('/sign-in')
    expect((await at().signIn(ada.email)).status).toBe(401)
    expect((await at().signIn(next)).status).toBe(303)
    expect((await ada.api.call('GET', path)).body.id).toBe(formId)
    await until(() => mailsTo(smtp, ada.email).length === 1, 'the former address is told')
    const [told = ''] = mailsTo(smtp, ada.email)
    expect(told).toContain('has changed the address of the account')
    expect(told).not.toContain(next)
    expect((await waiting.settings()).notify).toEqual([])
    expectSound(server.folder)
  })

  test('brings the forms that it is invited to, but those that the account has, and keeps the roles', async () => {
    const { server, ada, ask, linkTo, next } = await world()
    const [bob, eve] = [await owner(server), await owner(server)]
    const share = async (form: string, email: string, role: string, who = bob) =>
      (await who.api.call('POST', `/forms/${form}/members`, { email, role })).body.state
    const [shared, waiting] = [await bob.api.createForm({ title: 'Shared' }), await eve.api.createForm()]
    expect(await share(shared, ada.email, 'manager')).toBe('member')
    expect(await share(shared, next, 'reader')).toBe('invited')
    expect(await share(waiting, next, 'editor', eve)).toBe('invited')
    const own = await ada.api.createForm()
    expect(await share(own, next, 'reader', ada)).toBe('invited')

    await ask(next)
    await ada.post(linkTo(next))

    const members = async (form: string, who = bob) =>
      (await who.api.call('GET', `/forms/${form}/members`)).body.members
    expect(await members(shared)).toMatchObject([{ email: next, role: 'manager', state: 'member', proved: true }])
    expect(await members(waiting, eve)).toMatchObject([{ email: next, role: 'editor', state: 'member' }])
    expect(await members(own, ada)).toEqual([])
    expectSound(server.folder)
  })

  test('is asked for with the password, and must be one that gets mail', async () => {
    const { server, smtp, ada, ask, next } = await world()
    for (const [address, current, problem] of [
      [next, 'wrong', 'This is not your current password.'],
      ['ada', password, 'Must be an address of at most 254 characters'],
      ['"ada b"@example.com', password, 'Must be an address'],
      ['(ada)@example.com', password, 'Must be an address to which email can be sent.'],
      [ada.email, password, 'Must be another one than now.'],
    ] as const) {
      const refused = await ask(address, current)
      expect([refused.status, refused.html.includes('<title>Error: ')]).toEqual([400, true])
      expect(refused.text).toContain(problem)
      expect(refused.html).not.toContain(`value="${current}"`)
    }
    expect((await visit(server).post(addressPage, { address: next, current: password })).status).toBe(401)
    expect(smtp.mails.some((mail) => mail.includes(next))).toBe(false)
  })

  test('is not offered, nor proved, on a server without mail', async () => {
    const server = await sharedServer()
    const ada = await owner(server)
    const { html, text } = await ada.get(account)
    expect(html).not.toContain(`action="${addressPage}"`)
    expect(text).toContain('The person who runs this server can change it.')
    expect((await ada.post(addressPage, { address: newEmail(), current: password })).status).toBe(400)
    expect((await ada.get(`${addressPage}/x`)).status).toBe(404)
  })
})

describe('a link that proves an address', () => {
  test('works once, for its account alone, and leads others to sign-in first', async () => {
    const { server, ada, at, ask, linkTo, next } = await world()
    const eve = await owner(server)
    await ask(next)
    const link = linkTo(next)
    expect((await at().get(link)).location).toBe(`/sign-in?next=${encodeURIComponent(link)}`)
    expect((await at().post(link)).status).toBe(401)
    for (const { status, text } of [await eve.get(link), await eve.post(link)]) {
      expect([status, text.includes(`You are signed in as ${eve.email}`)]).toEqual([404, true])
      expect(text).not.toContain(next)
    }
    expect((await ada.post(link, {}, { origin: 'https://evil.example' })).status).toBe(403)

    const both = await Promise.all([ada.post(link), ada.post(link)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 404])
    expect((await ada.post(link)).status).toBe(404)
    expect(usersOf(server, ada.userId)).toEqual([{ email: next, proved: 1, was: 0 }])
    expect(usersOf(server, eve.userId)).toEqual([{ email: eve.email, proved: 1, was: 0 }])
  })

  test('cannot be made up, and ends with the password and with the address', async () => {
    const { server, ada, ask, linkTo, next } = await world()
    const another = newEmail()
    await ask(next)
    await ask(another)
    const [link, second] = [linkTo(next), linkTo(another)]
    const [expiresAt = '', , signature = ''] = link.slice(addressPage.length + 1).split('.')
    const forged = `${expiresAt}.${Buffer.from('eve@example.com').toString('base64url')}.${signature}`
    const later = link.replace(expiresAt, String(Number(expiresAt) + 1))
    for (const path of [`${addressPage}/${forged}`, later, link.slice(0, -1), `${addressPage}/..`])
      expect((await ada.post(path)).status).toBe(404)
    expect((await ada.get(link)).status).toBe(200)

    await ada.post(`${account}/password`, { current: password, new: 'another long password' })
    expect((await ada.post(link)).status).toBe(404)
    await ask(next, 'another long password')
    expect((await ada.post(linkTo(next))).status).toBe(303)
    expect((await ada.post(second)).status).toBe(404)
    expect(usersOf(server, ada.userId)).toEqual([{ email: next, proved: 1, was: 0 }])
  })

  test('says only now that another user has the address, and to the second of two who want it', async () => {
    const { server, ada, ask, linkTo, next } = await world()
    const [bob, eve] = [await owner(server), await owner(server)]
    const [free, taken] = [await ask(next), await ask(bob.email)]
    expect([taken.status, taken.location]).toEqual([free.status, free.location])
    const refused = await ada.post(linkTo(bob.email))
    expect([refused.status, refused.text.includes('Another account has this address')]).toEqual([400, true])
    const ofAda = linkTo(next)
    await ask(next, password, eve)
    const both = await Promise.all([ada.post(ofAda), eve.post(linkTo(next))])
    expect(both.map(({ status }) => status).toSorted()).toEqual([303, 400])
    expect(rowsOf(server.folder, 'SELECT id FROM users WHERE email = ?', next)).toHaveLength(1)
    expectSound(server.folder)
  })

  test.skipIf(isCompiled)('works for a day', async () => {
    const smtp = await startSmtp()
    const { clock, server } = await serverWithClock(Date.now(), settingsOf(smtp))
    const ada = await owner(server)
    const email = newEmail()
    await ada.post(addressPage, { address: email, current: password })
    const link = new RegExp(`${addressPage}/[\\w.-]+`).exec(mailsTo(smtp, email)[0] ?? '')?.[0] ?? 'none'
    clock.now += 24 * 3_600_000 - 1
    expect((await ada.get(link)).status).toBe(200)
    clock.now += 1
    expect((await ada.get(link)).status).toBe(404)
    expect((await ada.post(link)).status).toBe(404)
  })

  test('is mailed five times an hour by one user, and to one person, and to no one who wants no mail', async () => {
    const { server, smtp, refusals, ada, ask, next } = await world()
    refusals.set(next, '450 4.2.0 Greylisted, come back later')
    expect((await ask(next)).text).toContain('No email could be sent there. Try again later.')
    refusals.delete(next)
    const stopped = newEmail()
    writeTo(server.folder, (db) => {
      db.$client.run('INSERT INTO addresses (hash, told_at, stopped_at) VALUES (?, 0, 1)', [
        new Bun.CryptoHasher('sha256').update(stopped).digest('hex'),
      ])
    })
    for (const address of [stopped, next, next, next]) expect((await ask(address)).status).toBe(303)
    const refused = await ask(newEmail())
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(refused.text).toContain('Too many links. Try again in')
    const bob = await owner(server)
    expect((await ask(next.replace('@', '+more@'), password, bob)).status).toBe(303)
    expect((await ask(next, password, bob)).status).toBe(429)
    expect([mailsTo(smtp, next).length, mailsTo(smtp, stopped).length]).toEqual([3, 0])
    expect((await ada.get(account)).status).toBe(200)
  })
})

describe('an address that the operator gave an account', () => {
  test('is proved by a link, which keeps the account as it is and joins what waits', async () => {
    const { server, smtp, ada, at, ask, linkTo, next } = await world()
    const bob = await owner(server)
    writeTo(server.folder, (db) => addressWrites(db).changeEmail({ userId: ada.userId, email: next }))
    const form = await bob.api.createForm()
    await bob.api.call('POST', `/forms/${form}/members`, { email: next, role: 'reader' })
    const again = at()
    await again.signIn(next)
    const other = at()
    await other.signIn(next)
    const page = await again.get(account)
    expect(page.text).toContain('Not proved')
    expect(page.html).toContain(`value="${next}"`)
    expect((await ask(next, password, again)).status).toBe(303)
    expect(mailsTo(smtp, next).at(-1)).toContain('says that this address is theirs')
    expect((await again.get(linkTo(next))).text).toContain('Confirm it')
    expect((await again.post(linkTo(next))).location).toBe(`${account}?done=proved#notice`)
    expect(usersOf(server, ada.userId)).toEqual([{ email: next, proved: 1, was: 0 }])
    expect((await other.get(account)).status).toBe(200)
    expect((await again.get(`/forms/${form}`)).status).toBe(200)
    expect((await ada.api.call('GET', '/forms')).status).toBe(200)
    expectSound(server.folder)
  })

  test('can be replaced by one that is proved, and a stranger who has it is not told', async () => {
    const { server, smtp, ada, at, ask, linkTo, next } = await world()
    const typo = newEmail()
    writeTo(server.folder, (db) => addressWrites(db).changeEmail({ userId: ada.userId, email: typo }))
    const again = at()
    await again.signIn(typo)
    await ask(next, password, again)
    expect((await again.post(linkTo(next))).location).toBe(`${account}?done=address#notice`)
    expect(usersOf(server, ada.userId)).toEqual([{ email: next, proved: 1, was: 0 }])
    // Whatever is mailed after it has arrived by now.
    await ask(newEmail(), password, again)
    expect(mailsTo(smtp, typo)).toEqual([])
  })

  test('is not that of an account which was never proved: anyone may have made it', async () => {
    const { server, ada, ask, linkTo, next } = await world()
    await ask(next)
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET is_proved = 0 WHERE id = ?', [ada.userId]))
    const page = await ada.get(account)
    expect(page.html).not.toContain(`action="${addressPage}"`)
    expect(page.text).toContain('You then get a new account with this address')
    expect((await ada.post(linkTo(next))).status).toBe(404)
    expect(usersOf(server, ada.userId)).toEqual([{ email: ada.email, proved: 0, was: 0 }])
  })
})

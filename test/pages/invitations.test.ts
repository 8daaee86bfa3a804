import { describe, expect, test } from 'bun:test'
import { addressWrites } from '../../src/accounts/members/address-writes.ts'
import { memberWrites } from '../../src/accounts/members/member-writes.ts'
import { userWrites } from '../../src/accounts/users/user-writes.ts'
import { sha256 } from '../../src/base/hash.ts'
import { newId } from '../../src/base/id.ts'
import { expectBelow, processorMillisecondsOf } from '../expect-below.ts'
import {
  addKey,
  forThisFile,
  newEmail,
  type Server,
  sharedServer,
  startServer,
  temporaryFolder,
  type User,
  writeTo,
} from '../harness.ts'
import { startSmtp, unfolded } from '../mail/smtp-server.ts'
import { readPage } from '../read-page.ts'
import { expectSound, rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { createUser, owner, password, visit } from '../visitor.ts'
import { siteWorld } from '../world.ts'

type Owner = Awaited<ReturnType<typeof owner>>

const mayCreate = { FORMBOX_INVITED_MAY_CREATE: 'true' }

const invite = async (ada: Owner, formId: string, email: string, role = 'reader') => {
  const { status, body } = await ada.api.call('POST', `/forms/${formId}/members`, { email, role })
  expect(status).toBe(200)
  expect(body).toMatchObject({ email, role, state: 'invited', mailed: false })
  return { path: new URL(body.inviteUrl).pathname, id: body.id as string }
}

const prepare = async (settings?: Record<string, string>) => {
  const { server, ada, formId } = await siteWorld({ environment: settings, form: { title: 'Guest list' } })
  return { server, ada, formId, email: newEmail() }
}

/** What an invitation is written with whose mail no one sends. */
const invitation = () => {
  const email = newEmail()
  const ends = { inviteHash: sha256(email, 'hex'), inviteEndsAt: 9e15 }
  return { id: newId(Date.now()), email, mailTo: email, role: 'reader' as const, ...ends }
}

const squatted = 'a squatter knows it'

/** Mallory invites someone, opens the link, and sits in the account with everything that opens it again. */
const squat = async (server: Server, email: string) => {
  const mallory = await owner(server)
  const trap = await mallory.api.createForm({ title: 'Trap' })
  const squatter = visit(server)
  await squatter.post((await invite(mallory, trap, email, 'manager')).path, { password: squatted })
  const [user] = rowsOf<{ id: string }>(server.folder, 'SELECT id FROM users WHERE email = ?', email)
  const api = addKey(server, user?.id as string, email)
  return { mallory, trap, squatter, api }
}

/** The user again, on a server that was started anew. */
const addKeyOf = (server: Server, { id, email }: User): User => addKey(server, id, email)

const startMailing = async () => {
  const folder = temporaryFolder()
  const before = await startServer({ folder, settings: mayCreate })
  const sitting: Awaited<ReturnType<typeof squat>>[] = []
  for (let i = 0; i < 4; i++) sitting.push(await squat(before, newEmail()))
  await before.stop()
  const refusals = new Map<string, string>()
  const smtp = await startSmtp({ RCPT: (line) => refusals.get(/<(.*)>/.exec(line)?.[1] ?? '') ?? '250 2.1.5 Ok' })
  const settings = {
    FORMBOX_MAIL_URL: `smtp://127.0.0.1:${smtp.port}`,
    FORMBOX_MAIL_FROM: 'forms@example.com',
    FORMBOX_URL: 'http://forms.example.net',
  }
  return { server: await startServer({ folder, settings }), smtp, refusals, sitting }
}

let starting: ReturnType<typeof startMailing> | undefined

/** A server with a mail server, which refuses whom a test says. It had none before, when four accounts were squatted. */
const withMail = () => (starting ??= forThisFile(startMailing))

const membersOf = async (ada: Owner, formId: string) =>
  (await ada.api.call('GET', `/forms/${formId}/members`)).body.members.map(
    ({ email, role, state }: Record<string, string>) => [email, role, state],
  )

describe('an invitation', () => {
  test('makes an account with its address, which sees the form and may own none', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    const grace = visit(server)
    const page = await grace.get(path)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Guest list')
    expect(page.html).toContain(email)
    expect(page.headers.get('referrer-policy')).toBe('strict-origin')
    expect((await grace.post(path, { password: 'short' })).status).toBe(400)

    const accepted = await grace.post(path, { password: 'a long enough one' })

    expect([accepted.status, accepted.location]).toEqual([303, `/forms/${formId}`])
    expect((await grace.get(`/forms/${formId}`)).status).toBe(200)
    expect(await membersOf(ada, formId)).toEqual([[email, 'reader', 'member']])
    const again = await grace.get(path)
    expect([again.status, readPage(again.html).link('To your forms')]).toEqual([404, '/forms'])
    expect(readPage((await visit(server).get(path)).html).link('Sign in')).toBe('/')
    expect((await grace.post('/forms/new', { title: 'Mine' })).status).toBe(403)
    expect((await visit(server).signIn(email, 'a long enough one')).status).toBe(303)
  })

  test('leads to pages that offer no form of one’s own, and say who can change that', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path, id } = await invite(ada, formId, email)
    const grace = visit(server)
    await grace.post(path, { password: 'a long enough one' })
    const shared = await grace.get('/forms')
    expect(shared.html).toContain('Guest list')
    for (const html of [shared.html, (await grace.get('/settings/account')).html])
      expect(html).not.toContain('/forms/new')
    const refused = [await grace.get('/forms/new'), await grace.post('/forms/new', { title: 'Mine' })]
    for (const { status, html } of refused) {
      expect(status).toBe(403)
      expect(html).toContain(`formbox user allow ${email}`)
    }

    await ada.api.call('DELETE', `/forms/${formId}/members/${id}`)
    const { html } = await grace.get('/forms')
    expect(html).toContain('Not shared with you any more')
    expect(readPage(html).isolated).toContain('Guest list')
    writeTo(server.folder, (db) => db.$client.run('DELETE FROM ended_shares'))
    const empty = await grace.get('/forms')
    expect(empty.html).toContain(`formbox user allow ${email}`)
    expect(empty.html).not.toContain('action="/forms/new"')
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET may_own_forms = 1 WHERE email = ?', [email]))
    expect((await grace.get('/forms')).html).toContain('action="/forms/new"')
  })

  test('works once', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    const answers = await Promise.all([1, 2].map(() => visit(server).post(path, { password: 'a long enough one' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
    expect((await visit(server).get(path)).status).toBe(404)
    expect(rowsOf(server.folder, 'SELECT id FROM users WHERE email = ?', email)).toHaveLength(1)
  })

  test('that is taken back no longer works, also for a page that is open', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path, id } = await invite(ada, formId, email)
    expect((await visit(server).get(path)).status).toBe(200)
    expect((await ada.api.call('DELETE', `/forms/${formId}/members/${id}`)).status).toBe(200)
    expect((await visit(server).get(path)).status).toBe(404)
    expect((await visit(server).post(path, { password: 'a long enough one' })).status).toBe(404)
    expect(rowsOf(server.folder, 'SELECT id FROM users WHERE email = ?', email)).toEqual([])
  })

  test('does not work for a form that was deleted', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    expect((await ada.api.call('DELETE', `/forms/${formId}`)).status).toBe(200)
    expect((await visit(server).post(path, { password: 'a long enough one' })).status).toBe(404)
  })

  test('is not known by the data file: only its hash is', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    const token = path.split('/').at(-1) as string
    const rows = rowsOf(server.folder, 'SELECT * FROM members WHERE email = ?', email)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('is for its address: of several people who are signed in, one can accept it', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email, 'editor')
    const eve = await owner(server)
    const shown = await eve.get(path)
    expect(shown.html).toContain(`You are signed in as ${eve.email}`)
    expect((await eve.post(path, { password: 'a long enough one' })).status).toBe(403)

    await createUser(server, email)
    const grace = visit(server)
    expect((await grace.get(path)).html).toContain(`href="/sign-in?next=${encodeURIComponent(path)}"`)
    expect((await grace.post(path, { password: 'a long enough one' })).status).toBe(200)
    expect(await membersOf(ada, formId)).toEqual([[email, 'editor', 'invited']])
    await grace.signIn(email, password)
    expect((await grace.post(path)).location).toBe(`/forms/${formId}`)
    expect(await membersOf(ada, formId)).toEqual([[email, 'editor', 'member']])
    expect((await eve.get(`/forms/${formId}`)).status).toBe(403)
  })

  test('is refused from a page of another site', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    const sent = await visit(server).post(path, { password }, { origin: 'https://evil.example' })
    expect(sent.status).toBe(403)
    expect((await visit(server).get(path)).status).toBe(200)
  })

  test('lets its account own forms if the operator says so', async () => {
    const { server, ada, formId, email } = await prepare(mayCreate)
    const grace = visit(server)
    await grace.post((await invite(ada, formId, email)).path, { password: 'a long enough one' })
    expect((await grace.post('/forms/new', { title: 'Mine' })).status).toBe(303)
  })

  test('cannot be made for the owner, for a member, or twice', async () => {
    const { server, ada, formId, email } = await prepare()
    const grace = await owner(server)
    await invite(ada, formId, email)
    const share = (to: string) => ada.api.call('POST', `/forms/${formId}/members`, { email: to, role: 'reader' })
    expect((await share(grace.email)).body).toMatchObject({ state: 'member', inviteUrl: null })
    for (const [to, message] of [
      [email, 'email: must not be of a person who is invited already'],
      [grace.email, 'email: must not be of a person who is a member already'],
      [ada.email.toUpperCase(), 'email: must not be that of the owner of the form'],
      ['nobody', 'email: must be an address of at most 254 characters; got "nobody"'],
    ] as const) {
      const refused = await share(to)
      expect([refused.status, refused.body.issues[0]?.message]).toEqual([400, message])
    }
  })

  test('ends after seven days, and is then removed', async () => {
    const { server, ada, formId, email } = await prepare()
    const { path } = await invite(ada, formId, email)
    writeTo(server.folder, (db) => db.$client.run('UPDATE members SET invite_ends_at = 1 WHERE email = ?', [email]))
    expect((await visit(server).get(path)).status).toBe(404)
    expect((await visit(server).post(path, { password: 'a long enough one' })).status).toBe(404)
    expect(await membersOf(ada, formId)).toEqual([])
    expect((await visit(server).get((await invite(ada, formId, email)).path)).status).toBe(200)
  })
})

describe('where there is a mail server', () => {
  const open = async () => {
    const { server, smtp, refusals } = await withMail()
    const before = smtp.mails.length
    const ada = await server.signUp()
    const invited = async (formId: string, email: string) =>
      (await ada.call('POST', `/forms/${formId}/members`, { email, role: 'reader' })).body
    const formId = await ada.createForm({ title: 'Party at https://evil.example' })
    return { server, ada, invited, formId, refusals, mails: () => smtp.mails.slice(before) }
  }

  test('an invitation is mailed, once a day to an address, and whoever invites does not see the link', async () => {
    const { mails, server, ada, invited, formId } = await open()
    const email = newEmail()
    expect(await invited(formId, email)).toMatchObject({ mailed: true, inviteUrl: null })
    const second = await ada.createForm()
    expect(await invited(second, email)).toMatchObject({ mailed: false, inviteUrl: null })
    expect(mails()).toHaveLength(1)
    const text = unfolded(mails()[0] ?? '')
    expect(text).toMatch(/http:\/\/forms\.example\.net\/invite\/[\w-]{32}\s/)
    expect(text).toContain(`${ada.email} shares this form on forms.example.net with you`)
    // Who can make a form must not send links of their own to strangers.
    expect(text).not.toContain('https://evil.example')

    const link = /\/invite\/[\w-]{32}/.exec(text)?.[0] as string
    const grace = visit(server, { origin: 'http://forms.example.net' })
    expect((await grace.post(link, { password: 'a long enough one' })).status).toBe(303)
    for (const id of [formId, second]) expect((await grace.get(`/forms/${id}`)).status).toBe(200)
    expect(await invited(await ada.createForm(), email)).toMatchObject({ state: 'member', proved: true })
  })

  test('one owner does not use up the invitations of others to an address, which gets three in all', async () => {
    const { server, mails } = await open()
    const email = newEmail()
    const [eve, ada, grace, hopper] = [
      await server.signUp(),
      await server.signUp(),
      await server.signUp(),
      await server.signUp(),
    ]
    const inviteOnce = async (user: User, to = email): Promise<[mailed: boolean, formId: string]> => {
      const formId = await user.createForm()
      const { body } = await user.call('POST', `/forms/${formId}/members`, { email: to, role: 'reader' })
      expect((await user.call('DELETE', `/forms/${formId}/members/${body.id}`)).status).toBe(200)
      return [body.mailed, formId]
    }
    const [isFirst, gone] = await inviteOnce(eve)
    expect(isFirst).toBe(true)
    // Neither the end of the invitation nor that of its form makes room, and a tag makes no other person.
    expect((await eve.call('DELETE', `/forms/${gone}`)).status).toBe(200)
    await until(
      () => rowsOf(server.folder, 'SELECT id FROM forms WHERE id = ?', gone).length === 0,
      'the form is removed',
    )
    for (const to of [email, email.replace('@', '+more@')]) expect((await inviteOnce(eve, to))[0]).toBe(false)
    const formId = await ada.createForm()
    const added = await ada.call('POST', `/forms/${formId}/members`, { email, role: 'reader' })
    expect(added.body).toMatchObject({ mailed: true })
    expect((await inviteOnce(grace))[0]).toBe(true)
    expect((await inviteOnce(hopper))[0]).toBe(false)
    const sent = mails().filter((mail) => mail.includes(email))
    expect(sent).toHaveLength(3)
    const [own = ''] = sent.map(unfolded).filter((mail) => mail.includes(`${ada.email} shares this form`))
    const link = /\/invite\/[\w-]{32}/.exec(own)?.[0] as string
    expect((await visit(server, { origin: 'http://forms.example.net' }).get(link)).html).toContain('You are invited')
  })

  test('an address that was just added to a form is still invited, and the other way round', async () => {
    const { server, ada, mails, invited, formId } = await open()
    const eve = await server.signUp()
    const of = await eve.createForm()
    const notify = async (emails: readonly string[]) =>
      expect((await eve.call('PATCH', `/forms/${of}/settings`, { notify: emails })).status).toBe(200)
    const mailsTo = (email: string, text: string) =>
      mails().filter((mail) => unfolded(mail).includes(text) && mail.includes(email)).length
    const told = (email: string) => until(() => mailsTo(email, 'was added to the settings') === 1, `${email} is told`)
    const [first, second] = [newEmail(), newEmail()]
    await notify([first])
    expect(await invited(formId, first)).toMatchObject({ mailed: true })
    expect(await invited(await ada.createForm(), second)).toMatchObject({ mailed: true })
    await notify([first, second])
    await told(first)
    await told(second)
    for (const email of [first, second]) expect(mailsTo(email, '/invite/')).toBe(1)
  })

  test('an address is invited again after a day, also by a clock that was set back', async () => {
    const { server, ada } = await open()
    const { email } = invitation()
    const forms = (await ada.call('POST', '/forms/bulk', { forms: Array.from({ length: 6 }, () => ({ title: 'x' })) }))
      .body.ids
    const day = 86_400_000
    const at = Date.now()
    const mailed = [0, 1 - day, day - 1, day, 3 * day, 2 * day + 1].map((after, position) =>
      writeTo(server.folder, (db) =>
        memberWrites(db).addMember({
          ...{ ...invitation(), email, mailTo: email },
          ...{ userId: ada.id, formId: forms[position], now: at + after },
        }),
      ),
    )
    expect(mailed.map((one) => one.state === 'invited' && one.mayMail)).toEqual([true, false, false, true, true, false])
  })

  test('an invitation that the mail server did not take can be tried again, ten times an hour', async () => {
    const { ada, mails, refusals, invited, formId } = await open()
    const [grace, hopper] = [newEmail(), newEmail()]
    const tryAgain = async (email: string) => {
      const { id, mailed } = await invited(formId, email)
      await ada.call('DELETE', `/forms/${formId}/members/${id}`)
      return mailed
    }
    for (const email of [grace, hopper]) refusals.set(email, '450 4.2.0 Greylisted, come back later')
    for (let i = 0; i < 10; i++) expect(await tryAgain(grace)).toBe(false)
    refusals.delete(grace)
    expect(await tryAgain(grace)).toBe(true)
    expect(await tryAgain(grace)).toBe(false)
    expect(await tryAgain(hopper)).toBe(false)
    refusals.delete(hopper)
    expect(await tryAgain(hopper)).toBe(false)
    expect(mails()).toHaveLength(1)
  })

  test('the page says whether an invitation was mailed, and shows no link', async () => {
    const { server, refusals } = await open()
    const eve = await owner(server)
    const formId = (await eve.post('/forms/new', { title: 'Plans' })).location?.split('/')[2]
    const share = async (email: string) => {
      const { location } = await eve.post(`/forms/${formId}/members`, { email, role: 'reader' })
      return (await eve.get(location ?? '')).html
    }
    const refused = newEmail()
    refusals.set(refused, '550 5.1.1 no such user')
    for (const [email, notice] of [
      [newEmail(), 'Invited. The link was emailed'],
      [refused, 'Invited, but no email was sent.'],
      [`bücher-${newEmail()}`, 'Invited, but no email was sent.'],
    ] as const) {
      const html = await share(email)
      expect(html).toContain(notice)
      expect(html).not.toContain('/invite/')
    }
  })

  test('invitations count for the owner of the form as well, however many managers send them', async () => {
    const { mails, server, ada, formId } = await open()
    const managers = await Promise.all([1, 2, 3].map(() => server.signUp()))
    const other = await ada.createForm()
    const third = await ada.createForm()
    for (const form of [formId, other, third])
      for (const { email } of managers) await ada.call('POST', `/forms/${form}/members`, { email, role: 'manager' })
    const inviteFrom = async (user: User, form: string) =>
      (await user.call('POST', `/forms/${form}/members`, { email: newEmail(), role: 'reader' })).body.mailed
    // Most are written as the server does, which leaves out their mails.
    writeTo(server.folder, (db) => {
      const { addMember } = memberWrites(db)
      const add = ({ id: userId }: User, form: string) =>
        expect(addMember({ userId, formId: form, now: Date.now(), ...invitation() })).toMatchObject({ mayMail: true })
      for (let i = 0; i < 20; i++) add(ada, third)
      for (let i = 0; i < 24; i++) add(managers[i % 3] as User, formId)
    })
    for (let i = 0; i < 6; i++) expect(await inviteFrom(managers[i % 3] as User, other)).toBe(true)

    for (const user of [ada, ...managers]) expect(await inviteFrom(user, other)).toBe(false)
    expect(mails()).toHaveLength(6)
    const refused = await ada.call('PATCH', `/forms/${other}/settings`, { notify: [newEmail()] })
    expect(refused.body.issues[0].message).toContain('a user can add 50 within 24 hours')
    // Of their own, each has what is left of 50.
    const [manager] = managers as [User]
    expect(await inviteFrom(manager, await manager.createForm())).toBe(true)
  })
})

describe('an address that no one has proved', () => {
  /** The same before there was a mail server. */
  const squatBeforeMail = async () => {
    const { server, smtp, sitting } = await withMail()
    const { mallory, trap, squatter: before, api: earlier } = sitting.pop() as Awaited<ReturnType<typeof squat>>
    const { email } = earlier
    const { ada, formId } = await siteWorld({ server, form: { title: 'Secret' } })
    const invited = await ada.api.call('POST', `/forms/${formId}/members`, { email, role: 'editor' })
    const link = /\/invite\/[\w-]{32}/.exec(unfolded(smtp.mails.at(-1) ?? ''))?.[0] as string
    // The address had a port before.
    const cookie = before.cookie()?.replace(/_\d+=/, '=') ?? ''
    const squatter = visit(server, { cookie, origin: 'http://forms.example.net' })
    const api = addKeyOf(server, earlier)
    return {
      server,
      smtp,
      ada,
      formId,
      invited,
      email,
      link,
      squatter,
      api,
      trap,
      mallory: addKeyOf(server, mallory.api),
    }
  }

  test('is invited again by whoever shares with it, who learns by whom the account was made', async () => {
    const { server, ada, formId, email } = await prepare()
    const { mallory, trap, squatter } = await squat(server, email)
    const shared = await ada.api.call('POST', `/forms/${formId}/members`, { email, role: 'manager' })
    expect(shared.body).toMatchObject({ state: 'invited', proved: false, invitedBy: mallory.email })
    expect((await squatter.get(`/forms/${formId}`)).status).toBe(403)
    expect(await membersOf(ada, formId)).toEqual([[email, 'manager', 'invited']])
    const of = async (who: Owner, form: string) => (await who.api.call('GET', `/forms/${form}/members`)).body.members[0]
    expect(await of(ada, formId)).toMatchObject({ state: 'invited', proved: false, invitedBy: mallory.email })
    expect(await of(mallory, trap)).toMatchObject({ state: 'member', proved: false, invitedBy: mallory.email })
    expect((await ada.get(`/forms/${formId}/settings/people`)).html).toContain(
      `There is an account with it, which was created through an invitation from <bdi>${mallory.email}</bdi>`,
    )
    expect((await squatter.get('/settings/account')).html).toContain('You have not proved that this address is yours.')

    const { path } = { path: new URL(shared.body.inviteUrl, 'http://x').pathname }
    const stranger = await visit(server).get(path)
    expect(stranger.html).toContain('There is already an account with this address.')
    expect(stranger.html).not.toContain(mallory.email)
    expect(stranger.html).not.toContain('name="password"')
    // A link that was handed over is no proof: whoever uses the account may accept, and no one takes it over.
    expect((await visit(server).post(path, { password: 'a long enough one' })).status).toBe(200)
    expect((await squatter.get(`/forms/${formId}`)).status).toBe(403)
    expect((await squatter.post(path)).location).toBe(`/forms/${formId}`)
    expect(await of(ada, formId)).toMatchObject({ state: 'member', proved: false, invitedBy: mallory.email })
    expectSound(server.folder)
  })

  test('becomes that of whoever opens a mailed link, and everyone who sat there is out', async () => {
    const { server, ada, formId, invited, email, link, squatter, api, trap, mallory } = await squatBeforeMail()
    expect(invited.body).toMatchObject({ state: 'invited', proved: false, mailed: true, inviteUrl: null })
    expect((await squatter.get('/settings/keys')).status).toBe(200)
    expect((await api.call('GET', `/forms/${trap}`)).status).toBe(200)
    const another = await ada.api.createForm({ title: 'Another' })
    // Within a day there is no second mail: whoever proves the address has accepted this one, too.
    expect((await ada.api.call('POST', `/forms/${another}/members`, { email, role: 'reader' })).body.mailed).toBe(false)

    const ended = await ada.api.createForm({ title: 'Ended' })
    const { id } = (await ada.api.call('POST', `/forms/${ended}/members`, { email, role: 'reader' })).body
    writeTo(server.folder, (db) => db.$client.run('UPDATE members SET invite_ends_at = 1 WHERE id = ?', [id]))

    const victim = visit(server, { origin: 'http://forms.example.net' })
    expect((await victim.get(link)).html).toContain('Take over the account')
    expect((await victim.post(link, { password: 'short' })).status).toBe(400)
    expect((await squatter.get('/settings/keys')).status).toBe(200)
    const taken = await victim.post(link, { password: 'what only the victim knows' })

    expect([taken.status, taken.location]).toEqual([303, `/forms/${formId}`])
    expect((await victim.get(`/forms/${formId}`)).status).toBe(200)
    expect((await victim.get(`/forms/${another}`)).status).toBe(200)
    expect((await victim.get(`/forms/${ended}`)).status).toBe(403)
    expect((await victim.get(`/forms/${trap}`)).status).toBe(403)
    expect((await squatter.get('/settings/keys')).location).toStartWith('/sign-in')
    expect((await api.call('GET', `/forms/${formId}`)).status).toBe(401)
    const signIn = (password: string) => visit(server, { origin: 'http://forms.example.net' }).signIn(email, password)
    expect((await signIn(squatted)).status).toBe(401)
    expect((await signIn('what only the victim knows')).status).toBe(303)
    expect((await victim.get(link)).status).toBe(404)
    const { members } = (await ada.api.call('GET', `/forms/${formId}/members`)).body
    expect(members).toMatchObject([{ email, state: 'member', proved: true, invitedBy: null }])
    expect((await mallory.call('GET', `/forms/${trap}/members`)).body.members).toEqual([])
    const { trail } = (await mallory.call('GET', `/forms/${trap}/trail`)).body
    expect(trail[0]).toMatchObject({ what: 'unshared', detail: email })
    // From now on, the address is a user's.
    const third = await ada.api.createForm()
    const direct = await ada.api.call('POST', `/forms/${third}/members`, { email, role: 'reader' })
    expect(direct.body).toMatchObject({ state: 'member', proved: true })
    expectSound(server.folder)
  })

  test('is not taken over while someone else is signed in, nor if the operator has disabled the account', async () => {
    const { server, ada, email, link, squatter } = await squatBeforeMail()
    const origin = { origin: 'http://forms.example.net' }
    expect((await visit(server, { ...origin, cookie: ada.cookie() as string }).post(link, { password })).status).toBe(
      403,
    )
    // Also one who is signed in to the account chooses a password, which others may know.
    expect((await squatter.get(link)).html).toContain('Take over the account')
    expect((await squatter.post(link)).status).toBe(400)
    writeTo(server.folder, (db) => db.$client.run('UPDATE users SET disabled_at = 1 WHERE email = ?', [email]))
    const refused = await visit(server, origin).post(link, { password: 'what only the victim knows' })
    expect(refused.html).toContain('This account is disabled.')
    expect(rowsOf(server.folder, 'SELECT is_proved, disabled_at FROM users WHERE email = ?', email)).toEqual([
      { is_proved: 0, disabled_at: 1 },
    ])
  })

  test('keeps forms that the operator allowed it, and gives no one else’s', async () => {
    const { server, link, api } = await squatBeforeMail()
    const own = await api.createForm({ title: 'Own' })
    await server.submit(own, { a: 1 })
    const victim = visit(server, { origin: 'http://forms.example.net' })
    expect((await victim.post(link, { password: 'what only the victim knows' })).status).toBe(303)
    expect((await victim.get(`/forms/${own}`)).html).toContain('Own')
    expect((await victim.post('/forms/new', { title: 'Mine' })).status).toBe(303)
    expect((await api.call('GET', '/forms')).status).toBe(401)
    expectSound(server.folder)
  })

  test('stays disabled when the operator creates it again, and keeps nothing of how one got in', async () => {
    const { server, email } = await prepare()
    const { squatter } = await squat(server, email)
    writeTo(server.folder, (db) => {
      db.$client.run('UPDATE users SET disabled_at = 1 WHERE email = ?', [email])
      userWrites(db).createUser({ id: newId(Date.now()), email, passwordHash: 'none' })
    })
    const columns = 'password_hash, is_proved, invited_by, may_own_forms, disabled_at'
    expect(rowsOf(server.folder, `SELECT ${columns} FROM users WHERE email = ?`, email)).toEqual([
      { password_hash: 'none', is_proved: 1, invited_by: null, may_own_forms: 1, disabled_at: 1 },
    ])
    expect((await squatter.get('/settings/keys')).location).toStartWith('/sign-in')
    expectSound(server.folder)
  })

  test('invites no one by mail, is told of no form without being asked, and is tried no replies on', async () => {
    const { server, smtp, api, trap, squatter } = await squatBeforeMail()
    const own = await api.createForm({ title: 'Own' })
    const invited = await api.call('POST', `/forms/${trap}/members`, { email: newEmail(), role: 'reader' })
    expect([invited.status, invited.body.issues[0].message]).toEqual([
      400,
      'email: must be an address that a user has proved, until you have proved your own',
    ])
    writeTo(server.folder, (db) => db.$client.run('DELETE FROM addresses'))
    const count = smtp.mails.length
    const settings = { notify: [api.email], reply: { field: 'email', subject: 'Buy', text: 'Now', copy: false } }
    expect((await api.call('PATCH', `/forms/${own}/settings`, settings)).status).toBe(200)
    const tested = await api.call('POST', `/forms/${own}/reply/test`)
    expect([tested.status, tested.body.issues[0].message]).toEqual([
      400,
      'reply: can be tested once you have proved your email address, to which the test goes',
    ])
    const page = await squatter.post(`/forms/${own}/reply/test`, {})
    expect([page.status, page.html.includes('Can be tested once you have proved your email address')]).toEqual([
      400,
      true,
    ])
    // What other addresses get that are added, with a link to stop it.
    await until(() => smtp.mails.length > count, 'the address is told that it was added')
    expect(unfolded(smtp.mails.at(-1) ?? '')).toContain('was added to the settings of this form')
  })

  test('answers for no invitation: the account that comes of one names who invited the first', async () => {
    const { server, email } = await prepare()
    const { mallory, api, trap } = await squat(server, email)
    const next = newEmail()
    const { body } = await api.call('POST', `/forms/${trap}/members`, { email: next, role: 'reader' })
    await visit(server).post(new URL(body.inviteUrl, 'http://x').pathname, { password: 'a long enough one' })
    const { members } = (await mallory.api.call('GET', `/forms/${trap}/members`)).body
    expect(members).toMatchObject([{ email }, { email: next, proved: false, invitedBy: mallory.email }])
  })

  test('is handed no form', async () => {
    const { server, email } = await prepare(mayCreate)
    const { mallory, trap } = await squat(server, email)
    const refused = await mallory.api.call('POST', `/forms/${trap}/owner`, { email })
    expect([refused.status, refused.body.issues[0].message]).toEqual([
      400,
      'email: must be of a member who has proved the address',
    ])
    expect((await mallory.get(`/forms/${trap}/settings/people`)).html).not.toContain('Make the owner')
  })
})

describe('ten thousand invitations', () => {
  test('are refused for one form after fifty, and slow down no one for many', async () => {
    const server = await sharedServer(mayCreate)
    const ada = await owner(server)
    const formId = await ada.api.createForm()
    for (let i = 0; i < 50; i++) await invite(ada, formId, newEmail())
    const refused = await ada.api.call('POST', `/forms/${formId}/members`, { email: newEmail(), role: 'reader' })
    expect([refused.status, refused.body.issues[0].message]).toEqual([
      400,
      'formId: must be a form with fewer than 50 members and invitations',
    ])

    const { path } = await invite(ada, await ada.api.createForm(), newEmail())
    const open = () =>
      processorMillisecondsOf(async () => {
        for (let i = 0; i < 50; i++) expect((await visit(server).get(path)).status).toBe(200)
      })
    const alone = Math.min(await open(), await open(), await open())
    const forms = (
      await ada.api.call('POST', '/forms/bulk', { forms: Array.from({ length: 199 }, () => ({ title: 'x' })) })
    ).body.ids as string[]
    writeTo(server.folder, (db) => {
      const { addMember } = memberWrites(db)
      for (const form of forms.slice(0, 2))
        for (let i = 0; i < 50; i++) addMember({ userId: ada.userId, formId: form, now: 1e12, ...invitation() })
      // The others are copies: one after the other they would take most of the time.
      db.$client.run(
        `INSERT INTO members (id, form, email, role, invite_hash, invite_ends_at)
          SELECT number || m.id, number, number || email, role, number || invite_hash, invite_ends_at
          FROM members AS m, forms WHERE m.form = (SELECT number FROM forms WHERE id = ?)
            AND forms.id IN (SELECT value FROM json_each(?))`,
        [formId, JSON.stringify(forms.slice(2))],
      )
    })
    // Of mails, no more than those that adding addresses to forms may cause.
    expect(rowsOf(server.folder, 'SELECT id FROM mailed_invitations WHERE user_id = ?', ada.userId)).toHaveLength(50)
    expect(rowsOf(server.folder, 'SELECT id FROM members WHERE invite_ends_at IS NOT NULL').length).toBeGreaterThan(1e4)
    await expectBelow(3 * alone, open)
  })
})

test('an address that the operator gave an account joins nothing by itself, and no one else gets in by it', async () => {
  const { server, ada, formId, email } = await prepare()
  const bob = await owner(server)
  const { path } = await invite(ada, formId, email)
  writeTo(server.folder, (db) => addressWrites(db).changeEmail({ userId: bob.userId, email }))
  expect((await ada.api.call('GET', `/forms/${formId}/members`)).body.members).toMatchObject([{ state: 'invited' }])
  writeTo(server.folder, (db) => db.$client.run('UPDATE members SET is_mailed = 1 WHERE invite_hash IS NOT NULL'))
  const before = rowsOf(server.folder, 'SELECT id, password_hash FROM users WHERE email = ?', email)
  expect(before).toMatchObject([{ id: bob.userId }])

  const stranger = visit(server)
  expect((await stranger.post(path, { password: squatted })).cookie).toBe(null)
  expect(rowsOf(server.folder, 'SELECT id, password_hash FROM users WHERE email = ?', email)).toEqual(before)

  const again = visit(server)
  expect((await again.signIn(email, password)).status).toBe(303)
  expect((await again.post(path)).status).toBe(303)
  expect((await ada.api.call('GET', `/forms/${formId}/members`)).body.members).toMatchObject([
    { email, state: 'member', proved: false },
  ])
})

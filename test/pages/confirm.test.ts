// The link with which a visitor confirms an address: what opens it, and what becomes of the submissions.
import { describe, expect, test } from 'bun:test'
import { createdAt } from '../../src/base/id.ts'
import { forThisFile, newEmail, startServer } from '../harness.ts'
import { mailSettings, startSmtp, unfolded } from '../mail/smtp-server.ts'
import { rowsOf } from '../storage/sound.ts'
import { until } from '../until.ts'
import { visit } from '../visitor.ts'
import { type Wanted, world } from '../world.ts'

const day = 86_400_000
const fields = [{ name: 'email', type: 'email', required: true }]
const confirm = { field: 'email', subject: 'Please confirm, {name}', text: 'Open this: {link}', days: 2 }
const seen = /https:\/\/forms\.example\.com(\/c\/[\w.-]+)/

const clock = { offset: 0 }
const startMailing = async () => {
  const smtp = await startSmtp()
  const now = () => Date.now() + clock.offset
  const settings = { ...mailSettings(smtp.port), FORMBOX_METRICS_ALLOW: '127.0.0.0/8' }
  return { smtp, server: await startServer({ settings, now }) }
}
let starting: ReturnType<typeof startMailing> | undefined

/** A form that asks to confirm addresses, and what its visitors do. */
const setUp = async (form: object = {}, more: Partial<Wanted> = {}) => {
  starting ??= forThisFile(startMailing)
  const { smtp, server } = await starting
  const made = await world({ server, form: { fields, confirm, ...form }, ...more })
  const { ada, path, formId } = made
  const mailsTo = (address: string) => smtp.mails.map(unfolded).filter((mail) => mail.includes(`\nTo: ${address}\r\n`))
  const linkTo = async (address: string): Promise<string> => {
    await until(() => mailsTo(address).length > 0, 'the mail with the link has arrived')
    return seen.exec(mailsTo(address)[0] ?? '')?.[1] ?? ''
  }
  const waiting = async (): Promise<string[]> => {
    const { spam } = (await ada.call('GET', `${path}/spam?reason=unconfirmed`)).body
    return spam.map(({ id }: { id: string }) => id)
  }
  const inbox = async (): Promise<string[]> => (await made.submissions()).map(({ id }: { id: string }) => id)
  /** Sends the form as a browser does. */
  const sendAs = (visitor: ReturnType<typeof visit>, data: Record<string, string>) => visitor.post(`/s/${formId}`, data)
  const knownOf = (id: string) =>
    rowsOf<Record<string, number | null>>(
      server.folder,
      'SELECT mailed_at, confirmed_at FROM confirmations WHERE submission = ?',
      id,
    )[0]
  const mailsOf = async (id: string) => {
    const { deliveries } = (await ada.call('GET', `${path}/deliveries?perPage=100`)).body
    return deliveries.filter((one: { submissionId: string }) => one.submissionId === id)
  }
  return { ...made, smtp, mailsTo, linkTo, waiting, inbox, sendAs, knownOf, mailsOf }
}

describe('the mail', () => {
  test('has the words of the owner with the link, and of the visitor what a reply has', async () => {
    const { server, send, mailsTo, linkTo, formId, knownOf } = await setUp({ title: 'News' })
    const address = newEmail()
    const { id } = (await send({ email: address, name: 'Ada', link: 'https://evil.example/' })).body
    const link = await linkTo(address)
    const [mail = ''] = mailsTo(address)
    expect(link).toStartWith(`/c/${formId}.${id}.`)
    expect(mail).toContain('Subject: Please confirm, Ada\r\n')
    expect(mail).toContain(`Open this: https://forms.example.com${link}\r\n`)
    expect(mail).toContain(`<a href="https://forms.example.com${link}"`)
    expect(mail).toContain('Auto-Submitted: auto-replied')
    expect(mail).toContain('List-Unsubscribe: ')
    expect(mail).not.toContain('evil')
    await until(() => knownOf(id)?.mailed_at != null, 'it is written down that it was mailed')
    expect(
      rowsOf(server.folder, 'SELECT mailed FROM confirm_days JOIN forms ON number = form WHERE id = ?', formId),
    ).toEqual([{ mailed: 1 }])
  })

  test('has the link at its end if its place is not named, and is that of the time at which the form was sent', async () => {
    const { change, send, mailsTo, linkTo } = await setUp({ confirm: { ...confirm, text: 'Hello {name}.' } })
    const address = newEmail()
    await send({ email: address, name: 'http://evil.example' })
    const link = await linkTo(address)
    expect(mailsTo(address)[0]).toContain(`Hello .\r\n\r\nhttps://forms.example.com${link}\r\n`)
    // The link stands once, however often its place does.
    expect((await change({ confirm: { ...confirm, text: '{link} '.repeat(700) } })).status).toBe(200)
    const other = newEmail()
    await send({ email: other })
    await linkTo(other)
    expect(mailsTo(other)[0]?.match(/https:\/\/forms\.example\.com\/c\//g)).toHaveLength(3)
  })
})

describe('the link', () => {
  test('confirms with one click in the browser that sent the form, once', async () => {
    const notify = newEmail()
    const reply = { field: 'email', subject: 'Thank you', text: 'Welcome' }
    const { server, sendAs, linkTo, mailsTo, inbox, waiting, submissions, knownOf } = await setUp({
      notify: [notify],
      reply,
    })
    const visitor = visit(server)
    const address = newEmail()
    const counted = async (): Promise<number> =>
      Number(/^formbox_submissions_total (\d+)$/m.exec(await (await server.fetch('/metrics')).text())?.[1])
    const before = await counted()
    const sent = await sendAs(visitor, { email: address, _subject: 'My subject' })
    expect(sent.heading).toBe('One more step')
    expect(sent.cookies).toHaveLength(1)
    expect(sent.cookie).toMatch(
      /^__Secure-formbox_sent\d+=[\w-]{22}; Max-Age=172800; Path=\/c\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const link = await linkTo(address)
    const [id = ''] = await waiting()
    expect([await inbox(), await counted()]).toEqual([[], before])

    // Nothing but a person who looks at it.
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ]) {
      const looked = await visitor.get(link, headers as never)
      expect(looked.button('Confirm')).toBeDefined()
    }
    const head = await server.fetch(link, { method: 'HEAD', headers: { cookie: sent.cookie?.split(';')[0] ?? '' } })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await inbox()).toEqual([])

    const page = await visitor.get(link)
    expect([page.status, page.heading]).toEqual([200, 'Your address is confirmed'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect([await inbox(), await waiting()]).toEqual([[id], []])
    expect(await counted()).toBe(before + 1)
    expect((await submissions())[0].createdAt).toBe(createdAt(id))
    const known = knownOf(id)
    expect(known?.confirmed_at).toBeGreaterThanOrEqual(known?.mailed_at ?? Number.POSITIVE_INFINITY)
    await until(() => mailsTo(notify).some((mail) => mail.includes('My subject')), 'the owner is told')
    await until(() => mailsTo(address).length === 2, 'the visitor has the automatic reply')
    expect(mailsTo(address)[1]).toContain('Subject: Thank you\r\n')

    for (const again of [await visitor.get(link), await visitor.post(link)])
      expect(again.heading).toBe('Your address is confirmed')
    expect(await inbox()).toEqual([id])
    expect((await visitor.post(`${link}/not-me`)).heading).toBe('Your address is confirmed')
    expect([await inbox(), knownOf(id)?.confirmed_at]).toEqual([[id], known?.confirmed_at])
  })

  test('asks where it is opened elsewhere, and its button confirms all that is held for the address', async () => {
    const { server, submit, linkTo, inbox, waiting, mailsOf } = await setUp()
    const address = newEmail()
    const ids = [await submit({ email: address }), await submit({ email: address.toUpperCase() })]
    const other = await submit({ email: newEmail() })
    const link = await linkTo(address)
    const elsewhere = visit(server)
    const page = await elsewhere.get(link)
    expect([page.status, page.heading]).toEqual([200, 'Confirm your address?'])
    expect(page.text).toContain('Messages that wait: 2')
    expect(page.text).not.toContain(address)
    expect(page.cookies).toEqual([])
    expect(await inbox()).toEqual([])
    expect((await mailsOf(ids[1] as string)).map((one: { reason: string }) => one.reason)).toEqual(['form_address'])
    // As a mail program or a page of another site would.
    const headers = { origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' }
    expect((await elsewhere.post(link, {}, headers)).heading).toBe('Your address is confirmed')
    expect((await inbox()).sort()).toEqual(ids.sort())
    expect(await waiting()).toEqual([other])
  })

  test('needs the button if something that another browser has sent waits for the same address', async () => {
    const { server, sendAs, linkTo, inbox } = await setUp()
    const address = newEmail()
    const visitor = visit(server)
    await sendAs(visitor, { email: address })
    await sendAs(visitor, { email: address })
    await sendAs(visit(server), { email: address, text: 'Whoever knows the address' })
    const page = await visitor.get(await linkTo(address))
    expect(page.text).toContain('Messages that wait: 3')
    expect(await inbox()).toEqual([])
  })

  test('confirms two of one browser with one click, and a later one of the same day gets a mail of its own', async () => {
    const { server, sendAs, linkTo, inbox, mailsTo } = await setUp()
    const address = newEmail()
    const visitor = visit(server)
    await sendAs(visitor, { email: address })
    await sendAs(visitor, { email: address })
    const link = await linkTo(address)
    expect((await visitor.get(link)).heading).toBe('Your address is confirmed')
    expect(await inbox()).toHaveLength(2)
    await sendAs(visitor, { email: address })
    await until(() => mailsTo(address).length === 2, 'the second mail has arrived')
    // The first link has been used.
    expect((await visitor.post(link)).heading).toBe('Your address is confirmed')
    expect(await inbox()).toHaveLength(2)
    expect((await visitor.get(seen.exec(mailsTo(address)[1] ?? '')?.[1] ?? '')).heading).toBe(
      'Your address is confirmed',
    )
    expect(await inbox()).toHaveLength(3)
  })

  test('“This was not me” deletes what is held, and the form asks this person no more', async () => {
    const { server, submit, linkTo, inbox, waiting, mailsOf, mailsTo, formId } = await setUp()
    const address = newEmail()
    await submit({ email: address })
    await submit({ email: address })
    const other = await submit({ email: newEmail() })
    const link = await linkTo(address)
    const page = await visit(server).post(`${link}/not-me`)
    expect([page.status, page.heading]).toEqual([200, 'Everything is deleted'])
    expect([await inbox(), await waiting()]).toEqual([[], [other]])
    for (const again of [await visit(server).get(link), await visit(server).post(link)])
      expect(again.heading).toBe('There is nothing to confirm')
    const [name, domain] = address.split('@')
    const again = [await submit({ email: address }), await submit({ email: `${name}+tag@${domain}` })]
    for (const id of again)
      expect((await mailsOf(id)).map(({ state, reason }: Record<string, string>) => [state, reason])).toEqual([
        ['skipped', 'withdrawn'],
      ])
    expect(mailsTo(address)).toHaveLength(1)
    const days = rowsOf(
      server.folder,
      'SELECT withdrawn, confirmed FROM confirm_days JOIN forms ON number = form WHERE id = ?',
      formId,
    )
    expect(days).toEqual([{ withdrawn: 2, confirmed: 0 }])
    // The person is known to this form alone, and by a hash.
    const known = rowsOf(
      server.folder,
      'SELECT person FROM withdrawals JOIN forms ON number = form WHERE id = ?',
      formId,
    )
    expect(known).toEqual([{ person: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  })

  test('is taken by a form that has closed or is full meanwhile, and by none that is deleted', async () => {
    const { server, ada, path, submit, change, linkTo, inbox } = await setUp({ maxSubmissions: 1 })
    const [first, second, third] = [newEmail(), newEmail(), newEmail()]
    for (const email of [first, second, third]) await submit({ email })
    expect((await visit(server).post(await linkTo(first))).heading).toBe('Your address is confirmed')
    await change({ open: false })
    expect((await visit(server).post(await linkTo(second))).heading).toBe('Your address is confirmed')
    expect(await inbox()).toHaveLength(2)
    const link = await linkTo(third)
    await ada.call('DELETE', path)
    for (const page of [
      await visit(server).get(link),
      await visit(server).post(link),
      await visit(server).post(`${link}/not-me`),
    ])
      expect([page.status, page.heading]).toEqual([200, 'There is nothing to confirm'])
  })

  test('has an end, from which nothing is confirmed', async () => {
    const { server, submit, linkTo, inbox } = await setUp()
    const address = newEmail()
    await submit({ email: address })
    const link = await linkTo(address)
    clock.offset = 2 * day
    try {
      for (const page of [await visit(server).get(link), await visit(server).post(link)])
        expect(page.heading).toBe('There is nothing to confirm')
    } finally {
      clock.offset = 0
    }
    expect(await inbox()).toEqual([])
  })

  test('puts what has a value that comes once, and that another one has, into the spam', async () => {
    const { server, submit, linkTo, inbox, spam, waiting } = await setUp({ fields: [{ ...fields[0], once: 'refuse' }] })
    const address = newEmail()
    const [first, second] = [await submit({ email: address }), await submit({ email: address })]
    await visit(server).post(await linkTo(address))
    expect(await inbox()).toEqual([first])
    expect((await spam()).map(({ id, reason }: Record<string, string>) => [id, reason])).toEqual([[second, 'repeated']])
    expect(await waiting()).toEqual([])
  })

  test('is in the language of the visitor, wherever it is opened', async () => {
    const { server, post, linkTo } = await setUp()
    const address = newEmail()
    const answer = await post(new URLSearchParams({ email: address }).toString(), {
      accept: 'text/html',
      'accept-language': 'de',
    })
    expect(answer.body).toContain('Noch ein Schritt')
    const page = await visit(server).get(await linkTo(address), { 'accept-language': 'fr' })
    expect(page.heading).toBe('Ihre Adresse bestätigen?')
    expect(page.html).toContain('<html lang="de"')
  })

  test('of another signature, form or submission is none', async () => {
    const { server, submit, linkTo, inbox } = await setUp()
    const address = newEmail()
    const first = await submit({ email: address })
    const link = await linkTo(address)
    const second = await submit({ email: newEmail() })
    const [head, signature = ''] = [link.slice(0, link.lastIndexOf('.')), link.slice(link.lastIndexOf('.') + 1)]
    const flipped = (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1)
    for (const wrong of [
      `${head}.${flipped}`,
      `${head}.`,
      `${head}`,
      `${head.replace(first, second)}.${signature}`,
      `/c/${second}`,
      '/c/x',
      `${link}x`,
    ])
      for (const { status, heading, cookies } of [await visit(server).get(wrong), await visit(server).post(wrong)])
        expect([wrong, status, heading, cookies]).toEqual([wrong, 404, 'This link does not work', []])
    expect(await inbox()).toEqual([])
  })
})

describe('the cookie', () => {
  test('is the same for a double click, of which the browser keeps the last response', async () => {
    const { server, sendAs, linkTo, inbox } = await setUp()
    const address = newEmail()
    const [first, second] = [visit(server), visit(server)]
    const data = { email: address, _idempotency: crypto.randomUUID() }
    await sendAs(first, data)
    const again = await sendAs(second, data)
    expect([again.headers.get('idempotency-replayed'), again.cookies.length]).toEqual(['true', 1])
    expect((await second.get(await linkTo(address))).heading).toBe('Your address is confirmed')
    expect(await inbox()).toHaveLength(1)
  })

  test('is for browsers that show a page next, also for spam, and for forms with `confirm` alone', async () => {
    const { server, sendAs, formId, change } = await setUp({ honeypot: 'trap' })
    const send = (data: Record<string, string>, headers: Record<string, string> = {}) =>
      visit(server).post(`/s/${formId}`, { email: newEmail(), ...data }, headers)
    expect((await send({})).cookies).toHaveLength(1)
    const robot = await send({ trap: 'x' })
    expect([robot.heading, robot.cookies.length]).toEqual(['One more step', 1])
    expect((await send({}, { 'sec-fetch-mode': 'cors' })).cookies).toEqual([])
    expect((await send({}, { accept: 'application/json' })).cookies).toEqual([])
    expect((await send({ email: 'x' })).cookies).toEqual([])
    await change({ confirm: null })
    expect((await sendAs(visit(server), { email: newEmail() })).cookies).toEqual([])
  })

  test('of another submission confirms nothing by itself', async () => {
    const { server, sendAs, submit, linkTo, inbox } = await setUp()
    const attacker = visit(server)
    await sendAs(attacker, { email: newEmail() })
    const address = newEmail()
    await submit({ email: address })
    expect((await attacker.get(await linkTo(address))).heading).toBe('Confirm your address?')
    expect(await inbox()).toEqual([])
  })
})

// Answers to visitors, from the submission to the mail server, as strangers would misuse them.
import { describe, expect, test } from 'bun:test'
import { startServer, type User } from '../../../harness.ts'
import { mailSettings, type Script, startSmtp, unfolded } from '../../../mail/smtp-server.ts'
import { isCompiled } from '../../../program.ts'
import { rowsOf } from '../../../storage/sound.ts'
import { slowly, until } from '../../../until.ts'
import { visit } from '../../../visitor.ts'

const reply = { field: 'email', subject: 'Thank you, {name}', text: 'Hello {name}!\nYour reference is {reference}.' }

interface Options {
  readonly script?: Script
  readonly settings?: Readonly<Record<string, string>>
  readonly now?: () => number
}

const setUp = async ({ script, settings = {}, now }: Options = {}) => {
  const smtp = await startSmtp(script)
  const allSettings = { ...mailSettings(smtp.port), ...settings }
  const server = await startServer({ settings: allSettings, ...(now && { now }) })
  const ada = await server.signUp()
  const addForm = async (user: User = ada) => {
    const id = await user.createForm({ title: 'Contact' })
    await user.call('PATCH', `/forms/${id}/settings`, { reply })
    return id
  }
  const formId = await addForm()
  /** Sends a form as a browser does. */
  const post = (fields: Record<string, string>, form = formId, init: RequestInit = {}) =>
    server.fetch(`/s/${form}`, { method: 'POST', body: new URLSearchParams(fields), ...init })
  const deliveries = () =>
    rowsOf<{ target: string; state: string; reason: string | null; attempts: number; log: string }>(
      server.folder,
      "SELECT target, state, reason, attempts, log FROM deliveries WHERE kind = 'reply' ORDER BY id",
    )
  const states = () => deliveries().map(({ state, reason }) => reason ?? state)
  const settled = () => until(() => !states().includes('pending'), 'nobody is still to be answered', slowly)
  const recipients = () => smtp.lines.filter((line) => line.startsWith('RCPT TO')).map((line) => line.slice(9, -1))
  const mails = () => smtp.mails.map(unfolded)
  return { smtp, server, allSettings, ada, addForm, formId, post, deliveries, states, settled, recipients, mails }
}

/** The path of the link that stops mails. */
const linkIn = (mail = ''): string =>
  /^List-Unsubscribe: <https:\/\/forms\.example\.com(\/[^>]+)>\r$/m.exec(mail)?.[1] ?? ''

describe('a visitor', () => {
  test('gets the mail of the owner, with headers that no program answers', async () => {
    const { server, ada, formId, post, settled, recipients, mails, states } = await setUp()
    await ada.call('PATCH', `/forms/${formId}/settings`, { notify: [ada.email] })
    const { id } = await (
      await post({ email: ' Grace@Example.org ', name: 'Grace', message: 'see evil.example' })
    ).json()
    await settled()
    await until(() => mails().length === 2, 'the owner is told as well')
    const [mail = ''] = mails().filter((one) => one.includes('auto-replied'))
    for (const line of [
      'From: Formbox <forms@example.com>',
      'To: Grace@example.org',
      `Reply-To: ${ada.email}`,
      'Subject: Thank you, Grace',
      'Auto-Submitted: auto-replied',
      'X-Auto-Response-Suppress: All',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ])
      expect(mail).toContain(`${line}\r\n`)
    expect(mail).toContain(`Hello Grace!\r\nYour reference is ${id.slice(0, 8)}.\r\n`)
    expect(mail).toContain('someone entered your address in a form on forms.example.com.')
    expect(mail).not.toContain('evil')
    expect(recipients().sort()).toEqual(['Grace@example.org', ada.email].sort())
    expect(states()).toEqual(['delivered'])
    const { deliveries } = (await ada.call('GET', `/forms/${formId}/deliveries`)).body
    expect(deliveries.map((one: { kind: string; target: string }) => `${one.kind} ${one.target}`).sort()).toEqual([
      `email ${ada.email}`,
      'reply Grace@example.org',
    ])
    expect((await server.fetch('/')).status).toBe(303)
  })

  test('gets it in the language of the submission, after a restart too, with a page behind its link', async () => {
    let isBusy = true
    const { server, allSettings, ada, formId, post, deliveries, mails } = await setUp({
      script: { RCPT: () => (isBusy ? '451 4.3.0 Try again later' : '250 Ok') },
    })
    await post({ email: 'grace@example.org' }, formId, { headers: { 'accept-language': 'de' } })
    await until(() => deliveries()[0]?.log.includes('451') === true, 'the reply is put off')
    await ada.call('PATCH', `/forms/${formId}/settings`, { language: 'en' })
    await server.stop()
    isBusy = false
    const next = await startServer({ folder: server.folder, settings: allSettings })
    const [{ id } = { id: '' }] = rowsOf<{ id: string }>(
      server.folder,
      "SELECT id FROM deliveries WHERE kind = 'reply'",
    )
    const headers = { authorization: `Bearer ${ada.key}` }
    await next.fetch(`/api/v1/forms/${formId}/deliveries/${id}/retry`, { method: 'POST', headers })
    await until(() => mails().length === 1, 'the reply is sent')
    const [mail = ''] = mails()
    expect(mail).toContain('<html lang="de">')
    expect(mail).toContain('in ein Formular auf forms.example.com eingetragen hat.')
    expect(mail).not.toContain('someone entered')
    const link = linkIn(mail)
    expect(link).toEndWith('?lang=de')
    for (const [path, method] of [
      [link, 'GET'],
      [link, 'POST'],
      [link.replace('?', '/allow?'), 'POST'],
    ] as const) {
      const page = await next.fetch(path, { method, headers: { 'accept-language': 'en' } })
      expect([page.status, page.headers.get('content-language')]).toEqual([200, 'de'])
      expect(await page.text()).toContain('grace@example.org')
    }
  })

  test('is answered once, however often the form comes, and by whatever door it is sent again', async () => {
    const { server, formId, post, settled, recipients, states } = await setUp()
    const headers = { 'idempotency-key': 'once' }
    for (let i = 0; i < 3; i++) await post({ email: 'grace@example.org' }, formId, { headers })
    expect(states()).toHaveLength(1)
    await server.submit(formId, { email: 'GRACE+json@EXAMPLE.org' })
    const multipart = new FormData()
    multipart.set('email', 'grace@example.org')
    await server.fetch(`/s/${formId}`, { method: 'POST', body: multipart })
    await settled()
    expect(states().sort()).toEqual(['delivered', 'form_address', 'form_address'])
    expect(recipients()).toEqual(['grace@example.org'])
  })

  test('is not answered without one address that can be answered, and nothing else, in the field', async () => {
    const { server, formId, states } = await setUp()
    const wrong: [string, object][] = [
      ['without the field', { name: 'Grace' }],
      ['in another case of the field', { Email: 'grace@example.org' }],
      ['with two addresses in the field', { email: 'grace@example.org, other@example.org' }],
      ['with a list', { email: ['grace@example.org', 'other@example.org'] }],
      ['with an object', { email: { address: 'grace@example.org' } }],
      ['with a name beside the address', { email: 'Grace <grace@example.org>' }],
      ['with a header', { email: 'grace@example.org\r\nBcc: other@example.org' }],
      ['with a comment', { email: 'grace(x)@example.org' }],
      ['with a quoted name', { email: '"grace"@example.org' }],
      ['of a mailbox of programs', { email: 'MAILER-DAEMON@example.org' }],
      ['of this network', { email: 'root@localhost' }],
    ]
    for (const [what, data] of wrong) {
      await server.submit(formId, data)
      expect(states(), what).toEqual([])
    }
  })

  test('who fills in the trap is not answered; and once, if the owner takes it for none within seven days', async () => {
    const { ada, formId, post, states, settled, recipients } = await setUp()
    for (const email of ['grace@example.org', 'other@example.org']) await post({ email, _gotcha: 'x' })
    expect(states()).toEqual([])
    const { spam } = (await ada.call('GET', `/forms/${formId}/spam`)).body
    const { id } = spam.at(-1)
    for (let i = 0; i < 3; i++) {
      expect((await ada.call('POST', `/forms/${formId}/spam/${id}/accept`)).status).toBe(200)
      await settled()
      expect((await ada.call('POST', `/forms/${formId}/submissions/${id}/spam`)).status).toBe(200)
    }
    expect(recipients()).toEqual(['grace@example.org'])
  })

  test('cannot put a header, a link or a recipient of their own into it', async () => {
    const { server, ada, formId, settled, mails } = await setUp()
    const names = [
      'Ada\r\nBcc: victim@example.net',
      'evil.example',
      'www.evil.example',
      '\u202egro.elpmaxe',
      'mailto:x@evil.example',
      'ｅｖｉｌ．ｅｘａｍｐｌｅ',
      'x'.repeat(100_000),
    ]
    for (const [i, name] of names.entries()) await server.submit(formId, { email: `g${i}@example.org`, name })
    await settled()
    expect(mails()).toHaveLength(names.length)
    for (const mail of mails()) {
      expect(mail).toMatch(/^Subject: Thank you,\r\n/m)
      // A random boundary or signature has `bcc` in it in one run of thirty.
      const unsigned = mail.replaceAll(/https:\/\/forms\.example\.com\/[\w./?=-]+/g, '')
      expect(unsigned).not.toMatch(/evil|Bcc:|victim|elpmaxe/i)
      expect(mail).toMatch(/Hello !\r\n/)
      expect(mail.length).toBeLessThan(5000)
    }
    expect((await ada.call('GET', `/forms/${formId}/deliveries?state=failed`)).body.deliveries).toEqual([])
  })
})

test('a new account sends mail to 30 strangers, whatever number of forms it makes', async () => {
  const { ada, addForm, post, settled, states, recipients } = await setUp()
  const forms = await Promise.all(Array.from({ length: 10 }, () => addForm()))
  const strangers = Array.from({ length: 200 }, (_, i) => `stranger${i}@example.org`)
  for (const [i, email] of strangers.entries()) {
    const headers = { 'x-forwarded-for': `192.0.2.${i}` }
    expect((await post({ email }, forms[i % forms.length] as string, { headers })).status).toBe(200)
  }
  await settled()
  expect(recipients()).toHaveLength(30)
  expect(states().filter((one) => one === 'user_day')).toHaveLength(170)
  const { deliveries } = (await ada.call('GET', `/forms/${forms[9]}/deliveries?state=skipped`)).body
  expect(deliveries[0]).toMatchObject({ kind: 'reply', reason: 'user_day' })
})

describe('someone who is answered against their will', () => {
  test('stops all mail of the server, with one click or on a page, and gets none that waits', async () => {
    const { server, ada, addForm, formId, post, settled, smtp, states, recipients } = await setUp()
    await post({ email: 'grace@example.org' })
    await settled()
    const link = linkIn(smtp.mails[0])
    const path = link.replace('?lang=en', '')
    expect(link).not.toBe(path)
    const page = await visit(server).get(link)
    expect(page.button('Stop all emails')).toBeDefined()
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    const answer = await server.fetch(path, { method: 'POST', body })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('gets no more emails from this server')
    const others = [await addForm(), await addForm(await server.signUp())]
    for (const form of others) await post({ email: 'GRACE+new@example.org' }, form)
    await settled()
    expect(states()).toEqual(['delivered', 'stopped', 'stopped'])
    const added = await ada.call('PATCH', `/forms/${formId}/settings`, { notify: ['grace@example.org'] })
    expect(added.body.issues[0].message).toContain('whose recipient wants no email from this server')
    // And back.
    expect((await visit(server).post(`${path}/allow`)).status).toBe(200)
    await post({ email: 'grace@example.org' }, others[0] as string)
    await settled()
    expect(recipients()).toEqual(['grace@example.org', 'grace@example.org'])
  })

  test('gets no mail that was put off when they stopped all', async () => {
    const { server, ada, addForm, formId, post, smtp, settled, states, deliveries } = await setUp({
      script: { RCPT: (line) => (line.includes('<later@') ? '451 4.7.1 Greylisted' : '250 Ok') },
    })
    await post({ email: 'later@example.org' })
    await until(() => deliveries()[0]?.log.includes('451') === true, 'the first answer is put off')
    // One person, with a tag and without.
    await post({ email: 'later+x@example.org' }, await addForm())
    await until(() => smtp.mails.length === 1, 'the second form answers')
    await server.fetch(linkIn(smtp.mails[0]), { method: 'POST' })
    const [waiting] = (await ada.call('GET', `/forms/${formId}/deliveries`)).body.deliveries
    expect((await ada.call('POST', `/forms/${formId}/deliveries/${waiting.id}/retry`)).status).toBe(200)
    await settled()
    expect(states()).toEqual(['stopped', 'delivered'])
    expect(smtp.mails).toHaveLength(1)
  })
})

describe('an answer that fails', () => {
  test('is no alarm, its address gets no more, and it can be tried again by hand', async () => {
    let isThere = false
    const { ada, addForm, formId, post, settled, states, recipients } = await setUp({
      script: { RCPT: () => (isThere ? '250 Ok' : '550 5.1.1 No such user') },
    })
    await post({ email: 'typo@example.org' })
    await settled()
    expect(states()).toEqual(['failed'])
    const other = await addForm()
    await post({ email: 'typo@example.org' }, other)
    expect(states()).toEqual(['failed', 'refused'])
    expect((await ada.call('POST', `/forms/${formId}/deliveries/retry`)).body).toEqual({ count: 0 })
    const [failed] = (await ada.call('GET', `/forms/${formId}/deliveries?state=failed`)).body.deliveries
    expect(failed).toMatchObject({ kind: 'reply', target: 'typo@example.org', lastStatus: 550 })
    isThere = true
    expect((await ada.call('POST', `/forms/${formId}/deliveries/${failed.id}/retry`)).status).toBe(200)
    await settled()
    expect(states()).toEqual(['delivered', 'refused'])
    const again = await ada.call('POST', `/forms/${formId}/deliveries/${failed.id}/retry`)
    expect(again.body.issues[0].message).toContain('must not be a reply that was delivered')
    expect(recipients()).toHaveLength(2)
  })

  test.skipIf(isCompiled)('is not sent after 24 hours, whatever the reason was', async () => {
    let now = Date.now()
    let isBusy = true
    const { post, states, deliveries, settled, smtp } = await setUp({
      script: { RCPT: () => (isBusy ? '451 4.3.0 Try again later' : '250 Ok') },
      now: () => now,
    })
    await post({ email: 'grace@example.org' })
    const ended = () => JSON.parse(deliveries()[0]?.log ?? '[]').length
    let before = 0
    const attempted = () => until(() => ended() > before, 'another attempt has ended', slowly)
    await attempted()
    for (const hours of [0.01, 0.2, 1, 3, 6]) {
      before = ended()
      now += hours * 3_600_000
      // A submission that comes in wakes the job.
      await post({ name: 'nobody' })
      await attempted()
    }
    expect(states()).toEqual(['pending'])
    isBusy = false
    now += 14 * 3_600_000
    await post({ name: 'nobody' })
    await settled()
    expect(states()).toEqual(['failed'])
    expect(smtp.mails).toEqual([])
  })
})

test('what became of answers is in the metrics', async () => {
  const { server, post, settled } = await setUp({ settings: { FORMBOX_METRICS_TOKEN: 'a'.repeat(32) } })
  await post({ email: 'grace@example.org' })
  await settled()
  const headers = { authorization: `Bearer ${'a'.repeat(32)}` }
  const metrics = await (await server.fetch('/metrics', { headers })).text()
  expect(metrics).toContain('formbox_delivery_attempts_total{kind="reply",result="delivered"} 1')
})

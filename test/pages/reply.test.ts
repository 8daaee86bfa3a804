// The answer to visitors on the pages: its section of the settings, a preview, a test, and what became of answers.
import { describe, expect, test } from 'bun:test'
import { sharedServer, startServer } from '../harness.ts'
import { mailSettings, startSmtp } from '../mail/smtp-server.ts'
import { readPage } from '../read-page.ts'
import { until } from '../until.ts'
import { owner } from '../visitor.ts'
import { openSettings, sendSettings } from './settings-form.ts'

const setUp = async ({ server: given }: { server?: Awaited<ReturnType<typeof startServer>> } = {}) => {
  const server = given ?? (await sharedServer(mailSettings(1)))
  const ada = await owner(server)
  const id = await ada.api.createForm({ title: 'Contact & <b>more</b>' })
  const settings = `/forms/${id}/settings`
  const change = (changes: object) => ada.api.call('PATCH', settings, changes)
  const stored = async () => (await ada.api.call('GET', settings)).body
  const save = async (typed: Parameters<typeof sendSettings>[3], page = '') =>
    sendSettings(ada, `${settings}${page}`, await openSettings(ada, `${settings}${page}`), typed)
  const page = async () => (await ada.get(settings)).html
  return { server, ada, id, settings, change, stored, save, page }
}

const reply = { field: 'email', subject: 'Thank you, {name}', text: 'Hello {name}!\n{reference}', copy: false }
const typed = { reply: 'email', 'reply-subject': reply.subject, 'reply-text': 'Hello {name}!\r\n{reference}' }

describe('the section of the settings', () => {
  test('saves the answer, shows it again as it was typed, and takes it away', async () => {
    const { save, stored, page } = await setUp()
    expect(await page()).toContain('Automatic reply</h3>')
    expect((await save(typed)).status).toBe(303)
    expect((await stored()).reply).toEqual(reply)
    const html = await page()
    expect(readPage(html).field('reply-subject')?.value).toBe('Thank you, {name}')
    expect(html).toContain('>\nHello {name}!\n{reference}</textarea>')
    // Nothing was changed.
    expect((await save({})).status).toBe(303)
    expect((await stored()).reply).toEqual(reply)
    expect((await save({ reply: '', 'reply-subject': '', 'reply-text': '' })).status).toBe(303)
    expect((await stored()).reply).toBeNull()
  })

  test('names placeholders and a field with the address that no submission has had', async () => {
    const { server, id, save, page } = await setUp()
    const unseen = async () => /<p class="notice">(Not among .*?)<\/p>/s.exec(await page())?.[1]
    await save({
      reply: 'mail',
      'reply-subject': '{title} {nosuch} {reference}',
      'reply-text': '{name} {nosuch} {<b>x} {constructor}',
    })
    // Nothing has come in yet, so nothing is known.
    expect(await unseen()).toBeUndefined()
    await server.submit(id, { email: 'grace@example.org', name: 'Grace' })
    expect(await unseen()).toBe(
      'Not among the fields seen so far: <bdi>mail</bdi>, <bdi>nosuch</bdi>, <bdi>&lt;b&gt;x</bdi>, <bdi>constructor</bdi>. ' +
        'Check the <a href="#reply">field with the address</a> and the placeholders.',
    )
    await save(typed)
    expect(await unseen()).toBeUndefined()
  })

  test('names a field in the condition of an address that no submission has had', async () => {
    const { server, ada, id, change, page } = await setUp()
    await server.submit(id, { topic: 'Sales' })
    const only = (field: string) => change({ notify: [{ address: ada.email, only: { field, equals: 'Sales' } }] })
    await only('Topic')
    expect(await page()).toContain('No message has had this field yet')
    await only('topic')
    expect(await page()).not.toContain('No message has had this field')
  })

  test('says what is wrong, and keeps what was typed', async () => {
    const { save, stored } = await setUp()
    for (const [more, message] of [
      [{ reply: '' }, 'Must name the field with the address; or clear the others as well'],
      [{ 'reply-subject': '' }, 'Must have a subject of 1 to 200 characters, not only white space; got 0'],
      [
        { 'reply-subject': 'x'.repeat(201) },
        'Must have a subject of 1 to 200 characters, not only white space; got 201',
      ],
      [{ 'reply-text': 'x'.repeat(5001) }, 'Must have a text of 1 to 5000 characters, not only white space; got 5001'],
      [{ reply: 'x'.repeat(1000) }, 'Must be a name of at most 1000 bytes'],
      [{ 'reply-copy': 'on' }, 'Must not have a copy unless `challenge` is on and `allowedOrigins` names pages'],
    ] as const) {
      const { status, html } = await save({ ...typed, ...more })
      expect(status).toBe(400)
      expect(html).toContain('role="alert">Not saved. Look at <a href="#reply">Automatic reply</a>')
      expect(html).toContain(`id="reply-error">${message}`)
      expect(html).toContain('{reference}</textarea>'.slice('reply-text' in more ? -11 : 0))
    }
    expect((await stored()).reply).toBeNull()
  })

  test('keeps the rules of a copy when the proof of work or the pages are taken away on other pages', async () => {
    const { change, save, stored } = await setUp()
    const strict = { challenge: true, allowedOrigins: ['https://example.com'] }
    await change(strict)
    expect((await save({ ...typed, 'reply-copy': 'on' })).status).toBe(303)
    expect((await stored()).reply.copy).toBe(true)
    const spam = await save({ challenge: null }, '/spam')
    expect([spam.status, spam.html]).toEqual([400, expect.stringContaining('while `reply` sends visitors a copy')])
    const collecting = await save({ allowedOrigins: '' }, '/visitors')
    expect([collecting.status, collecting.html]).toEqual([
      400,
      expect.stringContaining('Must not be empty while `reply` sends visitors a copy'),
    ])
    expect(await stored()).toMatchObject(strict)
    expect((await save({ 'reply-copy': null })).status).toBe(303)
    expect((await save({ challenge: null }, '/spam')).status).toBe(303)
  })

  test('says that the server sends no mail, where that is so', async () => {
    const server = await sharedServer()
    const { page } = await setUp({ server })
    const html = await page()
    expect(html).toContain('Automatic reply')
    expect(html).not.toContain('name="reply"')
  })
})

describe('the preview', () => {
  test('is the mail that the newest submission gets, without a link that works', async () => {
    const { server, id, change, page } = await setUp()
    await change({ reply })
    expect(await page()).toContain('if the field held one address')
    const submitted = await server.submit(id, { email: ' Grace@Example.org ', name: 'Grace <i>' })
    const html = await page()
    expect(html).toContain('The reply to the newest submission, at Grace@example.org.')
    expect(readPage(html).texts).toContain('Thank you, Grace <i>')
    expect(html).toContain(`Hello Grace &lt;i&gt;!\n${submitted.slice(0, 8)}\n`)
    expect(html).toContain('Stop all emails from this server: https://forms.example.com/unsubscribe/…')
    await server.submit(id, { email: 'grace@example.org', name: 'www.example.com' })
    expect(await page()).toContain('Hello !')
  })

  test('can be sent to oneself, and not more than ten times an hour; what was typed stays', async () => {
    const smtp = await startSmtp()
    const server = await startServer({ settings: mailSettings(smtp.port) })
    const { ada, id, settings, change } = await setUp({ server })
    await change({ reply })
    await server.submit(id, { email: 'ada@example.org', name: 'Grace' })
    await until(() => smtp.mails.length === 1, 'the visitor is answered')
    const send = async () => {
      const inputs = new URLSearchParams(await openSettings(ada, settings))
      inputs.set('reply-subject', 'Typed')
      return ada.post(`/forms/${id}/reply/test`, [...inputs])
    }
    const { status, html } = await send()
    expect(status).toBe(200)
    expect(html).toContain(`The email to ${ada.api.email} was accepted with 250`)
    expect(html).toContain('Not saved yet. What you typed is below.')
    expect(readPage(html).field('reply-subject')).toMatchObject({ value: 'Typed' })
    expect(smtp.lines.filter((line) => line.startsWith('RCPT'))).toEqual([
      'RCPT TO:<ada@example.org>',
      `RCPT TO:<${ada.api.email}>`,
    ])
    expect(smtp.mails[1]).toContain('Subject: Thank you, Grace')
    expect(smtp.mails[1]).toContain('Auto-Submitted: auto-replied')
    for (let i = 0; i < 9; i++) expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(429)
    expect(smtp.mails).toHaveLength(11)
  })

  test('says why it could not be sent, or that there is none', async () => {
    const { ada, id, settings, change } = await setUp()
    expect((await ada.post(`/forms/${id}/reply/test`, [])).headers.get('location')).toEndWith(settings)
    await change({ reply })
    const { status, html } = await ada.post(`/forms/${id}/reply/test`, [...(await openSettings(ada, settings))])
    expect(status).toBe(200)
    expect(html).toMatch(/role="alert">\s*<p>The email to .* was not sent: The mail server refused the connection/)
  })
})

describe('what became of answers', () => {
  test('is on the page of the submission and in the list, which says why someone was not answered', async () => {
    const smtp = await startSmtp({ RCPT: (line) => (line.includes('typo') ? '550 5.1.1 No such user' : '250 Ok') })
    const server = await startServer({ settings: mailSettings(smtp.port) })
    const { ada, id, change } = await setUp({ server })
    await change({ reply })
    const first = await server.submit(id, { email: 'grace@example.org', name: 'Grace' })
    const second = await server.submit(id, { email: 'grace@example.org', name: 'Grace again' })
    await server.submit(id, { email: 'typo@example.org', name: 'Typo' })
    await until(async () => {
      const { deliveries } = (await ada.api.call('GET', `/forms/${id}/deliveries`)).body
      return deliveries.every(({ state }: { state: string }) => state !== 'pending')
    }, 'all deliveries are done')
    const answered = (await ada.get(`/forms/${id}/submissions/${first}`)).html
    expect(answered).toContain('Answered automatically to <bdi>grace@example.org</bdi>')
    // A visitor gets one answer.
    expect(answered).not.toContain('Send again')
    const skipped = (await ada.get(`/forms/${id}/submissions/${second}`)).html
    expect(skipped).toContain('grace@example.org</bdi>: this form has replied to the address within 24 hours')
    const list = (await ada.get(`/forms/${id}/deliveries`)).html
    expect(list).toContain('>Automatic replies</h3>')
    expect(list).toContain(' to typo@example.org')
    expect(list).toContain('>1 not sent</a>')
    expect(list).not.toMatch(/>Try (?:all|it)/)
    expect((await ada.get(`/forms/${id}/deliveries?state=skipped`)).html.match(/<li class="is-/g)).toHaveLength(1)
    // A typing error is no alarm.
    expect((await ada.get('/forms')).html).not.toContain('Not delivered')
    expect((await ada.get(`/forms/${id}`)).html).not.toContain('See what happened')
    // By hand, within the limits.
    const retry = /action="(\/forms\/[^"]+\/retry)"/.exec(skipped)?.[1] as string
    const refused = await ada.post(retry, [])
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('must not be a second reply of this form to one address within 24 hours')
  })
})

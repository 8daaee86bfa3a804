import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../../src/base/id.ts'
import { type Attachment, maxAttachedBytes } from '../../../../src/sending/mail/attachments.ts'
import { openMailer } from '../../../../src/sending/mail/mailer.ts'
import { digestMail, submissionMail } from '../../../../src/sending/mail/messages.ts'
import type { Mail } from '../../../../src/sending/mail/parcel.ts'
import { listSubmission, maxListed } from '../../../../src/sending/mail/shown-fields.ts'
import { unsubscribeLink } from '../../../../src/sending/mail/unsubscribe.ts'
import { formbox } from '../../../commands/formbox.ts'
import { afterThisTest, forThisFile, startServer, temporaryFolder } from '../../../harness.ts'
import { ownCertificate } from '../../../mail/certificate.ts'
import { mailConfig } from '../../../mail/mail-config.ts'
import { hasPython, headerOf, parseMails } from '../../../mail/parsed.ts'
import { hasPostfix, startPostfix } from '../../../mail/postfix.ts'
import { saying } from '../../../mail/saying.ts'
import { slowly, until } from '../../../until.ts'

const publicUrl = 'https://forms.example.com'
const password = 'ada:h%C3%BCnter2@'

const mailTo = (to: string, message = 'Grüße 😀'): Mail => {
  const id = newId(Date.now())
  return submissionMail({
    id,
    to,
    form: { id: newId(Date.now()), title: 'Kontakt' },
    link: `${publicUrl}/forms/x/submissions/${id}`,
    stop: unsubscribeLink(publicUrl, Buffer.from('key'), { receiver: id, address: to }),
    submission: { id, data: JSON.stringify({ email: 'grace@example.net', message }), subject: null },
  })
}

const open = (url: string) => {
  const mailer = openMailer(mailConfig(url, { publicUrl }))
  afterThisTest(mailer.close)
  return mailer
}

/** Attachments of random bytes. */
const files = (...sizes: number[]) =>
  sizes.map((size, i) => {
    const bytes = randomBytes(size)
    return {
      name: `ä${i}.pdf`,
      type: 'application/pdf',
      size,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      read: () => [bytes],
    }
  })

let running: ReturnType<typeof startPostfix> | undefined
const postfix = () => (running ??= forThisFile(startPostfix))

describe.skipIf(!hasPostfix)('Postfix', () => {
  test('takes mails with STARTTLS, with TLS from the start, and without a password for its own users', async () => {
    const { port, tlsPort, mails, log } = await postfix()
    for (const url of [
      `smtp://127.0.0.1:${port}`,
      `smtp://${password}127.0.0.1:${port}`,
      `smtps://${password}127.0.0.1:${tlsPort}`,
    ])
      expect(await open(url).send(mailTo('ada@inbox.example'))).toMatchObject({ result: 'delivered', status: 250 })
    const arrived = await mails('ada', 3)
    for (const raw of arrived) expect(raw).toMatch(/with ESMTPSA? id/)
    const signedIn = () => log().match(/sasl_username=ada/g) ?? []
    // Another process writes the log.
    await until(() => signedIn().length >= 2, 'two have signed in', slowly)
    expect(signedIn()).toHaveLength(2)
    if (hasPython)
      for (const mail of parseMails(arrived)) {
        expect(headerOf(mail, 'Subject')).toBe('Kontakt: grace@example.net – Grüße 😀')
        expect(headerOf(mail, 'Reply-To')).toBe('grace@example.net')
        expect(headerOf(mail, 'Return-Path')).toBe('<forms@example.com>')
        expect(mail.parts['text/plain']).toContain('Grüße 😀')
        expect(mail.parts['text/html']).toContain('Grüße 😀')
        expect(mail.defects).toEqual([])
      }
  })

  test('says why it takes none, which is told in words', async () => {
    const { port } = await postfix()
    const send = async (to: string, credentials = '') => open(`smtp://${credentials}127.0.0.1:${port}`).send(mailTo(to))
    const fault = { result: 'later', isOurFault: true }
    expect(await send('ada@inbox.example', 'ada:wrong@')).toMatchObject({
      ...fault,
      status: 535,
      error: saying('The mail server refused the user or the password'),
    })
    expect(await send('ada@elsewhere.example')).toMatchObject({
      ...fault,
      error: saying('The mail server does not send email to other servers for Formbox'),
    })
    expect(await send('ada@elsewhere.example', password)).toMatchObject({ result: 'delivered' })
    expect(await send('full@inbox.example')).toMatchObject({
      result: 'later',
      isOurFault: false,
      error: saying('The mailbox is full'),
    })
    expect(await send('new@inbox.example')).toMatchObject({
      result: 'later',
      error: saying('The mail server asks to try again later'),
    })
    expect(await send('nobody@inbox.example')).toMatchObject({
      result: 'refused',
      error: saying('The mail server refused the address'),
    })
  })

  test.skipIf(!hasPython)(
    'takes answers to visitors of a running server, and refuses an address that is not there',
    async () => {
      const { port, mails } = await postfix()
      const server = await startServer({
        settings: {
          FORMBOX_MAIL_URL: `smtp://127.0.0.1:${port}`,
          FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
          FORMBOX_URL: publicUrl,
        },
      })
      const ada = await server.signUp()
      const formId = await ada.createForm({ title: 'Kontakt' })
      const reply = { field: 'email', subject: 'Danke, {name} 😀', text: 'Hallo {name}!\nGrüße aus {title}.' }
      await ada.call('PATCH', `/forms/${formId}/settings`, { reply })
      await server.submit(formId, { email: 'visitor+tag@inbox.example', name: 'Zoë' })
      await server.submit(formId, { email: 'nobody@inbox.example', name: 'Typo' })
      const states = async () =>
        Object.fromEntries(
          (await ada.call('GET', `/forms/${formId}/deliveries`)).body.deliveries.map(
            ({ target, state, lastError }: Record<string, string>) => [target, `${state} ${lastError}`],
          ),
        )
      await until(
        async () =>
          !Object.values(await states())
            .join()
            .includes('pending'),
        'both are done',
        slowly,
      )
      expect(await states()).toEqual({
        'visitor+tag@inbox.example': 'delivered null',
        'nobody@inbox.example': 'failed The mail server refused the address. Check that it exists and is spelled right',
      })
      const [mail] = parseMails(await mails('visitor', 1))
      expect(mail?.defects).toEqual([])
      const headers = ['Subject', 'From', 'To', 'Auto-Submitted', 'X-Auto-Response-Suppress', 'List-Unsubscribe-Post']
      expect(headers.map((name) => headerOf(mail!, name))).toEqual([
        'Danke, Zoë 😀',
        'Formbox <forms@example.com>',
        'visitor+tag@inbox.example',
        'auto-replied',
        'All',
        'List-Unsubscribe=One-Click',
      ])
      for (const part of Object.values(mail?.parts ?? {})) expect(part).toContain('Hallo Zoë!')
      expect(mail?.parts['text/plain']).toContain('Grüße aus Kontakt.')
    },
  )

  test('refuses a mail that is too large, and takes the next one', async () => {
    const { port, mails } = await postfix()
    const mailer = open(`smtp://127.0.0.1:${port}`)
    const large = { ...mailTo('ada@inbox.example'), text: 'x'.repeat(12_000_000) }
    const refused = {
      result: 'refused',
      isOurFault: false,
      error: saying('The email is larger than the mail server allows'),
    }
    expect(await mailer.send(large)).toMatchObject(refused)
    expect(await mailer.send({ ...mailTo('ada@inbox.example'), attachments: files(7_500_000) })).toMatchObject(refused)
    expect(await mailer.send(mailTo('ada@inbox.example'))).toMatchObject({ result: 'delivered' })
    await mails('ada', 4)
  })

  test.skipIf(!hasPython)(
    'takes all that a mail may have attached, with the limit that it has by default',
    async () => {
      const { port, tlsPort, mails } = await postfix()
      const attachments = files(4 * 1024 * 1024, maxAttachedBytes - 4 * 1024 * 1024)
      const expected = attachments.map(({ name, size, sha256 }) => ({ name, size, sha256, type: 'application/pdf' }))
      for (const [count, url] of [`smtp://127.0.0.1:${port}`, `smtps://${password}127.0.0.1:${tlsPort}`].entries()) {
        const mail = mailTo('files@inbox.example', 'word '.repeat(10_000))
        expect(await open(url).send({ ...mail, attachments })).toMatchObject({ result: 'delivered' })
        for (const { files, parts, defects } of parseMails(await mails('files', count + 1))) {
          expect(files).toMatchObject(expected)
          expect(parts['text/plain']).toContain('word word')
          expect(defects).toEqual([])
        }
      }
    },
  )

  test('keeps nothing of a mail whose file is deleted while it is sent', async () => {
    const { port, mails } = await postfix()
    const mailer = open(`smtp://127.0.0.1:${port}`)
    const [file] = files(4 * 1024 * 1024)
    const vanishing: Attachment = {
      ...file!,
      *read(gone) {
        for (let i = 0; i < 40; i++) yield new Uint8Array(65_536)
        throw gone()
      },
    }
    expect(await mailer.send({ ...mailTo('half@inbox.example'), attachments: [vanishing] })).toMatchObject({
      result: 'later',
      error: 'A file was deleted while it was sent',
    })
    expect(await mailer.send(mailTo('half@inbox.example'))).toMatchObject({ result: 'delivered' })
    const arrived = await mails('half', 1)
    expect(arrived.map(({ length }) => length < 50_000)).toEqual([true])
  })

  test('takes 200 mails over two connections', async () => {
    const { port, mails, log } = await postfix()
    const mailer = open(`smtp://${password}127.0.0.1:${port}`)
    const before = log().match(/: connect from/g)?.length ?? 0
    const sent = await Promise.all(
      Array.from({ length: 200 }, (_, i) => mailer.send(mailTo('ada@inbox.example', `Mail ${i}`))),
    )
    expect(sent.filter(({ result }) => result !== 'delivered')).toEqual([])
    // Each connection takes 100 mails.
    expect((log().match(/: connect from/g)?.length ?? 0) - before).toBeLessThanOrEqual(4)
    const ids = (await mails('ada', 200)).map((raw) => /^Message-ID: (.*)$/m.exec(raw)?.[1])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('takes a digest of the longest submissions as it is', async () => {
    const { port, mails } = await postfix()
    const at = Date.UTC(2026, 10, 23, 12)
    const data = JSON.stringify({ 'Größe"<&>': `"<&>😀${'x'.repeat(5000)}`, ...Array(30).fill(`ü${'"'.repeat(900)}`) })
    const submissions = Array.from({ length: maxListed }, (_, n) => listSubmission(newId(at - n), data))
    const id = newId(at)
    const digest = digestMail({
      id,
      to: 'digest@inbox.example',
      form: { id, title: 'Kontakt' },
      link: `${publicUrl}/forms/${id}`,
      stop: unsubscribeLink(publicUrl, Buffer.from('key'), { receiver: id, address: 'digest@inbox.example' }),
      count: 60,
      from: at,
      until: at,
      submissions,
      every: 'day',
      zone: 'Europe/Berlin',
    })
    expect(await open(`smtp://127.0.0.1:${port}`).send(digest)).toMatchObject({ result: 'delivered' })
    const [raw = ''] = await mails('digest', 1)
    expect(raw.length).toBeLessThan(500_000)
    if (!hasPython) return
    const [mail] = parseMails([raw])
    expect(mail?.parts['text/plain']?.trimEnd()).toBe(digest.text.trimEnd())
    expect(mail?.parts['text/html']?.trimEnd()).toBe(digest.html.trimEnd())
  })

  test('is trusted by formbox mail test if its certificate is', async () => {
    const { port, tlsPort } = await postfix()
    const authority = join(temporaryFolder(), 'ca.pem')
    writeFileSync(authority, ownCertificate.cert)
    const send = (url: string, more = {}) =>
      formbox(['mail', 'test', 'ada@inbox.example'], {
        environment: { FORMBOX_URL: publicUrl, FORMBOX_MAIL_FROM: 'forms@example.com', FORMBOX_MAIL_URL: url, ...more },
      })
    // 0.0.0.0 is this machine, but not treated as such.
    for (const url of [`smtp://0.0.0.0:${port}`, `smtps://0.0.0.0:${tlsPort}`]) {
      const { exitCode, stderr } = await send(url)
      expect(exitCode).toBe(1)
      expect(stderr).toContain('The certificate of 0.0.0.0 is not signed by an authority that this machine trusts')
      const named = await send(url, { NODE_EXTRA_CA_CERTS: authority })
      expect(named).toEqual({
        exitCode: 0,
        stdout: expect.stringContaining('accepted the email for ada@inbox.example'),
        stderr: '',
      })
    }
  })
})

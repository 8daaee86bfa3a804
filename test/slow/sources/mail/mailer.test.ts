import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Resolver } from '../../../../src/remote/resolver.ts'
import { openMailer } from '../../../../src/sending/mail/mailer.ts'
import type { Mail } from '../../../../src/sending/mail/parcel.ts'
import { afterThisTest } from '../../../harness.ts'
import { mailConfig } from '../../../mail/mail-config.ts'
import { saying, whatOf } from '../../../mail/saying.ts'
import { type Script, startSmtp } from '../../../mail/smtp-server.ts'
import { resolverFor, type Zone } from '../../../outgoing/name-server.ts'
import { until } from '../../../until.ts'

const from = 'Formbox <forms@example.com>'
const patience = { connect: 500, greeting: 500, answer: 700, mail: 2000 }
/** For a server that greets, and is silent later. */
const longer = { ...patience, connect: 10_000, greeting: 10_000, mail: 15_000 }
/** Enough on a busy machine, for what must not fail. */
const patient = { connect: 10_000, greeting: 10_000, answer: 10_000, mail: 15_000 }

const mail: Mail = {
  to: 'ada@example.org',
  subject: 'Hello',
  text: 'Text\n.\nafter a dot\n',
  html: '<p>Text</p>',
  replyTo: null,
  messageId: 'abc123',
  headers: {},
}

interface More {
  readonly publicUrl?: string
  readonly resolver?: Resolver
}

const open = (url: string, times = patient, { publicUrl = 'https://forms.example.com', resolver }: More = {}) => {
  const mailer = openMailer(mailConfig(url, { from, publicUrl }), { patience: times, ...(resolver && { resolver }) })
  afterThisTest(() => mailer.close())
  return mailer
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A host that is this machine, but is not called so: it is treated as one elsewhere. */
const elsewhere = '0.0.0.0'

describe('a mail', () => {
  test('is sent after the library could not be loaded once', () => {
    const program = `
      let tries = 0
      class Mailer {
        use() {}
        sendMail = async () => ({ response: '250 Ok' })
      }
      Bun.plugin({
        name: 'a disk that fails once',
        setup: (build) => void build.module('nodemailer/lib/mailer', () => {
          if (++tries === 1) throw new Error('EMFILE')
          return { loader: 'object', exports: { default: Mailer } }
        }),
      })
      const { openMailer } = await import(${JSON.stringify(join(import.meta.dir, '../../../../src/sending/mail/mailer.ts'))})
      const mailer = openMailer(${JSON.stringify(mailConfig('smtp://127.0.0.1:1'))})
      const results = []
      for (let i = 0; i < 2; i++) results.push((await mailer.send(${JSON.stringify(mail)})).result)
      console.log(results.join())`
    const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', program])
    expect(`${stdout}${stderr}`).toBe('later,delivered\n')
  })

  test('is delivered, and the answer of the server is told', async () => {
    const smtp = await startSmtp()
    const sent = await open(`smtp://127.0.0.1:${smtp.port}`).send(mail)
    expect(sent).toEqual({
      result: 'delivered',
      status: 250,
      error: null,
      operatorError: null,
      answer: '250 2.0.0 Ok: queued as 4F1',
      isOurFault: false,
      milliseconds: expect.any(Number),
    })
    expect(smtp.lines.filter((line) => /^(MAIL|RCPT|AUTH)/.test(line))).toEqual([
      'MAIL FROM:<forms@example.com>',
      'RCPT TO:<ada@example.org>',
    ])
  })

  test.each([
    ['535 5.7.8 hunter2 is not the password of ada@example.com', '535 5.7.8 *** is not the password of ***'],
    [
      `501 5.5.2 Cannot decode AUTH PLAIN ${base64('\0ada@example.com\0hunter2')}`,
      '501 5.5.2 Cannot decode AUTH PLAIN ***',
    ],
    [`500 Unknown: ${base64('ada@example.com')} ${base64('hunter2')}`, '500 Unknown: *** ***'],
  ])('that is refused tells no one the password: %s', async (AUTH, answer) => {
    const smtp = await startSmtp({ AUTH })
    const sent = await open(`smtp://ada%40example.com:hunter2@localhost:${smtp.port}`).send(mail)
    expect(sent).toMatchObject({ result: 'later', answer })
  })

  test.each(['PLAIN', 'LOGIN'])('is sent after AUTH %s', async (mechanism) => {
    const smtp = await startSmtp({ EHLO: `250-x\r\n250 AUTH ${mechanism}`, ...(mechanism === 'LOGIN' && login) })
    const { result } = await open(`smtp://ada%40example.com:h%C3%BCnter2@localhost:${smtp.port}`).send(mail)
    expect(result).toBe('delivered')
    const expected = { PLAIN: '\0ada@example.com\0hünter2', LOGIN: 'ada@example.com' }
    expect(smtp.lines.join('\n')).toContain(Buffer.from(expected[mechanism as 'PLAIN']).toString('base64'))
  })

  const login: Script = {
    AUTH: `334 ${base64('Username:')}`,
    [base64('ada@example.com')]: `334 ${base64('Password:')}`,
    [base64('hünter2')]: '235 2.7.0 Ok',
  }

  test('goes to an address with another script in its domain, and to no other kind of address', async () => {
    const smtp = await startSmtp()
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    expect(await mailer.send({ ...mail, to: 'ada@bücher.example' })).toMatchObject({ result: 'delivered' })
    expect(smtp.lines).toContain('RCPT TO:<ada@xn--bcher-kva.example>')
    for (const to of [
      'ädä@example.org',
      'a@example.org, b@example.org',
      'a@b.c> SIZE=1',
      'a@b.c\r\nRCPT TO:<d@e.f>',
      '',
    ])
      expect(await mailer.send({ ...mail, to })).toMatchObject({ result: 'refused', isOurFault: false, status: null })
    expect(smtp.lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(1)
  })

  test('waits for one of two connections, which the next ones use again', async () => {
    const smtp = await startSmtp()
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => mailer.send({ ...mail, messageId: `m${i}` })))
    expect(sent.map(({ result }) => result)).toEqual(Array(10).fill('delivered'))
    expect(smtp.connections()).toBeLessThanOrEqual(2)
    expect(smtp.mails).toHaveLength(10)
  })

  test('is sent after another one was refused, on the connections that are open', async () => {
    const smtp = await startSmtp({ RCPT: '550 5.1.1 unknown' })
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    for (let i = 0; i < 4; i++) expect(await mailer.send(mail)).toMatchObject({ result: 'refused', status: 550 })
    expect(smtp.connections()).toBeLessThanOrEqual(2)
  })

  test('that is under way when the mailer closes is for later', async () => {
    const smtp = await startSmtp({ DATA: '' })
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    const sending = mailer.send(mail)
    await until(() => smtp.lines.includes('DATA'), 'the mail is being sent')
    mailer.close()
    expect(await sending).toMatchObject({ result: 'later' })
    expect(await mailer.send(mail)).toMatchObject({ result: 'later' })
  })
})

describe('a connection that was kept open', () => {
  /** Takes a mail, and does this with the next on the same connection. */
  const once = (then: string | null): Script => {
    const used = new Set<number>()
    return {
      EHLO: '250 x',
      MAIL: (_, connection) => (used.has(connection) ? then : '250 Ok'),
      '.': (_, connection) => {
        used.add(connection)
        return '250 Ok'
      },
    }
  }

  test.each([
    ['says 421 to the next mail', '421 4.7.0 too many messages in this connection'],
    ['ends without a word', null],
  ])('and %s is replaced at once', async (_, then) => {
    const smtp = await startSmtp(once(then))
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    for (let i = 0; i < 4; i++) expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
    expect(smtp.mails).toHaveLength(4)
    expect(smtp.connections()).toBeGreaterThan(1)
  })

  test('and ends after a mail has arrived is not: it is not sent twice', async () => {
    let mails = 0
    const smtp = await startSmtp({ '.': () => (++mails === 1 ? '250 Ok' : null) })
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
    expect(await mailer.send(mail)).toMatchObject({ result: 'later' })
    expect(smtp.mails).toHaveLength(2)
  })

  test('is replaced a few times at most', async () => {
    let mails = 0
    const smtp = await startSmtp({ MAIL: () => (mails++ === 0 ? '250 Ok' : '421 busy') })
    const mailer = open(`smtp://127.0.0.1:${smtp.port}`)
    expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
    // The second connection is a new one, so its 421 counts.
    expect(await mailer.send(mail)).toMatchObject({ result: 'later', status: 421 })
    expect(smtp.connections()).toBe(2)
  })
})

test.each([
  ['https://forms.example.com', 'forms.example.com'],
  ['http://nas.local:8080', 'nas.local'],
  ['https://bücher.example', 'xn--bcher-kva.example'],
  ['http://192.0.2.1:8080', '[192.0.2.1]'],
  ['http://[2001:db8::1]', '[IPv6:2001:db8::1]'],
])('the server at %s introduces itself as %s', async (publicUrl, name) => {
  const smtp = await startSmtp()
  expect(await open(`smtp://127.0.0.1:${smtp.port}`, patient, { publicUrl }).send(mail)).toMatchObject({
    result: 'delivered',
  })
  expect(smtp.lines[0]).toBe(`EHLO ${name}`)
})

describe('the name of the mail server', () => {
  test('is looked up as all others are: in the hosts file first, without waiting for IPv6', async () => {
    const smtp = await startSmtp()
    const zone: Zone = {
      'mail.example': { A: ['127.0.0.9'] },
      'relay.example': { A: ['127.0.0.1'], AAAA: 'silent' },
      'gone.example': { A: 'SERVFAIL', AAAA: 'SERVFAIL' },
    }
    const { resolver } = await resolverFor({ zone, hosts: '127.0.0.1 mail.example' })
    const send = (host: string) => open(`smtp://${host}:${smtp.port}`, patient, { resolver }).send(mail)
    // Not loopback by its name, so encryption is needed: that far it gets.
    for (const host of ['mail.example', 'relay.example'])
      expect(await send(host)).toMatchObject({ error: saying('The mail server offers no encryption (STARTTLS)') })
    expect(smtp.connections()).toBe(2)
    expect(await send('gone.example')).toMatchObject({
      operatorError: saying('The address of gone.example could not be looked up'),
    })
  })

  test('is looked up again after it refused, and its certificate must be for it', async () => {
    const smtp = await startSmtp({}, { isTls: true })
    const zone: Zone = { 'mail.example': { A: ['127.0.0.9'] } }
    const { resolver } = await resolverFor({ zone })
    const closed = await startSmtp()
    closed.close()
    const refused = open(`smtps://mail.example:${closed.port}`, patient, { resolver })
    expect(await refused.send(mail)).toMatchObject({
      operatorError: saying(`mail.example:${closed.port} refused the connection`),
    })
    zone['mail.example'] = { A: ['127.0.0.1'] }
    expect(await open(`smtps://mail.example:${smtp.port}`, patient, { resolver }).send(mail)).toMatchObject({
      operatorError: saying('The certificate of mail.example is not signed by an authority that this machine trusts'),
    })
  })
})

test('a server may let a client wait for its greeting, for longer than connecting may take', async () => {
  let greet = () => {}
  const smtp = await startSmtp(
    { connect: '' },
    { onConnection: (socket) => (greet = () => socket.write('220 mail.example.com\r\n')) },
  )
  const times = { ...patient, connect: 1500 }
  const sending = open(`smtp://127.0.0.1:${smtp.port}`, times).send(mail)
  await until(() => smtp.connections() === 1, 'it is connected')
  const { resolver } = await resolverFor({ zone: { 'silent.example': { A: 'silent', AAAA: 'silent' } } })
  expect(await open('smtp://silent.example', times, { resolver }).send(mail)).toMatchObject({
    operatorError: saying('The address of silent.example could not be looked up'),
  })
  greet()
  expect(await sending).toMatchObject({ result: 'delivered' })
})

test('a signal ends the attempt', async () => {
  const smtp = await startSmtp({ DATA: '' })
  const stop = new AbortController()
  const sending = open(`smtp://127.0.0.1:${smtp.port}`).send(mail, stop.signal)
  await until(() => smtp.lines.includes('DATA'), 'the mail is being sent')
  stop.abort()
  expect(await sending).toMatchObject({ result: 'later', isOurFault: false })
})

interface Case {
  readonly name: string
  readonly script: Script
  readonly result?: 'later' | 'refused'
  readonly status: number | null
  readonly error: string
  readonly isOurFault?: true
}

const password = 'smtp://ada:hunter2@127.0.0.1'

/** Each answer is that of a real server. */
const cases: Case[] = [
  {
    name: 'a wrong password',
    script: { AUTH: '535 5.7.8 Error: authentication failed: hm' },
    status: 535,
    error: 'The mail server refused the user or the password',
    isOurFault: true,
  },
  {
    name: 'a password that is not for programs',
    script: { AUTH: '534-5.7.9 Application-specific password required.\r\n534 5.7.9 See our help' },
    status: 534,
    error: 'The mail server requires another way to sign in',
    isOurFault: true,
  },
  {
    name: 'a server that cannot check the password now',
    script: { AUTH: '454 4.7.0 Temporary authentication failure' },
    status: 454,
    error: 'The mail server cannot check the password at the moment',
  },
  {
    name: 'a server without AUTH',
    script: { EHLO: '250 mail.example.com', AUTH: '502 5.5.1 Error: command not implemented' },
    status: 502,
    error: 'The mail server offers no way to sign in that Formbox supports: PLAIN, LOGIN or CRAM-MD5',
    isOurFault: true,
  },
  {
    name: 'a server that wants a password first',
    script: { MAIL: '530 5.7.0 Authentication required' },
    status: 530,
    error: 'The mail server requires a user and a password',
    isOurFault: true,
  },
  ...[
    '554 5.7.1 <a@b.c>: Relay access denied',
    '454 4.7.1 <a@b.c>: Relay access denied',
    '550 relay not permitted',
  ].map(
    (answer): Case => ({
      name: `a relay: ${answer}`,
      script: { RCPT: answer },
      status: Number(answer.slice(0, 3)),
      error: 'The mail server does not send email to other servers for Formbox',
      isOurFault: true,
    }),
  ),
  {
    name: 'a sender that is not ours, after MAIL',
    script: { MAIL: '550 5.7.1 From address is not one of yours' },
    status: 550,
    error: 'The mail server does not accept the sender in FORMBOX_MAIL_FROM',
    isOurFault: true,
  },
  ...[
    { RCPT: '553 5.7.1 <forms@example.com>: Sender address rejected: not owned by user ada' },
    { '.': '554 Message rejected: Email address is not verified.' },
    { '.': '554 5.2.252 SendAsDenied; ada@example.com not allowed to send as forms@example.com' },
  ].map(
    (script): Case => ({
      name: `a sender: ${Object.values(script)}`,
      script: script as Script,
      status: 'RCPT' in script ? 553 : 554,
      error: 'The mail server does not accept the sender in FORMBOX_MAIL_FROM',
      isOurFault: true,
    }),
  ),
  {
    name: 'a machine that may not send',
    script: { RCPT: '554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied' },
    status: 554,
    error: 'The mail server accepts no email from this machine',
    isOurFault: true,
  },
  {
    name: 'an unknown mailbox',
    script: { RCPT: '550 5.1.1 <a@b.c>: Recipient address rejected: User unknown in relay recipient table' },
    result: 'refused',
    status: 550,
    error: 'The mail server refused the address',
  },
  ...['452 4.2.2 The mailbox is over quota', '552 5.2.2 Mailbox full', '552 Requested action aborted'].map(
    (answer): Case => ({
      name: `a full mailbox: ${answer}`,
      script: { RCPT: answer },
      status: Number(answer.slice(0, 3)),
      error: 'The mailbox is full',
    }),
  ),
  ...['450 4.2.0 Greylisted, see http://postgrey.schweikert.ch/', '451 4.7.1 Please try again later'].map(
    (answer): Case => ({
      name: `greylisting: ${answer}`,
      script: { RCPT: answer },
      status: Number(answer.slice(0, 3)),
      error: 'The mail server asks to try again later',
    }),
  ),
  {
    name: 'a mail that looks like spam',
    script: { '.': '550 5.7.1 Message content rejected' },
    result: 'refused',
    status: 550,
    error: 'The mail server refused the email',
  },
  {
    name: 'what is in a mail: Gmail takes no programs',
    script: { '.': '552-5.7.0 This message was blocked because its content\r\n552 5.7.0 presents a security issue.' },
    result: 'refused',
    status: 552,
    error: 'The mail server refused the email',
  },
  ...[
    '552 5.3.4 Message size exceeds fixed limit',
    "552-5.2.3 Your message exceeded Google's message size limits.\r\n552 5.2.3 Please see",
    '552 Message size exceeds maximum permitted',
    '554 5.3.4 Message too big for system',
  ].map(
    (answer): Case => ({
      name: `a mail that is too large: ${answer}`,
      script: { '.': answer },
      result: 'refused',
      status: Number(answer.slice(0, 3)),
      error: 'The email is larger than the mail server allows',
    }),
  ),
  {
    name: 'a busy server',
    script: { connect: '421 4.3.2 busy' },
    status: 421,
    error: 'The mail server accepts no email at the moment',
  },
  {
    name: 'another kind of server',
    script: { connect: 'SSH-2.0-x' },
    status: null,
    error: 'PLACE does not respond like a mail server',
    isOurFault: true,
  },
  { name: 'a server that hangs up', script: { connect: null }, status: null, error: 'PLACE ended the connection' },
  {
    name: 'a server that goes away after EHLO',
    script: { EHLO: null },
    status: null,
    error: 'PLACE ended the connection',
  },
  {
    name: 'a server that goes away after MAIL',
    script: { MAIL: null },
    status: null,
    error: 'PLACE ended the connection',
  },
  {
    name: 'a server that goes away after DATA',
    script: { DATA: null },
    status: null,
    error: 'PLACE ended the connection',
  },
  {
    name: 'a server that goes away after the mail',
    script: { '.': null },
    status: null,
    error: 'PLACE ended the connection',
  },
]

describe('a failure', () => {
  test.each(cases)(
    'by $name is told in words',
    async ({ script, status, error, result = 'later', isOurFault = false }) => {
      const smtp = await startSmtp(script)
      const sent = await open(`${password}:${smtp.port}`).send(mail)
      expect(sent).toMatchObject({ result, status, isOurFault })
      expect(whatOf(sent.error)).toBe(error.replace('PLACE', 'The mail server'))
      expect(whatOf(sent.operatorError)).toBe(error.replace('PLACE', `127.0.0.1:${smtp.port}`))
      // One attempt, also where the connection broke: the mail may have arrived.
      expect(smtp.connections()).toBe(1)
      expect(smtp.lines.filter((line) => line === 'DATA').length).toBeLessThanOrEqual(1)
      expect(JSON.stringify(sent)).not.toContain('hunter2')
    },
  )

  test.each(['sender', 'SendAsDenied', 'relay.denied', 'sandbox.domain', 'not.verified', 'dmarc'])(
    'is not made by a word in an address that a visitor has chosen: %s',
    async (word) => {
      for (const quoted of [
        `<${word}@example.org>: Recipient address rejected`,
        `${word}@example.org rejected, unknown`,
      ]) {
        const smtp = await startSmtp({ RCPT: `550 5.1.1 ${quoted}` })
        const sent = await open(`${password}:${smtp.port}`).send({ ...mail, to: `${word}@example.org` })
        expect(sent).toMatchObject({ result: 'refused', isOurFault: false, isAddressRefused: true })
      }
    },
  )

  test.each(['dmarc', 'sender-rejected', 'SendAsDenied', 'rcpthosts', 'STOREDRV.LogonFailed'])(
    'is not made by a word in the name of a host that a visitor has chosen: %s',
    async (word) => {
      const host = `${word}.example.org`
      // As Sendmail and filters of links write it.
      for (const script of [
        { RCPT: `553 5.1.2 <ada@${host}>... Host unknown (Name server: ${host}.: host not found)` },
        { '.': `554 5.7.1 Blocked: URL ${host} is listed, see http://example.net/lookup?${host}:${word}` },
        { '.': `554 5.7.1 http://${host}:80/${word};${word} is in a list` },
      ] satisfies Script[]) {
        const smtp = await startSmtp(script)
        const sent = await open(`${password}:${smtp.port}`).send({ ...mail, to: 'ada@example.org' })
        expect(sent).toMatchObject({ result: 'refused', isOurFault: false })
      }
    },
  )

  test.each([
    '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied; Failed to process',
    '550 5.7.1 Sender rejected: example.org is not yours. See https://example.net/help',
  ])('is the sender’s also where an answer has names: %s', async (answer) => {
    const smtp = await startSmtp({ '.': answer })
    expect(await open(`${password}:${smtp.port}`).send(mail)).toMatchObject({ result: 'later', isOurFault: true })
  })

  test.each<[string, Script, typeof patience, string]>([
    ['says nothing', { connect: '' }, patience, 'accepts connections, but sends nothing'],
    ['is silent after EHLO', { EHLO: '' }, longer, 'does not respond in time'],
    ['is silent after RCPT', { RCPT: '' }, longer, 'does not respond in time'],
    ['is silent after the mail', { '.': '' }, longer, 'does not respond in time'],
  ])('by a server that %s comes in time', async (_, script, times, words) => {
    const smtp = await startSmtp(script)
    const sent = await open(`smtp://127.0.0.1:${smtp.port}`, times).send(mail)
    expect(sent).toMatchObject({ result: 'later', isOurFault: false })
    expect(whatOf(sent.error)).toBe(`The mail server ${words}`)
    expect(whatOf(sent.operatorError)).toBe(`127.0.0.1:${smtp.port} ${words}`)
  })

  test('by a server that speaks without an end comes in time', async () => {
    const dripping = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          const timer = setInterval(() => socket.write('220-x\r\n'), 50)
          socket.data = timer as never
        },
        close: (socket) => clearInterval(socket.data as never),
        data() {},
      },
    })
    afterThisTest(() => dripping.stop(true))
    const sent = await open(`smtp://127.0.0.1:${dripping.port}`, {
      ...patience,
      greeting: 60_000,
      answer: 60_000,
      mail: 400,
    }).send(mail)
    expect(sent).toMatchObject({
      result: 'later',
      operatorError: saying(`127.0.0.1:${dripping.port} does not respond in time`),
    })
  })

  test('by the network is told in words', async () => {
    const send = async (url: string) => {
      const { error, operatorError } = await open(url, patience).send(mail)
      return `${whatOf(operatorError)}; ${whatOf(error)}`
    }
    expect(await send('smtp://127.0.0.1:1')).toBe(
      '127.0.0.1:1 refused the connection; The mail server refused the connection',
    )
    // A machine without IPv6 has no such address.
    expect(await send('smtps://[::1]:1')).toMatch(
      /^\[::1\]:1 (refused|ended) the connection; The mail server \1 the connection$/,
    )
    expect(await send('smtp://nothing.invalid')).toMatch(
      /^The address of nothing.invalid (was not found|could not be looked up); The address of the mail server \1$/,
    )
  })
})

describe('encryption', () => {
  const startTls = { EHLO: '250-x\r\n250-STARTTLS\r\n250 AUTH PLAIN', STARTTLS: 'TLS' } as const
  const smtpOn = async (script: Script, isTls = false) => {
    const smtp = await startSmtp(script, { isTls })
    const place = `ada:hunter2@${elsewhere}:${smtp.port}`
    return { smtp, place }
  }
  const untrusted = 'The certificate of 0.0.0.0 is not signed by an authority that this machine trusts'

  test.each([
    ['does not offer it', { STARTTLS: '502 5.5.1 unknown' }, 'offers no encryption (STARTTLS)'],
    [
      'offers it and refuses',
      { ...startTls, STARTTLS: '454 4.7.0 TLS not available' },
      'cannot encrypt the connection at the moment',
    ],
  ])('is required of a server elsewhere: the password stays here if it %s', async (_, script, words) => {
    const { smtp, place } = await smtpOn(script)
    const sent = await open(`smtp://${place}`).send(mail)
    expect(sent).toMatchObject({ result: 'later', error: saying(`The mail server ${words}`), isOurFault: true })
    expect(smtp.lines.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([])
  })

  test('needs a certificate that is trusted', async () => {
    for (const scheme of ['smtp', 'smtps']) {
      const { smtp, place } = await smtpOn(startTls, scheme === 'smtps')
      const sent = await open(`${scheme}://${place}`).send(mail)
      expect(sent).toMatchObject({ result: 'later', operatorError: saying(untrusted), isOurFault: true })
      expect(smtp.lines.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([])
    }
  })

  test('is told apart from none', async () => {
    const { place, smtp } = await smtpOn({})
    const sent = await open(`smtps://${place}`).send(mail)
    const operatorError = saying(`0.0.0.0:${smtp.port} does not begin with TLS`)
    expect(sent).toMatchObject({ result: 'later', operatorError, isOurFault: true })
  })

  test('of a server on this machine is used with any certificate, from the start or with STARTTLS', async () => {
    for (const scheme of ['smtp', 'smtps']) {
      const smtp = await startSmtp(startTls, { isTls: scheme === 'smtps' })
      expect(await open(`${scheme}://ada:hunter2@127.0.0.1:${smtp.port}`).send(mail)).toMatchObject({
        result: 'delivered',
      })
      expect(smtp.lines.includes('STARTTLS')).toBe(scheme === 'smtp')
    }
  })

  test('is left out for a host in a network of one’s own, if the operator says so, and for no other', async () => {
    const smtp = await startSmtp()
    const zone: Zone = { 'public.example': { A: ['127.0.0.1', '192.0.2.1'] } }
    const { resolver } = await resolverFor({ zone, hosts: '127.0.0.1 mail.internal' })
    const send = (host: string) => open(`smtp://${host}:${smtp.port}?tls=off`, patient, { resolver }).send(mail)
    expect(await send('mail.internal')).toMatchObject({ result: 'delivered' })
    expect(await send('public.example')).toMatchObject({
      ...{ result: 'later', isOurFault: true },
      error: saying('The mail server has an address that is not private, where nothing is sent without encryption'),
    })
    expect(smtp.connections()).toBe(1)
  })

  test('needs a certificate for the name that the operator gives, also on this machine', async () => {
    for (const scheme of ['smtp', 'smtps']) {
      const smtp = await startSmtp(startTls, { isTls: scheme === 'smtps' })
      const sent = await open(`${scheme}://ada:hunter2@127.0.0.1:${smtp.port}?tlsName=localhost`).send(mail)
      expect(sent).toMatchObject({
        ...{ result: 'later', isOurFault: true },
        error: saying('The certificate of the mail server is not signed by an authority that this machine trusts'),
      })
      expect(smtp.lines.filter((line) => /^(AUTH|MAIL)/.test(line))).toEqual([])
    }
  })
})

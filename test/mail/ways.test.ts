import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { lazily } from '../../src/base/lazily.ts'
import { type ApiWayName, apiWays } from '../../src/config/mail-ways.ts'
import type { Attachment } from '../../src/sending/mail/attachments.ts'
import { openMailer } from '../../src/sending/mail/mailer.ts'
import type { Mail } from '../../src/sending/mail/parcel.ts'
import { afterThisTest } from '../harness.ts'
import { until } from '../until.ts'
import { type Answering, type Arrived, json, startApi, startTokens } from './api-server.ts'
import { mailConfig } from './mail-config.ts'
import { hasPython, parseMails } from './parsed.ts'
import { saying } from './saying.ts'
import { startSmtp } from './smtp-server.ts'

const file = (name: string, type: string, bytes: Uint8Array): Attachment => ({
  ...{ name, type, size: bytes.length },
  read: () => [bytes],
})

const mail: Mail = {
  to: 'ada@example.org',
  fromName: 'Zoë "Z" via Kontakt',
  subject: 'Kontakt: Zoë – =?utf-8?Q?evil?= 😀\r\nBcc: eve@example.net',
  text: 'Grüße\n.\n..\nFrom me\n',
  html: '<p>Grüße 😀</p>',
  replyTo: 'zoe@example.net',
  messageId: 'delivery1',
  headers: { 'List-ID': '<f1.forms.example.com>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
}

const attachments = [
  file('Lebenslauf für Ada.pdf', 'application/pdf', Buffer.from('\u0000\r\n.\r\n\u00ff', 'latin1')),
  file('../x.html', 'text/html; charset=utf-8', Buffer.from('<script>')),
]

/** The URL of a way whose provider is this machine. */
const urlOf = (name: ApiWayName, endpoint: string): string =>
  `${apiWays
    .find((way) => way.name === name)
    ?.url.replace(/KEY_ID/, 'AKIDEXAMPLE')
    .replace(/KEY|TOKEN|SECRET/, 'topsecret-%2Fkey')
    .replace(/TENANT|DOMAIN/, 'example.com')
    .replace(/REGION/, 'eu-west-1')}?endpoint=${endpoint}`

const openApi = (name: ApiWayName, answer?: Answering) => {
  const api = startApi(answer)
  const tokens = startTokens()
  const oauth = { clientId: 'app', clientSecret: 'tokensecret', tokenUrl: new URL(`${tokens.url}/token`) }
  const from = 'Formulare Müller <forms@example.com>'
  const mailer = openMailer(mailConfig(urlOf(name, api.url), { from, ...(name === 'graph' && { oauth }) }))
  afterThisTest(() => mailer.close())
  return { mailer, requests: api.requests, tokens: tokens.requests }
}

const latin1 = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')
const bytesOf = (text: string): string => Buffer.from(text, 'latin1').toString()

/** The parts that a person or a program sees, whatever the form in which they left. */
interface Seen {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly html: string
  readonly files: readonly unknown[]
}

/** All in one start of the other program. */
const mime = (raw: readonly string[]): Seen[] =>
  parseMails(raw).map((parsed) => {
    const { Date: _, 'MIME-Version': __, 'Content-Type': ___, ...headers } = Object.fromEntries(parsed.headers)
    expect(parsed.defects).toEqual([])
    return {
      headers,
      text: (parsed.parts['text/plain'] ?? '').replaceAll('\r\n', '\n'),
      html: (parsed.parts['text/html'] ?? '').trimEnd(),
      files: parsed.files.map(({ name, type, sha256 }) => ({ name, type, sha256 })),
    }
  })

const fromJson = (
  given: Omit<Seen, 'files'>,
  files: readonly { name: string; type: string; content: string }[],
): Seen => ({
  ...given,
  files: files.map(({ content, ...rest }) => ({
    ...rest,
    sha256: createHash('sha256').update(Buffer.from(content, 'base64')).digest('hex'),
  })),
})

/** Reads the message in a request, as the provider does: those that come as MIME are left to `mime`. */
const readers: Readonly<Record<ApiWayName, (request: Arrived) => Seen | string>> = {
  graph: ({ body }) => latin1(body),
  mailgun: ({ body }) => {
    expect(body).toMatch(/name="to"\r\n\r\nada@example\.org\r\n/)
    expect(body).toMatch(/name="o:tracking"\r\n\r\nno\r\n/)
    return /message\/rfc822\r\n\r\n([\s\S]*)\r\n--formbox-[\w-]+--\r\n$/.exec(body)?.[1] ?? ''
  },
  ses: ({ body }) => {
    const { Destination, Content } = JSON.parse(body)
    expect(Destination).toEqual({ ToAddresses: ['ada@example.org'] })
    return latin1(Content.Raw.Data)
  },
  resend: ({ body }) => {
    const { from, to, reply_to, subject, text, html, headers, attachments } = JSON.parse(bytesOf(body))
    const seen = { From: from, To: to.join(), 'Reply-To': reply_to, Subject: subject, ...headers }
    const files = attachments.map((one: Record<string, string>) => ({
      ...{ name: one.filename, type: one.content_type, content: one.content },
    }))
    return fromJson({ headers: seen, text, html }, files)
  },
  postmark: ({ body }) => {
    const sent = JSON.parse(bytesOf(body))
    const headers = Object.fromEntries(sent.Headers.map(({ Name, Value }: Record<string, string>) => [Name, Value]))
    const { 'X-PM-KeepID': isKept, ...others } = headers
    expect(isKept).toBe('true')
    expect(sent).toMatchObject({ TrackOpens: false, TrackLinks: 'None' })
    const seen = { From: sent.From, To: sent.To, 'Reply-To': sent.ReplyTo, Subject: sent.Subject, ...others }
    const files = sent.Attachments.map((one: Record<string, string>) => ({
      ...{ name: one.Name, type: one.ContentType, content: one.Content },
    }))
    return fromJson({ headers: seen, text: sent.TextBody, html: sent.HtmlBody }, files)
  },
}

/** Without what an encoded word may be written like, and how a name is quoted. */
const comparable = ({ headers, ...rest }: Seen) => ({
  ...rest,
  headers: {
    ...headers,
    From: headers.From?.replaceAll(/["\\]/g, ''),
    Subject: headers.Subject?.replaceAll('= ?', '=?'),
  },
})

const names = apiWays.map(({ name }) => name)

/** What arrives without and with files, as another program reads it. */
const bySmtp = lazily(async () => {
  const smtp = await startSmtp()
  const config = mailConfig(`smtp://127.0.0.1:${smtp.port}`, { from: 'Formulare Müller <forms@example.com>' })
  const mailer = openMailer(config)
  for (const more of [{}, { attachments }])
    expect(await mailer.send({ ...mail, ...more })).toMatchObject({ result: 'delivered' })
  mailer.close()
  return mime(smtp.mails).map(comparable)
})

describe.skipIf(!hasPython)('the same message', () => {
  test.each(names)('leaves by %s as by SMTP, part by part', async (name) => {
    const expected = await bySmtp()
    const { mailer, requests } = openApi(name)
    for (const more of [{}, { attachments }])
      expect(await mailer.send({ ...mail, ...more })).toMatchObject({ result: 'delivered', status: 200 })
    const read = requests.map(readers[name])
    const raw = read.filter((each) => typeof each === 'string')
    const seen = raw.length > 0 ? mime(raw) : read.filter((each) => typeof each !== 'string')
    expect(seen.map(comparable)).toEqual(expected)
    expect(expected[1]?.files).toHaveLength(2)
    expect(expected[0]?.headers).toMatchObject({
      'Message-ID': '<delivery1@example.com>',
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })
})

describe.each(names)('%s', (name) => {
  test('gets its key, and no one else sees it', async () => {
    const key = name === 'graph' ? 'token-1' : 'topsecret-/key'
    const message = `${key} ${btoa(key)} eyJhbGciOi.eyJhdWQiOi.c2ln ${btoa(`api:${key}`)} ${btoa('user=a\x01auth=Bearer t')}`
    const { mailer, requests, tokens } = openApi(name, (_, number) => json({ message }, number === 1 ? 200 : 401))
    expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
    const refused = await mailer.send(mail)
    expect(refused).toMatchObject({ result: 'later', isOurFault: true, status: 401 })
    const named = name === 'graph' ? btoa(`api:${key}`) : '***'
    expect(refused.answer).toContain(`*** *** *** ${named} ***`)
    const [{ headers, path }] = requests as [Arrived]
    const expected: Readonly<Record<ApiWayName, readonly [string, string, string | RegExp]>> = {
      graph: ['/v1.0/users/forms%40example.com/sendMail', 'authorization', 'Bearer token-1'],
      resend: ['/emails', 'authorization', 'Bearer topsecret-/key'],
      postmark: ['/email', 'x-postmark-server-token', 'topsecret-/key'],
      mailgun: ['/v3/example.com/messages.mime', 'authorization', `Basic ${btoa('api:topsecret-/key')}`],
      ses: [
        '/v2/email/outbound-emails',
        'authorization',
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, SignedHeaders=content-type;host;/,
      ],
    }
    expect(path).toBe(expected[name][0])
    expect(headers.get(expected[name][1])).toMatch(expected[name][2])
    expect(headers.get('idempotency-key')).toBe(name === 'resend' ? 'delivery1' : null)
    expect(tokens).toHaveLength(name === 'graph' ? 1 : 0)
  })

  test('is asked again after what may pass, not after what is too large, and says how long to wait', async () => {
    const statuses = [429, 503, 413, 301]
    const { mailer } = openApi(
      name,
      (_, number) =>
        new Response('<html>', {
          status: statuses[number - 1] ?? 200,
          headers: { 'retry-after': '7', location: 'http://127.0.0.1:1/' },
        }),
    )
    expect(await mailer.send(mail)).toMatchObject({ result: 'later', isOurFault: false, retryAfterMilliseconds: 7000 })
    expect(await mailer.send(mail)).toMatchObject({ result: 'later', isOurFault: false, status: 503 })
    expect(await mailer.send(mail)).toMatchObject({ result: 'refused', isOurFault: false, status: 413 })
    expect(await mailer.send(mail)).toMatchObject({ result: 'later', isOurFault: true, status: 301 })
  })

  test('gets no message that is too large', async () => {
    const { mailer, requests } = openApi(name)
    const size = apiWays.find((way) => way.name === name)!.maxBytes
    const large = { ...file('a.bin', '', new Uint8Array()), size, read: () => expect.unreachable('it is read') }
    expect(await mailer.send({ ...mail, attachments: [large] })).toMatchObject({
      result: 'refused',
      error: saying('The email is larger than the mail server allows'),
    })
    expect(requests).toEqual([])
  })

  test('gets no half of a message whose file is deleted', async () => {
    const { mailer, requests } = openApi(name)
    const deleted: Attachment = {
      ...file('a.bin', '', new Uint8Array(10)),
      read(gone) {
        throw gone()
      },
    }
    expect(await mailer.send({ ...mail, attachments: [deleted] })).toMatchObject({
      result: 'later',
      error: 'A file was deleted while it was sent',
    })
    expect(requests).toEqual([])
  })

  test('ends in time, and when the mailer is closed', async () => {
    const { mailer, requests } = openApi(name, () => new Promise(() => {}))
    const stop = new AbortController()
    const sending = mailer.send(mail, stop.signal)
    await until(() => requests.length === 1, 'the request has arrived')
    stop.abort()
    expect(await sending).toMatchObject({ result: 'later', error: saying('The mail server does not respond in time') })
    const other = mailer.send(mail)
    await until(() => requests.length === 2, 'the next one has arrived')
    mailer.close()
    expect(await other).toMatchObject({ result: 'later', isOurFault: false })
  })

  test.each(['x', 'a@', '<', 'eyJ-', 'sender '])('is read as far as it is shown, without an end: %s', async (text) => {
    const { mailer } = openApi(name, () => new Response(text.repeat(500_000), { status: 400 }))
    const { answer, milliseconds } = await mailer.send(mail)
    expect(answer.length).toBeLessThanOrEqual(500)
    // Patterns on all of it took ten seconds.
    expect(milliseconds).toBeLessThan(4000)
  })
})

test('attachments are sent one after the other, and hold up no other mail', async () => {
  let isOpen = false
  const { mailer, requests } = openApi('resend', async ({ body }) => {
    while (!isOpen && body.includes('a.bin')) await Bun.sleep(5)
    return json({})
  })
  const large = { ...mail, attachments: [file('a.bin', '', new Uint8Array(10))] }
  const sending = [mailer.send(large), mailer.send(large)]
  await until(() => requests.length === 1, 'the first one has arrived')
  for (let i = 0; i < 3; i++) expect(await mailer.send(mail)).toMatchObject({ result: 'delivered' })
  expect(requests).toHaveLength(4)
  isOpen = true
  for (const sent of sending) expect(await sent).toMatchObject({ result: 'delivered' })
})

test('a message that waits for its turn, or for a token, ends with its signal', async () => {
  const { mailer, requests } = openApi('resend', () => new Promise(() => {}))
  const large = { ...mail, attachments: [file('a.bin', '', new Uint8Array(10))] }
  const [first, second] = [new AbortController(), new AbortController()]
  const stuck = mailer.send(large, first.signal)
  await until(() => requests.length === 1, 'the first one has arrived')
  const waiting = mailer.send(large, second.signal)
  second.abort()
  expect(await waiting).toMatchObject({ result: 'later', error: saying('The mail server does not respond in time') })
  const next = mailer.send(large, AbortSignal.timeout(60_000))
  first.abort()
  expect(await stuck).toMatchObject({ result: 'later' })
  await until(() => requests.length === 2, 'the one after it has its turn')
  mailer.close()
  expect(await next).toMatchObject({ result: 'later' })

  const tokens = startTokens(() => new Promise(() => {}))
  const oauth = { clientId: 'app', clientSecret: 'tokensecret', tokenUrl: new URL(tokens.url) }
  const other = openMailer(mailConfig(urlOf('graph', 'http://127.0.0.1:1'), { oauth }))
  afterThisTest(() => other.close())
  const stop = new AbortController()
  const sending = other.send(mail, stop.signal)
  await until(() => tokens.requests.length === 1, 'a token is asked for')
  const start = performance.now()
  stop.abort()
  expect(await sending).toMatchObject({ result: 'later' })
  // The server of tokens has ten seconds.
  expect(performance.now() - start).toBeLessThan(5000)
})

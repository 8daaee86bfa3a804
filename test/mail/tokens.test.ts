import { describe, expect, test } from 'bun:test'
import { AnswerError } from '../../src/sending/mail/failure.ts'
import { openMailer } from '../../src/sending/mail/mailer.ts'
import { openTokens } from '../../src/sending/mail/tokens.ts'
import { afterThisTest } from '../harness.ts'
import { type Answering, json, startTokens } from './api-server.ts'
import { mailConfig } from './mail-config.ts'
import { saying } from './saying.ts'
import { type Script, startSmtp } from './smtp-server.ts'

const minute = 60_000
const given = (url: string) => ({
  ...{ clientId: 'app', clientSecret: 'a+b/&=%secret', scope: 'https://mail.example/.default' },
  tokenUrl: new URL(`${url}/oauth2/v2.0/token`),
})

const open = (answer?: Answering) => {
  const { url, requests } = startTokens(answer)
  let now = 0
  return { tokens: openTokens(given(url), () => now), requests, pass: (milliseconds: number) => (now += milliseconds) }
}

const refusal = async (token: Promise<string>) => {
  const error = await token.catch((thrown) => thrown)
  expect(error).toBeInstanceOf(AnswerError)
  return error.about as AnswerError['about']
}

describe('a token', () => {
  test('is fetched once for all that wait, kept, and renewed in time', async () => {
    const { tokens, requests, pass } = open()
    expect(await Promise.all(Array.from({ length: 20 }, () => tokens.get()))).toEqual(Array(20).fill('token-1'))
    pass(54 * minute)
    expect(await tokens.get()).toBe('token-1')
    pass(minute + 1)
    expect(await tokens.get()).toBe('token-2')
    expect(requests).toHaveLength(2)
    expect(requests[0]?.path).toBe('/oauth2/v2.0/token')
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: 'a+b/&=%secret',
      scope: 'https://mail.example/.default',
    })
  })

  test('that a server does not take is replaced after a minute', async () => {
    const { tokens, pass } = open()
    await tokens.get()
    tokens.refuse()
    expect(await tokens.get()).toBe('token-1')
    pass(minute)
    expect(await tokens.get()).toBe('token-2')
  })

  test('that is refused is asked for once a minute, whoever wants one', async () => {
    const answer = () =>
      json({ error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.' }, 401)
    const { tokens, requests, pass } = open(answer)
    for (const passed of [0, 1, minute - 2, 1]) {
      pass(passed)
      const { source, status, line } = await refusal(tokens.get())
      expect([source, status, line]).toEqual([
        'oauth',
        401,
        '401 invalid_client: AADSTS7000215: Invalid client secret.',
      ])
    }
    expect(requests).toHaveLength(2)
  })

  test('is asked for again at once if nothing responded', async () => {
    const unreachable = openTokens({ ...given('http://127.0.0.1:1') })
    expect(await refusal(unreachable.get())).toMatchObject({ source: 'net', status: null, place: '127.0.0.1:1' })
    expect(await refusal(unreachable.get())).toMatchObject({ source: 'net' })
  })

  test.each<[string, () => Response]>([
    ['no JSON', () => new Response('<html>')],
    ['no token', () => json({ token_type: 'Bearer' })],
    ['a token of another kind', () => json({ token_type: 'mac', access_token: 'x' })],
    ['more than is read', () => new Response('x'.repeat(1_000_000))],
    ['a redirect', () => new Response('', { status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
  ])('is not made of %s', async (_, answer) => {
    const { tokens } = open(answer)
    expect(['oauth', 'net']).toContain((await refusal(tokens.get())).source)
  })
})

const mail = {
  ...{ to: 'ada@example.org', subject: 'Hello', text: 'Text\n', html: '<p>Text</p>', replyTo: null },
  ...{ messageId: 'abc123', headers: {} },
}
const ehlo = '250-mail.example.com\r\n250 AUTH LOGIN XOAUTH2'

const openXoauth2 = async (script: Script, answer?: Answering) => {
  const { url, requests } = startTokens(answer)
  const smtp = await startSmtp({ EHLO: ehlo, ...script })
  const mailer = openMailer(mailConfig(`smtp://forms%40example.com@127.0.0.1:${smtp.port}`, { oauth: given(url) }))
  afterThisTest(() => mailer.close())
  return { smtp, mailer, requests }
}

describe('XOAUTH2', () => {
  test('signs in with a token, which the next connections share', async () => {
    const { smtp, mailer, requests } = await openXoauth2({})
    const sent = await Promise.all(['a', 'b', 'c'].map((messageId) => mailer.send({ ...mail, messageId })))
    expect(sent.map(({ result }) => result)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(requests).toHaveLength(1)
    const expected = btoa('user=forms@example.com\u0001auth=Bearer token-1\u0001\u0001')
    expect(smtp.lines).toContain(`AUTH XOAUTH2 ${expected}`)
  })

  test('that Exchange refuses says what is missing, and neither token nor secret', async () => {
    const { mailer, requests } = await openXoauth2({
      AUTH: '535 5.7.3 Authentication unsuccessful token-1 a+b/&=%secret [AM0PR06CA0126.eurprd06.prod.outlook.com]',
    })
    const sent = await mailer.send(mail)
    expect(sent.error).toContain('Object ID of the enterprise application')
    expect(sent).toMatchObject({
      ...{ result: 'later', isOurFault: true, status: 535 },
      error: saying('The provider gave a token, but the mail server does not let the app into this mailbox'),
    })
    expect(JSON.stringify(sent)).not.toMatch(/%secret/)
    expect(requests).toHaveLength(1)
  })

  test('answers a challenge, as Google and Microsoft send one before they refuse', async () => {
    const { smtp, mailer, requests } = await openXoauth2({ AUTH: '334 eyJzdGF0dXMiOiI0MDAifQ==', '': '535 5.7.8 no' })
    expect(await mailer.send(mail)).toMatchObject({ result: 'later', isOurFault: true })
    expect(requests).toHaveLength(1)
    expect(smtp.mails).toEqual([])
  })

  test('without a token says why, and where from', async () => {
    const { smtp, mailer } = await openXoauth2({}, () =>
      json(
        { error: 'invalid_client', error_description: 'AADSTS7000222: The provided client secret keys are expired.' },
        401,
      ),
    )
    expect(await mailer.send(mail)).toMatchObject({
      ...{ result: 'later', isOurFault: true, status: 401 },
      error: saying('The client secret has expired at Microsoft'),
      answer: 'invalid_client: AADSTS7000222: The provided client secret keys are expired.',
    })
    expect(smtp.lines.filter((line) => line.startsWith('AUTH'))).toEqual([])
  })
})

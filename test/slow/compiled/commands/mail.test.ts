import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, formbox } from '../../../commands/formbox.ts'
import { temporaryFolder } from '../../../harness.ts'
import { json, startApi, startTokens } from '../../../mail/api-server.ts'
import { otherCertificate, ownCertificate } from '../../../mail/certificate.ts'
import { type Script, startSmtp } from '../../../mail/smtp-server.ts'

const settings = (url: string) => ({
  FORMBOX_URL: 'https://forms.example.com',
  FORMBOX_MAIL_FROM: 'Formbox <forms@example.com>',
  FORMBOX_MAIL_URL: url,
})

describe('formbox mail test', () => {
  test('sends one mail, says so, and touches no data', async () => {
    const smtp = await startSmtp()
    const folder = temporaryFolder()
    const environment = settings(`smtp://ada:hunter2@127.0.0.1:${smtp.port}`)
    expect(await formbox(['mail', 'test', 'ada@example.org'], { folder, environment })).toEqual({
      exitCode: 0,
      stdout: `127.0.0.1:${smtp.port} accepted the email for ada@example.org; it responded: 250 2.0.0 Ok: queued as 4F1\n`,
      stderr: '',
    })
    expect(smtp.lines).toContain('RCPT TO:<ada@example.org>')
    expect(smtp.mails).toHaveLength(1)
    expect(smtp.mails[0]).toContain('Subject: Test email from forms.example.com')
    expect(filesIn(folder)).toEqual([])
  })

  test('sends by one of several senders, and refuses one that there is not', async () => {
    const [usual, own] = [await startSmtp(), await startSmtp()]
    const file = join(temporaryFolder(), 'senders.toml')
    writeFileSync(file, `[bakery]\nfrom = "Ada <hello@bakery.example>"\nurl = "smtp://127.0.0.1:${own.port}"\n`)
    const environment = { ...settings(`smtp://127.0.0.1:${usual.port}`), FORMBOX_SENDERS_FILE: file }
    const send = (name: string) => formbox(['mail', 'test', 'ada@example.org', '--sender', name], { environment })
    expect(await send('bakery')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`:${own.port} accepted`),
    })
    expect(own.mails[0]).toContain('From: Ada <hello@bakery.example>')
    expect(usual.mails).toEqual([])
    expect(await send('florist')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'formbox: --sender: must be the name of a table in FORMBOX_SENDERS_FILE\n',
    })
  })

  test('names the keys of the sender in what is wrong, and the settings of the server where it has none', async () => {
    const api = startApi(() =>
      json({ name: 'validation_error', message: 'The bakery.example domain is not verified.' }, 403),
    )
    const refusing = await startSmtp({
      AUTH: '535 5.7.8 Error: authentication failed',
      MAIL: '550 5.7.1 Sender address rejected: not owned by user',
    })
    const file = join(temporaryFolder(), 'senders.toml')
    const from = 'from = "hello@bakery.example"'
    writeFileSync(file, `[own]\n${from}\nurl = "resend://key?endpoint=${api.url}"\n[usual]\n${from}\n`)
    const environment = { ...settings(`smtp://127.0.0.1:${refusing.port}`), FORMBOX_SENDERS_FILE: file }
    const send = async (name: string) =>
      (await formbox(['mail', 'test', 'ada@example.org', '--sender', name], { environment })).stderr
    expect(await send('own')).toContain('has not verified the domain of own.from in FORMBOX_SENDERS_FILE.')
    expect(await send('usual')).toContain('the sender in usual.from in FORMBOX_SENDERS_FILE')
    for (const name of ['own', 'usual']) expect(await send(name)).not.toContain('FORMBOX_MAIL_FROM')
  })

  test('trusts an authority that NODE_EXTRA_CA_CERTS names, and checks the name', async () => {
    const file = join(temporaryFolder(), 'ca.pem')
    writeFileSync(file, ownCertificate.cert + otherCertificate.cert)
    const send = async (certificate: typeof ownCertificate, more: Record<string, string>) => {
      const smtp = await startSmtp({}, { isTls: true, certificate })
      // This machine, but it does not look so: the certificate is checked.
      const environment = { ...settings(`smtps://0.0.0.0:${smtp.port}`), ...more }
      return formbox(['mail', 'test', 'ada@example.org'], { environment })
    }
    const untrusted =
      'The certificate of 0.0.0.0 is not signed by an authority that this machine trusts. To trust your own certificate ' +
      'authority, set NODE_EXTRA_CA_CERTS to the file with its certificate\n'
    expect((await send(ownCertificate, {})).stderr).toEndWith(untrusted)
    const trusting = { NODE_EXTRA_CA_CERTS: file }
    expect(await send(ownCertificate, trusting)).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await send(otherCertificate, trusting)).stderr).toEndWith(
      'The certificate of 0.0.0.0 is for another name. Use the name that is in the certificate\n',
    )
  })

  test.each([
    ['localhost', 0],
    ['0.0.0.0', 0],
    ['other.example', 1],
    ['127.0.0.1', 1],
  ])('takes a certificate for ?tlsName=%s: ends with %d', async (tlsName, expected) => {
    const file = join(temporaryFolder(), 'ca.pem')
    writeFileSync(file, ownCertificate.cert)
    const startTls = { EHLO: '250-x\r\n250-STARTTLS\r\n250 8BITMIME', STARTTLS: 'TLS' } as const
    for (const isTls of [true, false]) {
      const smtp = await startSmtp(isTls ? {} : startTls, { isTls })
      const url = `${isTls ? 'smtps' : 'smtp'}://127.0.0.1:${smtp.port}?tlsName=${tlsName}`
      const environment = { ...settings(url), NODE_EXTRA_CA_CERTS: file }
      const { exitCode, stderr } = await formbox(['mail', 'test', 'ada@example.org'], { environment })
      expect([exitCode, stderr]).toEqual([
        expected,
        expected === 0 ? '' : expect.stringContaining('The certificate of 127.0.0.1 is for another name'),
      ])
    }
  })

  test.each<[string, Script, string]>([
    [
      'the password is wrong',
      { AUTH: '535 5.7.8 Error: authentication failed' },
      'The mail server refused the user or the password. Check both; many providers want an app password or a key in place ' +
        'of the password; it responded: 535 5.7.8 Error: authentication failed',
    ],
    [
      'the mailbox does not exist',
      { RCPT: '550 5.1.1 no such\x1b[31muser' },
      'The mail server refused the address. Check that it exists and is spelled right; it responded: 550 5.1.1 no such␛[31muser',
    ],
    [
      'it hangs up',
      { connect: null },
      'PLACE ended the connection. If this lasts, the log of the mail server says why',
    ],
  ])('ends with 1 and one line when %s', async (_, script, words) => {
    const smtp = await startSmtp(script)
    const place = `127.0.0.1:${smtp.port}`
    const environment = settings(`smtp://ada:hunter2@${place}`)
    expect(await formbox(['mail', 'test', 'ada@example.org'], { environment })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `formbox: no email was sent through ${place}: ${words.replace('PLACE', place)}\n`,
    })
  })

  test('sends by the API of a provider, whose answer it explains', async () => {
    const api = startApi((_, number) =>
      number === 1
        ? json({ id: '49a3999c' })
        : json({ name: 'validation_error', message: 'The example.com domain is not verified.' }, 403),
    )
    const environment = settings(`resend://topsecret?endpoint=${api.url}`)
    const send = () => formbox(['mail', 'test', 'ada@example.org'], { environment })
    const place = new URL(api.url).host
    expect(await send()).toEqual({
      exitCode: 0,
      stdout: `${place} accepted the email for ada@example.org; it responded: {"id":"49a3999c"}\n`,
      stderr: '',
    })
    expect(api.requests[0]?.headers.get('authorization')).toBe('Bearer topsecret')
    expect(await send()).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        `formbox: no email was sent through ${place}: Resend has not verified the domain of FORMBOX_MAIL_FROM. Add its ` +
        'records to your DNS, as resend.com/domains shows them; it responded: validation_error: The example.com domain is ' +
        'not verified.\n',
    })
  })

  test('says what Microsoft misses before it gives a token', async () => {
    const error_description = 'AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 0000aaaa'
    const tokens = startTokens(() => json({ error: 'invalid_client', error_description }, 401))
    const oauth = {
      FORMBOX_MAIL_OAUTH_CLIENT_ID: 'app',
      FORMBOX_MAIL_OAUTH_CLIENT_SECRET: 'topsecret',
      FORMBOX_MAIL_OAUTH_TOKEN_URL: `${tokens.url}/token`,
    }
    const { exitCode, stderr } = await formbox(['mail', 'test', 'ada@example.org'], {
      environment: { ...settings('graph://contoso.com'), ...oauth },
    })
    expect([exitCode, stderr]).toEqual([
      1,
      'formbox: no email was sent through graph.microsoft.com: Microsoft refused the client secret. Copy the value of the ' +
        'secret, not its ID, into FORMBOX_MAIL_OAUTH_CLIENT_SECRET; if it is no longer shown, create another one; it ' +
        'responded: invalid_client: AADSTS7000215: Invalid client secret provided. Trace ID: 0000aaaa\n',
    ])
  })

  test('writes an IPv6 address as a URL does', async () => {
    const { stderr } = await formbox(['mail', 'test', 'ada@example.org'], { environment: settings('smtps://[::1]:1') })
    expect(stderr).toStartWith('formbox: no email was sent through [::1]:1: [::1]:1 ')
  })

  test('ends with 2 for an address or settings that cannot be', async () => {
    const environment = settings('smtp://127.0.0.1:1')
    expect(await formbox(['mail', 'test', 'a@b.c,d@e.f'], { environment })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'formbox: ADDRESS: must be one email address; got "a@b.c,d@e.f"\n',
    })
    expect(await formbox(['mail', 'test'], { environment })).toMatchObject({ exitCode: 2 })
    const { stderr, exitCode } = await formbox(['mail', 'test', 'ada@example.org'])
    expect([exitCode, stderr]).toEqual([
      2,
      'formbox: FORMBOX_MAIL_URL: must be set to send email, and so must FORMBOX_MAIL_FROM. A command does not read the settings ' +
        'of a service by itself (see Run a command in the documentation)\n',
    ])
  })
})

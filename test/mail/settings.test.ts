import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toMailAddress } from '../../src/base/mail-address.ts'
import { parseConfig } from '../../src/config/config.ts'
import { formbox } from '../commands/formbox.ts'
import { temporaryFolder } from '../harness.ts'
import { refusalOf } from '../refusal.ts'

const url = 'https://forms.example.com'
const from = 'Formbox <forms@example.com>'
const mailOf = (settings: Record<string, string>) =>
  parseConfig({ FORMBOX_URL: url, FORMBOX_MAIL_URL: 'smtp://localhost', FORMBOX_MAIL_FROM: from, ...settings }).mail

describe('FORMBOX_MAIL_URL', () => {
  const none = { way: 'smtp', port: 587, isTls: false, isPlain: false, tlsName: null, credentials: null }
  const ada = { user: 'ada', password: 'hunter2' }

  test.each<[string, object]>([
    ['smtp://localhost', { ...none, host: 'localhost' }],
    ['SMTP://localhost:25/', { ...none, host: 'localhost', port: 25 }],
    ['smtps://smtp.example.com', { ...none, host: 'smtp.example.com', port: 465, isTls: true }],
    ['smtp://[::1]:2525', { ...none, host: '::1', port: 2525 }],
    ['smtp://192.0.2.7', { ...none, host: '192.0.2.7' }],
    ['smtp://ada:hunter2@mail.example.com', { ...none, host: 'mail.example.com', credentials: ada }],
    [
      'smtp://ada%40example.com:h%3Au%2Fn%3Ft%23e%25r%40%C3%BC@mail.example.com',
      { ...none, host: 'mail.example.com', credentials: { user: 'ada@example.com', password: 'h:u/n?t#e%r@ü' } },
    ],
    // As providers show the user. The last @ is the one before the host.
    [
      'smtp://ada@example.com:hunter2@mail.example.com',
      { ...none, host: 'mail.example.com', credentials: { user: 'ada@example.com', password: 'hunter2' } },
    ],
  ])('%s is taken', (value, server) => {
    expect(mailOf({ FORMBOX_MAIL_URL: value })?.server).toEqual(server as never)
  })

  test.each([
    ['no scheme', 'ada:hunter2@smtp.example.com'],
    ['another scheme', 'https://ada:hunter2@smtp.example.com'],
    ['no host', 'smtp://'],
    ['only credentials', 'smtp://ada:hunter2@'],
    ['a path', 'smtp://ada:hunter2@smtp.example.com/path'],
    ['a query', 'smtp://ada:hunter2@smtp.example.com?'],
    ['a port of 0', 'smtp://ada:hunter2@smtp.example.com:0'],
    ['a port that is too large', 'smtp://ada:hunter2@smtp.example.com:65536'],
    ['a space', 'smtp://ada:hunter2 @smtp.example.com'],
    ['a line break', 'smtp://ada:hunter2@smtp.example.com\n'],
    ['a host with a line break in code', 'smtp://ada:hunter2@smtp%0aexample.com'],
    ['a / in the password', 'smtp://ada:hunter2/x@smtp.example.com'],
    ['a # in the password', 'smtp://ada:hunter2#x@smtp.example.com'],
    ['a ? in the password', 'smtp://ada:hunter2?x@smtp.example.com'],
    ['a password that would be a port', 'smtp://ada:2525/hunter2@smtp.example.com'],
    ['no password', 'smtp://hunter2@smtp.example.com'],
    ['no user', 'smtp://:hunter2@smtp.example.com'],
    ['a % alone', 'smtp://ada:hunter2%zz@smtp.example.com'],
    ['what is not UTF-8', 'smtp://ada:hunter2%ff@smtp.example.com'],
    ['a NUL in the password', 'smtp://ada:hunter2%00x@smtp.example.com'],
    ['a line break in the user', 'smtp://ada%0d%0aQUIT:hunter2@smtp.example.com'],
  ])('with %s is refused in a line that does not show it', (_, value) => {
    const refusal = refusalOf(() => mailOf({ FORMBOX_MAIL_URL: value }))
    expect(refusal).toStartWith('FORMBOX_MAIL_URL: ')
    expect(refusal).not.toMatch(/hunter2|ada/)
  })

  test('needs the sender and the public URL, and the sender needs it', () => {
    const refusal = (settings: Record<string, string>) => refusalOf(() => mailOf(settings))
    expect(mailOf({ FORMBOX_MAIL_URL: '', FORMBOX_MAIL_FROM: '' })).toBeNull()
    expect(refusal({ FORMBOX_MAIL_FROM: '' })).toBe('FORMBOX_MAIL_FROM: must be set, because FORMBOX_MAIL_URL is')
    expect(refusal({ FORMBOX_MAIL_URL: '' })).toBe('FORMBOX_MAIL_URL: must be set, because FORMBOX_MAIL_FROM is')
    expect(refusal({ FORMBOX_URL: '' })).toBe(
      'FORMBOX_URL: must be set, because FORMBOX_MAIL_URL is: emails have links to the pages of this server',
    )
  })

  test('is shown without user and password, also from a file', async () => {
    const file = join(temporaryFolder(), 'smtp-url')
    await Bun.write(file, 'smtp://ada:hunter2@[2001:db8::1]\n')
    const environment = { FORMBOX_URL: url, FORMBOX_MAIL_FROM: from, FORMBOX_MAIL_URL_FILE: file }
    const { exitCode, stdout } = await formbox(['config', '--json'], { environment })
    expect(exitCode).toBe(0)
    expect(stdout).not.toMatch(/hunter2|ada/)
    const [setting] = JSON.parse(stdout).filter(({ name }: { name: string }) => name === 'FORMBOX_MAIL_URL')
    const shown = 'smtp://***@[2001:db8::1]:587'
    expect(setting).toEqual({ name: 'FORMBOX_MAIL_URL', value: shown, isSet: true, source: 'file' })
    const table = await formbox(['config'], { environment: { ...environment, FORMBOX_MAIL_URL: '' } })
    expect(table.stdout).toMatch(/FORMBOX_MAIL_URL +smtp:\/\/\*\*\*@\[2001:db8::1\]:587 +file\n/)
  })
})

describe('FORMBOX_MAIL_FROM', () => {
  test.each([
    ['forms@example.com', '', 'forms@example.com'],
    ['<forms@example.com>', '', 'forms@example.com'],
    ['Formbox <forms@example.com>', 'Formbox', 'forms@example.com'],
    ['"Ada, Grace & Co." <forms@example.com>', 'Ada, Grace & Co.', 'forms@example.com'],
    ['Formulare Müller <forms@müller.example>', 'Formulare Müller', 'forms@xn--mller-kva.example'],
  ])('%s is taken', (value, name, address) => {
    expect(mailOf({ FORMBOX_MAIL_FROM: value })?.from).toEqual({ name, address })
  })

  test.each([
    'Formbox',
    'Formbox <forms>',
    'a@example.com, b@example.com',
    'a@example.com b@example.com',
    '<a@example.com> <b@example.com>',
    'A <a@example.com>, B <b@example.com>',
    'Form\r\nBcc: b@example.com <a@example.com>',
    'A "B" <a@example.com>',
    'müller@example.com',
    `${'x'.repeat(101)} <a@example.com>`,
    '=?utf-8?Q?Form=E2=80=AEbox?= <a@example.com>',
  ])('%s is refused', (value) => {
    expect(refusalOf(() => mailOf({ FORMBOX_MAIL_FROM: value }))).toStartWith('FORMBOX_MAIL_FROM: must be one address')
  })
})

describe('an address for mail', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ["o'hara+forms@Example.COM", "o'hara+forms@example.com"],
    ['root@localhost', 'root@localhost'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('may be %s', (text, address) => {
    expect(toMailAddress(text)).toBe(address)
  })

  test.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'a da@example.com',
    'ada@exa mple.com',
    'ada@example..com',
    '.ada@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example.com.',
    'ada@[192.0.2.1]',
    '"a b"@example.com',
    'a@b@example.com',
    'ädä@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com\n',
    'ada@example.com, eve@example.com',
    'ada@example.com,eve@example.com',
    'Ada <ada@example.com>',
    'ada@exa\u00admple.com',
    'ada@\u202eexample.com',
    '=?utf-8?Q?=41?=@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.example`,
    `a@${'b.'.repeat(130)}example`,
    `a@${'b'.repeat(100_000)}`,
  ])('may not be %s', (text) => {
    expect(toMailAddress(text)).toBeNull()
  })
})

describe('docs/mail.md', () => {
  const page = readFileSync(join(import.meta.dir, '../../docs/mail.md'), 'utf8')

  test('has URLs that are accepted', () => {
    const urls = page.match(/smtps?:\/\/(?:USER:PASSWORD@[\w.-]+|localhost:25)/g) ?? []
    expect(urls.length).toBeGreaterThan(4)
    for (const value of urls)
      expect(mailOf({ FORMBOX_MAIL_URL: value })?.server).toMatchObject({ host: new URL(value).hostname })
  })
})

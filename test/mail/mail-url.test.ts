import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../../src/config/config.ts'
import { showMailUrl } from '../../src/config/mail.ts'
import { apiWays } from '../../src/config/mail-ways.ts'
import { refusalOf } from '../refusal.ts'

const base = { FORMBOX_URL: 'https://forms.example.com', FORMBOX_MAIL_FROM: 'forms@example.com' }
const oauth = { FORMBOX_MAIL_OAUTH_CLIENT_ID: 'app', FORMBOX_MAIL_OAUTH_CLIENT_SECRET: 'topsecret' }
const mailOf = (url: string, more: Record<string, string> = {}) =>
  parseConfig({ ...base, FORMBOX_MAIL_URL: url, ...more }).mail

describe('FORMBOX_MAIL_URL of a provider', () => {
  test.each<[string, object, string]>([
    [
      'resend://re_Abc_123',
      { way: 'resend', endpoint: 'https://api.resend.com', secret: 're_Abc_123' },
      'resend://***',
    ],
    [
      'postmark://ab-CD/',
      { way: 'postmark', endpoint: 'https://api.postmarkapp.com', secret: 'ab-CD' },
      'postmark://***',
    ],
    [
      'mailgun://key-1@mg.example.com',
      { way: 'mailgun', endpoint: 'https://api.mailgun.net', secret: 'key-1', place: 'mg.example.com' },
      'mailgun://***@mg.example.com',
    ],
    [
      'mailgun://key-1@mg.example.com?region=eu',
      { endpoint: 'https://api.eu.mailgun.net' },
      'mailgun://***@mg.example.com?region=eu',
    ],
    [
      'ses://AKIA:a%2Fb+c@eu-west-1',
      { endpoint: 'https://email.eu-west-1.amazonaws.com', keyId: 'AKIA', secret: 'a/b+c', place: 'eu-west-1' },
      'ses://***@eu-west-1',
    ],
    [
      'resend://k?endpoint=https://proxy.example.com/',
      { endpoint: 'https://proxy.example.com' },
      'resend://***?endpoint=https://proxy.example.com/',
    ],
    ['resend://k?endpoint=http://[::1]:99', { endpoint: 'http://[::1]:99' }, 'resend://***?endpoint=http://[::1]:99'],
  ])('%s is taken, and shown without its key', (url, server, shown) => {
    expect(mailOf(url)).toMatchObject({ server, oauth: null })
    expect(showMailUrl(url)).toBe(shown)
  })

  test.each([
    'resend://',
    'resend://hunter2@example.com',
    'resend://hunter2:x',
    'resend://hunter2/path',
    'resend://hunter2#x',
    'resend://hunter2?region=eu',
    'resend://hunter2?x=1',
    'resend://hunter2?endpoint=http://example.com',
    'resend://hunter2?endpoint=https://a:b@example.com',
    'resend://hunter2?endpoint=https://example.com/v1',
    'resend://hunter2?endpoint=',
    'resend://hunter2%0d%0aX-Injected: 1',
    'resend://hunter2%zz',
    'mailgun://hunter2',
    'mailgun://hunter2@mg.example.com?region=de',
    'mailgun://hunter2@mg.example.com/../x',
    'ses://hunter2@eu-west-1',
    'ses://AK:hunter2/x@eu-west-1',
    'ses://AK:hunter2@eu-west-1.evil.example',
    'graph://',
    'graph://tenant/hunter2',
    'sendgrid://hunter2',
  ])('%s is refused in a line that does not show it', (url) => {
    const refusal = refusalOf(() => mailOf(url, url.startsWith('graph') ? oauth : {}))
    expect(refusal).toStartWith('FORMBOX_MAIL_URL: ')
    expect(refusal).not.toMatch(/hunter2/)
  })

  test('is in the guide, as it is declared, with what it leaves out', () => {
    const page = readFileSync(join(import.meta.dir, '../../docs/mail.md'), 'utf8')
    for (const { url, title, note } of apiWays) expect(page).toContain(`| ${title} | \`${url}\` | ${note} |`)
  })
})

describe('tokens', () => {
  const tokens = { FORMBOX_MAIL_OAUTH_TOKEN_URL: 'https://id.example.com/token' }
  const user = 'smtp://forms%40example.com@smtp.example.com'

  test('come from Microsoft for Microsoft', () => {
    const { server, oauth: given } = mailOf('graph://11111111-2222-3333-4444-555555555555', oauth)!
    expect(server).toMatchObject({ way: 'graph', endpoint: 'https://graph.microsoft.com' })
    expect({ ...given, tokenUrl: given?.tokenUrl.href }).toEqual({
      ...{ clientId: 'app', clientSecret: 'topsecret', scope: 'https://graph.microsoft.com/.default' },
      tokenUrl: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/v2.0/token',
    })
    expect(showMailUrl('graph://contoso.com')).toBe('graph://contoso.com')
    const byHost = (host: string) => mailOf(`smtp://a%40b.c@${host}`, { ...oauth, ...tokens })?.oauth?.scope
    expect(byHost('smtp.office365.com')).toBe('https://outlook.office365.com/.default')
    expect(byHost('office365.com.example')).toBe('')
  })

  test('are for a user without a password', () => {
    const scope = { FORMBOX_MAIL_OAUTH_SCOPE: 'mail.send' }
    expect(mailOf(user, { ...oauth, ...tokens, ...scope })).toMatchObject({
      server: { credentials: { user: 'forms@example.com', password: '' } },
      oauth: { scope: 'mail.send' },
    })
    expect(showMailUrl(user)).toBe('smtp://***@smtp.example.com:587')
  })

  test.each<[string, Record<string, string>, string]>([
    [user, {}, 'FORMBOX_MAIL_URL: has a user without a password'],
    [user, oauth, 'FORMBOX_MAIL_OAUTH_TOKEN_URL: must be set'],
    [user, { ...tokens, FORMBOX_MAIL_OAUTH_CLIENT_ID: 'app' }, 'FORMBOX_MAIL_OAUTH_CLIENT_SECRET: must be set'],
    ['graph://contoso.com', {}, 'FORMBOX_MAIL_OAUTH_CLIENT_ID: must be set'],
    ['', { ...oauth, FORMBOX_MAIL_FROM: '' }, 'FORMBOX_MAIL_URL: must be set, because FORMBOX_MAIL_OAUTH_CLIENT_ID is'],
    ['resend://k', oauth, 'FORMBOX_MAIL_OAUTH_CLIENT_ID: must not be set'],
    ['smtp://a:b@smtp.example.com', tokens, 'FORMBOX_MAIL_OAUTH_TOKEN_URL: must not be set'],
    [
      user,
      { ...oauth, FORMBOX_MAIL_OAUTH_TOKEN_URL: 'http://id.example.com' },
      'FORMBOX_MAIL_OAUTH_TOKEN_URL: must be an https',
    ],
  ])('of %s with %j are refused: %3$s', (url, more, words) => {
    expect(refusalOf(() => mailOf(url, more))).toStartWith(words)
  })
})

describe('the encryption of SMTP', () => {
  test.each([
    ['smtp://10.0.0.5:25?tls=off', { isPlain: true, tlsName: null }],
    ['smtp://mail.internal:25?tls=off', { isPlain: true }],
    ['smtp://[fd00::1]?tls=off', { isPlain: true }],
    ['smtps://127.0.0.1:1025?tlsName=127.0.0.1', { isPlain: false, tlsName: '127.0.0.1' }],
    ['smtp://a:b@127.0.0.1:1025/?tlsName=bridge.example', { tlsName: 'bridge.example' }],
  ])('%s is taken', (url, server) => {
    expect(mailOf(url)?.server).toMatchObject(server)
    expect(showMailUrl(url)).toEndWith(url.slice(url.indexOf('?')))
  })

  test.each([
    'smtp://a:b@10.0.0.5?tls=off',
    'smtps://10.0.0.5?tls=off',
    'smtp://10.0.0.5?tls=off&tlsName=x',
    'smtp://10.0.0.5?tls=on',
    'smtp://192.0.2.1?tls=off',
    'smtp://100.64.0.1?tls=off',
    'smtp://[2001:db8::1]?tls=off',
    'smtps://10.0.0.5?tlsName=',
    'smtps://10.0.0.5?tlsName=a/b',
    'smtps://10.0.0.5?TLS=off',
  ])('%s is refused', (url) => {
    expect(refusalOf(() => mailOf(url))).toStartWith('FORMBOX_MAIL_URL: ')
  })
})

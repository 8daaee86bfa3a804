import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/base/id.ts'
import { findUnsubscribed, unsubscribeHeaders, unsubscribeLink } from '../../src/sending/mail/unsubscribe.ts'

const publicUrl = 'https://forms.example.com'
const key = Buffer.alloc(32, 7)
const receiver = newId(Date.now())
const reader = { receiver, address: "o'hara+x@example.com" }
const link = unsubscribeLink(publicUrl, key, reader)
const token = link.slice(`${publicUrl}/unsubscribe/`.length)

describe('the link that stops mails', () => {
  test('names the receiver, and is the same in each mail', () => {
    expect(link).toStartWith(`${publicUrl}/unsubscribe/${receiver}.`)
    expect(link.length).toBeLessThan(200)
    expect(unsubscribeLink(publicUrl, key, reader)).toBe(link)
    expect(findUnsubscribed(token, key)).toEqual(reader)
  })

  const [name = '', address = '', signature = ''] = token.split('.')
  test.each([
    ['nothing', ''],
    ['no signature', `${name}.${address}`],
    ['an empty signature', `${name}.${address}.`],
    ['no address', `${name}.${signature}`],
    ['an empty address', `${name}..${signature}`],
    ['the signature of another receiver', `${newId(Date.now())}.${address}.${signature}`],
    [
      'the signature of another address',
      `${name}.${Buffer.from('eve@example.com').toString('base64url')}.${signature}`,
    ],
    ['a full stop elsewhere', `${name}${address.slice(0, 1)}.${address.slice(1)}.${signature}`],
    ['another signature', `${name}.${address}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ['a shorter signature', `${name}.${address}.${signature.slice(0, -1)}`],
    ['a longer signature', `${token}A`],
    ['more after it', `${token}\n`],
    ['an escaped character', `${name}.${address}%2E${signature}`],
    ['a very long text', `${'a'.repeat(1_000_000)}.${address}.${signature}`],
  ])('stops nothing with %s', (_, changed) => {
    expect(findUnsubscribed(changed, key)).toBeNull()
  })

  test('is of one installation', () => {
    expect(findUnsubscribed(token, Buffer.from('other'))).toBeNull()
  })

  test('is offered to mail programs, with one click', () => {
    expect(unsubscribeHeaders(link)).toEqual({
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })
})

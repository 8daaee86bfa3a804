import { describe, expect, test } from 'bun:test'
import { newId } from '../../src/id.ts'
import { findUnsubscribed, unsubscribeHeaders, unsubscribeLink } from '../../src/mail/unsubscribe.ts'

const publicUrl = 'https://forms.example.com'
const key = Buffer.alloc(32, 7)
const receiver = newId(Date.now())
const link = unsubscribeLink(publicUrl, key, receiver)
const token = link.slice(`${publicUrl}/unsubscribe/`.length)

describe('the link that stops mails', () => {
  test('names the receiver, and is the same in each mail', () => {
    expect(link).toStartWith(`${publicUrl}/unsubscribe/${receiver}.`)
    expect(link.length).toBeLessThan(200)
    expect(unsubscribeLink(publicUrl, key, receiver)).toBe(link)
    expect(findUnsubscribed(token, key)).toBe(receiver)
  })

  const [name = '', signature = ''] = token.split('.')
  test.each([
    ['nothing', ''],
    ['no signature', name],
    ['an empty signature', `${name}.`],
    ['the signature of another receiver', `${newId(Date.now())}.${signature}`],
    ['another signature', `${name}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`],
    ['a shorter signature', `${name}.${signature.slice(0, -1)}`],
    ['a longer signature', `${token}A`],
    ['more after it', `${token}\n`],
    ['an escaped character', `${name}%2E${signature}`],
    ['a very long text', `${'a'.repeat(1_000_000)}.${signature}`],
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

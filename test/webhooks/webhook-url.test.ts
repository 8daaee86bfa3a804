import { expect, test } from 'bun:test'
import { parseTyped } from '../../src/forms/settings/kind.ts'
import { isWebhookUrl, webhookUrl } from '../../src/forms/webhooks/webhook-rules.ts'
import { refusalOf } from '../refusal.ts'

const long = `https://example.com/${'a'.repeat(2028)}`

test.each([
  'https://example.com',
  'http://n8n.lan:5678/webhook/1?a=b#c',
  'HTTPS://EXAMPLE.COM/',
  'https://bücher.example/ä',
  'http://192.168.1.7/hook',
  'http://[fd00::1]:8080/',
  'https://ntfy.sh/topic?auth=QmVhcmVyIHRva2Vu',
  'https://example.com/a@b:c',
  long,
])('%s can be the URL of a webhook', (url) => {
  expect(isWebhookUrl(url)).toBe(true)
  expect(webhookUrl.fromText(` ${url}\n`)).toEqual({ state: 'accepted', value: url })
})

test.each([
  '',
  ' ',
  'example.com/hook',
  '/hook',
  '//example.com/hook',
  'ftp://example.com',
  'javascript:alert(1)',
  'http://',
  'http://[fe80::1%25eth0]/',
  'https://user@example.com',
  'https://user:secret@example.com',
  'https://:secret@example.com',
  'https://exa mple.com',
  'https://example.com/\r\nX: y',
  'https://example.com/\0',
  `${long}a`,
])('%p cannot', (url) => {
  expect(isWebhookUrl(url)).toBe(false)
  expect(refusalOf(() => parseTyped('url', webhookUrl.fromText(url)))).toBe(
    'url: must be an absolute http or https URL of 1 to 2048 characters, without a user name and password, which belong in headers as "Authorization: Basic" and the Base64 of name:password',
  )
})

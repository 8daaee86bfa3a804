import { describe, expect, test } from 'bun:test'
import { isAllowedOrigin, toAllowedOrigin } from '../../src/forms/settings/origins.ts'

describe('toAllowedOrigin', () => {
  test.each([
    ['https://example.com', 'https://example.com'],
    ['http://example.com', 'http://example.com'],
    ['https://example.com/', 'https://example.com'],
    ['HTTPS://Example.COM', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['http://example.com:80/', 'http://example.com'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://192.168.1.20', 'http://192.168.1.20'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://münchen.de', 'https://xn--mnchen-3ya.de'],
    ['https://*.example.com', 'https://*.example.com'],
    ['https://*.Example.com:8443/', 'https://*.example.com:8443'],
    ['https://*.münchen.de', 'https://*.xn--mnchen-3ya.de'],
    ['http://*.localhost:3000', 'http://*.localhost:3000'],
    // Apps and extensions.
    ['capacitor://localhost', 'capacitor://localhost'],
    ['Ionic://localhost/', 'ionic://localhost'],
    ['tauri://localhost', 'tauri://localhost'],
    ['app://my-app:8080', 'app://my-app:8080'],
    ['chrome-extension://abcdefghijklmnopabcdefghijklmnop', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
    ['safari-web-extension://8A0C9DEB-1', 'safari-web-extension://8A0C9DEB-1'],
  ])('makes %j what browsers write', (text, origin) => {
    expect(toAllowedOrigin(text)).toBe(origin)
    expect(toAllowedOrigin(origin)).toBe(origin)
  })

  test.each([
    '',
    ' ',
    'null',
    '*',
    'example.com',
    '//example.com',
    'https:example.com',
    'https:/example.com',
    'https:\\\\example.com',
    'https://',
    'https:///example.com',
    'https://example.com/contact',
    'https://example.com//',
    'https://example.com?',
    'https://example.com#',
    'https://ada@example.com',
    'https://example.com:65536',
    'https://exam ple.com',
    ' https://example.com',
    'https://example.com\n',
    'https://*',
    'https://*.',
    'https://*.*.example.com',
    'https://a.*.com',
    'https://*example.com',
    'https://%2A%2Aexample.com',
    'https://*.1.2.3',
    'https://.example.com',
    "https://o'hara.example",
    'https://$(id).example',
    'ftp://example.com',
    'file:///index.html',
    'file://localhost',
    'javascript://localhost',
    'data://localhost',
    'blob://localhost',
    'about://blank',
    'wss://example.com',
    'capacitor:localhost',
    'capacitor://',
    'capacitor://localhost/path',
    'capacitor://*.localhost',
    'capacitor://ada@localhost',
    'capacitor://local host',
    "capacitor://a;script-src'",
    'capacitor://münchen',
    '1a://localhost',
    'https://example.com\0',
    `https://${'x'.repeat(300)}`,
  ])('refuses %j', (text) => {
    expect(toAllowedOrigin(text)).toBeNull()
  })
})

describe('isAllowedOrigin', () => {
  const allowed = ['https://example.com', 'https://*.example.net', 'http://*.localhost:3000']

  test.each([
    'https://example.com',
    'https://a.example.net',
    'https://xn--mnchen-3ya.example.net',
    'http://a.localhost:3000',
  ])('takes %s', (origin) => {
    expect(isAllowedOrigin(allowed, origin)).toBe(true)
  })

  test.each([
    'http://example.com',
    'https://example.com:8443',
    'https://www.example.com',
    'https://example.net',
    'https://a.b.example.net',
    'https://.example.net',
    'https://a.example.net.evil.example',
    'https://aexample.net',
    'https://a.example.net:444',
    'http://a.localhost',
    'https://evil.example',
  ])('refuses %s', (origin) => {
    expect(isAllowedOrigin(allowed, origin)).toBe(false)
  })
})

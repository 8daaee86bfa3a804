import { describe, expect, test } from 'bun:test'
import { allowedNext } from '../../src/collect/thank.ts'
import { toSubject } from '../../src/submissions/fields.ts'

describe('allowedNext', () => {
  const origins = ['https://example.com', 'http://localhost:8080']

  test.each([
    ['https://example.com', 'https://example.com/'],
    ['https://example.com/thanks?a=b#c', 'https://example.com/thanks?a=b#c'],
    ['HTTPS://EXAMPLE.COM:443/Thanks', 'https://example.com/Thanks'],
    ['https://example.com/größe/"<\\', 'https://example.com/gr%C3%B6%C3%9Fe/%22%3C/'],
    ['https://example.com/a/../b', 'https://example.com/b'],
    ['https://example.com//evil.example', 'https://example.com//evil.example'],
    ['http://localhost:8080/x', 'http://localhost:8080/x'],
  ])('takes %s', (next, location) => {
    expect(allowedNext(next, origins)).toBe(location)
  })

  test.each([
    '',
    '/thanks',
    'thanks',
    '//example.com/',
    'https:example.com',
    'https:/example.com',
    'https:\\\\example.com',
    'http://example.com/',
    'https://example.com:8443/',
    'https://www.example.com/',
    'https://example.com.evil.example/',
    'https://example.com@evil.example/',
    'https://evil.example/https://example.com',
    'https://evil.example\\@example.com/',
    'https://evil.example#@example.com/',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'http://localhost/',
    'javascript:alert(1)//https://example.com',
    'data:text/html,https://example.com',
    'blob:https://example.com/x',
    'ftp://example.com/',
    ' https://example.com/',
    'https://example.com/\r\nSet-Cookie: a=b',
    'https://exam\tple.com/',
    'https://example.com/\0',
    `https://example.com/${'x'.repeat(2029)}`,
    'null',
  ])('refuses %j', (next) => {
    expect(allowedNext(next, origins)).toBeNull()
  })

  test('refuses everything where no origin is allowed', () => {
    expect(allowedNext('https://example.com/', [])).toBeNull()
  })

  const base = 'https://example.com/a/end?b=1#c'
  test.each([
    ['/thanks.html', 'https://example.com/thanks.html'],
    ['thanks', 'https://example.com/a/thanks'],
    ['../x', 'https://example.com/x'],
    ['?sent=1', 'https://example.com/a/end?sent=1'],
    ['#sent', 'https://example.com/a/end?b=1#sent'],
    ['//example.com/thanks', 'https://example.com/thanks'],
    ['/größe', 'https://example.com/gr%C3%B6%C3%9Fe'],
    ['evil.example', 'https://example.com/a/evil.example'],
    ['/.//evil.example', 'https://example.com//evil.example'],
    ['a:b', null],
    ['https:thanks', null],
    ['https://example.com/x', 'https://example.com/x'],
    ['//evil.example/', null],
    ['///evil.example', null],
    ['\\\\evil.example', null],
    ['/\\evil.example', null],
    ['\\/evil.example/x', null],
    ['//evil.example\\@example.com/', null],
    ['//user@example.com/', null],
    ['//example.com:8443/', null],
    ['//example.com.evil.example/', null],
    ['http:/evil.example', null],
    ['https:\\\\evil.example', null],
    ['https:/evil.example/', null],
    ['http:evil.example', null],
    ['/\t/evil.example', null],
    ['/\n/evil.example', null],
    [' //evil.example', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['/x\r\nSet-Cookie: a=b', null],
    [`/${'x'.repeat(2048)}`, null],
  ])('takes what is relative from the return address: %j leads to %j', (next, location) => {
    expect(allowedNext(next, origins, base)).toBe(location)
  })

  test('takes nothing from a return address with a password', () => {
    expect(allowedNext('/x', origins, 'https://ada:secret@example.com/')).toBeNull()
  })
})

describe('toSubject', () => {
  test.each([
    ['Order 7', 'Order 7'],
    [' two  spaces\t', 'two spaces'],
    ['a\r\nBcc: all@example.com', 'a Bcc: all@example.com'],
    ['a\u2028b\u0085c\u0000d\u001be', 'a b c d e'],
    ['Größe 👨‍👩‍👧 עברית', 'Größe 👨‍👩‍👧 עברית'],
    ['x'.repeat(1_000_000), 'x'.repeat(200)],
    ['🦊'.repeat(201), '🦊'.repeat(200)],
    [`${' '.repeat(1999)}🦊`, undefined],
    [`${'x'.repeat(199)} y`, 'x'.repeat(199)],
    ['', undefined],
    [' \n', undefined],
  ])('makes one line of %j', (text, subject) => {
    expect(toSubject(text)).toBe(subject)
  })
})

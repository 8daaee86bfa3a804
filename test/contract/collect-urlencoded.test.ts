import { describe, test } from 'bun:test'
import { bytes, expectRefused, expectStored } from './collected.ts'

describe('a submission as application/x-www-form-urlencoded', () => {
  const type = 'application/x-www-form-urlencoded'

  test.each([
    ['a plus as a space', 'first+name=Ada+Lovelace', '{"first name":"Ada Lovelace"}'],
    ['percent-encoded UTF-8', 'gr%C3%B6%c3%9fe=%F0%9F%98%80', '{"größe":"😀"}'],
    ['UTF-8 that is not encoded', 'größe=😀', '{"größe":"😀"}'],
    ['an encoded plus, percent sign, ampersand and equals sign', 'a=%2B%25%26%3D', '{"a":"+%&="}'],
    [
      'a percent sign that begins no escape as itself',
      'a=%zz&b=100%&c=%4&%=1',
      '{"a":"%zz","b":"100%","c":"%4","%":"1"}',
    ],
    ['a name given more than once as an array, in order', 'a=1&b=2&a=3&a=', '{"a":["1","3",""],"b":"2"}'],
    ['a name without a value', 'a&b=', '{"a":"","b":""}'],
    ['an empty name', '=x', '{"":"x"}'],
    ['equals signs in the value', 'a==b=', '{"a":"=b="}'],
    ['stray ampersands', '&&a=1&', '{"a":"1"}'],
    ['line breaks', 'a=x%0D%0Ay', '{"a":"x\\r\\ny"}'],
    ['a field of an enormous index by its name', 'x[30000000]=1', '{"x[30000000]":"1"}'],
    ['brackets and dots as part of the name', 'a[]=1&a[]=2&b.c=3', '{"a[]":["1","2"],"b.c":"3"}'],
    [
      'names of JavaScript',
      '__proto__=1&constructor=2&toString=3',
      '{"__proto__":"1","constructor":"2","toString":"3"}',
    ],
    ['text that looks like JSON as text', 'a={"b":1}&c=null&d=5', '{"a":"{\\"b\\":1}","c":"null","d":"5"}'],
    ['a JSON object and more', '{"a":1}&b=2', '{"{\\"a\\":1}":"","b":"2"}'],
    ['an encoded JSON object, as a browser sends such a name', '%7B"a":1}', '{"{\\"a\\":1}":""}'],
    ['braces that hold no JSON', '{a}=1', '{"{a}":"1"}'],
    ['a JSON array', '[1]', '{"[1]":""}'],
  ])('keeps %s', async (_what, body, stored) => {
    await expectStored(body, type, stored)
  })

  // With curl, PHP and axios, this is the type of a text without one. Each message would add a name to the form's `keys`.
  test.each([
    ['one JSON object', '{"name": "Ada & Eve", "message": "1+1=2 %zz"}'],
    ['a JSON object with a number that has a plus sign', '\r\n {"a":1e+5}\n'],
    ['an empty JSON object', '{}'],
    ['a JSON object from an editor that adds a byte order mark', '\ufeff{"name": "Ada"}'],
    ['a JSON object that is nested deeply', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
  ])('is refused with %s, and says which type it has', async (_what, body) => {
    await expectRefused(body, type, `body: must have Content-Type application/json, because it is JSON, has ${type}`)
  })

  test.each([
    ['nothing', '', 'body: must hold at least one field, is empty'],
    ['ampersands only', '&&&', 'body: must hold at least one field'],
    ['an encoded byte that is not UTF-8', 'a=%ff', 'body: must be UTF-8'],
    ['an overlong encoding', 'a=%C0%80', 'body: must be UTF-8'],
    ['an encoded surrogate', 'a=%ED%A0%80', 'body: must be UTF-8'],
    ['a name that is not UTF-8', '%E9=1', 'body: must be UTF-8'],
    ['a raw byte that is not UTF-8', bytes('a=\xff'), 'body: must be UTF-8'],
    ['NUL in a value', 'a=%00', 'a: must not contain NUL'],
    ['NUL in a name', '%00=1', '�: must not contain NUL'],
  ])('is refused with %s', async (_what, body, issue) => {
    await expectRefused(body, type, issue)
  })

  test('is refused in another encoding, even where the content type announces it', async () => {
    await expectRefused('a=%E9', `${type}; charset=iso-8859-1`, 'body: must be UTF-8')
  })
})

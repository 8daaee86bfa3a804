import { describe, test } from 'bun:test'
import { bytes, expectRefused, expectStored } from './collected.ts'

describe('a submission as application/json', () => {
  const type = 'application/json'
  const levels = (count: number): string => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`

  const outOfRange = 'must not hold a number outside the range of a double, ±1.8e308'
  const tooLong = 'must not hold a number of more than 100 digits'

  test.each([
    ['nested values', '{"a":{"b":[1,{"c":null}],"d":true},"e":[]}', '{"a":{"b":[1,{"c":null}],"d":true},"e":[]}'],
    ['the text of numbers', '{"a":1E+2,"b":-0,"c":1.10}', '{"a":1E+2,"b":-0,"c":1.10}'],
    ['a number of 30 digits', '{"a":123456789012345678901234567890}', '{"a":123456789012345678901234567890}'],
    ['a number of 100 digits', `{"a":-${'9'.repeat(100)}}`, `{"a":-${'9'.repeat(100)}}`],
    ['the greatest double', '{"a":[1.7976931348623157e308]}', '{"a":[1.7976931348623157e308]}'],
    ['a number too small to be told from 0', '{"a":1e-400}', '{"a":1e-400}'],
    ['digits within text', `{"a":"1e400 ${'9'.repeat(101)}"}`, `{"a":"1e400 ${'9'.repeat(101)}"}`],
    ['a name given more than once as an array', '{"a":1,"b":2,"a":[3],"a":null}', '{"a":[1,[3],null],"b":2}'],
    ['a name written in two ways as one', '{"a":1,"\\u0061":2}', '{"a":[1,2]}'],
    ['a nested name given more than once', '{"a":{"b":1,"b":2}}', '{"a":{"b":1,"b":2}}'],
    ['__proto__', '{"__proto__":{"x":1},"a":{"__proto__":2}}', '{"__proto__":{"x":1},"a":{"__proto__":2}}'],
    ['names of JavaScript', '{"constructor":1,"toString":2}', '{"constructor":1,"toString":2}'],
    ['an enormous index', '{"x[30000000]":1}', '{"x[30000000]":1}'],
    ['an empty name', '{"":1}', '{"":1}'],
    ['numbers as names, in their order', '{"10":1,"9":2}', '{"10":1,"9":2}'],
    ['brackets and quotes within text', '{"a":"}],\\"{[","b":1}', '{"a":"}],\\"{[","b":1}'],
    ['an escaped pair of surrogates', '{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['what only looks like an escape', '{"a":"\\\\u0000"}', '{"a":"\\\\u0000"}'],
    ['64 levels', levels(64), levels(64)],
    ['any number of brackets within text', `{"a":"${'['.repeat(200)}"}`, `{"a":"${'['.repeat(200)}"}`],
    ['white space around the members', ' {\n\t"a" : 1 ,\r\n"b":2 } \n', '{"a":1,"b":2}'],
    ['everything behind a byte order mark', '\ufeff{"a":1}', '{"a":1}'],
  ])('keeps %s', async (_what, body, stored) => {
    await expectStored(body, type, stored)
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;'])(
    'is read under the content type %p',
    async (spelling) => {
      await expectStored('{"a":1}', spelling, '{"a":1}')
    },
  )

  test.each([
    ['nothing', '', 'body: must hold at least one field, is empty'],
    ['white space only', ' \n', 'body: must be valid JSON'],
    ['an object without a member', '{ }', 'body: must hold at least one field'],
    ['an array', '[{"a":1}]', 'body: must be a JSON object'],
    ['text', '"a"', 'body: must be a JSON object'],
    ['a number', '5', 'body: must be a JSON object'],
    ['null', 'null', 'body: must be a JSON object'],
    ['half an object', '{"a":', 'body: must be valid JSON'],
    ['two objects', '{"a":1}{"b":2}', 'body: must be valid JSON'],
    ['a comment', '{"a":1}//', 'body: must be valid JSON'],
    ['a trailing comma', '{"a":1,}', 'body: must be valid JSON'],
    ['two byte order marks', '\ufeff\ufeff{"a":1}', 'body: must be valid JSON'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), 'body: must be valid JSON'],
    ['Latin-1', bytes('{"a":"\xe9"}'), 'body: must be UTF-8'],
    ['an encoded surrogate', bytes('{"a":"\xed\xa0\x80"}'), 'body: must be UTF-8'],
    ['NUL itself', '{"a":"\0"}', 'body: must be valid JSON'],
    ['NUL in a value', '{"a":"\\u0000"}', 'a: must not contain NUL'],
    ['NUL in a name', '{"\\u0000":1}', '�: must not contain NUL'],
    ['NUL far inside', '{"a":[{"b":["\\u0000"]}]}', 'a: must not contain NUL'],
    ['NUL in a name inside', '{"a":{"__proto__":{"\\u0000":1}}}', 'a: must not contain NUL'],
    ['a lone surrogate', '{"a":"\\ud83d"}', 'a: must be well-formed Unicode'],
    ['a lone surrogate in upper case', '{"a":"\\uDE00"}', 'a: must be well-formed Unicode'],
    ['a lone surrogate as a name', '{"\\ud800":1}', '�: must be well-formed Unicode'],
    ['a lone surrogate inside', '{"a":{"b":["\\ud800"]}}', 'a: must be well-formed Unicode'],
    ['a number out of range', '{"a":1e400}', `a: ${outOfRange}`],
    ['a negative number out of range', '{"a":-1E+400}', `a: ${outOfRange}`],
    ['a number just out of range', '{"a":17976931348623159e292}', `a: ${outOfRange}`],
    ['a number out of range far inside', '{"a":1,"b":[{"c":[true,1e400]}]}', `b: ${outOfRange}`],
    ['a number out of range behind text', '{"a":["\\"",1e400]}', `a: ${outOfRange}`],
    ['a number out of range before the same name', '{"a":1e400,"a":1}', `a: ${outOfRange}`],
    ['an integer of 101 digits', `{"a":${'9'.repeat(101)}}`, `a: ${tooLong}`],
    ['a fraction of 101 digits', `{"a":{"b":0.${'1'.repeat(100)}}}`, `a: ${tooLong}`],
    ['an exponent of too many digits', `{"a":1e-${'0'.repeat(99)}1}`, `a: ${tooLong}`],
    ['5,000 digits', `{"a":${'9'.repeat(5000)}}`, `a: ${tooLong}`],
    ['65 levels', levels(65), 'body: must be nested at most 64 levels deep'],
    ['10,000 levels', levels(10_000), 'body: must be nested at most 64 levels deep'],
  ])('is refused with %s', async (_what, body, issue) => {
    await expectRefused(body, type, issue)
  })

  // Both members are stored, and a parsed object would hold only the last of them.
  test.each([
    ['NUL', '{"a":{"b":"\\u0000","b":"x"}}', 'a: must not contain NUL'],
    ['a lone surrogate', '{"a":{"b":"\\ud800","b":"x"}}', 'a: must be well-formed Unicode'],
  ])('is refused with %s behind a nested name that is given again', async (_what, body, issue) => {
    await expectRefused(body, type, issue)
  })
})

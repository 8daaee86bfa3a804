import { describe, test } from 'bun:test'
import { bytes, expectRefused, expectStored } from './collected.ts'

describe('a submission as multipart/form-data', () => {
  const type = 'multipart/form-data; boundary=edge'
  const ending = '--edge--\r\n'
  /** A part as a browser writes it: `rest` stands behind the name. */
  const part = (name: string, content: string, rest = ''): string =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${content}\r\n`
  const file = (name: string, filename: string, content: string, fileType = 'application/octet-stream'): string =>
    part(name, content, `; filename="${filename}"\r\nContent-Type: ${fileType}`)

  test.each([
    ['fields in order', part('b', '1') + part('a', '2'), '{"b":"1","a":"2"}'],
    [
      'a name given more than once as an array',
      part('a', '1') + part('b', '2') + part('a', '3'),
      '{"a":["1","3"],"b":"2"}',
    ],
    ['text beyond ASCII', part('größe', '😀 �'), '{"größe":"😀 �"}'],
    ['line breaks and what resembles a boundary', part('a', '\r\n--edg\r\n'), '{"a":"\\r\\n--edg\\r\\n"}'],
    ['names of JavaScript', part('__proto__', '1') + part('constructor', '2'), '{"__proto__":"1","constructor":"2"}'],
    ['an enormous index', part('x[30000000]', '1') + part('a.b', '{"c":1}'), '{"x[30000000]":"1","a.b":"{\\"c\\":1}"}'],
    [
      'a file with its name, type and size',
      file('cv', '../Ada ü.pdf', 'hello', 'application/pdf'),
      '{"cv":{"filename":"Ada ü.pdf","type":"application/pdf","size":5,"file":"ID"}}',
    ],
    [
      'several files of one input, and text of the same name, as an array',
      file('f', 'a.pdf', '1', 'application/pdf') + part('f', '2') + file('f', 'b.png', '', 'image/png'),
      '{"f":[{"filename":"a.pdf","type":"application/pdf","size":1,"file":"ID"},"2",' +
        '{"filename":"b.png","type":"image/png","size":0,"file":"ID"}]}',
    ],
  ])('keeps %s', async (_what, parts, stored) => {
    await expectStored(parts + ending, type, stored)
  })

  // All of which Bun's formData() does otherwise: it throws, or takes the type from the ending of the file's name.
  test.each([
    ['an empty file input as empty text', file('f', '', '') + part('a', '1'), '{"f":"","a":"1"}'],
    [
      'the type that was sent with a file',
      file('f', 'notes', '', 'text/markdown'),
      '{"f":{"filename":"notes","type":"text/markdown","size":0,"file":"ID"}}',
    ],
    ['a quote in a name', part('a%22b', '1'), '{"a\\"b":"1"}'],
    ['a line break in a name', part('a%0D%0Ab', '1'), '{"a\\r\\nb":"1"}'],
    ['a byte order mark at the beginning of a text', part('a', '\ufeffb'), '{"a":"\ufeffb"}'],
  ])('keeps %s', async (_what, parts, stored) => {
    await expectStored(parts + ending, type, stored)
  })

  // Inside of quotation marks stands no other parameter, and a backslash escapes nothing: browsers do not escape it.
  test.each([
    ['a name that holds what looks like a file', part('a; filename=x', '1'), '{"a; filename=x":"1"}'],
    ['a name that ends in a backslash', part('a\\', '1'), '{"a\\\\":"1"}'],
    [
      'the name of a file that ends in a backslash',
      file('f', 'a\\', '1', 'application/pdf'),
      '{"f":{"filename":"a\\\\","type":"application/pdf","size":1,"file":"ID"}}',
    ],
  ])('keeps %s', async (_what, parts, stored) => {
    await expectStored(parts + ending, type, stored)
  })

  // RFC 7578 section 4.2 forbids it, but some clients write it for what is not ASCII.
  const extended = (rest: string): string => part('cv', 'hello', `; ${rest}\r\nContent-Type: text/plain`)
  const named = (filename: string): string =>
    JSON.stringify({ cv: { filename, type: 'text/plain', size: 5, file: 'ID' } })
  test.each([
    ['in UTF-8', extended("filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%F0%9F%98%80.pdf"), named('Größe 😀.pdf')],
    ['with a language', extended("FileName*=utf-8'de'a%22b%0D.pdf"), named('a"b\r.pdf')],
    ['in ISO 8859-1', extended("filename*=iso-8859-1'en'%A3%20rates"), named('£ rates')],
    ['in quotation marks', extended(`filename*="UTF-8''a%3Bb"`), named('a;b')],
    ['with a path', extended("filename*=UTF-8''..%2F..%5Ccv.pdf"), named('cv.pdf')],
    ['beside a plain one', extended("filename*=UTF-8''a.pdf; filename=b.pdf"), named('b.pdf')],
    ['that is not encoded', extended('filename*=100%.pdf'), named('100%.pdf')],
    ['that is not UTF-8', extended("filename*=UTF-8''%FF.pdf"), named("UTF-8''%FF.pdf")],
    ['in another character set', extended("filename*=KOI8-R''%C1.pdf"), named("KOI8-R''%C1.pdf")],
  ])('keeps a file with an extended name %s', async (_what, parts, stored) => {
    await expectStored(parts + ending, type, stored)
  })
  test('keeps a field with an extended name', async () => {
    const parts = part('a', '1').replace('name="a"', "name*=utf-8''gr%C3%B6%C3%9Fe")
    await expectStored(parts + ending, type, '{"größe":"1"}')
  })

  const malformed = 'body: must be valid multipart/form-data'
  const noField = 'body: must hold at least one field'

  test.each([
    ['nothing', '', type, 'body: must hold at least one field, is empty'],
    ['no part', ending, type, noField],
    ['no ending', part('a', '1'), type, malformed],
    ['a part that breaks off', `${part('a', '1')}--edge\r\nContent-Disp`, type, malformed],
    ['bytes that are no parts', 'hello', type, malformed],
    ['another boundary', part('a', '1') + ending, 'multipart/form-data; boundary=other', malformed],
    ['no boundary', part('a', '1') + ending, 'multipart/form-data', malformed],
    ['a value that is not UTF-8', bytes(`${part('a', '\xff')}${ending}`), type, 'body: must be UTF-8'],
    ['a name that is not UTF-8', bytes(`${part('\xff', 'a')}${ending}`), type, 'body: must be UTF-8'],
    ['the name of a file that is not UTF-8', bytes(`${file('a', '\xff', '')}${ending}`), type, 'body: must be UTF-8'],
    ['NUL in a value', `${part('a', '\0')}${ending}`, type, 'a: must not contain NUL'],
  ])('is refused with %s', async (_what, body, contentType, issue) => {
    await expectRefused(body, contentType, issue)
  })

  // Bun's formData() cuts or drops all of these without a word.
  test.each([
    ['NUL in a name', part('a\0b', '1'), 'a�b: must not contain NUL'],
    ['NUL in the name of a file', file('a', 'b\0c', '1'), 'a: must not contain NUL'],
    ['NUL in the extended name of a file', extended("filename*=UTF-8''b%00c"), 'cv: must not contain NUL'],
    [
      'a part without a name beside one that has it',
      `${part('a', '1')}${part('', '2')}`.replace('; name=""', ''),
      malformed,
    ],
    [
      'what is not UTF-8 beside a real U+FFFD',
      bytes(part('a', '\xff') + part('b', '\xef\xbf\xbd')),
      'body: must be UTF-8',
    ],
  ])('is refused with %s', async (_what, parts, issue) => {
    const body = Buffer.concat([Buffer.from(parts as string), Buffer.from(ending)])
    await expectRefused(body, type, issue)
  })
})

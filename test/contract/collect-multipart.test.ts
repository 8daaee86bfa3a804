import { describe, test } from 'bun:test'
import { bytes, expectRefused, expectStored } from './collected.ts'

describe('a submission as multipart/form-data', () => {
  const type = 'multipart/form-data; boundary=edge'
  const ending = '--edge--\r\n'
  const malformed = 'body: must be valid multipart/form-data'
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

  // Browsers escape no backslash; programs escape it and quotation marks. Only one of both ways to read a header is valid.
  const named = (filename: string, field = 'cv'): string =>
    JSON.stringify({ [field]: { filename, type: 'text/plain', size: 5, file: 'ID' } })
  const upload = (filename: string, name = 'cv'): string => file(name, filename, 'hello', 'text/plain')
  test.each([
    ['a name that holds what looks like a file', part('a; filename=x', '1'), '{"a; filename=x":"1"}'],
    ['a name that ends in a backslash', part('a\\', '1'), '{"a\\\\":"1"}'],
    ['a name that ends in a backslash, of a file', upload('x', 'a\\'), named('x', 'a\\')],
    ['the name of a file that ends in a backslash', upload('a\\'), named('a\\')],
    ['two backslashes in a name, which a browser may have sent', part('a\\\\b', '1'), '{"a\\\\\\\\b":"1"}'],
    [
      'names of a program that only quotation marks tell apart',
      part('size 5\\" (left)', '1') + part('size 5\\" (right)', '2'),
      '{"size 5\\" (left)":"1","size 5\\" (right)":"2"}',
    ],
    ['a name of a program in quotation marks', part('say \\"hi\\"', '1'), '{"say \\"hi\\"":"1"}'],
    ['a name of a program that ends in a backslash', part('\\"a\\\\', '1'), '{"\\"a\\\\":"1"}'],
    ['a name of a program that ends in a quotation mark', part('a\\\\\\"', '1'), '{"a\\\\\\"":"1"}'],
    ['a name of a program with other backslashes', part('\\"\\n\\\\n', '1'), '{"\\"\\\\n\\\\n":"1"}'],
    ['a name of a program with a line break and %22', part('\\"%0D%0a%22', '1'), '{"\\"\\r\\n%22":"1"}'],
    [
      'a text of a program whose name holds what looks like a file',
      part('x\\"; filename=\\"y', '1') + part('x\\"; filename=y', '2'),
      '{"x\\"; filename=\\"y":"1","x\\"; filename=y":"2"}',
    ],
    ['a file of a program with a quotation mark', upload('Plan 12\\" pipe.pdf'), named('Plan 12" pipe.pdf')],
    ['a file of a program whose name has semicolons', upload('a\\"; name=\\"b'), named('a"; name="b')],
    [
      'a file of a program before the name of its field',
      part('', 'hello').replace('name=""', 'filename="a \\"b\\".txt"; name="cv"\r\nContent-Type: text/plain'),
      named('a "b".txt'),
    ],
    [
      'a name with backslashes as the same one beside each file of a program',
      upload('b', 'a\\\\') + upload('\\"c\\\\', 'a\\\\'),
      '{"a\\\\\\\\":[{"filename":"b","type":"text/plain","size":5,"file":"ID"},' +
        '{"filename":"\\"c\\\\","type":"text/plain","size":5,"file":"ID"}]}',
    ],
    ['a semicolon at the end', part('a', '1', ' ; '), '{"a":"1"}'],
  ])('keeps %s', async (_what, parts, stored) => {
    await expectStored(parts + ending, type, stored)
  })

  test.each([
    ['a quotation mark within a name', part('a"b', '1'), 'name="a"b"'],
    ['a quotation mark behind an escaped backslash', part('a\\\\"b', '1'), 'name="a\\\\"b"'],
    ['a name without an end', part('a', '1', '; filename="b'), 'name="a"; filename="b'],
    ['a name that ends in an escape', part('a\\"b\\', '1'), 'name="a\\"b\\"'],
    ['escaped quotation marks around a name', part('a', '1', '; filename=\\"b\\"'), 'name="a"; filename=\\"b\\"'],
    ['two words without quotation marks', part('a', '1', '; filename=b c.pdf'), 'name="a"; filename=b c.pdf'],
    ['a parameter without a value', part('a', '1', '; filename'), 'name="a"; filename'],
    ['a missing section', part('a', '1', '; filename*0=a; filename*2=b'), 'name="a"; filename*0=a; filename*2=b'],
    ['no first section', part('a', '1', '; filename*1=b'), 'name="a"; filename*1=b'],
  ])('is refused with %s', async (_what, parts, shown) => {
    const issue = `part 2 must have a Content-Disposition such as form-data; name="email", has form-data; ${shown}`
    await expectRefused(part('first', '1') + parts + ending, type, `${malformed}; ${issue}`)
  })

  test('is refused with quotation marks in the ways of browsers and of programs', async () => {
    const issue = 'part 2 must have a Content-Disposition such as form-data; name="email", has form-data; name="a%22b"'
    await expectRefused(part('a\\"b', '1') + part('a%22b', '2') + ending, type, `${malformed}; ${issue}`)
  })

  // RFC 7578 section 4.2 forbids it, but some clients write it for what is not ASCII.
  const extended = (rest: string): string => part('cv', 'hello', `; ${rest}\r\nContent-Type: text/plain`)
  test.each([
    ['in UTF-8', extended("filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%F0%9F%98%80.pdf"), named('Größe 😀.pdf')],
    ['with a language', extended("FileName*=utf-8'de'a%22b%0D.pdf"), named('a"b\r.pdf')],
    ['in ISO 8859-1', extended("filename*=iso-8859-1'en'%A3%20rates"), named('£ rates')],
    ['in quotation marks', extended(`filename*="UTF-8''a%3Bb"`), named('a;b')],
    ['with a path', extended("filename*=UTF-8''..%2F..%5Ccv.pdf"), named('cv.pdf')],
    ['before a plain one', extended("filename*=UTF-8''a.pdf; filename=b.pdf"), named('a.pdf')],
    [
      'behind a plain one, as .NET sends it',
      extended(`filename="=?utf-8?B?R3LDtsOfZS5wZGY=?="; filename*=utf-8''Gr%C3%B6%C3%9Fe.pdf`),
      named('Größe.pdf'),
    ],
    ['that is not UTF-8 beside a plain one', extended("filename=ok.pdf; filename*=utf-8''%FF%FE.pdf"), named('ok.pdf')],
    ['that is not encoded beside a plain one', extended('filename=ok.pdf; filename*=x.pdf'), named('ok.pdf')],
    [
      'in sections',
      extended("filename*1*=%9F; filename*0*=utf-8''Gr%C3%B6%C3; filename*2=%e.pdf; filename=x"),
      named('Größ%e.pdf'),
    ],
    ['in plain sections', extended('filename*0="a b"; filename*1=c.pdf'), named('a bc.pdf')],
    ['in folded lines, as Python sends it', extended("\r\n filename*0*=utf-8''a;\r\n\tfilename*1*=%62"), named('ab')],
    ['that is plain, in a folded line', extended('\r\n filename="a\r\n b.pdf"'), named('a b.pdf')],
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

  /** A text in a charset of its own, each character for one byte. */
  const textIn = (charset: string, content: string, name = 'a') =>
    bytes(`${part(name, content, `\r\nContent-Type: text/plain; charset=${charset}`)}${ending}`)
  test.each([
    ['ISO-8859-1, as Apache HttpClient sends it', textIn('ISO-8859-1', 'Gr\xfc\xdfe'), 'Grüße'],
    ['a charset in quotation marks', textIn('"Shift_JIS"', '\x93\xfa\x96\x7b'), '日本'],
    ['KOI8-R', textIn('koi8-r; format=flowed', '\xc1'), 'а'],
    ['UTF-8', textIn('UTF-8', '\xef\xbb\xbf\xc3\xbc'), '\ufeffü'],
    ['UTF-8 that is called ASCII', textIn('us-ascii', '\xc3\xbc'), 'ü'],
    ['no charset', bytes(part('a', '\xc3\xbc', '\r\nContent-Type: text/plain') + ending), 'ü'],
    ['an encoding that is none', bytes(part('a', '\xc3\xbc', '\r\nContent-Transfer-Encoding: 8bit') + ending), 'ü'],
  ])('keeps a text in %s', async (_what, body, text) => {
    await expectStored(body, type, JSON.stringify({ a: text }))
  })

  const notIn = (charset: string) =>
    `must be in UTF-8 or in the charset that its Content-Type names; ${charset} is unknown, or the text is not in it`
  const isEncoded = (encoding: string) =>
    `must be sent as it is, without Content-Transfer-Encoding; ${encoding} is not supported`
  const base64 = '\r\nContent-Transfer-Encoding: base64'
  test.each([
    [
      'a text in a charset that no one knows',
      textIn('x-klingon', '1', 'your "name"'.replaceAll('"', '%22')),
      `your "name": ${notIn('x-klingon')}`,
    ],
    ['a text in UTF-7', textIn('utf-7', '+APw-'), `a: ${notIn('utf-7')}`],
    ['a text that is not in its charset', textIn('Shift_JIS', '\x93'), `a: ${notIn('Shift_JIS')}`],
    ['a text that is not UTF-8 but says so', textIn('utf-8', '\xfc'), 'body: must be UTF-8'],
    ['NUL in a text in UTF-16', textIn('utf-16le', 'a\0\0\0'), 'a: must not contain NUL'],
    ['half a surrogate pair in UTF-16', textIn('utf-16le', '\0\xd8'), `a: ${notIn('utf-16le')}`],
    ['a text in base64', part('a', 'R3LDvMOfZQ==', base64) + ending, `a: ${isEncoded('base64')}`],
    [
      'a text in quoted-printable',
      part('a', '=C3', `\r\ncontent-transfer-encoding : Quoted-Printable`) + ending,
      `a: ${isEncoded('Quoted-Printable')}`,
    ],
    [
      'a file in base64',
      part('f', 'aGVsbG8=', `; filename="hello.bin"${base64}`) + ending,
      `f: ${isEncoded('base64')}`,
    ],
    [
      'files inside one part',
      part(
        'f',
        '--I\r\nContent-Disposition: file; filename="a"\r\n\r\n1\r\n--I--',
        `\r\nContent-Type: Multipart/mixed`,
      ) + ending,
      'f: must be sent in a part for each value, not in one of Multipart/mixed',
    ],
    [
      'an encoding on a folded line',
      part('a', '1', `\r\nContent-Transfer-Encoding:\r\n x-uuencode`) + ending,
      `a: ${isEncoded('x-uuencode')}`,
    ],
  ])('is refused with %s', async (_what, body, issue) => {
    await expectRefused(body, type, issue)
  })

  const noBoundary =
    'Content-Type: must name the boundary of multipart/form-data; leave it to the browser or the library to write this header'
  const noField = 'body: must hold at least one field'

  test.each([
    ['nothing', '', type, 'body: must hold at least one field, is empty'],
    ['no part', ending, type, noField],
    ['no ending', part('a', '1'), type, malformed],
    ['a part that breaks off', `${part('a', '1')}--edge\r\nContent-Disp`, type, malformed],
    ['bytes that are no parts', 'hello', type, malformed],
    ['another boundary', part('a', '1') + ending, 'multipart/form-data; boundary=other', malformed],
    ['no boundary', part('a', '1') + ending, 'multipart/form-data', noBoundary],
    ['an empty boundary', part('a', '1') + ending, 'multipart/form-data; boundary=', noBoundary],
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
      `${malformed}; part 2 must have a Content-Disposition such as form-data; name="email", has form-data`,
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

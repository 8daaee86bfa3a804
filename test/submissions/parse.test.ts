// What contract/collect-*.test.ts do not show over the socket: the same fields from every content type, and
// whatever bytes a stranger may send.
import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/base/errors.ts'
import { IncomingFiles } from '../../src/collect/incoming-files.ts'
import { MultipartFields, parseFields } from '../../src/collect/parse.ts'
import { Exchange } from '../../src/http/exchange.ts'
import type { Field } from '../../src/submissions/fields.ts'
import { runsOf } from '../runs.ts'
import { takesAll } from './takes-all.ts'

const urlencoded = 'application/x-www-form-urlencoded'
const json = 'application/json'
const multipart = 'multipart/form-data; boundary=edge'

/** Lengths of the pieces in which a multipart body arrives. */
const pieceLengths = [1, 7, Number.POSITIVE_INFINITY]

const requestOf = (contentType: string): Request =>
  new Request('http://localhost/', { method: 'POST', headers: { 'content-type': contentType } })

/** Reads a body whole, and a multipart one in pieces too: then the outcomes must be the same. */
const parse = async (contentType: string, body: string | Uint8Array): Promise<readonly Field[]> => {
  const request = requestOf(contentType)
  const bytes = Buffer.from(body as string)
  if (!/^multipart/i.test(contentType)) return parseFields(new Exchange(request, null, {}), bytes)
  const outcomes: (readonly Field[] | AppError)[] = []
  for (const pieceLength of pieceLengths) outcomes.push(await parseInPieces(request, bytes, pieceLength))
  const whole = outcomes.at(-1) as (typeof outcomes)[number]
  for (const outcome of outcomes) expect(comparable(outcome)).toEqual(comparable(whole))
  if (whole instanceof AppError) throw whole
  return whole
}

const parseInPieces = async (request: Request, bytes: Buffer, pieceLength: number) => {
  try {
    const fields = new MultipartFields(request, new IncomingFiles(takesAll))
    for (let at = 0; at < bytes.length; at += pieceLength) {
      const piece = Uint8Array.from(bytes.subarray(at, at + pieceLength))
      await fields.take(piece)
      // Its memory may be used for something else by then.
      piece.fill(120)
    }
    return fields.end()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** Each file has an identifier of its own. */
const comparable = (outcome: readonly Field[] | AppError) =>
  outcome instanceof AppError ? outcome.issues : outcome.map(({ name, json, sameAs }) => [name, sameAs ?? json])

const toMultipart = (pairs: readonly (readonly [string, string])[]): string =>
  `${pairs.map(([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--edge--\r\n`

describe('parseFields', () => {
  test.each([
    [
      'a simple form',
      [
        ['name', 'Ada'],
        ['message', 'Hello'],
      ],
    ],
    [
      'a repeated name',
      [
        ['a', '1'],
        ['b', ''],
        ['a', '2'],
      ],
    ],
    [
      'text beyond ASCII',
      [
        ['größe', '😀 ünï'],
        ['名前', '�'],
      ],
    ],
    [
      'names of JavaScript',
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
        ['x[30000000]', 'z'],
      ],
    ],
    [
      'text that means something elsewhere',
      [
        ['a.b[]', '{"c":[1]}'],
        ['d', '1e400'],
        ['e', '&=+%20'],
      ],
    ],
    [
      'white space',
      [
        ['a b', ' x '],
        ['c', '\r\n\t'],
        ['d', ''],
      ],
    ],
  ] as [string, [string, string][]][])('finds the same fields in every content type: %s', async (_what, pairs) => {
    const expected = pairs.map(([name, value]) => ({ name, json: JSON.stringify(value) }))
    const members = pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)

    expect(await parse(urlencoded, new URLSearchParams(pairs).toString())).toEqual(expected)
    expect(await parse(multipart, toMultipart(pairs))).toEqual(expected)
    expect(await parse(json, `{${members}}`)).toEqual(expected)
  })

  test.each([
    ['a boundary in quotation marks', 'multipart/form-data; boundary="edge"'],
    ['another parameter before the boundary', 'multipart/form-data; charset=utf-8; boundary=edge'],
    ['upper case', 'MULTIPART/FORM-DATA; BOUNDARY=edge'],
  ])('reads multipart/form-data with %s', async (_what, contentType) => {
    expect(await parse(contentType, toMultipart([['a', '1']]))).toEqual([{ name: 'a', json: '"1"' }])
  })

  test.each([
    ['text before the first part and behind the last', `before\r\n${toMultipart([['a', '1']])}after`],
    ['a name without quotation marks', toMultipart([['a', '1']]).replace('"a"', 'a')],
    ['headers in upper case', toMultipart([['a', '1']]).replace('Content-Disposition', 'CONTENT-DISPOSITION')],
    [
      'further headers',
      toMultipart([['a', '1']]).replace('\r\n\r\n', '\r\nContent-Type: text/plain\r\nX-Y: z\r\n\r\n'),
    ],
  ])('reads multipart/form-data with %s', async (_what, body) => {
    expect(await parse(multipart, body)).toEqual([{ name: 'a', json: '"1"' }])
  })

  const head = (disposition: string) => `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const [textHead, fileHead] = [head('name="a"'), head('name="a"; filename="b"')]
  const end = '--edge--\r\n'
  const malformed = 'must be valid multipart/form-data'
  const unnamed = (has: string) =>
    `${malformed}; part 1 must have a Content-Disposition such as form-data; name="email", has ${has}`

  test.each<[string, string, unknown]>([
    ['a text without a line break after its headers', `${textHead}\r\n${end}`, ''],
    ['a file without a line break after its headers', `${fileHead}\r\n${end}`, { size: 0 }],
    ['an empty text', `${textHead}\r\n\r\n${end}`, ''],
    ['an empty file', `${fileHead}\r\n\r\n${end}`, { size: 0 }],
    ['a text of a line break', `${textHead}\r\n\r\n\r\n${end}`, '\r\n'],
    ['a file of a line break', `${fileHead}\r\n\r\n\r\n${end}`, { size: 2 }],
    ['a file of the beginnings of a delimiter', `${fileHead}\r\n\r\r\n\r\n-\r\n--edg\r\n--\r\n${end}`, { size: 17 }],
    ['a file that ends in a line break', `${fileHead}\r\nab\r\n\r\n${end}`, { size: 4 }],
    ['white space after the delimiter', `${textHead.replace('edge', 'edge \t ')}\r\n1\r\n${end}`, '1'],
    ['a delimiter in the middle of the first line', `x${textHead}\r\n1\r\n${end}`, '1'],
    ['no line break at the end', `${textHead}\r\n1\r\n--edge--`, '1'],
    ['another part behind the last one', `${textHead}\r\n1\r\n${end}${textHead}\r\n2\r\n${end}`, '1'],
    ['text after the delimiter', `${textHead.replace('edge', 'edge x')}\r\n1\r\n${end}`, malformed],
    ['a part without headers', `--edge\r\n\r\n1\r\n${end}`, malformed],
    ['a part that ends in its headers', `${textHead}${end}`, malformed],
    ['a part of nothing', `--edge\r\n${end}`, malformed],
    [
      'another disposition',
      `${textHead.replace('form-data', 'attachment')}\r\n1\r\n${end}`,
      unnamed('attachment; name="a"'),
    ],
    ['no last delimiter', `${fileHead}\r\n1\r\n`, malformed],
    ['half of the last delimiter', `${fileHead}\r\n1\r\n--edge-`, malformed],
    ['20 headers', `${textHead}${'X: y\r\n'.repeat(19)}\r\n1\r\n${end}`, '1'],
    ['21 headers', `${textHead}${'X: y\r\n'.repeat(20)}\r\n1\r\n${end}`, malformed],
    ['20 parameters', `${head(`${'b=c; '.repeat(19)}name="a"`)}\r\n1\r\n${end}`, '1'],
    [
      '21 parameters',
      `${head(`name="a"${'; b=c'.repeat(20)}`)}\r\n1\r\n${end}`,
      unnamed(`form-data; name="a"${'; b=c'.repeat(20)}`),
    ],
    ['60 lines', `${textHead}${'X: y\r\n'.repeat(18)}X: y${'\r\n z'.repeat(40)}\r\n\r\n1\r\n${end}`, '1'],
    ['61 lines', `${textHead}X: y${'\r\n z'.repeat(59)}\r\n\r\n1\r\n${end}`, malformed],
    ['a folded line before all headers', `${textHead.replace('\r\n', '\r\n X: y\r\n')}\r\n1\r\n${end}`, malformed],
    ['folded white space', `${textHead} \r\n\t\r\n\r\n1\r\n${end}`, '1'],
    ['line breaks without carriage returns', `${textHead}\r\n1\r\n${end}`.replaceAll('\r', ''), malformed],
  ])('reads multipart/form-data with %s the same, whole and in pieces', async (_what, body, expected) => {
    const outcome = await parse(multipart, body).catch((error: AppError) => error)
    if (outcome instanceof AppError) return expect(outcome.issues).toEqual([{ field: 'body', message: `${expected}` }])
    const [field] = outcome
    expect(outcome).toHaveLength(1)
    if (typeof expected === 'string') expect(field).toEqual({ name: 'a', json: JSON.stringify(expected) })
    else expect(JSON.parse(field?.json ?? '')).toMatchObject({ filename: 'b', type: '', ...(expected as object) })
  })

  test('shows of a content type that it does not know the first 100 characters', async () => {
    const reading = parse('x'.repeat(5000), 'a=1')

    await expect(reading).rejects.toMatchObject({
      issues: [{ field: 'body', message: expect.stringMatching(/, has x{100}$/) }],
    })
  })

  test.each([
    [urlencoded, 'a=1&b=%C3%BC+x&__proto__=2&b=%zz'],
    [json, '{"a":[1,{"b":"\\u00fc\\n"}],"__proto__":{"c":-1.5e10},"a":null}'],
  ])('gives fields or refuses, whatever became of a body of %s', expectFieldsOrRefusal)

  test('gives fields or refuses, whatever became of a body of multipart/form-data', async () => {
    const parts = toMultipart([
      ['a', '1'],
      ['ü', '😀'],
    ])
    await expectFieldsOrRefusal(multipart, parts.replace('name="a"', 'name="a"; filename="a.pdf"'))
  })
})

const expectFieldsOrRefusal = async (type: string, text: string): Promise<void> => {
  const random = randomNumbers(42)
  const original = Buffer.from(text)
  let read = 0
  let refused = 0
  for (let i = 0; i < runsOf(10_000); i++) {
    const body = damage(original, random)
    try {
      for (const { name, json } of await parse(type, body)) {
        read++
        expect(name.isWellFormed() && !name.includes('\0'), `the name ${JSON.stringify(name)}`).toBe(true)
        expect(() => JSON.parse(json)).not.toThrow()
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw new Error(`${body.toString('latin1')}: ${error}`)
      refused++
      expect(error.code).toBe('invalid')
      expect(error.issues).toEqual([{ field: expect.any(String), message: expect.stringMatching(/^must /) }])
    }
  }
  expect(read).toBeGreaterThan(100)
  expect(refused).toBeGreaterThan(100)
}

/** The body with some of its bytes changed, removed, or repeated. */
const damage = (original: Buffer, random: (below: number) => number): Buffer => {
  let body = original
  for (let times = random(4); times >= 0; times--) {
    const at = random(body.length + 1)
    const length = random(6)
    const inserted = [
      Buffer.of(random(256)),
      body.subarray(at, at + length),
      Buffer.from(special[random(special.length)] ?? ''),
    ]
    body = Buffer.concat([
      body.subarray(0, at),
      inserted[random(3)] ?? Buffer.of(),
      body.subarray(at + random(length + 1)),
    ])
  }
  return body
}
const special = [
  '\0',
  '\\u0000',
  '\\ud800',
  '%00',
  '%ff',
  '%',
  '\r\n',
  '"',
  '{',
  '}',
  '--edge',
  '--edge--\r\n',
  '\ufeff',
  '\ufffd',
  '&',
  '=',
]

/** Numbers from 0 to `below` - 1, the same at each run. */
const randomNumbers = (seed: number) => {
  let drawn = 0
  return (below: number): number => Number(Bun.hash.wyhash(String(drawn++), BigInt(seed)) % BigInt(below))
}

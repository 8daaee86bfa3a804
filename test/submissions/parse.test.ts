// What contract/collect-*.test.ts do not show over the socket: the same fields from every content type, and
// whatever bytes a stranger may send.
import { describe, expect, test } from 'bun:test'
import { parseFields } from '../../src/collect/parse.ts'
import { AppError } from '../../src/errors.ts'
import type { Field } from '../../src/submissions/fields.ts'

const urlencoded = 'application/x-www-form-urlencoded'
const json = 'application/json'
const multipart = 'multipart/form-data; boundary=edge'

const parse = async (contentType: string, body: string | Uint8Array): Promise<Field[]> =>
  parseFields(
    new Request('http://localhost/', { method: 'POST', headers: { 'content-type': contentType } }),
    Uint8Array.from(Buffer.from(body as string)),
  )

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
  for (let i = 0; i < 3000; i++) {
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

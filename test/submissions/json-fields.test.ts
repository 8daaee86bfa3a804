import { describe, expect, test } from 'bun:test'
import { scanJson } from '../../src/base/json-scan.ts'
import { members as membersIn } from '../../src/submissions/json-fields.ts'
import { expectQuick } from '../expect-below.ts'

const members = (text: string) => membersIn(text, scanJson(text, Number.POSITIVE_INFINITY))

describe('members', () => {
  test.each([
    ['{}', []],
    [' {\n\t } ', []],
    ['{"a":1}', [['a', '1']]],
    [
      '{"a":1,"a":2}',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    [
      ' { "a" : 1 ,\r\n\t"b"\n:\t2 } ',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['{"":""}', [['', '""']]],
    ['{"a":{}}', [['a', '{}']]],
    ['{"a":[]}', [['a', '[]']]],
    [
      '{"a":{"b":[1,{"c":"}"}]},"d":[[],[{}]]}',
      [
        ['a', '{"b":[1,{"c":"}"}]}'],
        ['d', '[[],[{}]]'],
      ],
    ],
    [
      '{"a":"\\"","b":"\\\\","c":"\\\\\\"}"}',
      [
        ['a', '"\\""'],
        ['b', '"\\\\"'],
        ['c', '"\\\\\\"}"'],
      ],
    ],
    [
      '{"a\\"b":1,"\\u0061":2,"{":3,",":4,":":5}',
      [
        ['a"b', '1'],
        ['a', '2'],
        ['{', '3'],
        [',', '4'],
        [':', '5'],
      ],
    ],
    ['{"__proto__":{"x":1}}', [['__proto__', '{"x":1}']]],
    ['{"a":1e300}', [['a', '1e300']]],
    ['{"a":-0.0E-10}', [['a', '-0.0E-10']]],
    ['{"a":123456789012345678901234567890}', [['a', '123456789012345678901234567890']]],
    ['{"a":true,"b":false,"c":null}', 'abc'.split('').map((name, i) => [name, ['true', 'false', 'null'][i]])],
    ['{"a":"\u2028","b":"\u00a0"}', 'ab'.split('').map((name, i) => [name, ['"\u2028"', '"\u00a0"'][i]])],
  ])('of %s', (text, expected) => {
    expect(members(text).map(({ name, json }) => [name, json])).toEqual(expected as string[][])
  })

  test('are those that JSON.parse finds, in whatever object', () => {
    const random = randomNumbers(20_261_121)
    for (let i = 0; i < 2000; i++) {
      const names = Array.from({ length: random(5) }, () => randomText(random))
      const written = names.map((name) => [name, randomJson(random, 3)] as const)
      const space = () => ['', ' ', '\n', '\t\r\n'][random(4)] ?? ''
      const inner = written.map(
        ([name, json]) => `${space()}${JSON.stringify(name)}${space()}:${space()}${json}${space()}`,
      )
      const text = `${space()}{${inner.length > 0 ? inner.join() : space()}}${space()}`

      const found = members(text)

      expect(found.map(({ name, json }) => [name, json])).toEqual(written.map(([name, json]) => [name, json]))
      const last = new Map(found.map(({ name, json }) => [name, JSON.parse(json)]))
      expect(Object.fromEntries(last)).toEqual(JSON.parse(text))
    }
  })

  test('of an object as large as a body may be are found within a second', async () => {
    const text = `{${Array.from({ length: 150_000 }, () => '"a":0').join()}${' '.repeat(100_000)}}`

    await expectQuick(1000, () => expect(members(text)).toHaveLength(150_000))
  })
})

/** Numbers from 0 to `below` - 1, the same at each run. */
const randomNumbers = (seed: number) => {
  let drawn = 0
  return (below: number): number => Number(Bun.hash.wyhash(String(drawn++), BigInt(seed)) % BigInt(below))
}
type Random = ReturnType<typeof randomNumbers>

const pieces = ['"', '\\', '{', '}', '[', ']', ',', ':', 'a', ' ', '\n', '😀', 'ü', '__proto__', '\\u0041', '\u2028']

const randomText = (random: Random): string =>
  Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join('')

const randomJson = (random: Random, depth: number): string => {
  const items = <T>(make: () => T): T[] => Array.from({ length: random(4) }, make)
  const value = () => randomJson(random, depth - 1)
  switch (random(depth > 0 ? 7 : 5)) {
    case 0:
      return ['true', 'false', 'null'][random(3)] ?? 'null'
    case 1:
      return ['0', '-0', '1e-400', '1.50', '-12E+3', '99999999999999999999'][random(6)] ?? '0'
    case 5:
      return `[${items(value).join(', ')}]`
    case 6:
      return `{${items(() => `${JSON.stringify(randomText(random))}: ${value()}`).join(' ,')}}`
    default:
      return JSON.stringify(randomText(random))
  }
}

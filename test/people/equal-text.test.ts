import { describe, expect, test } from 'bun:test'
import { equalText } from '../../src/transfer/people/equal-text.ts'

/** In which field a submission has the value, with its text as a whole and cut at every position. */
const fieldIn = (data: string, value: string): string | undefined => {
  const finder = equalText(value)
  const read = (parts: readonly string[]): string | undefined => {
    const reading = finder.begin(false)
    for (const part of parts) reading.feed(part)
    return reading.result()
  }
  const whole = read([data])
  for (let at = 1; at < data.length; at++) expect(read([data.slice(0, at), data.slice(at)]), `cut at ${at}`).toBe(whole)
  expect(read([...data])).toBe(whole)
  if (whole !== undefined) expect(finder.mayMatch(data)).toBe(true)
  return whole
}

describe('a text that is a whole value', () => {
  test.each([
    ['{"a":"Ada"}', 'a'],
    ['{ "a" : "x" , "b" :\t" ADA\\n" }', 'b'],
    ['{"a":["x","ada"]}', 'a'],
    ['{"a":[[{"Ada":"x"},{"b":"ada"}]],"c":"ada"}', 'a'],
    ['{"a\\"b":"\\u0041da"}', 'a"b'],
    ['{"a":"x","":"ada"}', ''],
    ['{"a":{"b":"x"},"c":null,"d":-1.5e3,"e":true,"f":"Ada"}', 'f'],
  ])('is found in %s', (data, field) => {
    expect(fieldIn(data, 'Ada')).toBe(field)
  })

  test.each([
    '{}',
    '{"Ada":"x"}',
    '{"Ada":{"Ada":1}}',
    '{"a":"Ada Lovelace"}',
    '{"a":"A da"}',
    '{"a":"x\\":\\"Ada"}',
    '{"a":"\\\\","b":"\\"Ada"}',
    '{"a":["Adad","dAda"]}',
  ])('is not found in %s', (data) => {
    expect(fieldIn(data, 'Ada')).toBeUndefined()
  })

  test('is the same in any case, with and without accents, and however its letters are composed', () => {
    for (const [value, other] of [
      ['Straße', 'STRASSE'],
      ['ΟΔΟΣ', 'οδός'.replace('ό', 'ο')],
      ['Zoë', 'zoe\u0308'],
      ['김철수', '김철수'.normalize('NFD')],
      ['\u1f82', '\u1f82'.normalize('NFD')],
      ['K', '\u212a'],
      ['José', 'jose'],
      ['Ada  Lovelace', 'Ada\nLovelace'],
    ] as const) {
      expect(fieldIn(JSON.stringify({ a: other }), value)).toBe('a')
      expect(fieldIn(JSON.stringify({ a: value }), other)).toBe('a')
    }
  })

  test('is found behind texts of any length', () => {
    const reading = equalText('Ada').begin(false)
    reading.feed('{"a":"')
    for (let i = 0; i < 50; i++) for (const part of ['x'.repeat(9999), '\\', 'n']) reading.feed(part)
    expect(reading.result()).toBeUndefined()
    reading.feed('\\\\","b":"Ada"}')
    expect([reading.result(), reading.isDecided()]).toEqual(['b', true])
  })

  test.each([
    ['after', (spaces: string) => `Ada Lovelace${spaces}`],
    ['before', (spaces: string) => `${spaces}Ada Lovelace`],
    ['inside', (spaces: string) => `Ada${spaces}Lovelace`],
  ])('is found with any white space %s it, in one part or in several', (_where, textWith) => {
    const fieldOf = (text: string, partLength: number): string | undefined => {
      const reading = equalText('ada lovelace').begin(false)
      const json = JSON.stringify({ a: text, b: 'x' })
      for (let at = 0; at < json.length; at += partLength) reading.feed(json.slice(at, at + partLength))
      return reading.result()
    }
    for (const spaces of [' '.repeat(20_000), ' \n\u00a0\u3000'.repeat(50_000)])
      for (const partLength of [1_000_000, 65_536, 999]) {
        expect(fieldOf(textWith(spaces), partLength)).toBe('a')
        expect(fieldOf(`${textWith(spaces)}${spaces}x`, partLength)).toBeUndefined()
      }
  })

  test('may be a number, or the name of a file, but nothing else of a file', () => {
    expect(fieldIn('{"a":4479460000}', '4479460000')).toBe('a')
    const file = '{"filename":"Ada.pdf","type":"application/pdf","size":1,"file":"x"}'
    expect(fieldIn(`{"a":[${file}]}`, 'ada.pdf')).toBe('a')
    expect(fieldIn(`{"a":[${file}]}`, 'application/pdf')).toBeUndefined()
    expect(fieldIn('{"a":[{"type":"application/pdf"}]}', 'application/pdf')).toBe('a')
  })
})

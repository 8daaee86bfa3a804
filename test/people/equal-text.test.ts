import { describe, expect, test } from 'bun:test'
import { equalText } from '../../src/people/equal-text.ts'

/** Whether and in which field a submission has the value, with its text as a whole and cut at every position. */
const fieldIn = (data: string, value: string): string | undefined => {
  const text = equalText(value)
  const whole = text.findField()(data)
  for (let at = 1; at < data.length; at++) {
    const find = text.findField()
    const first = find(data.slice(0, at))
    expect(first ?? find(data.slice(at)), `cut at ${at}`).toBe(whole)
  }
  const find = text.findField()
  const found = [...data].map((character) => find(character)).find((field) => field !== undefined)
  expect(found).toBe(whole)
  if (whole !== undefined) expect(text.mayBeIn(data)).toBe(true)
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

  test('is the same in any case and however its letters are composed', () => {
    for (const [value, other] of [
      ['Straße', 'STRASSE'],
      ['ΟΔΟΣ', 'οδός'.replace('ό', 'ο')],
      ['Zoë', 'zoe\u0308'],
      ['김철수', '김철수'.normalize('NFD')],
      ['\u1f82', '\u1f82'.normalize('NFD')],
      ['K', '\u212a'],
    ] as const) {
      expect(fieldIn(JSON.stringify({ a: other }), value)).toBe('a')
      expect(fieldIn(JSON.stringify({ a: value }), other)).toBe('a')
    }
  })

  test('of a long string, nothing is kept but whether a backslash ends it', () => {
    const find = equalText('Ada').findField()
    expect(find('{"a":"')).toBeUndefined()
    for (let i = 0; i < 50; i++)
      expect(find(`${'x'.repeat(9999)}\\`) ?? find(`"${'\\'.repeat(7)}`) ?? find('\\')).toBeUndefined()
    expect(find('","b":"Ada"}')).toBe('b')
  })
})

import { expect, test } from 'bun:test'
import { parseOnce } from '../../src/base/parse-once.ts'

const counted = () => {
  const parsed: string[] = []
  const parse = parseOnce((text) => {
    parsed.push(text.slice(0, 1))
    return { length: text.length }
  })
  return { parsed, parse }
}

test('parses a text once, and gives the same result for it again', () => {
  const { parsed, parse } = counted()
  expect(parse('a')).toBe(parse('a'))
  expect([parse('b'), parse('a')]).toEqual([{ length: 1 }, { length: 1 }])
  expect(parsed).toEqual(['a', 'b'])
})

test('forgets the texts that were used longest ago when all are more than a million characters', () => {
  const { parsed, parse } = counted()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(400_000)) as [string, string, string, string]
  for (const text of [a, b, a, c, a, c]) parse(text)
  expect(parsed).toEqual(['a', 'b', 'c'])
  for (const text of [b, a, c]) parse(text)
  expect(parsed).toEqual(['a', 'b', 'c', 'b', 'a', 'c'])
  for (const text of ['e'.repeat(1_000_001), d, d]) parse(text)
  expect(parsed.slice(6)).toEqual(['e', 'd'])
})

test('does not remember what cannot be parsed', () => {
  const parse = parseOnce<unknown>(JSON.parse)
  for (let i = 0; i < 2; i++) expect(() => parse('{')).toThrow(SyntaxError)
})

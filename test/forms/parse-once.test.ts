import { expect, test } from 'bun:test'
import { parseOnce } from '../../src/forms/parse-once.ts'

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

test('forgets all texts once they are more than a million characters', () => {
  const { parsed, parse } = counted()
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(500_000))
  for (const text of [...texts, ...texts]) parse(text)
  expect(parsed).toEqual(['a', 'b', 'c'])
  for (const text of ['d', ...texts]) parse(text)
  expect(parsed).toEqual(['a', 'b', 'c', 'd', 'a', 'b', 'c'])
})

test('does not remember what cannot be parsed', () => {
  const parse = parseOnce<unknown>(JSON.parse)
  for (let i = 0; i < 2; i++) expect(() => parse('{')).toThrow(SyntaxError)
})

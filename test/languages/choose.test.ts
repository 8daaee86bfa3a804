import { describe, expect, test } from 'bun:test'
import { acceptedLanguage, chooseLanguage, firstLanguage } from '../../src/languages/choose.ts'

const accepts = (header: string) => () => acceptedLanguage(header)

describe('the language of an answer', () => {
  test.each([
    ['what the page asks for, before all others', { asked: 'de', setting: 'en', accepted: accepts('en') }, 'de'],
    ['the setting, before the browser', { setting: 'de', accepted: accepts('en') }, 'de'],
    ['what the browser asks for', { setting: null, accepted: accepts('de') }, 'de'],
    ['English, without anything', {}, 'en'],
    ['English, without a header', { asked: undefined, setting: null, accepted: accepts('') }, 'en'],
  ] as const)('is %s', (_what, wishes, language) => {
    expect(chooseLanguage(wishes)).toBe(language)
  })

  test.each([
    ['de-AT,de;q=0.9', 'de'],
    ['en;q=0.5, de;q=0.8', 'de'],
    ['xx, DE', 'de'],
    ['xx-DE, de_CH;Q=0.1', 'de'],
    ['de;q=0, en', 'en'],
    ['de;q=0', 'en'],
    ['de;q=', 'en'],
    ['de;q=2', 'en'],
    ['de;q=x, en;q=0.1', 'en'],
    ['*', 'en'],
    ['*, de;q=0.1', 'de'],
    ['deu, den, d, -de, de-', 'de'],
    ['deu', 'en'],
    [';;;,,,=', 'en'],
    ['', 'en'],
    [`${'xx,'.repeat(19)}de`, 'de'],
    [`${'xx,'.repeat(20)}de`, 'en'],
    [`${' '.repeat(998)}de`, 'de'],
    [`${' '.repeat(999)}de`, 'en'],
    ['x'.repeat(8192), 'en'],
  ])('is read from Accept-Language: %s', (header, language) => {
    expect(chooseLanguage({ accepted: accepts(header) })).toBe(language as 'de')
  })

  test('is the first of several tags that is one of ours', () => {
    expect(firstLanguage(['xx', '', 'de-DE', 'en'])).toBe('de')
    expect(firstLanguage(['xx', `de-${'x'.repeat(200)}`])).toBeUndefined()
  })

  test('is looked for in the first 20 tags, because anyone may send thousands', () => {
    expect(firstLanguage([...Array(19).fill('xx'), 'de'])).toBe('de')
    expect(firstLanguage([...Array(20).fill('xx'), 'de'])).toBeUndefined()
  })
})

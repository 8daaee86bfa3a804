import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FormSettings } from '../../../../src/forms/settings/settings.ts'
import { type Field, toSentSubmission } from '../../../../src/submissions/fields.ts'
import { blockedTermIn, judge } from '../../../../src/submissions/spam/judge.ts'
import { foldText, termSearch } from '../../../../src/submissions/spam/terms.ts'
import { defaultSettings } from '../../../default-settings.ts'
import { expectQuick, heapBytes } from '../../../expect-below.ts'
import { runsOf } from '../../../runs.ts'

const judgeFields = (rules: Partial<FormSettings>, fields: readonly Field[]) => {
  const settings = { ...defaultSettings, ...rules }
  return judge(settings, toSentSubmission(fields, settings.honeypot))
}
const judgeValues = (rules: Partial<FormSettings>, ...values: unknown[]) =>
  judgeFields(
    rules,
    values.map((value, i) => ({ name: `field ${i}`, json: JSON.stringify(value) })),
  )
const withTerms = (blockedTerms: readonly string[], value: unknown) => judgeValues({ blockedTerms }, 'Hello', value)
const withLinks = (maxLinks: number, ...values: unknown[]) => judgeValues({ maxLinks }, ...values)

describe('a blocked term', () => {
  test.each([
    ['casino', 'Best CaSiNo ever'],
    ['CASINO', 'casinos'],
    ['straße', 'HAUPTSTRASSE 1'],
    ['ΟΔΟΣ', 'οδος'],
    ['СКИДКА', 'скидка 70 %'],
    ['say "hi"', 'They say "hi"'],
    ['two\nlines', 'two\nlines'],
    ['🦊🦊', 'a 🦊🦊 b'],
    ['café', 'A cafe\u0301!'],
    ['CAFE\u0301', 'a café'],
    ['Ǭdd', 'o\u0304\u0328dd'],
    ['ΐσ', 'Ι\u0308\u0301Σ'],
    ['がく', `${'春'.repeat(31)}か\u3099く`],
    ['한글', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
    ['deep', { a: [1, null, { b: 'the deep end' }] }],
    ['evil.exe', { filename: 'EVIL.exe', type: '', size: 1, file: 'x' }],
    ['qq==', { filename: 'a', type: '', size: 1, base64: 'QQ==' }],
  ])('%p is found in %j', (term, value) => {
    expect(withTerms(['other', term, 'more'], value)).toBe('terms')
  })

  test.each([
    ['casino', 'cas ino'],
    ['names', { names: 'a key is no text of a visitor' }],
    ['abc', { filename: 'photo.jpg', type: 'image/jpeg', size: 3, file: 'abcabc' }],
    ['cafe', 'café'],
    ['cafe', 'cafe\u0301'],
    ['12', 12],
    ['true', true],
  ])('%p is not found in %j', (term, value) => {
    expect(withTerms([term], value)).toBeUndefined()
  })

  test('is found even if it is written with escapes', () => {
    const fields = [{ name: 'a', json: '"\\u0063asino"' }]
    expect(judgeFields({ blockedTerms: ['casino'] }, fields)).toBe('terms')
  })

  test.each([
    ['few', ['a', 'b', 'c']],
    ['many', Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i))],
    ['the highest', ['\uffff', '\0', '\u0100', 'Ā']],
  ])('is found wherever the text has it, as one search for each would: with %s characters', (_, characters) => {
    const unit = fc.constantFrom(...characters, '-')
    const text = fc.string({ unit, maxLength: 30 })
    const term = fc.string({ unit: fc.constantFrom(...characters), minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 6 }), text, (terms, within) => {
        const found = termSearch(terms)(within)
        expect(found !== -1).toBe(terms.some((one) => within.includes(one)))
        if (found !== -1) expect(within).toInclude(terms[found] as string)
      }),
      { numRuns: runsOf(1000) },
    )
  })

  test('is found among as many and as long ones as there may be', () => {
    const terms = Array.from({ length: 200 }, (_, i) => `${'ﬃ'.repeat(98)}${String.fromCharCode(0x4e00 + i)}!`)
    const folded = terms.map(foldText)
    expect(folded[0]).toHaveLength(296)
    const find = termSearch(folded)
    for (const [i, one] of folded.entries()) expect([i, find(`-${one.slice(0, -1)}-${one}-`)]).toEqual([i, i])
    expect(find(folded.map((one) => one.slice(0, -1)).join(''))).toBe(-1)
  })

  test('is found however each of its characters is composed', () => {
    const different: string[] = []
    for (let code = 0x80; code < 0x30000; code++) {
      const text = String.fromCodePoint(code)
      if (foldText(text) !== foldText(text.normalize('NFD'))) different.push(code.toString(16))
    }
    expect(different).toEqual([])
  })

  test.each([
    ['accents in the wrong order', '\u0301\u0316'],
    ['accents that are two', '\u0f73'],
    ['vowels that are no accents, and combine', '\u{16d67}'],
    ['letters that become two', '\u0390\u0316'],
  ])('takes no longer to look for in %s', async (_, repeated) => {
    const text = repeated.repeat(100_000 / repeated.length)
    // `normalize` alone takes 1 to 30 seconds for the first three.
    await expectQuick(400, () => withTerms(['casino'], text))
  })

  test.each([
    ['that begin alike', Array.from({ length: 123 }, (_, i) => `${'a'.repeat(i / 2 + 1)}${i % 2 ? 'b' : 'c'}`), 'a'],
    [
      'of two letters',
      Array.from({ length: 40 }, (_, i) => `${(i + 2 ** 40).toString(2).repeat(3).slice(-99)}c`),
      '10',
    ],
  ])('takes no longer to look for beside others %s', async (_, terms, repeated) => {
    const text = repeated.repeat(1_000_000 / repeated.length)
    // One regular expression of all terms takes seconds; each character tries all that may begin there.
    await expectQuick(400, () => withTerms(terms, text))
  })
})

describe('the terms of many forms', () => {
  const ofForm = (form: number) => Array.from({ length: 200 }, (_, i) => `${i}/${form} is blocked`.padEnd(20))

  test('are prepared once each, though their submissions come by turns', async () => {
    const forms = Array.from({ length: 40 }, (_, form) => ofForm(form))
    const judgeAll = () => forms.map((terms) => withTerms(terms, 'a message'))
    judgeAll()
    await expectQuick(15, judgeAll)
  })

  test('take no more than some megabytes', () => {
    const before = heapBytes()
    for (let form = 0; form < 1000; form++) withTerms(ofForm(form), 'a message')
    expect(heapBytes() - before).toBeLessThan(32 * 1024 * 1024)
  })
})

test('the term that made spam of a submission is named as its owner wrote it, if it is still blocked', () => {
  const fields = [{ json: '1e400' }, { json: '"I am a \\u0073pecialist"' }]
  expect(blockedTermIn({ blockedTerms: ['casino', 'CIALIS', 'a sp'] }, fields)).toBe('a sp')
  expect(blockedTermIn({ blockedTerms: ['casino', 'CIALIS'] }, fields)).toBe('CIALIS')
  expect(blockedTermIn({ blockedTerms: ['casino'] }, fields)).toBeUndefined()
  expect(blockedTermIn({ blockedTerms: [] }, fields)).toBeUndefined()
})

describe('links', () => {
  test('count in all fields together, in any case', () => {
    const values = ['see HTTP://a.example and https://b.example', { more: ['www.c.example'] }]
    expect(withLinks(2, ...values)).toBe('links')
    expect(withLinks(3, ...values)).toBeUndefined()
  })

  test('are counted once each', () => {
    expect(withLinks(1, 'https://www.a.example')).toBeUndefined()
    expect(withLinks(0, 'ftp://a.example awww.b ://')).toBeUndefined()
    expect(withLinks(0, 'http://')).toBe('links')
  })

  test('are not counted in e-mail addresses', () => {
    expect(withLinks(0, 'ada@www.example.com, ADA@WWW.EXAMPLE.COM')).toBeUndefined()
    expect(withLinks(0, 'ada@example.com, www.example.com')).toBe('links')
  })
})

test.each([
  ['_subject', 'terms', 'links'],
  ['_replyto', 'terms', 'links'],
  ['_gotcha', 'terms', 'links'],
  ['_next', undefined, undefined],
  ['_challenge', undefined, undefined],
  ['_idempotency', undefined, undefined],
  ['website', 'honeypot', 'honeypot'],
])('of control fields only what a mail shows is looked at: %s', (name, terms, links) => {
  const fields = [
    { name: 'a', json: '1' },
    { name, json: '"https://example.com"' },
  ]
  const judged = (rules: Partial<FormSettings>): unknown => judgeFields({ ...rules, honeypot: 'website' }, fields)
  expect([judged({ blockedTerms: ['example'] }), judged({ maxLinks: 0 })]).toEqual([terms, links])
})

test('without rules nothing is spam', () => {
  expect(judgeValues({}, 'casino http://a.example')).toBeUndefined()
})

import { describe, expect, test } from 'bun:test'
import { foldForSearch, foldSpaces, lastStart } from '../../src/base/search-fold.ts'
import { quickCheck, submissionMatch, type Wanted } from '../../src/submissions/search/match.ts'
import { parseQuery } from '../../src/submissions/search/terms.ts'
import { itemsIn } from '../../src/submissions/sent-fields.ts'
import { expectQuick } from '../expect-below.ts'
import { runsOf } from '../runs.ts'

/** Whether a submission has what is wanted, by its whole JSON text. */
const matchesText = (sought: Wanted, json: string, hasStoredFiles = false): boolean => {
  const match = submissionMatch(sought, hasStoredFiles)
  match.feed(json)
  return match.isMatch()
}

const wanted = (query: string, hasFiles: boolean | null = null) => ({ terms: parseQuery(query), hasFiles })

const file = { filename: 'Lebenslauf.pdf', type: 'application/pdf', size: 5, file: '01kahp6a8d00q2s4tznwe8cm3k9f' }
const message = {
  name: 'Åse Ødegård',
  'Where from': 'Tromsø, Norway',
  message: 'Line one\nline "two"\tand\u00a0three: 100% a_b c\\d https://example.com/x?y=1',
  tags: ['red', 'blue'],
  nested: { deep: { word: 'Ελλάδα, Ёлка' } },
  amount: 1234567890123456,
  agreed: true,
  nothing: null,
  cv: [file, { ...file, filename: 'old.txt' }],
  other: { ...file, file: undefined, type: 'text/plain', base64: 'SGVsbG8gd29ybGQ=' },
}

/** The query, and whether it finds the message. */
const queries: [query: string, isFound: boolean][] = [
  ['', true],
  ['norway', true],
  ['NORWAY', true],
  ['norway tromso', true],
  ['norway sweden', false],
  ['ase ODEGARD', true],
  ['ελλαδα', true],
  ['ΕΛΛΆΔΑ', true],
  ['елка', true],
  ['-sweden', true],
  ['-norway', false],
  ['norway -sweden', true],
  ['norway -Åse', false],
  ['"line one"', true],
  ['"one line"', true],
  ['"two one"', false],
  ['"and three"', true],
  ['"line one', true],
  ['“line one”', true],
  ['"two"', true],
  ['line"two"', false],
  ['"', true],
  ['""', true],
  ['-""', true],
  ['100%', true],
  ['101%', false],
  ['a_b', true],
  ['a.b', false],
  ['axb', false],
  ['.*', false],
  ['c\\d', true],
  ['c\\\\d', false],
  ['\\n', false],
  ['[a-z]', false],
  ['https://example.com/x', true],
  ['example.com/x?y', true],
  ['blue', true],
  ['redblue', false],
  ['1234567890123456', true],
  ['true', true],
  ['null', false],
  ['name:ase', true],
  ['NAME:ase', true],
  ['name:norway', false],
  ['name:"åse ødegård"', true],
  ['-name:norway', true],
  ['-name:ase', false],
  ['"where from":norway', true],
  ['"where from":"tromso, nor"', true],
  ['message:"line one"', true],
  ['nested:ΕΛΛΑΔΑ', true],
  ['deep:ΕΛΛΑΔΑ', false],
  ['unknown:norway', false],
  ['three:', true],
  [':', true],
  ['-', false],
  ['message', false],
  ['filename', false],
  ['lebenslauf', true],
  ['cv:lebenslauf', true],
  ['old.txt', true],
  ['application', false],
  ['01kahp6a8d00q2s4tznwe8cm3k9f', false],
  // What has no `file` is data like any other.
  ['text/plain', true],
  ['SGVsbG8gd29ybGQ', true],
]

describe('a query', () => {
  test.each(queries)('%s finds the message: %s', (query, isFound) => {
    const json = JSON.stringify(message)
    expect(matchesText(wanted(query), json)).toBe(isFound)
    if (isFound) expect(quickCheck(wanted(query))(json)).toBe(true)
    expect(matchesText(wanted(query), escaped(json))).toBe(isFound)
  })

  test('for files finds those that are stored, whatever the text says', () => {
    for (const data of [{ cv: file }, { cv: ['x', file] }, { cv: { ...file, file: null, base64: 'QQ==' } }, {}]) {
      const json = JSON.stringify(data)
      expect([json, matchesText(wanted('', true), json)]).toEqual([json, false])
      expect([json, matchesText(wanted('', false), json)]).toEqual([json, true])
    }
    // Anyone can name a file in JSON. Whether one is stored, the text does not say.
    const named = JSON.stringify({ cv: file })
    expect(matchesText(wanted('', true), named, true)).toBe(true)
    expect(matchesText(wanted('', false), named, true)).toBe(false)
    expect(quickCheck(wanted('', true))(named)).toBe(true)
    const match = submissionMatch(wanted('', false), true)
    expect([match.isDecided(), match.isMatch()]).toEqual([true, false])
  })

  test.each([
    ['a file', { cv: file }, false],
    ['a file in a list', { cv: ['x', file] }, false],
    ['no file: its size is text', { cv: { ...file, size: '5' } }, true],
    ['no file: it names none', { cv: { ...file, file: null } }, true],
    ['no file: it is the submission', { ...file }, true],
    ['no file: it is deeper', { cv: { deeper: file } }, true],
    ['no file: it is in a list of a list', { cv: [[file]] }, true],
  ])('finds the media type of what is %s: %j, %p', (_what, data, isFound) => {
    expect(matchesText(wanted('application'), JSON.stringify(data))).toBe(isFound)
  })

  test('finds what an object has that lacks a member of a file', () => {
    const json = '{"cv":{"filename":"a.pdf","type":"secret","size":5,"note":"x"}}'
    expect(matchesText(wanted('secret'), json)).toBe(true)
    expect(matchesText(wanted('5 note'), json)).toBe(false)
  })

  test('has at most 20 words and phrases', () => {
    expect(parseQuery('a '.repeat(20))).toHaveLength(20)
    expect(() => parseQuery('a '.repeat(21))).toThrow('Invalid input data')
  })
})

// Chosen so that they meet: case, accents of both kinds, escapes, marks at the beginnings, Korean in parts, halves of pairs.
const alphabet = [
  ...'aAeEsSßøŁéÉİıςσΣйЁ愛か"\\/:-_%.,{}[]\n\t 012nrtu',
  ...[
    '\u0301',
    '\u0323',
    '\u0308',
    '\u0345',
    '\u3099',
    '\u1112',
    '\u1161',
    '\u11ab',
    '한',
    '\u00a0',
    '\ufeff',
    '\u0000',
  ],
  ...['😀', '\ud83d', '\ude00', '\u{1d165}', 'K', 'ŉ', 'ΐ', 'ﬁ', '≠', '<', '\u0338'],
]

/** Numbers that are always the same for the same seed. */
const randomly = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Every character of the texts, or some, as `\u0041`. */
const escaped = (json: string, isEscaped: (at: number) => boolean = () => true): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) =>
    JSON.stringify(JSON.parse(text)).replaceAll(/\\u[\da-f]{4}|\\.|[^"\\]/g, (one, at) => {
      if (one.length > 1 || !isEscaped(at)) return one
      return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
    }),
  )

/** The texts that a person sees, by field, found in another way: everything is in memory, as objects. */
const seenTexts = (json: string): { field: string; text: string }[] =>
  Object.entries(JSON.parse(json)).flatMap(([field, value]) =>
    itemsIn(JSON.stringify(value)).flatMap(({ json: item }) =>
      leaves(JSON.parse(item)).map((text) => ({ field, text })),
    ),
  )

const leaves = (value: unknown): string[] => {
  if (value === null) return []
  if (typeof value !== 'object') return [String(value)]
  return Object.values(value).flatMap(leaves)
}

const foldWhole = (text: string): string => foldSpaces(foldForSearch(text))

test.each([
  ['{"m":"call me, or us"}', false],
  ['{"m":"Call  us"}', true],
  [JSON.stringify({ m: 'call\r\nus' }), true],
  [JSON.stringify({ m: 'call\r\nme, or us' }), false],
  // What is escaped may be anything.
  [JSON.stringify({ m: '"call" me, or us' }), true],
])('the quick check finds the phrase "call us" in %s: %s', (json, mayBe) => {
  expect(quickCheck(wanted('"call us"'))(json)).toBe(mayBe)
})

test('of a submission with a word that must not be there, the rest is not read', () => {
  const match = submissionMatch(wanted('call -ada'), false)
  match.feed('{"name":"Ada","m":')
  expect([match.isDecided(), match.isMatch()]).toEqual([true, false])
  // Would be an error otherwise.
  match.feed('"\\')
  expect(match.isMatch()).toBe(false)
})

describe('with random texts', () => {
  const random = randomly(20261122)
  const text = (most: number): string =>
    Array.from({ length: random(most) }, () => alphabet[random(alphabet.length)]).join('')
  const cases = Array.from({ length: runsOf(10_000) }, () => {
    const data = { [text(3)]: text(40), list: [text(12), { x: text(8) }], [`n${text(2)}`]: text(30) }
    const one = Object.values(data)[random(3)]
    const source = typeof one === 'string' && random(4) > 0 ? one : text(6)
    const start = random(source.length)
    const query = source.slice(start, start + 1 + random(6))
    const json = JSON.stringify(data)
    return { json: random(4) === 0 ? escaped(json, () => random(5) === 0) : json, query }
  })

  test('the quick check never excludes what the whole search finds', () => {
    let excluded = 0
    let found = 0
    for (const { json, query } of cases.flatMap(({ json, query }) => [
      { json, query },
      { json, query: `"${query}` },
    ])) {
      const isFound = matchesText(wanted(query), json)
      const mayBe = quickCheck(wanted(query))(json)
      if (isFound) expect([json, query, mayBe]).toEqual([json, query, true])
      if (isFound) found++
      if (!mayBe) excluded++
    }
    expect(found).toBeGreaterThan(cases.length / 10)
    expect(excluded).toBeGreaterThan(cases.length / 50)
  })

  test('the search finds what a search of the parsed objects finds', () => {
    for (const { json, query } of cases) {
      const terms = parseQuery(query)
      const texts = seenTexts(json).map(({ field, text }) => ({
        field: foldWhole(field).trim(),
        text: foldWhole(text),
      }))
      const expected = terms.every(
        (term) =>
          term.isExcluded !==
          texts.some(({ field, text }) => (term.field ?? field) === field && text.includes(term.text)),
      )
      expect([json, query, matchesText(wanted(query), json)]).toEqual([json, query, expected])
    }
  })

  test('a text in parts is found as if it were whole', () => {
    for (const { json, query } of cases) {
      const match = submissionMatch(wanted(query), false)
      for (let at = 0; at < json.length; ) {
        const end = at + 1 + random(4)
        match.feed(json.slice(at, end))
        at = end
      }
      expect([json, query, match.isMatch()]).toEqual([json, query, matchesText(wanted(query), json)])
    }
  })

  test('a text can be folded in parts', () => {
    for (const { query, json } of cases) {
      const whole = json + query
      const cut = lastStart(whole.slice(0, random(whole.length)))
      expect(foldForSearch(whole.slice(0, cut)) + foldForSearch(whole.slice(cut))).toBe(foldForSearch(whole))
    }
  })
})

test.each(['\u0301', '\u0323\u0301', '\u1161', '\\ud83d'])(
  'a megabyte of %j, none of which a text can be cut before, takes no longer than other text',
  async (mark) => {
    const partLength = 16 * 1024
    const json = `{"name":"${mark.repeat(1_000_000 / mark.length)}\\ud83d\\ude00 Norway"}`
    const find = (query: string): boolean => {
      const match = submissionMatch(wanted(query), false)
      for (let at = 0; at < json.length; at += partLength) match.feed(json.slice(at, at + partLength))
      return match.isMatch()
    }
    const found: boolean[] = []
    await expectQuick(500, () => found.push(find('sweden')))
    expect([find('norway'), find('😀'), found[0]]).toEqual([true, true, false])
  },
)

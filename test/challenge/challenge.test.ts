import { describe, expect, test } from 'bun:test'
import { easiestBits, hardestBits, openDifficulty } from '../../src/collect/challenges.ts'
import { checkSolution, lifetimeMilliseconds, newChallenge, puzzles } from '../../src/submissions/spam/challenge.ts'
import { refusalOf } from '../refusal.ts'
import { solve } from '../solve.ts'

const noon = Date.UTC(2026, 5, 1, 12)
const form = { key: new Uint8Array(32).fill(7), formId: '01kahp5x2r00v7m3k9qd4tznwe8c', now: noon }
const random = 'AAECAwQFBgcICQoLDA0ODw'
const bits = 4
const challenge = newChallenge({ ...form, bits, random })
const solution = solve({ challenge, puzzles, bits })

/** What is wrong with it; undefined if it is good. */
const problem = (text: string, checked: Partial<typeof form> = {}): string | undefined =>
  refusalOf(() => checkSolution(text, { ...form, ...checked }))

describe('a challenge', () => {
  test('holds with its solution for an hour, and says what is spent', () => {
    expect(challenge).toStartWith(`${(noon + lifetimeMilliseconds).toString(36)}.4.${random}.`)
    expect(checkSolution(solution, form)).toEqual({ random, expiresAt: noon + 3_600_000 })
    expect(problem(solution, { now: noon + 3_599_999 })).toBeUndefined()
    expect(problem(solution, { now: noon + 3_600_000 })).toBe('_challenge: must not be older than an hour')
    // The clock was set back.
    expect(problem(solution, { now: noon - 86_400_000 })).toBeUndefined()
  })

  test.each([
    ['another form', { formId: '01kahp5x2r00v7m3k9qd4tznwe8d' }],
    ['another key', { key: new Uint8Array(32) }],
  ])('does not hold for %s', (_what, checked) => {
    expect(problem(solution, checked)).toBe('_challenge: must be a challenge of this form')
  })

  test.each([
    ['an easier one', (text: string) => text.replace('.4.', '.1.')],
    ['one that ends later', (text: string) => text.replace(/^\w+/, (noon + 10 * lifetimeMilliseconds).toString(36))],
    ['another one of the kind', (text: string) => text.replace('AAEC', 'AAED')],
    ['another signature', (text: string) => text.replace(/\.[\w-]{43}\./, `.${'A'.repeat(43)}.`)],
  ])('cannot be made into %s', (_what, change) => {
    const changed = change(solution)
    expect(changed).not.toBe(solution)
    expect(problem(changed)).toBe('_challenge: must be a challenge of this form')
  })

  test('does not hold if one puzzle is not solved, or solved as another', () => {
    const parts = solution.split('.')
    for (let i = 4; i < parts.length; i++) {
      const other = Array.from({ length: 100 }, (_, nonce) => nonce.toString(36)).find(
        (nonce) => problem(parts.with(i, nonce).join('.')) !== undefined,
      )
      expect(problem(parts.with(i, other as string).join('.'))).toBe('_challenge: must be solved')
    }
    // Each puzzle has hashes of its own, so the same nonce is no solution of all.
    expect(problem([challenge, ...Array(puzzles).fill(parts[4])].join('.'))).toBe('_challenge: must be solved')
  })

  test.each([
    '',
    'x',
    challenge,
    solution.slice(0, solution.lastIndexOf('.')),
    `${solution}.0`,
    `${solution}\n`,
    ` ${solution}`,
    solution.replace(/\w+$/, '-1'),
    solution.replace(/\w+$/, 'zzzzzzzz'),
    'a.'.repeat(500_000),
  ])('is refused where it is none: %#', (text) => {
    expect(problem(text)).toBe('_challenge: must be a challenge of this form with its solution')
  })

  test('is checked with nonces of any size', () => {
    expect(problem(solution.replace(/\w+$/, 'zzzzzzz'))).toBe('_challenge: must be solved')
  })
})

describe('the difficulty', () => {
  test('rises with each doubling after 20 in ten minutes, to 16 times the work, and for that address only', () => {
    let now = noon
    const bitsFor = openDifficulty(() => now)
    const rises = new Map<number, number>()
    for (let count = 1; count <= 1000; count++) {
      const found = bitsFor('192.0.2.1')
      if (!rises.has(found)) rises.set(found, count)
    }
    expect([...rises]).toEqual([
      [easiestBits, 1],
      [easiestBits + 1, 21],
      [easiestBits + 2, 41],
      [easiestBits + 3, 81],
      [hardestBits, 161],
    ])
    expect(bitsFor('192.0.2.2')).toBe(easiestBits)
    now += 599_999
    expect(bitsFor('192.0.2.1')).toBe(hardestBits)
    now += 1
    expect(bitsFor('192.0.2.1')).toBe(easiestBits)
  })

  test('remembers at most 100,000 addresses', () => {
    const bitsFor = openDifficulty(() => noon)
    for (let i = 0; i < 21; i++) bitsFor('first')
    for (let i = 0; i < 100_000; i++) bitsFor(`address ${i}`)
    expect(bitsFor('first')).toBe(easiestBits)
  })
})

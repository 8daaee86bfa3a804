import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { least, spamModel } from '../../src/submissions/spam/model.ts'
import type { Examples } from '../../src/submissions/spam/token-table.ts'
import { type Tokens, tokensOf, toTokens } from '../../src/submissions/spam/tokens.ts'
import { runsOf, someOf } from '../runs.ts'
import {
  badBooking,
  badContact,
  type Data,
  goodBooking,
  goodContact,
  goodMessage,
  listOf,
  randomFrom,
} from './spam-sets.ts'

const tokensIn = (data: Data): Tokens =>
  tokensOf(Object.entries(data).map(([name, value]) => ({ name, json: JSON.stringify(value) })))
const fewTokens = (...tokens: number[]): Tokens => new Uint32Array(new Set(tokens)).sort()

/** The same as the model, said as simply as possible: every example that is judged is taken out, and all is counted again. */
const obviously = ({ marked, kept, inbox }: Examples) => {
  const has = (texts: readonly Tokens[], token: number) => texts.filter((text) => text.includes(token)).length
  const weightsOf = (text: Tokens, bad: readonly Tokens[], good: readonly Tokens[]): number[] =>
    [...text].flatMap((token) => {
      const [a, n, b, m] = [has(bad, token), bad.length, has(good, token), good.length]
      if (a + b === 0) return []
      const q = a === 0 ? 0 : a / n / (a / n + (m === 0 ? 0 : b / m))
      const seen = a * Math.min(1, m / n) + b * Math.min(1, n / m)
      const p = (0.15 + seen * q) / (0.3 + seen)
      return [Math.log(p / (1 - p))]
    })
  const score = (text: Tokens, bad: readonly Tokens[], good: readonly Tokens[]): number => {
    const weights = weightsOf(text, bad, good)
    return weights.length === 0 ? 0 : weights.reduce((sum, weight) => sum + weight, 0) / Math.sqrt(weights.length)
  }
  const similarity = (one: Tokens, other: Tokens): number => {
    const both = one.filter((token) => other.includes(token)).length
    return both / (one.length + other.length - both)
  }
  const nearest = (text: Tokens, among: readonly Tokens[]) => Math.max(0, ...among.map((one) => similarity(text, one)))
  const isTold = (tokens: Tokens, bad: readonly Tokens[], good: readonly Tokens[]): boolean => {
    const telling = [...tokens].filter((token) => (weightsOf(fewTokens(token), bad, good)[0] ?? 0) > 0.7)
    return new Set(telling.map(wordOf)).size >= 3
  }
  const without = (texts: readonly Tokens[], text: Tokens) => texts.filter((one) => one !== text)
  const all = [...kept, ...inbox]
  const own = inbox.filter((text) => !(score(text, marked, without(all, text)) >= 4 && nearest(text, marked) >= 0.15))
  const good = [...kept, ...own]
  const ranked = own.map((text) => score(text, marked, without(good, text))).sort((one, other) => other - one)
  const cut = Math.max(
    2,
    2 + (ranked[Math.floor(own.length / 100)] ?? 0),
    ...kept.map((text) => score(text, marked, good)),
  )
  const copyCut = Math.max(0.5, 0.15 + Math.max(0, ...own.map((text) => nearest(text, marked))))
  const isHeld = (text: Tokens, bad = marked, others = good): boolean => {
    if (marked.length === 0 || own.length < 20) return false
    const near = nearest(text, bad)
    const copied = bad.find((one) => similarity(text, one) === near) ?? fewTokens()
    const both = text.filter((token) => copied.includes(token))
    if (near >= copyCut && near > nearest(text, kept) && isTold(both, bad, others)) return true
    return marked.length >= 5 && own.length >= 50 && score(text, bad, others) > cut + 1e-9 && isTold(text, bad, others)
  }
  return {
    isHeld,
    isInboxHeld: (position: number) =>
      isHeld(inbox[position] as Tokens, marked, without(good, inbox[position] as Tokens)),
    recognised: marked.filter((text) => isHeld(text, without(marked, text))).length,
    inboxCount: own.length,
  }
}

/** Two in three words have two tokens. */
const wordOf = (token: number): number => (token % 6 === 5 ? token : Math.floor(token / 2))
/** Each has a look, which is one by itself. */
const wordTokens = (tokens: readonly number[]): Tokens =>
  toTokens(new Map([...tokens, 999].map((one) => [one, wordOf(one)])))
const text = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 12 }).map(wordTokens)
const badText = fc.uniqueArray(fc.integer({ min: 25, max: 60 }), { minLength: 1, maxLength: 12 }).map(wordTokens)
const examples = fc.record({
  marked: fc.array(fc.oneof(badText, badText, text), { maxLength: 12 }),
  kept: fc.array(badText, { maxLength: 3 }),
  inbox: fc.oneof(
    fc.array(fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: badText }), {
      minLength: 45,
      maxLength: 110,
    }),
    fc.array(text, { maxLength: 25 }),
  ),
})

describe('the model', () => {
  test('judges as one that counts everything again for each text', () => {
    let held = 0
    fc.assert(
      fc.property(examples, fc.array(fc.oneof(text, badText), { minLength: 5, maxLength: 5 }), (all, others) => {
        const [model, simple] = [spamModel(all), obviously(all)]
        expect(model.inboxCount).toBe(simple.inboxCount)
        for (const one of [...others, ...all.marked, ...all.kept]) {
          expect(model.judge(one) !== undefined).toBe(simple.isHeld(one))
          if (model.judge(one)) held++
        }
        for (const position of all.inbox.keys())
          expect(model.judgeInbox(position) !== undefined).toBe(simple.isInboxHeld(position))
        expect(model.countRecognised()).toBe(simple.recognised)
      }),
      { numRuns: runsOf(500), seed: 1 },
    )
    expect(held).toBeGreaterThan(0)
  })

  test('holds back at most 1 in 100 of any inbox, and nothing that was taken back', () => {
    fc.assert(
      fc.property(examples, (all) => {
        const model = spamModel(all)
        const held = [...all.inbox.keys()].filter((position) => model.judgeInbox(position))
        // Apart from what is so much like the spam that it counts as overlooked.
        expect(held.length - (all.inbox.length - model.inboxCount)).toBeLessThanOrEqual(model.inboxCount / 100)
        for (const one of all.kept) expect(model.judge(one)).toBeUndefined()
      }),
      { numRuns: runsOf(1000) },
    )
  })

  test('says which marked submission a text is almost the same as', () => {
    const inbox = Array.from({ length: least.inboxForCopies }, (_, i) => fewTokens(1000 + i, 1001 + i, 1002 + i))
    const marked = [fewTokens(1, 2, 3, 4), fewTokens(5, 6, 7, 8)]
    const copy = fewTokens(5, 6, 7, 9)
    expect(spamModel({ marked, kept: [], inbox }).judge(copy)).toEqual({ copyOf: 1 })
    expect(spamModel({ marked, kept: [], inbox }).judge(fewTokens(5, 6, 1, 2))).toBeUndefined()
    expect(spamModel({ marked, kept: [copy], inbox }).judge(copy)).toBeUndefined()
    expect(spamModel({ marked, kept: [], inbox: inbox.slice(1) }).judge(copy)).toBeUndefined()
    expect(spamModel({ marked: [], kept: [], inbox }).judge(copy)).toBeUndefined()
    // Where visitors themselves send almost the same, as in a booking form.
    expect(spamModel({ marked, kept: [], inbox: [...inbox, fewTokens(5, 6, 7, 10)] }).judge(copy)).toBeUndefined()
  })

  test('recognises no marked submission that is as much like one that was taken back', () => {
    const inbox = Array.from({ length: least.inboxForCopies }, (_, i) => fewTokens(1000 + i, 1001 + i, 1002 + i))
    const marked = [fewTokens(1, 2, 3, 4), fewTokens(1, 2, 3, 5)]
    expect(spamModel({ marked, kept: [], inbox }).countRecognised()).toBe(2)
    expect(spamModel({ marked, kept: [fewTokens(1, 2, 3, 6)], inbox }).countRecognised()).toBe(0)
  })

  test.each([
    [least.marked - 1, least.inbox, false],
    [least.marked, least.inbox - 1, false],
    [least.marked, least.inbox, true],
  ])('with %d marks and an inbox of %d acts on words: %p', (marks, good, acts) => {
    const random = randomFrom(3)
    const marked = listOf(marks, badContact, random).map(tokensIn)
    const inbox = listOf(good, goodContact, random).map(tokensIn)
    expect(spamModel({ marked, kept: [], inbox }).actsOnWords).toBe(acts)
  })
})

describe.each([
  ['a contact form in two languages', goodContact, badContact, 0.8],
  // Some of its spam has a link, a name and nothing else: only two things to tell it by.
  ['a booking form with almost no words', goodBooking, badBooking, 0.75],
])('%s', (_, good, bad, least) => {
  test('with 200 in the inbox and 20 marks holds back 80 % of new spam, and nothing else', () => {
    const shares = someOf([1, 2, 3, 4, 5]).map((seed) => {
      const random = randomFrom(seed)
      const marked = listOf(20, bad, random).map(tokensIn)
      const model = spamModel({ marked, kept: [], inbox: listOf(200, good, random).map(tokensIn) })
      const held = listOf(200, bad, random).filter((data) => model.judge(tokensIn(data)))
      const wrong = listOf(500, good, random).filter((data) => model.judge(tokensIn(data)))
      expect(wrong).toEqual([])
      return held.length / 200
    })
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(least)
    expect(shares.reduce((sum, share) => sum + share) / shares.length).toBeGreaterThanOrEqual(0.8)
  })

  test('with spam that was overlooked in the inbox still holds back nothing else', () => {
    const random = randomFrom(6)
    const marked = listOf(30, bad, random).map(tokensIn)
    const inbox = [...listOf(190, good, random), ...listOf(10, bad, random)].map(tokensIn)
    const model = spamModel({ marked, kept: [], inbox })
    expect(listOf(500, good, random).filter((data) => model.judge(tokensIn(data)))).toEqual([])
  })
})

test('a letter of which no word is known arrives, however short it is and wherever its address is', () => {
  const random = randomFrom(7)
  const words = 'buy cheap loan bonus casino crypto traffic profit jackpot followers pills credit'.split(' ')
  const shortSpam = (): Data => ({
    ...badContact(random),
    email: `${words[Math.floor(random() * 12)]}@mail.example`,
    message: Array.from({ length: 4 }, () => words[Math.floor(random() * 12)]).join(' '),
  })
  const marked = Array.from({ length: 20 }, shortSpam).map(tokensIn)
  const model = spamModel({ marked, kept: [], inbox: listOf(200, goodContact, random).map(tokensIn) })
  for (const message of ['שלום, האם יש מקום?', '안녕하세요, 자리 있나요?', 'はじめまして', 'Χαίρετε', '?'])
    expect(model.judge(tokensIn({ name: 'Noa', email: 'noa@mail.example', message }))).toBeUndefined()
  expect(Array.from({ length: 100 }, shortSpam).filter((data) => model.judge(tokensIn(data))).length).toBeGreaterThan(
    95,
  )
})

test.each([
  ['smileys', { message: '🔥💰' }, { message: '👍🙏' }],
  ['an address of the same domain', { email: 'ada@outlook.example' }, { email: 'bob@outlook.example' }],
  ['an address below a domain of two labels', { email: 'ada@company.co.example' }, { email: 'bob@company.co.example' }],
  ['an address of a part of a domain', { email: 'a@mail.uni.co.example' }, { email: 'b@mail.uni.co.example' }],
  ['a link', { site: 'https://www.shop.co.example/buy/now' }, { site: 'https://www.shop.co.example/buy' }],
  ['a word', { answer: 'hello' }, { answer: 'Hello!' }],
  ['two words', { answer: 'zebra quartz kiwi' }, { answer: 'zebra quartz lemon' }],
  ['a name without spaces', { name: '王小明华' }, { name: '王小明华!' }],
])('%s alone is no copy', (_, one, other) => {
  const inbox = listOf(100, goodContact, randomFrom(8)).map(({ message = '', email = '' }) =>
    tokensIn('email' in one ? { email } : { message }),
  )
  const letter = { ...other, more: 'buy cheap jackpot spins' }
  const model = spamModel({ marked: [tokensIn(one), tokensIn(letter)], kept: [], inbox })
  expect(model.judge(tokensIn(other))).toBeUndefined()
  expect(model.judge(tokensIn(letter))).toEqual({ copyOf: 1 })
})

test('a hundred marks of what visitors write hold back at most 1 % of the inbox', () => {
  for (const seed of someOf([1, 2, 3])) {
    const random = randomFrom(seed)
    const marked = listOf(30, badContact, random)
    const poison = listOf(100, goodContact, random).map(({ name = '', message = '' }) => ({
      name,
      message: `${message} ${goodMessage(random)} buy at https://poison.example`,
    }))
    const inbox = listOf(200, goodContact, random).map(tokensIn)
    const model = spamModel({ marked: [...marked, ...poison].map(tokensIn), kept: [], inbox })
    const own = [...inbox.keys()].filter((position) => model.judgeInbox(position))
    const wrong = listOf(1000, goodContact, random).filter((data) => model.judge(tokensIn(data)))
    expect(own.length).toBeLessThanOrEqual(2)
    expect(wrong.length).toBeLessThanOrEqual(10)
  }
})

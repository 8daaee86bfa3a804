import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { spamModel } from '../../../../src/submissions/spam/model.ts'
import type { Examples } from '../../../../src/submissions/spam/token-table.ts'
import { maxTokens, type Tokens } from '../../../../src/submissions/spam/tokens.ts'
import { expectBelow, expectQuick } from '../../../expect-below.ts'
import { randomFrom } from '../../../submissions/spam-sets.ts'

/** As many examples as a form can have, each with as many tokens as a submission can have. */
const greatest = (token: (random: () => number, i: number) => number): Examples => {
  const random = randomFrom(9)
  const text = (): Tokens => {
    const tokens = new Set<number>()
    for (let i = 0; tokens.size < maxTokens; i++) tokens.add(token(random, i) >>> 0)
    return new Uint32Array(tokens).sort()
  }
  const [marked = [], kept = [], inbox = []] = [300, 100, 200].map((length) => Array.from({ length }, text))
  return { marked, kept, inbox }
}
const sharesNone = greatest((random) => random() * 2 ** 32)

describe('the greatest model', () => {
  // Several times what an idle laptop takes, also for code that the engine has not yet compiled as well as it can.
  test.each([
    ['that share no words', 100, sharesNone],
    ['that share all words', 150, greatest((_, i) => Math.imul(i, 0x9e3779b1))],
    [
      'whose words a stranger chose to be alike in the lower half',
      100,
      greatest((random) => (random() * 2 ** 14) << 18),
    ],
    ['whose words are alike in the upper half', 100, greatest((random) => random() * 2 ** 14)],
  ])('of texts %s is made quickly, and judges quickly', async (_, limit, all) => {
    let model = spamModel(all)
    await expectQuick(limit, () => {
      model = spamModel(all)
    })
    await expectQuick(limit, () => all.inbox.map((text) => model.judge(text)))
  })

  test('takes at most 2 MB', async () => {
    const used = (): number => {
      Bun.gc(true)
      return heapStats().heapSize
    }
    await expectBelow(2_000_000, () => {
      const before = used()
      const models = Array.from({ length: 10 }, () => spamModel(sharesNone))
      const taken = (used() - before) / models.length
      for (const { inboxCount, bytes } of models) {
        expect(inboxCount).toBe(200)
        expect(bytes).toBeWithin(1_800_000, 2_000_000)
      }
      return taken
    })
  })
})

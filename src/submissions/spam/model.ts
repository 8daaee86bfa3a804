import type { Tokens } from './tokens.ts'

// What a form's people have marked as spam, against what they have in the inbox. The weight of a token is Robinson's f(w)
// (Linux Journal 107, 2003) as log odds. What is held back lies above the form's own inbox. No command may use this: floating
// point may differ between machines, and so may verdicts, but not rows.

/** How many examples it takes to hold anything back by its words, and to hold back copies of what was marked. */
export const least = { marked: 5, inbox: 50, inboxForCopies: 20 }

/** The part of the inbox that may lie above the cut: spam that was overlooked is among it. */
const passedOver = 1 / 100
const leastCut = 2
const margin = 2
const leastCopy = 0.5
const copyMargin = 0.15
/** A submission that is so far on the side of the spam, and so similar to one that was marked, was overlooked. */
const overlooked = { score: 4, similarity: 0.15 }

export interface Examples {
  /** Submissions that were marked as spam. */
  readonly marked: readonly Tokens[]
  /** Submissions that were held back and taken back. */
  readonly kept: readonly Tokens[]
  /** Others that are no spam. */
  readonly inbox: readonly Tokens[]
}

/** Why something is held back: it is almost the same as the marked submission at this position, or its words are like theirs. */
type Verdict = { readonly copyOf: number } | 'words'

export type SpamModel = ReturnType<typeof spamModel>

/** It takes 1 to 15 ms for 200 submissions of the inbox and 10 to 300 that were marked, and 0.3 MB; 3 if they share no words. */
export const spamModel = ({ marked, kept, inbox }: Examples) => {
  const table = tokenTable(marked, [...kept, ...inbox])
  const [nearestMarked, nearestKept] = [nearestIn(table, marked), nearestIn(table, kept)]
  let good = kept.length + inbox.length

  /** @param left what of the counts is the text itself, and is left out */
  const scoreOf = (tokens: Tokens, left: { readonly marks?: 1; readonly others?: 1 } = {}): number => {
    const { marks = 0, others = 0 } = left
    let sum = 0
    let known = 0
    for (const token of tokens) {
      const at = table.find(token)
      const [a, b] = at === -1 ? [0, 0] : [table.marks(at) - marks, table.others(at) - others]
      if (a + b === 0) continue
      sum += weightOf(a, marked.length - marks, b, good - others)
      known++
    }
    return known === 0 ? 0 : sum / Math.sqrt(known)
  }

  const similarities = inbox.map((tokens) => nearestMarked(tokens).similarity)
  const isOverlooked = inbox.map(
    (tokens, position) =>
      (similarities[position] as number) >= overlooked.similarity && scoreOf(tokens, { others: 1 }) >= overlooked.score,
  )
  for (const [position, tokens] of inbox.entries())
    if (isOverlooked[position]) {
      table.removeOther(tokens)
      good--
    }
  const scores = inbox.map((tokens, position) => scoreOf(tokens, isOverlooked[position] ? {} : { others: 1 }))
  const own = scores.filter((_, position) => !isOverlooked[position]).sort((one, other) => other - one)
  const highest = own[Math.floor(own.length * passedOver)] ?? 0
  const cut = Math.max(leastCut, highest + margin, ...kept.map((tokens) => scoreOf(tokens)))
  const ownSimilarities = similarities.filter((_, position) => !isOverlooked[position])
  const copyCut = Math.max(leastCopy, Math.max(0, ...ownSimilarities) + copyMargin)
  const actsOnCopies = marked.length > 0 && own.length >= least.inboxForCopies
  const actsOnWords = marked.length >= least.marked && own.length >= least.inbox

  const judgeScored = (tokens: Tokens, score: () => number): Verdict | undefined => {
    if (!actsOnCopies) return undefined
    const { similarity, position } = nearestMarked(tokens)
    if (similarity >= copyCut && similarity > nearestKept(tokens).similarity) return { copyOf: position }
    return actsOnWords && score() > cut ? 'words' : undefined
  }

  return {
    actsOnCopies,
    actsOnWords,
    /** Submissions that count as no spam, without those that were overlooked. */
    inboxCount: own.length,
    /** It takes some microseconds. Undefined for what is not held back. */
    judge: (tokens: Tokens) => judgeScored(tokens, () => scoreOf(tokens)),
    /** Judges one of the inbox as if it were new. */
    judgeInbox: (position: number) => judgeScored(inbox[position] as Tokens, () => scores[position] as number),
    /** How many of those that were marked it would hold back if they were new. */
    countRecognised: (): number =>
      marked.filter((tokens, position) => {
        if (!actsOnCopies) return false
        if (nearestMarked(tokens, position).similarity >= copyCut) return true
        return actsOnWords && scoreOf(tokens, { marks: 1 }) > cut
      }).length,
    /** The weight of a token: more than 0 for spam. */
    weight(token: number): number {
      const at = table.find(token)
      return at === -1 ? 0 : weightOf(table.marks(at), marked.length, table.others(at), good)
    },
  }
}

/** The log odds of a token that `a` of `marked` submissions have, and `b` of `good` ones. */
const weightOf = (a: number, marked: number, b: number, good: number): number => {
  const share = marked === 0 ? 0 : a / marked
  const rate = share / (share + (good === 0 ? 0 : b / good))
  // What was seen counts less in the larger class, in which there was more to see.
  const seen = a * Math.min(1, good / marked) + b * Math.min(1, marked / good)
  const chance = (0.15 + seen * (Number.isNaN(rate) ? 0.5 : rate)) / (0.3 + seen)
  return Math.log(chance / (1 - chance))
}

type TokenTable = ReturnType<typeof tokenTable>

/** Counts tokens. A hash table of numbers, because a `Map` of 100,000 takes 5 MB instead of 1.5. */
const tokenTable = (marked: readonly Tokens[], others: readonly Tokens[]) => {
  const most = [...marked, ...others].reduce((sum, { length }) => sum + length, 0)
  const mask = 2 ** Math.ceil(Math.log2(1.25 * most + 1)) - 1
  /** Position of a token, plus 1. */
  const slots = new Uint32Array(mask + 1)
  const keys = new Uint32Array(most)
  const counts = { marks: new Uint16Array(most), others: new Uint16Array(most) }
  let size = 0

  const slotOf = (wanted: number): number => {
    let slot = wanted & mask
    while (slots[slot] !== 0 && keys[(slots[slot] as number) - 1] !== wanted) slot = (slot + 1) & mask
    return slot
  }
  const add = (texts: readonly Tokens[], count: Uint16Array): void => {
    for (const tokens of texts)
      for (const token of tokens) {
        const slot = slotOf(token)
        if (slots[slot] === 0) {
          keys[size++] = token
          slots[slot] = size
        }
        ;(count[(slots[slot] as number) - 1] as number)++
      }
  }
  add(marked, counts.marks)
  add(others, counts.others)

  /** -1 for one that is not there. */
  const find = (token: number): number => (slots[slotOf(token)] as number) - 1

  return {
    find,
    marks: (at: number): number => counts.marks[at] as number,
    others: (at: number): number => counts.others[at] as number,
    /** Takes a text out of those that are no spam. */
    removeOther(tokens: Tokens): void {
      for (const token of tokens) (counts.others[find(token)] as number)--
    },
  }
}

interface Nearest {
  /** The share that two sets have in common, of all that either has: 0 to 1. */
  readonly similarity: number
  /** -1 if they have nothing in common with any. */
  readonly position: number
}

/** Finds the most similar one of some texts: those that have a token, in one list for all tokens. */
const nearestIn = ({ find }: TokenTable, texts: readonly Tokens[]) => {
  const end = texts.reduce((most, tokens) => tokens.reduce((last, token) => Math.max(last, find(token) + 1), most), 0)
  const starts = new Uint32Array(end + 1)
  for (const tokens of texts) for (const token of tokens) (starts[find(token) + 1] as number)++
  for (let at = 0; at < end; at++) (starts[at + 1] as number) += starts[at] as number
  const holders = new Uint16Array(starts[end] as number)
  const filled = starts.slice()
  for (const [position, tokens] of texts.entries())
    for (const token of tokens) holders[(filled[find(token)] as number)++] = position
  const common = new Uint16Array(texts.length)

  /** @param except position of the text itself */
  return (tokens: Tokens, except = -1): Nearest => {
    common.fill(0)
    for (const token of tokens) {
      const at = find(token)
      if (at === -1 || at >= end) continue
      for (let i = starts[at] as number; i < (starts[at + 1] as number); i++) (common[holders[i] as number] as number)++
    }
    let nearest: Nearest = { similarity: 0, position: -1 }
    for (const [position, { length }] of texts.entries()) {
      const both = common[position] as number
      const similarity = both / (tokens.length + length - both)
      if (similarity > nearest.similarity && position !== except) nearest = { similarity, position }
    }
    return nearest
  }
}

import { type Examples, type Known, type Nearest, tokenTable } from './token-table.ts'
import { groupsOf, lookTokens, type Tokens } from './tokens.ts'

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

/** A word with a greater weight speaks for spam. */
export const tellingWeight = 0.7
/**
 * The words and addresses that must, each counted once, whatever tokens it has; of a copy, those that both have. With fewer, a
 * letter was held back for its length and the domain of its address alone, for example the first one in another language, and
 * the second address of a domain as a copy of the first one.
 */
const leastTelling = 3

/** Why something is held back: it is almost the same as the marked submission at this position, or its words are like theirs. */
type Verdict = { readonly copyOf: number } | 'words'

/** What a text adds to the counts of its words: it is left out when the text itself is judged. */
interface Left {
  readonly marks?: number
  readonly others?: number
}

export type SpamModel = ReturnType<typeof spamModel>

/** It takes 1 to 15 ms for 200 submissions of the inbox and 10 to 300 that were marked, and 0.1 MB; 2 if they share no words. */
export const spamModel = (examples: Examples) => {
  const { table, marked, kept, inbox } = tokenTable(examples)
  let good = kept.length + inbox.length

  const scoreOf = ({ positions }: Known, { marks = 0, others = 0 }: Left = {}): number => {
    let sum = 0
    let known = 0
    for (const at of positions) {
      const [a, b] = [table.marks(at) - marks, table.others(at) - others]
      if (a + b === 0) continue
      sum += weightOf(a, marked.length - marks, b, good - others)
      known++
    }
    return known === 0 ? 0 : sum / Math.sqrt(known)
  }

  const looks = new Set([...lookTokens].map(table.find))
  /** @param among of the words, only those that are there, too */
  const hasTelling = (
    { positions, toGroups = () => groupsOf(positions) }: Known,
    { marks = 0, others = 0 }: Left,
    among?: ReadonlySet<number>,
  ): boolean => {
    const groups = toGroups()
    const telling = new Set<number>()
    for (const [i, at] of positions.entries()) {
      if (looks.has(at) || (among && !among.has(at))) continue
      const [a, b] = [table.marks(at) - marks, table.others(at) - others]
      if (weightOf(a, marked.length - marks, b, good - others) > tellingWeight) telling.add(groups[i] as number)
    }
    return telling.size >= leastTelling
  }

  const nearest = inbox.map((text) => table.nearestMarked(text))
  const isOverlooked = inbox.map(
    (text, position) =>
      (nearest[position] as Nearest).similarity >= overlooked.similarity &&
      scoreOf(text, { others: 1 }) >= overlooked.score,
  )
  for (const [position, text] of inbox.entries())
    if (isOverlooked[position]) {
      table.removeOther(text)
      good--
    }
  const leftOf = (position: number): Left => (isOverlooked[position] ? {} : { others: 1 })
  const scores = inbox.map((text, position) => scoreOf(text, leftOf(position)))
  const own = scores.filter((_, position) => !isOverlooked[position]).sort((one, other) => other - one)
  const highest = own[Math.floor(own.length * passedOver)] ?? 0
  const cut = Math.max(leastCut, highest + margin, ...kept.map((text) => scoreOf(text)))
  const ownNearest = nearest.filter((_, position) => !isOverlooked[position])
  const copyCut = Math.max(leastCopy, Math.max(0, ...ownNearest.map(({ similarity }) => similarity)) + copyMargin)
  const inboxCount = own.length
  const actsOnCopies = marked.length > 0 && inboxCount >= least.inboxForCopies
  const actsOnWords = marked.length >= least.marked && inboxCount >= least.inbox

  const verdictOn = (
    text: Known,
    { similarity, position }: Nearest,
    left: Left = {},
    score?: number,
  ): Verdict | undefined => {
    if (!actsOnCopies) return undefined
    const isCopy = similarity >= copyCut && similarity > table.nearestKept(text).similarity
    if (isCopy && hasTelling(text, left, new Set(marked[position]?.positions))) return { copyOf: position }
    return actsOnWords && (score ?? scoreOf(text, left)) > cut && hasTelling(text, left) ? 'words' : undefined
  }
  const verdicts = inbox.map((text, position) =>
    verdictOn(text, nearest[position] as Nearest, leftOf(position), scores[position]),
  )

  return {
    /** About how many it takes in memory. */
    bytes: marked.reduce((sum, { positions }) => sum + 100 + positions.byteLength, table.bytes),
    actsOnWords,
    /** Submissions that count as no spam, without those that were overlooked. */
    inboxCount,
    /** It takes some microseconds. Undefined for what is not held back. */
    judge(tokens: Tokens): Verdict | undefined {
      const text = table.know(tokens)
      return verdictOn(text, table.nearestMarked(text))
    },
    /** What it would say of one of the inbox if it were new. */
    judgeInbox: (position: number): Verdict | undefined => verdicts[position],
    /** How many of those that were marked it would hold back if they were new. */
    countRecognised: (): number =>
      marked.filter((text, position) => verdictOn(text, table.nearestMarked(text, position), { marks: 1 })).length,
    /** The weight of a token: more than 0 for spam. */
    weight(token: number): number {
      const at = table.find(token)
      return at === -1 ? 0 : weightOf(table.marks(at), marked.length, table.others(at), good)
    },
  }
}

/**
 * The log odds of a token that `a` of `marked` submissions have, and `b` of `good` ones. That is Robinson's
 * ln(f / (1 - f)) with s = 0.3 and x = 0.5, as if there were as many of the larger class as of the smaller one.
 */
const weightOf = (a: number, marked: number, b: number, good: number): number => {
  const both = Math.min(marked, good)
  return both === 0 ? 0 : Math.log((0.15 + (a * both) / marked) / (0.15 + (b * both) / good))
}

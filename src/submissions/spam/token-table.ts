import { groupsOf, type Tokens } from './tokens.ts'

export interface Examples {
  /** Submissions that were marked as spam. */
  readonly marked: readonly Tokens[]
  /** Submissions that were held back and taken back. */
  readonly kept: readonly Tokens[]
  /** Others that are no spam. */
  readonly inbox: readonly Tokens[]
}

/** A text as a table sees it. */
export interface Known {
  /** How many tokens it has. */
  readonly size: number
  /** Positions in the table of those that are there, in the order of the tokens. */
  readonly positions: Uint32Array
  /** Finds the word or address that each of these is of. Left out if all are there: then their order says it. */
  readonly toGroups?: () => Uint8Array
}

export interface Nearest {
  /** The share that two sets have in common, of all that either has: 0 to 1. */
  readonly similarity: number
  /** Position among the examples of its kind; -1 if they have nothing in common with any. */
  readonly position: number
}

/**
 * Counts the tokens of examples, and finds the examples that are most like a text. The tokens are in order: in a hash table, a
 * stranger could choose 40,000 that fall into one place, and each model would take seconds. Of the examples themselves,
 * nothing is kept.
 */
export const tokenTable = ({ marked, kept, inbox }: Examples) => {
  const sizes = new Uint16Array([...marked, ...kept].map(({ length }) => length))
  const markedCount = marked.length
  const { known, keys, marks, others, starts, holders } = countTokens([...marked, ...kept, ...inbox], {
    markedCount,
    heldCount: sizes.length,
  })
  const common = new Uint16Array(sizes.length)

  /** -1 for one that is not there. */
  const find = (wanted: number): number => {
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((keys[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return keys[low] === wanted ? low : -1
  }

  const nearest = ({ size, positions }: Known, isMarked: boolean, except = -1): Nearest => {
    common.fill(0)
    for (const at of positions) {
      const firstKept = (starts[at] as number) + (marks[at] as number)
      const end = isMarked ? firstKept : (starts[at + 1] as number)
      for (let i = isMarked ? (starts[at] as number) : firstKept; i < end; i++)
        (common[holders[i] as number] as number)++
    }
    const first = isMarked ? 0 : markedCount
    const end = isMarked ? markedCount : sizes.length
    let found: Nearest = { similarity: 0, position: -1 }
    for (let text = first; text < end; text++) {
      const both = common[text] as number
      const similarity = both / (size + (sizes[text] as number) - both)
      if (similarity > found.similarity && text - first !== except) found = { similarity, position: text - first }
    }
    return found
  }

  const table = {
    bytes: [keys, marks, others, starts, holders].reduce((sum, { byteLength }) => sum + byteLength, 0),
    find,
    know(tokens: Tokens): Known {
      const found = tokens.map(find)
      return {
        size: tokens.length,
        positions: found.filter((at) => at !== unknown),
        toGroups: () => groupsOf(tokens).filter((_, i) => found[i] !== unknown),
      }
    },
    /** How many of the marked ones have a token, by its position. */
    marks: (at: number): number => marks[at] as number,
    /** How many of all others. */
    others: (at: number): number => others[at] as number,
    /** Finds the marked one that is most like a text. @param except its own position, if it is one of them */
    nearestMarked: (text: Known, except?: number): Nearest => nearest(text, true, except),
    nearestKept: (text: Known): Nearest => nearest(text, false),
    /** Takes a text out of those that are no spam. */
    removeOther({ positions }: Known): void {
      for (const at of positions) (others[at] as number)--
    },
  }
  return {
    table,
    marked: known.slice(0, markedCount),
    kept: known.slice(markedCount, sizes.length),
    inbox: known.slice(sizes.length),
  }
}

/** -1 in an array of unsigned numbers. */
const unknown = 2 ** 32 - 1

interface Parts {
  readonly markedCount: number
  /** Those that were marked, and those that were taken back. */
  readonly heldCount: number
}

/** @param texts those that were marked, then those that were taken back, then the others */
const countTokens = (texts: readonly Tokens[], { markedCount, heldCount }: Parts) => {
  const pairs = sortedPairs(texts)
  let count = 0
  for (let i = 0; i < pairs.length; i += 2) if (i === 0 || pairs[i + 1] !== pairs[i - 1]) count++
  const keys = new Uint32Array(count)
  const marks = new Uint16Array(count)
  const others = new Uint16Array(count)
  // The first texts that have a token, by its position and then by theirs, and where those of each token begin.
  const holders = new Uint16Array(sizeOf(texts.slice(0, heldCount)))
  const starts = new Uint32Array(count + 1)
  const positions = new Uint32Array(pairs.length / 2)
  let end = 0
  const ends = texts.map(({ length }) => (end += length))
  const firsts = new Uint32Array([0, ...ends])
  let at = -1
  let held = 0
  for (let i = 0; i < pairs.length; i += 2) {
    const text = (pairs[i] as number) >>> 8
    const found = pairs[i + 1] as number
    if (at === -1 || found !== keys[at]) {
      keys[++at] = found
      starts[at] = held
    }
    if (text < heldCount) holders[held++] = text
    if (text < markedCount) (marks[at] as number)++
    else (others[at] as number)++
    positions[(firsts[text] as number) + ((pairs[i] as number) & 255)] = at
  }
  starts[count] = held
  const known = texts.map(
    ({ length }, text): Known => ({
      size: length,
      positions: positions.slice((ends[text] as number) - length, ends[text]),
    }),
  )
  return { known, keys, marks, others, starts, holders }
}

/**
 * The position of a text with that of one of its tokens there in the lower 8 bits, and the token, by turns: in the order of
 * the tokens and then of the texts.
 */
const sortedPairs = (texts: readonly Tokens[]): Uint32Array => {
  // As numbers of 64 bits, whose lower half comes first, they are sorted ten times as fast as by a function.
  const sorted = new BigUint64Array(sizeOf(texts))
  const pairs = new Uint32Array(sorted.buffer)
  let filled = 0
  for (const [text, tokens] of texts.entries())
    for (let i = 0; i < tokens.length; i++) {
      pairs[filled++] = (text << 8) | i
      pairs[filled++] = tokens[i] as number
    }
  sorted.sort()
  return pairs
}

const sizeOf = (texts: readonly Tokens[]): number => texts.reduce((sum, { length }) => sum + length, 0)

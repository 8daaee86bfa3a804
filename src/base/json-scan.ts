/** The outline of a JSON text. If the text is not valid JSON, only `depth` and `values` have a meaning. */
export interface JsonScan {
  /** Levels of nesting: never less than the real number. */
  readonly depth: number
  /** Never less than the real number. */
  readonly values: number
  /** Positions of the outermost object's `{`, then of `:` and `,` in turn, then of its `}`. */
  readonly cuts: readonly number[]
  /** The first number that many JSON parsers cannot read. */
  readonly badNumber: BadNumber | undefined
}

interface BadNumber {
  readonly at: number
  /** Such as "must not hold a number of …". */
  readonly problem: string
}

/**
 * Reads the text once. For a short submission this takes 0.2 µs, about as long as `JSON.parse`.
 *
 * @param maxMembers the number of members of the outermost object that are cut, and whose numbers are checked
 * @param isEnough whether the rest is not read: then nothing else is known of it
 */
export const scanJson = (text: string, maxMembers = 0, isEnough = false): JsonScan => {
  const maxCuts = 2 * maxMembers + 1
  const cuts: number[] = []
  let badNumber: BadNumber | undefined
  let values = 1
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x22: // "
        at = endOfString(text, at) - 1
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepest) deepest = depth
        if (depth === 1 && cuts.length < maxCuts) cuts.push(at)
        break
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 1 && cuts.length < maxCuts) cuts.push(at)
        depth--
        break
      case 0x2c: // ,
      case 0x3a: // :
        if (code === 0x2c) values++
        if (depth === 1 && cuts.length < maxCuts) cuts.push(at)
        if (isEnough && cuts.length === maxCuts) at = text.length
        break
      default: {
        if (!isDigit(code)) break
        const end = endOfNumber(text, at)
        if (cuts.length < maxCuts) badNumber ??= findProblem(text, at, end)
        at = end - 1
      }
    }
  }
  return { depth: deepest, values, cuts, badNumber }
}

/** Where the members of the outermost object are: positions of what precedes the name, of its colon, and after the value. */
export const memberCuts = (cuts: readonly number[]): (readonly [start: number, colon: number, end: number])[] => {
  const members: [number, number, number][] = []
  for (let i = 0; i + 2 < cuts.length; i += 2)
    members.push([cuts[i] as number, cuts[i + 1] as number, cuts[i + 2] as number])
  return members
}

const endOfString = (text: string, start: number): number => {
  const at = closingQuote(text, start + 1)
  return at === -1 ? text.length : at + 1
}

/**
 * The position of the quotation mark that ends the string; -1 if it is not in the text. For 100 kB `indexOf` takes 16 µs, a
 * loop over the characters 100 µs.
 *
 * @param from a position in the string
 */
export const closingQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

/** Whether an odd number of backslashes precedes it. */
export const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (at - first) % 2 === 1
}

const endOfNumber = (text: string, start: number): number => {
  let end = start + 1
  while (isOfNumber(text.charCodeAt(end))) end++
  return end
}

/** Far below Python's limit of 4,300 digits for an integer, and more than anyone needs. */
const maxDigits = 100

/**
 * Python, Go and others fail on a number beyond the largest double (RFC 8259 section 6) or with too many digits, and
 * then on the whole list that contains it. A number so small that it becomes 0 does no harm.
 */
const findProblem = (text: string, at: number, end: number): BadNumber | undefined => {
  const isLong = end - at > maxDigits
  const isExponential = hasExponent(text, at, end)
  if (!isLong && !isExponential) return undefined
  const number = text.slice(at, end)
  if (isLong && number.replace(/\D/g, '').length > maxDigits)
    return { at, problem: `must not hold a number of more than ${maxDigits} digits` }
  // 100 digits without an exponent are within the range.
  if (isExponential && Number(number) === Number.POSITIVE_INFINITY)
    return { at, problem: 'must not hold a number outside the range of a double, ±1.8e308' }
  return undefined
}

const hasExponent = (text: string, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) | 0x20) === 0x65) return true
  return false
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Whether it is one of `0123456789.eE+-`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

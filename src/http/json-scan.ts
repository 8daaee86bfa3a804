/** What stands where in a JSON text. Only `depth` and `values` mean something before the text is known to be valid. */
export interface JsonScan {
  /** Levels of nesting: never less than the real number. */
  readonly depth: number
  /** Never less than the real number. */
  readonly values: number
  /** Positions of the outermost object's `{`, then of `:` and `,` in turn, then of its `}`. */
  readonly cuts: readonly number[]
  /** The first number that many readers of JSON cannot parse. */
  readonly badNumber: BadNumber | undefined
}

interface BadNumber {
  readonly at: number
  /** Such as "must not hold a number of …". */
  readonly problem: string
}

/**
 * Reads the text once. For a short submission that takes 0.2 µs, about as long as `JSON.parse`.
 *
 * @param maxMembers how many members of the outermost object the cuts tell, and in how many numbers are checked
 */
export const scanJson = (text: string, maxMembers = 0): JsonScan => {
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

/** Just behind the closing quotation mark. `indexOf` makes 100 kB of text cost 16 µs, a loop over its characters 100. */
const endOfString = (text: string, start: number): number => {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at + 1
}

/** Whether an odd number of backslashes stands before it. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text.charCodeAt(first - 1) === 0x5c) first--
  return (at - first) % 2 === 1
}

const endOfNumber = (text: string, start: number): number => {
  let end = start + 1
  while (isOfNumber(text.charCodeAt(end))) end++
  return end
}

/** Python reads no integer of more than 4,300 digits. Nobody counts with more than these. */
const maxDigits = 100

/**
 * Python, Go and other readers of JSON cannot parse a number past the greatest double (RFC 8259 section 6), or one of too
 * many digits, and with it the whole list that it stands in. One that is too small to be told from 0 does no harm.
 */
const findProblem = (text: string, at: number, end: number): BadNumber | undefined => {
  const isLong = end - at > maxDigits
  const isExponential = hasExponent(text, at, end)
  if (!isLong && !isExponential) return undefined
  const number = text.slice(at, end)
  if (isLong && number.replace(/\D/g, '').length > maxDigits)
    return { at, problem: `must not hold a number of more than ${maxDigits} digits` }
  // 100 digits alone are within the range.
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

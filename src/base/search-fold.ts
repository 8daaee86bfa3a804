/**
 * Folds text for a search: upper and lower case are the same, and Latin, Greek and Cyrillic letters with and without
 * accents. Text is folded to the same result in parts, if each part after the first begins with a character that
 * `lastStart` finds.
 */
export const foldForSearch = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? text.toLowerCase().replace(notAscii, foldRun) : text.toLowerCase()

/** White space of any kind and length is one space, as it is where text is shown. */
export const foldSpaces = (folded: string): string =>
  /\s\s|[^\S ]/.test(folded) ? folded.replace(/\s+/g, ' ') : folded

/** Folds a whole value, to compare it with another: also without white space at its ends. */
export const foldValue = (text: string): string => foldSpaces(foldForSearch(text)).trim()

/** With the ASCII letter that an accent belongs to. */
const notAscii = /(?:[\0-\x7f](?=\p{M}))?[^\0-\x7f]+/gu

const foldRun = (run: string): string => {
  const known = memo.get(run)
  if (known !== undefined) return known
  const folded = foldLetters(run)
  if (run.length > maxRemembered) return folded
  if (memo.size === maxRuns) memo.clear()
  // A copy: what is cut from a text would keep the whole text in memory.
  memo.set(Buffer.from(run, 'utf16le').toString('utf16le'), folded)
  return folded
}

// With it, a text of 180 characters in German takes 3 µs instead of 7.
const memo = new Map<string, string>()
const maxRuns = 5000
const maxRemembered = 16

/** No language has more than eight marks on one letter, and putting many in order takes the square of their number. */
const foldLetters = (text: string): string =>
  text
    .toUpperCase()
    .toLowerCase()
    .replace(/(\p{M}{8})\p{M}+/gu, '$1')
    .normalize('NFD')
    .replace(/(\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic})\p{M}+/gu, '$1')
    .replace(/[ςøłđħŧ]/g, (letter) => plain[letter] as string)
    .normalize('NFC')

/** Letters whose accent is no character of its own in Unicode, and the sigma that ends a word. */
const plain: Readonly<Record<string, string>> = { ς: 'σ', ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't' }

/**
 * The position of the last character that a text can be cut before; 0 if there is none. Of more marks in a row than any
 * language has, only some are looked at, so that a megabyte of them is cut as well.
 */
export const lastStart = (text: string): number => {
  const end = isHigh(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length
  const first = Math.max(0, end - maxJoined)
  for (let at = end - 1; at > first; at--) {
    const isPair = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))
    if (isPair) at--
    if (!joinsBefore.test(isPair ? text.slice(at, at + 2) : (text[at] as string))) return at
  }
  return first === 0 ? 0 : end
}

const maxJoined = 1000

/** Marks, the later parts of Korean syllables, and the first half of a character whose other half is not there yet. */
const joinsBefore = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7fb\ud800-\udbff]/u

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000

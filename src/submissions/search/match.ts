import { foldForSearch, foldSpaces, lastStart } from '../../base/search-fold.ts'
import type { Filter } from './filter.ts'
import type { Finder } from './scan.ts'
import type { Term } from './terms.ts'
import { ValueScanner, type ValueSink } from './values.ts'

/** The part of a filter that a submission meets by what was sent. Its state is looked up for many at once. */
export type Wanted = Pick<Filter, 'terms' | 'hasFiles'>

/** Whether submissions have to be read to find what is wanted. */
export const isOfContent = ({ terms, hasFiles }: Wanted): boolean => terms.length > 0 || hasFiles !== null

/**
 * Whether JSON text could have what is wanted: false only if it has not. It looks for parts of the words in the text as it is
 * stored, which takes a tenth of the time of `submissionMatch`, and for whole phrases if only white space is escaped in it.
 */
export const quickCheck = ({ terms, hasFiles }: Wanted): ((json: string) => boolean) => {
  const texts = terms.flatMap(({ text, isExcluded }) => (isExcluded ? [] : text))
  const probes = texts.flatMap((text) => longestPlain(text) ?? [])
  const phrases = texts.filter((text) => text.includes(' '))
  return (json) => {
    // Anything can be written so.
    if (json.includes('\\u')) return true
    if (hasFiles === true && !json.includes('"filename"')) return false
    if (probes.length === 0) return true
    const spaced = phrases.length === 0 ? json : json.replace(/\\[fnrt]/g, ' ')
    // What is left of an escaped backslash before such a letter is a backslash, too.
    const isPlain = !spaced.includes('\\')
    const folded = foldForSearch(isPlain ? spaced : json)
    if (!probes.every((probe) => folded.includes(probe))) return false
    if (phrases.length === 0 || !isPlain) return true
    const text = foldSpaces(folded)
    return phrases.every((phrase) => text.includes(phrase))
  }
}

/**
 * The longest part of a term that is the same in JSON text: without what is escaped there and white space. It does not begin
 * with a mark, which in the JSON text may stand after the letter of an escape.
 */
const longestPlain = (text: string): string | undefined =>
  (text.match(/[^"\\/\s\p{C}\p{M}][^"\\/\s\p{C}]*/gu) ?? []).toSorted((a, b) => b.length - a.length)[0]

/** Finds submissions that have what is wanted. */
export const finderOf = (wanted: Wanted): Finder<true> => ({
  mayMatch: quickCheck(wanted),
  begin(hasStoredFiles) {
    const { feed, isDecided, isMatch } = submissionMatch(wanted, hasStoredFiles)
    return { feed, isDecided, result: () => isMatch() || undefined }
  },
})

interface SubmissionMatch {
  /** Takes the JSON text, whole or in parts. */
  feed(json: string): void
  /** Whether the rest of the JSON text cannot change the result. */
  isDecided(): boolean
  /** Call it after the last part. */
  isMatch(): boolean
}

/**
 * Looks for what is wanted in one submission.
 *
 * @param hasStoredFiles whether files of it are stored. JSON may name some that are not there
 */
export const submissionMatch = ({ terms, hasFiles }: Wanted, hasStoredFiles: boolean): SubmissionMatch => {
  const found = new Set<Term>()
  // Found where perhaps no one sees it, in what may be the identifier of a file.
  const pending = new Set<Term>()
  let lookup: ((part: string, isLast: boolean) => void) | undefined

  const sink: ValueSink = {
    begin(field, isOfFile) {
      const folded = terms.some((term) => term.field !== null) ? foldSpaces(foldForSearch(field)).trim() : ''
      const here = terms.filter((term) => !found.has(term) && (term.field === null || term.field === folded))
      lookup = here.length > 0 ? termLookup(here, isOfFile ? pending : found) : undefined
    },
    add(part, isLast) {
      const before = found.size
      lookup?.(part, isLast)
      if (found.size > before && isDecided()) scanner.stop()
    },
    endFile(isFile) {
      if (!isFile) for (const term of pending) found.add(term)
      pending.clear()
      if (isDecided()) scanner.stop()
    },
  }
  const scanner = new ValueScanner(sink)
  const isOther = hasFiles !== null && hasFiles !== hasStoredFiles
  if (isOther) scanner.stop()
  const isRefused = (): boolean => isOther || terms.some((term) => term.isExcluded && found.has(term))
  const hasAll = (): boolean => terms.every((term) => term.isExcluded || found.has(term))
  const canRefuse = terms.some((term) => term.isExcluded)
  const isDecided = (): boolean => isRefused() || (!canRefuse && hasAll())

  return {
    feed: (json) => scanner.feed(json),
    isDecided,
    isMatch: () => !isRefused() && hasAll(),
  }
}

/** Looks for terms in one text, part by part, also where two parts meet. */
const termLookup = (terms: readonly Term[], found: Set<Term>): ((part: string, isLast: boolean) => void) => {
  const overlap = Math.max(...terms.map(({ text }) => text.length)) - 1
  let unfolded = ''
  let before = ''
  return (part, isLast) => {
    const text = unfolded + part
    const end = isLast ? text.length : lastStart(text)
    unfolded = text.slice(end)
    const folded = foldSpaces(before + foldForSearch(text.slice(0, end)))
    for (const term of terms) if (folded.includes(term.text)) found.add(term)
    before = overlap === 0 ? '' : folded.slice(-overlap)
  }
}

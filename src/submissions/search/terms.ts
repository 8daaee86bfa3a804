import { invalid } from '../../base/errors.ts'
import { foldForSearch, foldSpaces } from '../../base/search-fold.ts'

/** A word or phrase to look for. All texts are folded. */
export interface Term {
  readonly text: string
  /** The name of the only field to look in; null for all. */
  readonly field: string | null
  /** Whether it must not be there. */
  readonly isExcluded: boolean
}

/** Unicode characters. */
export const maxQueryLength = 500
const maxTerms = 20

/**
 * Reads what was typed into a search: words, which must all be there; `"a phrase"`; `-word`, which must not be there;
 * `name:word`, in that field; `"my name":word`. A phrase that is not closed goes on to the end. What fits no form is looked
 * for as it stands.
 *
 * @throws AppError `invalid` if it has too many terms
 */
export const parseQuery = (query: string): Term[] => {
  const terms = [...query.replace(curlyQuotes, '"').matchAll(written)].flatMap(({ groups = {} }): Term[] => {
    const { minus, quotedName, name = quotedName, phrase, word = '' } = groups
    const field = name === undefined ? null : folded(name)
    const text = folded(phrase ?? word)
    return text === '' ? [] : [{ text, field, isExcluded: minus !== undefined }]
  })
  if (terms.length > maxTerms) throw invalid({ field: 'q', message: `must have at most ${maxTerms} words and phrases` })
  return terms
}

/** No name of a field begins `http://`, or a time such as `10:30`. */
const written =
  /(?<minus>-(?=[^\s-]))?(?:(?:"(?<quotedName>[^"]+)"|(?<name>(?!\d+:)[^\s":][^\s:]*)):(?=[^\s/]))?(?:"(?<phrase>[^"]*)"?|(?<word>\S+))/g

/** Quotation marks as phones type them. */
const curlyQuotes = /[“”„]/g

const folded = (text: string): string => foldSpaces(foldForSearch(text)).trim()

import { foldSpaces, foldValue } from '../../base/search-fold.ts'
import { atMost } from '../../base/short-text.ts'
import { quickCheck } from '../../submissions/search/match.ts'
import type { Finder, Reading } from '../../submissions/search/scan.ts'
import { ValueScanner } from '../../submissions/search/values.ts'

/** Finds the name of the first field that has a text which is this value as a whole, as its own value or anywhere in that. */
export const equalText = (value: string): Finder<string> => {
  const sought = foldValue(value)
  return {
    mayMatch: quickCheck({ terms: [{ text: sought, field: null, isExcluded: false }], hasFiles: null }),
    begin: () => fieldReading((text) => foldValue(text) === sought),
  }
}

/** Characters of a text that is compared. Longer ones are no name and no address, however many accents they have. */
const maxTextUnits = 16 * 1024
const maxNameUnits = 1000

const fieldReading = (isSought: (text: string) => boolean): Reading<string> => {
  let found: string | undefined
  // Found where perhaps no one sees it, in what may be the identifier of a file.
  let pending: string | undefined
  let name = ''
  let text = ''
  let isHidden = false
  const scanner = new ValueScanner({
    begin(field, isOfFile) {
      name = field
      text = ''
      isHidden = isOfFile
    },
    add(part, isLast) {
      if (text.length <= maxTextUnits) {
        text += part
        // However much white space it has, that does not count.
        if (text.length > maxTextUnits) text = foldSpaces(text)
      }
      if (!isLast || text.length > maxTextUnits || !isSought(text)) return
      if (isHidden) pending ??= name
      else found ??= name
    },
    endFile(isFile) {
      if (!isFile) found ??= pending
      pending = undefined
    },
  })
  return {
    feed: (json) => scanner.feed(json),
    isDecided: () => found !== undefined,
    result: () => (found === undefined ? undefined : atMost(found, maxNameUnits)),
  }
}

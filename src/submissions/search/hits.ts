import { foldForSearch, foldSpaces } from '../../base/search-fold.ts'
import type { Term } from './terms.ts'

/** From the first character of what was found to the one after the last. */
export type Hit = readonly [start: number, end: number]

/** Letters with their accents, and runs of white space, which are one space to a search. */
const characters = /\s+|\P{M}\p{M}*|\p{M}+/gu

/** Where terms are in a text, in order and without what overlaps. */
export const hitsIn = (text: string, terms: readonly Term[]): Hit[] => {
  let folded = ''
  const starts: number[] = []
  for (const { 0: character, index } of text.matchAll(characters)) {
    folded += foldSpaces(foldForSearch(character))
    while (starts.length < folded.length) starts.push(index)
  }
  const endOf = (at: number): number => {
    let next = at
    while (starts[next] === starts[at - 1]) next++
    return starts[next] ?? text.length
  }
  const hits: Hit[] = []
  for (const { text: sought } of terms)
    for (let at = folded.indexOf(sought); at !== -1; at = folded.indexOf(sought, at + sought.length))
      hits.push([starts[at] as number, endOf(at + sought.length)])
  return hits.sort(([a], [b]) => a - b)
}

/** The terms that a field is looked through for. */
export const termsFor = (terms: readonly Term[], field: string): readonly Term[] => {
  if (terms.length === 0) return terms
  const name = foldSpaces(foldForSearch(field)).trim()
  return terms.filter((term) => !term.isExcluded && (term.field === null || term.field === name))
}

/** Characters that are folded at once. Letter by letter, which tells where something is, takes many times as long. */
const windowCharacters = 1000

/** The first of what was found in a text; undefined if there is none. */
export const firstHit = (text: string, terms: readonly Term[]): Hit | undefined => {
  const overlap = 2 * Math.max(0, ...terms.map((term) => term.text.length))
  for (let at = 0; at < text.length; at += windowCharacters) {
    const from = Math.max(0, at - overlap)
    const part = text.slice(from, at + windowCharacters)
    const folded = foldSpaces(foldForSearch(part))
    const [hit] = terms.some((term) => folded.includes(term.text)) ? hitsIn(part, terms) : []
    if (hit) return [from + hit[0], from + hit[1]]
  }
  return undefined
}

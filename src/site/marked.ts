import { foldForSearch, foldSpaces } from '../base/search-fold.ts'
import { type Html, html } from '../html/html.ts'
import type { Term } from '../submissions/search/query.ts'

/** From the first character of what was found to the one after the last. */
type Hit = readonly [start: number, end: number]

/** Letters with their accents, and runs of white space, which are one space to a search. */
const characters = /\s+|\P{M}\p{M}*|\p{M}+/gu

/** Where terms are in a text, in order and without what overlaps. */
const hitsIn = (text: string, terms: readonly Term[]): Hit[] => {
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

/** A text in which what was found is marked. */
export const marked = (text: string, terms: readonly Term[]): Html | string => {
  // In most lists nothing is searched for, and to look would take a third of the page's time.
  if (terms.length === 0) return text
  const parts: Html[] = []
  let end = 0
  for (const [from, to] of hitsIn(text, terms)) {
    const start = Math.max(from, end)
    if (to <= start) continue
    parts.push(html`${text.slice(end, start)}<mark>${text.slice(start, to)}</mark>`)
    end = to
  }
  return parts.length === 0 ? text : html`${parts}${text.slice(end)}`
}

const aroundCharacters = 60

/** Characters that are folded at once. Letter by letter, which tells where something is, takes many times as long. */
const windowCharacters = 1000

/** The words around the first hit in a text, which show why it was found; undefined if there is none. */
export const excerpt = (text: string, terms: readonly Term[]): Html | undefined => {
  const overlap = 2 * Math.max(0, ...terms.map((term) => term.text.length))
  for (let at = 0; at < text.length; at += windowCharacters) {
    const from = Math.max(0, at - overlap)
    const part = text.slice(from, at + windowCharacters)
    const folded = foldSpaces(foldForSearch(part))
    const [hit] = terms.some((term) => folded.includes(term.text)) ? hitsIn(part, terms) : []
    if (hit) return around(text, [from + hit[0], from + hit[1]], terms)
  }
  return undefined
}

const around = (text: string, hit: Hit, terms: readonly Term[]): Html => {
  const start = Math.max(0, hit[0] - aroundCharacters)
  const end = Math.min(text.length, hit[1] + aroundCharacters)
  return html`${start > 0 && '… '}${marked(text.slice(start, end).trim().toWellFormed(), terms)}${end < text.length && ' …'}`
}

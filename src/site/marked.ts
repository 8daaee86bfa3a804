import { type Html, html } from '../html/html.ts'
import { firstHit, hitsIn } from '../submissions/search/hits.ts'
import type { Term } from '../submissions/search/terms.ts'

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

/** The words around the first hit in a text, which show why it was found; undefined if there is none. */
export const excerpt = (text: string, terms: readonly Term[]): Html | undefined => {
  const hit = firstHit(text, terms)
  if (!hit) return undefined
  const start = Math.max(0, hit[0] - aroundCharacters)
  const end = Math.min(text.length, hit[1] + aroundCharacters)
  return html`${start > 0 && '… '}${marked(text.slice(start, end).trim().toWellFormed(), terms)}${end < text.length && ' …'}`
}

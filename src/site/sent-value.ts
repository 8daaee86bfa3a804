import { type Html, html } from '../html/html.ts'
import { atMost, oneLine } from '../short-text.ts'
import { visible } from '../visible.ts'

/** Nothing was sent: the field is missing or empty. */
export const emptyValue = html`<span class="none" aria-hidden="true">–</span><span class="visually-hidden">Empty</span>`

/** What a row of a list shows of a value: at most this many characters, in one line. */
const maxCellCharacters = 300

export const cellText = (value: NonNullable<unknown> | null): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return visible(atMost(oneLine(text.slice(0, 4 * maxCellCharacters)), maxCellCharacters)).toWellFormed()
}

// An e-mail address starts where its run of characters starts: so each run is tried once, however long it is.
const addresses = /https?:\/\/[^\s<>"'`]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi

/** Text with its web and e-mail addresses as links. Nothing else in it becomes markup. */
export const linked = (text: string): Html[] => {
  const parts: Html[] = []
  let at = 0
  for (const { 0: found, index } of text.matchAll(addresses)) {
    // What ends the sentence, not the address. A bracket belongs to it if it was opened inside.
    const address = found.replace(found.includes('(') ? /[.,;:!?\]}]+$/ : /[.,;:!?)\]}]+$/, '')
    const link = linkTo(address)
    if (!link) continue
    parts.push(html`${visible(text.slice(at, index))}`, link)
    at = index + address.length
  }
  return [...parts, html`${visible(text.slice(at))}`]
}

const linkTo = (address: string): Html | undefined => {
  if (!/^https?:/i.test(address)) return html`<a href="mailto:${encodeURI(address)}">${address}</a>`
  // A direction or control character could make the text look like another address.
  if (!URL.canParse(address) || visible(address) !== address) return undefined
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc">${address}</a>`
}

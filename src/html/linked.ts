import { visible } from '../base/visible.ts'
import { type Html, html } from './html.ts'

/**
 * A text of someone else in which some addresses are links. Nothing else in it becomes markup.
 *
 * @param addresses finds what may be one
 * @param linkTo makes the link; undefined if it must not be one
 */
export const linked = (text: string, addresses: RegExp, linkTo: (address: string) => Html | undefined): Html[] => {
  const parts: Html[] = []
  let at = 0
  for (const { 0: found, index } of text.matchAll(addresses)) {
    // Without the end of a sentence. A bracket belongs to it if it was opened inside.
    const address = found.replace(found.includes('(') ? /[.,;:!?\]}]+$/ : /[.,;:!?)\]}]+$/, '')
    const link = linkTo(address)
    if (!link) continue
    parts.push(html`${visible(text.slice(at, index))}`, link)
    at = index + address.length
  }
  return [...parts, html`${visible(text.slice(at))}`]
}

import { visible } from '../base/visible.ts'
import { partsOf } from '../languages/foreign.ts'
import { type Html, html } from './html.ts'

/** A sentence of ours, in which texts of others have their own direction, and no language that we could name. */
export const sentence = (text: string): Html => {
  const parts = partsOf(text)
  if (parts.length === 1) return html`${text}`
  return html`${parts.map((part, position) => (position % 2 === 0 ? html`${part}` : html`<bdi lang="">${visible(part)}</bdi>`))}`
}

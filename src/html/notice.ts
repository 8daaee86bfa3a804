import { type Html, html } from './html.ts'

/** Says at the top of a page what was just done, or why it failed. */
export const notice = (kind: 'done' | 'failed', text: string): Html =>
  html`<p class="notice ${kind}" role="${kind === 'done' ? 'status' : 'alert'}">${text}</p>`

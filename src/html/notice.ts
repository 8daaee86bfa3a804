import { type Html, html } from './html.ts'

/** Says at the top of a page what just happened, or why it did not. */
export const notice = (kind: 'done' | 'failed', text: string): Html =>
  html`<p class="notice ${kind}" role="${kind === 'done' ? 'status' : 'alert'}">${text}</p>`

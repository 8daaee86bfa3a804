import { type Html, html } from './html.ts'

/**
 * Says at the top of a page what was just done, or why it failed. A redirect to `#notice` puts the focus on what was
 * done: a screen reader then reads it, and the next Tab goes to what follows.
 */
export const notice = (kind: 'done' | 'failed', text: string): Html =>
  kind === 'done'
    ? html`<p class="notice done" id="notice" tabindex="-1" role="status">${text}</p>`
    : html`<p class="notice failed" role="alert">${text}</p>`

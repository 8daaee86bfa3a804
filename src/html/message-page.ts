import { frame } from './frame.ts'
import { html } from './html.ts'

/** A page that says one thing: thanks for a submission, or why there is none. */
export const messagePage = (status: number, title: string, sentences: readonly string[]): Response =>
  frame({
    status,
    title,
    body: html`<div class="card message">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
</div>`,
  })

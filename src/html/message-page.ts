import { frame } from './frame.ts'
import { html } from './html.ts'

/** A page with one message: thanks for a submission, or an error. */
export const messagePage = (status: number, title: string, sentences: readonly string[]): Response =>
  frame({
    status,
    title,
    body: html`<div class="card message">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
</div>`,
  })

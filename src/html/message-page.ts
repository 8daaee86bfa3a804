import { frame } from './frame.ts'
import { header } from './header.ts'
import { type Html, html } from './html.ts'

/**
 * A page with one message: thanks for a submission, or an error.
 *
 * @param email of the user who is signed in, for the navigation above the page
 */
export const messagePage = (
  status: number,
  title: string,
  sentences: readonly (string | Html)[],
  email?: string,
): Response =>
  frame({
    status,
    title: email === undefined ? title : `${title} · Formbox`,
    ...(email !== undefined && { header: header(null, email) }),
    body: html`<div class="card message">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
</div>`,
  })

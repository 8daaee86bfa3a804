import { formsPath, homePath } from '../config/addresses.ts'
import { brand, frame, header } from './frame.ts'
import { type Html, html } from './html.ts'

/**
 * A page with one message, such as an error, and a way on.
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
    ...(email !== undefined && { header: header(null, email), width: 'page' }),
    body: html`${email === undefined && brand()}
<div class="card ${email === undefined ? 'message' : 'says'}">
<h1>${title}</h1>
${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<p><a class="button" href="${(email === undefined ? homePath : formsPath)()}">${email === undefined ? 'To the start page' : 'To your forms'}</a></p>
</div>`,
  })

interface Question {
  readonly email: string
  /** The section that the page belongs to. */
  readonly section?: Parameters<typeof header>[0]
  readonly title: string
  /** The title, unless it is longer. */
  readonly heading?: string | Html
  /** The thing that the question is about. */
  readonly subject: Html
  readonly text: string | Html
  /** The path that the answer is sent to. */
  readonly action: string
  /** Hidden inputs, and the answers to choose from: first yes, then no. */
  readonly answers: Html
}

/** A page that asks before something is done that cannot be undone. */
export const questionPage = (question: Question): Response => {
  const { email, section = formsPath, title, heading = title, subject, text, action, answers } = question
  return frame({
    title: `${title} · Formbox`,
    header: header(section, email),
    width: 'page',
    body: html`<div class="card says">
<h1>${heading}</h1>
${subject}
<p>${text}</p>
<form class="actions" method="post" action="${action}">
${answers}
</form>
</div>`,
  })
}

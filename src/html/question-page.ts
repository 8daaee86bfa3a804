import { frame } from './frame.ts'
import { header } from './header.ts'
import { type Html, html } from './html.ts'

interface Question {
  readonly email: string
  /** The section that the page belongs to. */
  readonly section?: Parameters<typeof header>[0]
  readonly title: string
  /** The title, unless it is longer. */
  readonly heading?: string | Html
  /** What is asked about. */
  readonly subject: Html
  readonly text: string | Html
  /** The path that the answer is sent to. */
  readonly action: string
  /** Hidden inputs, and what can be answered: first yes, then no. */
  readonly answers: Html
}

/** A page that asks before something is done that cannot be undone. */
export const questionPage = (question: Question): Response => {
  const { email, section = '/', title, heading = title, subject, text, action, answers } = question
  return frame({
    title: `${title} · Formbox`,
    header: header(section, email),
    body: html`<div class="card">
<h1>${heading}</h1>
${subject}
<p>${text}</p>
<form class="actions" method="post" action="${action}">
${answers}
</form>
</div>`,
  })
}

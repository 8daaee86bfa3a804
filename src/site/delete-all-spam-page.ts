import type { Form } from '../forms/ownership.ts'
import { count } from '../html/format.ts'
import { html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import { formPath } from './form-frame.ts'

interface Shown {
  readonly email: string
  readonly form: Form
}

/** Asks before all spam of a form is deleted. */
export const deleteAllSpamPage = ({ email, form }: Shown): Response => {
  const { spamCount } = form
  const isOne = spamCount === 1
  const path = `${formPath(form.id)}/spam`
  return questionPage({
    email,
    title: `Delete all spam of this form? · ${form.title}`,
    heading: 'Delete all spam of this form?',
    subject: html`<p class="subject"><bdi>${form.title}</bdi></p>`,
    text: `${isOne ? '1 submission was' : `${count(spamCount)} submissions were`} held back. What comes in before you confirm is deleted too. This can’t be undone.`,
    action: path,
    answers: html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous" name="action" value="delete-all">Delete all</button>
<a class="button" href="${path}">Keep ${isOne ? 'it' : 'them'}</a>`,
  })
}

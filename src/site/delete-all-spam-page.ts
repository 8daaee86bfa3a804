import type { Form } from '../forms/ownership.ts'
import { count } from '../html/count.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly spamCount: number
}

/** Asks before all spam of a form is deleted. */
export const deleteAllSpamPage = ({ email, form, spamCount }: Shown): Response => {
  const isOne = spamCount === 1
  const title = 'Delete all spam of this form?'
  const path = `${formPath(form.id)}/spam`
  return frame({
    title: `${title} · ${form.title} · Formbox`,
    header: header('/', email),
    body: html`<div class="card">
<h1>${title}</h1>
<p class="subject"><bdi>${form.title}</bdi></p>
<p>${isOne ? '1 submission was' : `${count(spamCount)} submissions were`} held back. What comes in before you confirm is deleted too. This can’t be undone.</p>
<form class="actions" method="post" action="${path}">
<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous" name="action" value="delete-all">Delete all</button>
<a class="button" href="${path}">Keep ${isOne ? 'it' : 'them'}</a>
</form>
</div>`,
  })
}

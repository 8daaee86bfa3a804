import type { Form } from '../forms/ownership.ts'
import { count, days } from '../html/count.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly retentionDays: number
  /** How many submissions are older. */
  readonly tooOld: number
  /** What is saved once it is confirmed. */
  readonly typed: URLSearchParams
}

/** Asks before a setting is saved that deletes submissions. */
export const retentionQuestionPage = ({ email, form, retentionDays, tooOld, typed }: Shown): Response => {
  const what = tooOld === 1 ? '1 submission' : `${count(tooOld)} submissions`
  return frame({
    title: `Delete ${what}? · ${form.title} · Formbox`,
    header: header('/', email),
    body: html`<div class="card">
<h1>Delete ${what}?</h1>
<p class="subject"><bdi>${form.title}</bdi></p>
<p>${count(tooOld)} of ${count(form.submissionCount)} ${tooOld === 1 ? 'is' : 'are'} older than ${days(retentionDays)}. Once you save, ${tooOld === 1 ? 'it is' : 'they are'} deleted within about an hour; the others follow when they are as old. This can’t be undone.</p>
<form class="actions" method="post" action="${formPath(form.id)}/settings">
<input type="hidden" name="confirm" value="yes">
${[...typed].map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}<button class="primary dangerous">Save and delete</button>
<a class="button" href="${formPath(form.id)}/settings#collecting">Keep ${tooOld === 1 ? 'it' : 'them'}</a>
</form>
</div>`,
  })
}

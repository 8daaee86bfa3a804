import type { Form } from '../forms/ownership.ts'
import { count } from '../html/count.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

/** The last section of a form's settings. */
export const copySection = (
  form: Form,
  errors: FieldErrors,
): Html => html`<section class="section" aria-labelledby="copy-heading">
<div><h2 id="copy-heading">Copy or delete</h2><p>A copy has the same settings and webhooks, and no submissions.</p></div>
<div class="ask">
<form method="post" action="${formPath(form.id)}/duplicate"><button>Duplicate this form</button></form>
${deletion(form, errors)}
</div>
</section>`

const deletion = (
  { id, title, submissionCount }: Form,
  errors: FieldErrors,
): Html => html`<form class="zone" method="post" action="${formPath(id)}/delete" aria-labelledby="delete-heading">
<div>
<h3 id="delete-heading">Delete this form</h3>
<p class="small">${withSubmissions(submissionCount)} This can’t be undone.</p>
</div>
${field({
  name: 'confirm',
  label: html`Type <q><bdi>${title}</bdi></q> to confirm`,
  type: 'text',
  error: errors.confirm,
  autocomplete: 'off',
})}
<button class="primary dangerous">Delete form</button>
</form>`

const withSubmissions = (submissionCount: number): string => {
  if (submissionCount === 0) return 'It has no submissions.'
  return submissionCount === 1
    ? 'Its submission goes with it.'
    : `Its ${count(submissionCount)} submissions go with it.`
}

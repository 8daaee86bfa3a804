import type { Form } from '../forms/ownership.ts'
import { html } from '../html/html.ts'
import { questionPage } from '../html/question-page.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { type ListPlace, placeInputs } from './list-place.ts'
import { titleOf } from './submission-title.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  /** Where to return to. */
  readonly back: string
  readonly place: ListPlace
  /** What deletes them once it is confirmed. */
  readonly action: string
  readonly submissions: readonly { readonly id: string; readonly fields: readonly SubmittedField[] }[]
}

/** Asks before submissions are deleted. */
export const deleteSubmissionsPage = ({ email, form, back, place, action, submissions }: Shown): Response => {
  const what = submissions.length === 1 ? 'this submission' : `${submissions.length} submissions`
  return questionPage({
    email,
    title: `Delete ${what}? · ${form.title}`,
    heading: `Delete ${what}?`,
    subject: html`<ul class="subject">
${submissions.map(
  ({ fields }) => html`<li><bdi>${titleOf(fields)}</bdi></li>
`,
)}</ul>`,
    text: 'This can’t be undone.',
    action,
    answers: html`<input type="hidden" name="confirm" value="yes">
${placeInputs(place)}${submissions.map(
  ({ id }) => html`<input type="hidden" name="ids" value="${id}">
`,
)}<button class="primary dangerous">Delete ${submissions.length > 1 && submissions.length}</button>
<a class="button" href="${back}">Keep ${submissions.length > 1 ? 'them' : 'it'}</a>`,
  })
}

import { visible } from '../base/visible.ts'
import { deleteFormPath, duplicatePath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { foldedSection } from './form-frame.ts'

/** The text typed to confirm that the form is to be deleted, and its error. */
interface Confirmation {
  readonly confirm: string | undefined
  readonly error: string | undefined
}

/** The last section of a form's settings. */
export const copySection = (form: Form, confirmation: Confirmation): Html =>
  foldedSection({
    name: 'copy',
    heading: 'Copy or delete',
    lead: 'A copy has the same settings and webhooks, and no submissions.',
    set: [],
    isOpen: confirmation.error !== undefined,
    body: html`<form method="post" action="${duplicatePath(form.id)}"><button>Duplicate this form</button></form>
${deletion(form, confirmation)}`,
  })

const deletion = (
  { id, title, submissionCount, spamCount }: Form,
  { confirm = '', error }: Confirmation,
): Html => html`<form class="zone" method="post" action="${deleteFormPath(id)}" aria-labelledby="delete-heading">
<div>
<h3 id="delete-heading">Delete this form</h3>
<p class="small">${deletedWithIt(submissionCount, spamCount)} This can’t be undone.</p>
</div>
${labelledInput({
  name: 'confirm',
  label: html`Type <q><bdi>${visible(title)}</bdi></q> to confirm`,
  type: 'text',
  value: confirm,
  error,
  autocomplete: 'off',
})}
<button class="primary dangerous">Delete form</button>
</form>`

const deletedWithIt = (submissionCount: number, spamCount: number): string => {
  const total = submissionCount + spamCount
  if (total === 0) return 'It has no submissions.'
  const submissions = submissionCount > 0 && counted(submissionCount, 'submission')
  const spam = spamCount > 0 && `${counted(spamCount, 'piece')} of spam`
  return `Its ${[submissions, spam].filter(Boolean).join(' and ')} ${total === 1 ? 'goes' : 'go'} with it.`
}

import type { Form } from '../forms/ownership.ts'
import { type Html, html } from '../html/html.ts'
import { questionPage } from '../html/message-page.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { type ListPlace, placeInputs } from './list-place.ts'
import { titleOf } from './submission-title.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  /** Where to return to. */
  readonly back: string
  readonly place: ListPlace
  /** What does it once it is confirmed. */
  readonly action: string
  readonly submissions: readonly { readonly id: string; readonly fields: readonly SubmittedField[] }[]
}

/** Asks before submissions are deleted. */
export const deleteSubmissionsPage = (shown: Shown): Response => {
  const { length } = shown.submissions
  return aboutSubmissions(shown, {
    title: `Delete ${inWords(length)}?`,
    text: 'This can’t be undone.',
    yes: html`<input type="hidden" name="confirm" value="yes">
<button class="primary dangerous">Delete ${length > 1 && length}</button>`,
    no: `Keep ${length > 1 ? 'them' : 'it'}`,
  })
}

/** Asks before submissions are marked as spam that were selected in a session which has ended. */
export const markSpamPage = (shown: Shown): Response =>
  aboutSubmissions(shown, {
    title: `Mark ${inWords(shown.submissions.length)} as spam?`,
    text: notDoneYet,
    yes: html`<button class="primary">Mark as spam</button>`,
    no: 'Cancel',
  })

/** Asks before spam is accepted that was selected in a session which has ended. */
export const acceptSpamPage = (shown: Shown): Response =>
  aboutSubmissions(shown, {
    title: 'Not spam?',
    text: notDoneYet,
    yes: html`<button class="primary" name="action" value="accept">Not spam</button>`,
    no: 'Cancel',
  })

const notDoneYet = 'Your session had ended, so this has not been done yet.'

const inWords = (count: number): string => (count === 1 ? 'this submission' : `${count} submissions`)

interface Question {
  readonly title: string
  readonly text: string
  readonly yes: Html
  readonly no: string
}

const aboutSubmissions = (
  { email, form, back, place, action, submissions }: Shown,
  { title, text, yes, no }: Question,
): Response =>
  questionPage({
    email,
    title: `${title} · ${form.title}`,
    heading: title,
    subject: html`<ul class="subject">
${submissions.map(
  ({ fields }) => html`<li><bdi>${titleOf(fields)}</bdi></li>
`,
)}</ul>`,
    text,
    action,
    answers: html`${placeInputs(place)}${submissions.map(
      ({ id }) => html`<input type="hidden" name="ids" value="${id}">
`,
    )}${yes}
<a class="button" href="${back}">${no}</a>`,
  })

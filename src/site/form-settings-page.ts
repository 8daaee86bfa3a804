import type { FieldErrors } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { collectingSection } from './collecting-section.ts'
import { copySection } from './copy-section.ts'
import { formFrame } from './form-frame.ts'
import { generalSection } from './general-section.ts'
import { notificationsSection } from './notifications-section.ts'
import type { SettingsSection, ShownForm } from './settings-section.ts'
import { spamSection } from './spam-section.ts'

/** In the order of the page. A form without the field `section` is of the first. */
export const sections = [generalSection, collectingSection, spamSection, notificationsSection] as const

export interface FormSettingsPage extends ShownForm {
  readonly status?: number
  readonly email: string
  readonly spamCount: number
  readonly webhooks: Html
  /** What was typed in a section, where it cannot be stored. */
  readonly typed?: { readonly section: SettingsSection; readonly form: URLSearchParams }
  readonly errors?: FieldErrors
  /** What was just done, by its name in `doneTexts`. */
  readonly done?: unknown
}

export const formSettingsPage = (shown: FormSettingsPage): Response => {
  const { status = 200, email, form, spamCount, typed, errors = {}, done } = shown
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    spamCount,
    body: html`${notSaved(errors)}${doneText && notice('done', doneText)}
${jump}${sections.map((section) => {
  const { name, heading, lead } = section
  return html`<section class="section" id="${name}" aria-labelledby="${name}-heading">
<div><h2 id="${name}-heading">${heading}</h2><p>${lead}</p></div>
${section.show(shown, typed?.section === section ? typed.form : undefined, errors)}
</section>
`
})}${shown.webhooks}
${copySection(form, spamCount, errors)}`,
  })
}

/** The page is long, on a telephone ten screens. */
const jump = html`<ul class="jump" aria-label="Sections">
${[...sections, { name: 'webhooks', heading: 'Webhooks' }, { name: 'copy', heading: 'Copy or delete' }].map(
  ({ name, heading }) => html`<li><a href="#${name}">${heading}</a></li>
`,
)}</ul>
`

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  'webhook-on': 'The webhook is switched on.',
  'webhook-off': 'The webhook is switched off.',
  'webhook-deleted': 'The webhook has been deleted.',
  retried: 'It is due now. Reload the page to see what came of it.',
  duplicated: 'This is the copy. It has the same title, until you change it.',
}

const notSaved = (errors: FieldErrors): Html | false => {
  const wrong = sections.flatMap(({ labels }) => Object.entries(labels)).filter(([name]) => errors[name])
  return (
    wrong.length > 0 &&
    html`<p class="notice failed" role="alert">Not saved. Look at ${wrong.map(
      ([name, label], position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`,
    )}.</p>`
  )
}

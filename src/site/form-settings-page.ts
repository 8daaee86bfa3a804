import type { FieldErrors } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { collectingSection } from './collecting-section.ts'
import { copySection } from './copy-section.ts'
import { formFrame } from './form-frame.ts'
import { generalSection } from './general-section.ts'
import { notificationsSection } from './notifications-section.ts'
import type { SettingsSection, ShownForm } from './setting.ts'
import { settingsSection } from './settings-section.ts'
import { spamSection } from './spam-section.ts'

/** In the order of the page. A form without the field `section` is of the first. */
export const sections = [generalSection, collectingSection, spamSection, notificationsSection] as const

export interface FormSettingsPage extends ShownForm {
  readonly status?: number
  readonly email: string
  readonly spamCount: number
  readonly webhooks: Html
  /** What was sent from a section, where it was not stored. */
  readonly unsaved?: { readonly section: SettingsSection; readonly sent: URLSearchParams }
  readonly errors?: FieldErrors
  /** The name of a section that was just saved. */
  readonly saved?: unknown
  /** Whether this is a copy that was just made. */
  readonly isCopy?: boolean
  /** What was typed to confirm that the form is to be deleted. */
  readonly confirm?: string
}

export const formSettingsPage = (shown: FormSettingsPage): Response => {
  const { status = 200, email, form, spamCount, unsaved, errors = {}, saved, isCopy, confirm } = shown
  return formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    spamCount,
    body: html`${notSaved(errors)}${isCopy && notice('done', 'This is the copy. It has the same title, until you change it.')}
${jump}${sections.map((section) =>
  settingsSection(section, shown, {
    sent: unsaved?.section === section ? unsaved.sent : undefined,
    errors,
    isSaved: saved === section.name,
  }),
)}${shown.webhooks}
${copySection(form, spamCount, { confirm, error: errors.confirm })}`,
  })
}

/** The page is long, on a telephone ten screens. */
const jump = html`<ul class="jump" aria-label="Sections">
${[...sections, { name: 'webhooks', heading: 'Webhooks' }, { name: 'copy', heading: 'Copy or delete' }].map(
  ({ name, heading }) => html`<li><a href="#${name}">${heading}</a></li>
`,
)}</ul>
`

const notSaved = (errors: FieldErrors): Html | false => {
  const wrong = sections.flatMap(({ settings }) => settings).filter(({ name }) => errors[name])
  return (
    wrong.length > 0 &&
    html`<p class="notice failed" role="alert">Not saved. Look at ${wrong.map(
      ({ name, label }, position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`,
    )}.</p>`
  )
}

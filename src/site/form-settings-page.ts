import type { Form } from '../forms/ownership.ts'
import type { FieldErrors } from '../html/field.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { isChanged } from './changed-settings.ts'
import { collectingSection } from './collecting-section.ts'
import { copySection } from './copy-section.ts'
import { formFrame, formPath } from './form-frame.ts'
import { generalSection } from './general-section.ts'
import { notificationsSection } from './notifications-section.ts'
import type { ShownForm } from './setting.ts'
import { settingsSection } from './settings-section.ts'
import { spamSection } from './spam-section.ts'

/** In the order of the page. */
export const sections = [generalSection, collectingSection, spamSection, notificationsSection] as const

export interface FormSettingsPage extends ShownForm {
  readonly status?: number
  readonly email: string
  readonly webhooks: Html
  /** What was sent and not stored. */
  readonly unsaved?: URLSearchParams
  readonly errors?: FieldErrors
  /** The name of a section that was just saved. */
  readonly saved?: unknown
  /** Whether this is a copy that was just made. */
  readonly isCopy?: boolean
  /** What was typed to confirm that the form is to be deleted. */
  readonly confirm?: string
}

export const formSettingsPage = (shown: FormSettingsPage): Response => {
  const { status = 200, email, form, unsaved, errors = {}, saved, isCopy, confirm } = shown
  return formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    body: html`${notSaved(errors) || (unsaved && notSavedYet(unsaved, form))}${isCopy && notice('done', 'This is the copy. It has the same title, until you change it.')}
${jump}<form class="sections" method="post" action="${formPath(form.id)}/settings" novalidate data-edits="${unsaved ? 'unsaved' : 'none'}">
${saveByDefault}${sections.map((section) =>
  settingsSection(section, shown, { sent: unsaved, errors, isSaved: saved === section.name }),
)}</form>
${shown.webhooks}
${copySection(form, { confirm, error: errors.confirm })}`,
  })
}

/** What Enter does in a field: it saves the section that was changed, and not always the first, whose button comes first. */
const saveByDefault = html`<button hidden></button>
`

/** The page is long, on a telephone ten screens. */
const jump = html`<ul class="jump" aria-label="Sections">
${[...sections, { name: 'webhooks', heading: 'Webhooks' }, { name: 'copy', heading: 'Copy or delete' }].map(
  ({ name, heading }) => html`<li><a href="#${name}">${heading}</a></li>
`,
)}</ul>
`

const notSaved = (errors: FieldErrors): Html | false => {
  const wrong = sections.flatMap(({ settings }) => settings).filter(({ name }) => errors[name])
  return wrong.length > 0 && warning('Not saved. Look at', wrong)
}

const notSavedYet = (unsaved: URLSearchParams, form: Form): Html | false => {
  const changed = sections.filter((section) => isChanged(section, unsaved, form))
  const parts = changed.map(({ name, heading }) => ({ name, label: heading }))
  return parts.length > 0 && warning('Not saved yet:', parts)
}

const warning = (text: string, parts: readonly { readonly name: string; readonly label: string }[]): Html =>
  html`<p class="notice failed" role="alert">${text} ${parts.map(
    ({ name, label }, position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`,
  )}.</p>`

import type { Form } from '../forms/ownership.ts'
import {
  isOpen,
  maxAddresses,
  maxColumns,
  maxSpamDays,
  maxTerms,
  parseSettings,
  thankYouRule,
} from '../forms/settings.ts'
import { count } from '../html/count.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { formFrame, formPath } from './form-frame.ts'

export interface FormSettingsPage {
  readonly status?: number
  readonly email: string
  readonly form: Form
  /** The fields that the list of submissions shows, one a line; empty for the first ones. */
  readonly columns: string
  /** Whether the server can send e-mail. */
  readonly canMail: boolean
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** What was typed, where it cannot be stored. */
  readonly typed?: Readonly<Record<'title' | 'description' | 'returnUrl' | 'thankYou' | 'columns', string>>
  /** The addresses to tell, where they cannot be stored. */
  readonly typedNotify?: string
  readonly webhooks: Html
  /** The settings of the section Spam, where they cannot be stored. */
  readonly typedSpam?: Readonly<Record<'blockedTerms' | 'maxLinks' | 'spamDays', string>> & {
    readonly challenge: boolean
  }
  readonly errors?: FieldErrors
  /** What was just done, by its name in `doneTexts`. */
  readonly done?: unknown
}

export const formSettingsPage = (shown: FormSettingsPage): Response => {
  const { status = 200, email, form, errors = {}, done } = shown
  const doneText = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return formFrame({
    status,
    form,
    email,
    tab: 'Settings',
    body: html`${notSaved(errors)}${doneText && notice('done', doneText)}
<section class="section" id="general" aria-labelledby="general-heading">
<div><h2 id="general-heading">General</h2><p>What the form is called, and what a visitor sees after sending.</p></div>
${general(shown)}
</section>
<section class="section" id="collecting" aria-labelledby="collecting-heading">
<div><h2 id="collecting-heading">Collecting</h2><p>Whether the form takes what is sent to it.</p></div>
${collecting(form)}
</section>
<section class="section" id="spam" aria-labelledby="spam-heading">
<div><h2 id="spam-heading">Spam</h2><p>What is kept apart instead of listed. The sender sees no difference.</p></div>
${spam(shown)}
</section>
<section class="section" id="notifications" aria-labelledby="notifications-heading">
<div><h2 id="notifications-heading">Notifications</h2><p>An e-mail for each submission; more than 60 an hour are gathered into one.</p></div>
<div class="ask">${notifications(shown)}</div>
</section>
${shown.webhooks}
<section class="section" aria-labelledby="copy-heading">
<div><h2 id="copy-heading">Copy or delete</h2><p>A copy has the same settings and webhooks, and no submissions.</p></div>
<div class="ask">
<form method="post" action="${formPath(form.id)}/duplicate"><button>Duplicate this form</button></form>
${deletion(form, errors)}
</div>
</section>`,
  })
}

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  'webhook-on': 'The webhook is switched on.',
  'webhook-off': 'The webhook is switched off.',
  'webhook-deleted': 'The webhook has been deleted.',
  retried: 'It is due now. Reload the page to see what came of it.',
  duplicated: 'This is the copy. It has the same title, until you change it.',
}

const labels = {
  title: 'Title',
  description: 'Description',
  returnUrl: 'Return address',
  thankYou: 'Thank-you text',
  columns: 'Columns of the list',
  blockedTerms: 'Blocked terms',
  maxLinks: 'Links allowed',
  spamDays: 'Days to keep spam',
  notify: 'Send to',
} as const

const notSaved = (errors: FieldErrors): Html | false => {
  const wrong = Object.entries(labels).filter(([name]) => errors[name])
  return (
    wrong.length > 0 &&
    html`<p class="notice failed" role="alert">Not saved. Look at ${wrong.map(
      ([name, label], position) => html`${position > 0 && ', '}<a href="#${name}">${label}</a>`,
    )}.</p>`
  )
}

const general = ({
  form,
  columns,
  fieldNames,
  typed,
  errors = {},
}: FormSettingsPage): Html => html`<form class="ask" method="post" action="${formPath(form.id)}/settings">
${field({
  name: 'title',
  label: labels.title,
  type: 'text',
  value: typed?.title ?? form.title,
  error: errors.title,
  hint: 'Visitors see it on the built-in thank-you page.',
  autocomplete: 'off',
})}
${field({
  name: 'description',
  label: labels.description,
  type: 'lines',
  value: typed?.description ?? form.description ?? '',
  error: errors.description,
  hint: 'Only you see it.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'returnUrl',
  label: labels.returnUrl,
  type: 'url',
  value: typed?.returnUrl ?? form.returnUrl ?? '',
  error: errors.returnUrl,
  hint: 'Where a browser goes after sending. Leave it empty for the built-in thank-you page.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'thankYou',
  label: labels.thankYou,
  type: 'lines',
  value: typed?.thankYou ?? parseSettings(form.settings).thankYou ?? '',
  error: errors.thankYou,
  hint: `Shown on the built-in page. Up to ${count(thankYouRule.maxLength)} characters.`,
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'columns',
  label: labels.columns,
  type: 'lines',
  value: typed?.columns ?? columns,
  error: errors.columns,
  hint: html`One field a line, up to ${maxColumns}. Empty: the first ones.${fieldNames.length > 0 && seenSoFar(fieldNames)}`,
  autocomplete: 'off',
  isOptional: true,
})}
<button class="primary">Save</button>
</form>`

const collecting = (form: Form): Html => html`<form class="ask" method="post" action="${formPath(form.id)}/settings">
<input type="hidden" name="section" value="collecting">
<label class="choice"><input type="checkbox" name="open"${isOpen(form) && html` checked`}><span><strong>Open</strong> <span class="hint">A closed form tells visitors so and stores nothing.</span></span></label>
<button class="primary">Save</button>
</form>`

const spam = ({
  form,
  typedSpam,
  errors = {},
}: FormSettingsPage): Html => html`<form class="ask" method="post" action="${formPath(form.id)}/settings">
<input type="hidden" name="section" value="spam">
${field({
  name: 'blockedTerms',
  label: labels.blockedTerms,
  type: 'lines',
  value: typedSpam?.blockedTerms ?? parseSettings(form.settings).blockedTerms.join('\n'),
  error: errors.blockedTerms,
  hint: `One a line, in any case, up to ${maxTerms}. What contains one is spam.`,
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'maxLinks',
  label: labels.maxLinks,
  type: 'text',
  value: typedSpam?.maxLinks ?? String(parseSettings(form.settings).maxLinks ?? ''),
  error: errors.maxLinks,
  hint: 'In all fields together; what has more is spam. Empty: any number.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'spamDays',
  label: labels.spamDays,
  type: 'text',
  value: typedSpam?.spamDays ?? String(parseSettings(form.settings).spamDays),
  error: errors.spamDays,
  hint: `From 1 to ${maxSpamDays}. Then it is deleted.`,
  autocomplete: 'off',
})}
<label class="choice"><input type="checkbox" name="challenge"${(typedSpam?.challenge ?? parseSettings(form.settings).challenge) && html` checked`}><span><strong>Ask browsers for a proof of work</strong> <span class="hint">Takes a visitor’s device a moment while they type, and needs JavaScript. First put the <a href="${formPath(form.id)}/embed?with=challenge">snippet with the script</a> on your page: what comes without it is refused.</span></span></label>
<button class="primary">Save</button>
</form>`

const notifications = ({ form, canMail, typedNotify, errors = {} }: FormSettingsPage): Html => {
  const stored = parseSettings(form.settings).notify
  const noServer = html`<p class="notice">No mail server is set up. Whoever runs this server sets <code>FORMBOX_SMTP_URL</code> and <code>FORMBOX_MAIL_FROM</code>; then addresses can be entered here.</p>`
  if (!canMail && stored.length === 0 && typedNotify === undefined) return noServer
  return html`${!canMail && noServer}
<form class="ask" method="post" action="${formPath(form.id)}/settings">
<input type="hidden" name="section" value="notifications">
${field({
  name: 'notify',
  label: labels.notify,
  type: 'lines',
  value: typedNotify ?? stored.join('\n'),
  error: errors.notify,
  hint: `One address a line, up to ${maxAddresses}. An answer to the e-mail goes to the visitor.`,
  autocomplete: 'off',
  isOptional: true,
})}
<button class="primary">Save</button>
</form>`
}

/** As many as a hint has room for. */
const maxSeen = 20

const seenSoFar = (names: readonly string[]): Html =>
  html` Seen so far: ${names
    .slice(0, maxSeen)
    .map(
      (name, position) => html`${position > 0 && ', '}<bdi>${shortened(name)}</bdi>`,
    )}${names.length > maxSeen ? ' and others' : ''}.`

const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name)

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

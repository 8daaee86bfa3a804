import type { ListedMember } from '../accounts/members/store.ts'
import type { Session } from '../accounts/sessions/store.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import {
  closePath,
  dangerPath,
  deleteFormPath,
  describePath,
  duplicatePath,
  exportPath,
  formsPath,
  ownerPath,
  visitorSettingsPath,
} from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { counted } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import { attachment } from '../http/attachment.ts'
import { type FileReads, maxCountedFiles } from '../submissions/files/file-reads.ts'
import { inBytes } from '../submissions/files/sent-file.ts'
import { inboxOf } from '../submissions/lists.ts'
import { mayGet } from './members.ts'
import type { SettingsOptions } from './settings-frame.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

/** `/forms/:formId/settings/danger`: copies, hands over, closes and deletes a form, which its owner alone may. */
export const dangerRoutes = ({
  pages: { userAction, userPage },
  access,
  forms,
  settingsFrame,
  ...rest
}: SettingsOptions) => {
  const page = (session: Session, formId: string, confirmation?: Confirmation, done?: unknown): Response => {
    const form = access.findFormTo('delete', session.userId, formId)
    return settingsFrame(session, form, {
      status: confirmation ? 400 : 200,
      current: 'danger',
      body: html`${done === 'closed' && notice('done', 'The form is closed.')}${done === 'opened' && notice('done', 'The form is open again.')}<ul class="things card">
${things(form, rest.fileReads.count(inboxOf(form.number)), rest.members.listMembers(form).members.filter(mayGet))}</ul>
${deletion(form, confirmation)}`,
    })
  }

  const on = {
    show: ({ session, params, query }: UserVisit<FormParams>): Response =>
      page(session, params.formId, undefined, query.done),

    async describe({ exchange, session, params }: UserVisit<FormParams>): Promise<Response> {
      const find = () => access.findFormTo('configure', session.userId, params.formId)
      const file = await rest.describe(find)
      exchange.headers['cross-origin-resource-policy'] = 'same-origin'
      const headers = { 'content-type': 'application/toml', 'content-disposition': attachment(find().title, '.toml') }
      return new Response(file, { headers: { ...headers, 'cache-control': 'no-store' } })
    },

    async close({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { id } = access.findFormTo('delete', session.userId, params.formId)
      const open = sent.get('open') === 'on'
      await forms.reviseFormSettings(session.userId, id, () => ({ open }))
      return redirect(`${dangerPath(id)}?done=${open ? 'opened' : 'closed'}#notice`)
    },

    async duplicate({ session, params }: UserSent<FormParams>): Promise<Response> {
      const { id } = await forms.duplicateForm(session.userId, params.formId)
      return redirect(`${visitorSettingsPath(id)}?done=duplicated#notice`)
    },

    /** Asks for the title, so that no one deletes the wrong form. */
    async delete({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const { id, title } = access.findFormTo('delete', session.userId, params.formId)
      const confirm = sent.get('confirm') ?? ''
      if (!isTitle(confirm, title)) return page(session, id, { confirm, error: 'This is not the title of the form.' })
      await forms.deleteForm(session.userId, id)
      return redirect(`${formsPath()}?done=deleted#notice`)
    },
  }

  return [
    userPage(dangerPath, on.show),
    userPage(describePath, on.describe),
    userAction(closePath, dangerPath, on.close),
    userAction(duplicatePath, dangerPath, on.duplicate),
    userAction(deleteFormPath, dangerPath, on.delete),
  ]
}

/** The text typed to confirm that the form is to be deleted, and its error. */
interface Confirmation {
  readonly confirm: string
  readonly error: string
}

/** Ignores white space that does not show on the page: at the ends, and more than one in a row. */
const isTitle = (typed: string, title: string): boolean =>
  typed === title || oneLine(visible(typed)) === oneLine(visible(title))

const thing = (name: string, what: string | Html, button: Html): Html => html`<li class="is-none">
<div class="what"><p><strong>${name}</strong></p>
<p class="muted">${what}</p></div>
<div class="does">${button}</div></li>
`

const things = (form: Form, files: ReturnType<FileReads['count']>, heirs: readonly ListedMember[]): Html => {
  const { id, submissionCount } = form
  const { open } = parseSettings(form.settings)
  return html`${thing(
    'Make a copy',
    'A new form with the same settings and receivers, and no submissions.',
    html`<form method="post" action="${duplicatePath(id)}"><button>Copy<span class="visually-hidden"> this form</span></button></form>`,
  )}${thing(
    'Take everything out',
    `${counted(submissionCount, 'submission')} with ${submissionCount === 1 ? 'its' : 'their'} notes${filesIn(files)}, as one archive. Spam is downloaded on its own page.`,
    html`<a class="button" href="${exportPath(id)}?format=zip">Download<span class="visually-hidden"> everything</span></a>`,
  )}${thing(
    'Write it down',
    html`The settings as a file for <code>formbox apply</code>, without secrets.`,
    html`<a class="button" href="${describePath(id)}">Download<span class="visually-hidden"> the settings as a file</span></a>`,
  )}${
    heirs.length > 0 &&
    thing(
      'Give it to someone',
      'A person with whom it is shared becomes the owner; you stay a Manager.',
      html`<form class="inline" method="post" action="${ownerPath(id)}"><select name="email" aria-label="New owner">${heirs.map(({ email }) => html`<option>${email}</option>`)}</select><button>Hand over</button></form>`,
    )
  }${thing(
    open ? 'Close it' : 'Open it again',
    open
      ? 'Visitors read that it is closed. Nothing is deleted, and you can open it again.'
      : 'It is closed: visitors read that, and cannot send.',
    html`<form method="post" action="${closePath(id)}"><button name="open" value="${open ? 'off' : 'on'}">${open ? 'Close' : 'Open'}<span class="visually-hidden"> this form</span></button></form>`,
  )}`
}

const filesIn = ({ count, bytes }: ReturnType<FileReads['count']>): string => {
  if (count === 0) return ''
  const most = count === maxCountedFiles ? 'at least ' : ''
  return ` and ${most}${counted(count, 'file')}, ${most}${inBytes(bytes)}`
}

const deletion = (
  { id, title, submissionCount, spamCount }: Form,
  { confirm, error }: Partial<Confirmation> = {},
): Html => html`<section class="card zone inputs" aria-labelledby="delete-heading">
<h3 id="delete-heading">Delete this form</h3>
<p>${deletedWithIt(submissionCount, spamCount)} This can’t be undone.</p>
<form class="inline" method="post" action="${deleteFormPath(id)}">
${labelledInput({
  name: 'confirm',
  label: html`Type <q><bdi>${visible(title)}</bdi></q> to delete it`,
  type: 'text',
  value: confirm ?? '',
  error,
})}
<button class="dangerous">Delete form</button>
</form>
</section>`

const deletedWithIt = (submissionCount: number, spamCount: number): string => {
  const total = submissionCount + spamCount
  if (total === 0) return 'It has no submissions.'
  const submissions = submissionCount > 0 && counted(submissionCount, 'submission')
  const spam = spamCount > 0 && `${counted(spamCount, 'piece')} of spam`
  return `Its ${[submissions, spam].filter(Boolean).join(' and ')} ${total === 1 ? 'goes' : 'go'} with it.`
}

import type { Session } from '../accounts/sessions/store.ts'
import { oneLine } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { dangerPath, deleteFormPath, duplicatePath, formsPath, visitorSettingsPath } from '../config/addresses.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { FormStore } from '../forms/store.ts'
import { counted } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { redirect } from '../html/redirect.ts'
import type { PageAccess } from './page-access.ts'
import type { SettingsFrame } from './settings-frame.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly forms: FormStore
  readonly settingsFrame: SettingsFrame
}

/** `/forms/:formId/settings/danger`: copies and deletes a form, which its owner alone may. */
export const dangerRoutes = ({ pages: { userAction, userPage }, access, forms, settingsFrame }: Options) => {
  const page = (session: Session, formId: string, confirmation?: Confirmation): Response => {
    const form = access.findFormTo('delete', session.userId, formId)
    return settingsFrame(session, form, {
      status: confirmation ? 400 : 200,
      current: 'danger',
      body: html`<ul class="things card">
${thing('Make a copy', 'A new form with the same settings and receivers, and no submissions.', copyButton(form.id))}</ul>
${deletion(form, confirmation)}`,
    })
  }

  const on = {
    show: ({ session, params }: UserVisit<FormParams>): Response => page(session, params.formId),

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

const thing = (name: string, what: string, button: Html): Html => html`<li class="is-none">
<div class="what"><p><strong>${name}</strong></p>
<p class="muted">${what}</p></div>
<div class="does">${button}</div></li>
`

const copyButton = (formId: string): Html =>
  html`<form method="post" action="${duplicatePath(formId)}"><button>Copy<span class="visually-hidden"> this form</span></button></form>`

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
  autocomplete: 'off',
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

import type { Session } from '../accounts/sessions/store.ts'
import type { UserReads } from '../accounts/users/user-reads.ts'
import { visible } from '../base/visible.ts'
import { formPath, formsPath } from '../config/addresses.ts'
import type { FormAccess } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { frame, ownPage } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { refusedWords, roleNames } from './role-words.ts'

interface Options {
  readonly findForm: (id: string) => Form | undefined
  readonly access: Pick<FormAccess, 'roleOf'>
  readonly userReads: Pick<UserReads, 'findUserById'>
}

/**
 * The page for someone whose role in a form is not enough, which says what it is and whom to ask. Undefined for someone with
 * whom the form is not shared, who learns nothing of it.
 */
export const refusedPages =
  ({ findForm, access, userReads }: Options) =>
  ({ userId, email }: Session, formId: string): Response | undefined => {
    const form = findForm(formId)
    const role = form && access.roleOf(userId, form)
    if (!form || role === undefined || role === 'owner') return undefined
    const owner = form.userId === null ? undefined : userReads.findUserById(form.userId)?.email
    const title = html`<bdi>${visible(form.title)}</bdi>`
    return frame({
      ...ownPage('Not allowed', formsPath, email, 403),
      body: html`<div class="card says">
<h1>Your role does not allow this</h1>
<p>You are ${/^[AEIOU]/.test(roleNames[role]) ? 'an' : 'a'} <strong>${roleNames[role]}</strong> of <q>${title}</q>${refusedWords[role]}${owner && html` Ask <bdi>${owner}</bdi>, who owns it.`}</p>
<div class="actions"><a class="button primary named" href="${formPath(form.id)}"><span>Back to ${title}</span></a>${owner && html`<a class="button named" href="mailto:${owner}">Write to ${owner}</a>`}</div>
</div>
${role !== 'manager' && html`<p class="hint apart">If you should see this page, they can make you a Manager, under Settings, “People and data”.</p>`}`,
    })
  }

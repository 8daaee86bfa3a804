import { maxMembers } from '../accounts/members/member-writes.ts'
import type { ListedMember, MemberStore, People } from '../accounts/members/store.ts'
import { parseEmail } from '../accounts/users/email.ts'
import { expecting, forbidden, invalid } from '../base/errors.ts'
import { creationTime } from '../base/id.ts'
import { visible } from '../base/visible.ts'
import {
  formPath,
  formsPath,
  invitePath,
  leavePath,
  memberPath,
  membersPath,
  ownerPath,
  sheetsPath,
} from '../config/addresses.ts'
import type { FormAccess, MemberRole } from '../forms/access.ts'
import { memberRoles } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { copyable } from '../html/copyable.ts'
import { time } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput, radio } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { type FormPage, formFrame } from './form-frame.ts'
import type { PageAccess } from './page-access.ts'
import { errorsOf, parseInputs } from './parse-inputs.ts'
import { roleNames, roleSentence } from './role-words.ts'
import { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent, UserVisit } from './visit.ts'

interface Options {
  readonly pages: PageAccess
  readonly access: FormAccess
  readonly members: MemberStore
  readonly now: () => number
  /** The address of this server, as the browser knows it. */
  readonly addressOf: (request: Request) => string
}

interface MemberParams extends FormParams {
  readonly memberId: string
}

/** `/forms/:formId/members`: lists the people with whom a form is shared, adds, changes and removes them. */
export const membersRoutes = ({
  pages: { navigate, userAction, userPage },
  access,
  members,
  now,
  addressOf,
}: Options) => {
  const newLinks = openShownOnce(now)

  const page = ({ session, params }: UserVisit<FormParams> | UserSent<FormParams>, rest: Partial<Shown>): Response => {
    const { userId, email } = session
    const form = access.findFormTo('share', userId, params.formId)
    return membersPage({
      email,
      form,
      navigation: navigate(userId, form),
      now: now(),
      people: members.listMembers(form),
      ...rest,
    })
  }

  const on = {
    show(visit: UserVisit<FormParams>): Response {
      const { session, query } = visit
      return page(visit, { link: newLinks.take(session.hash, query.created), done: query.done })
    },

    async add(sent: UserSent<FormParams>): Promise<Response> {
      const { request, session, params, form } = sent
      const typed = { email: form.get('email') ?? '', role: form.get('role') ?? '' }
      const inputs = parseInputs({ email: () => parseEmail(typed.email), role: () => parseRole(typed.role) })
      if (inputs.state === 'invalid') return page(sent, { status: 400, typed, errors: inputs.errors })
      const caller = { userId: session.userId, forms: null }
      const added = await expecting(['invalid'], () => members.addMember(caller, params.formId, inputs.values))
      if (added.state === 'invalid') {
        const [issue] = added.error.issues
        const errors = issue?.field === 'email' ? errorsOf(added.error) : { email: issue?.message }
        return page(sent, { status: 400, typed, errors })
      }
      const { id, state, token, isMailed } = added.value
      const path = membersPath(params.formId)
      if (token === undefined)
        return redirect(`${path}?done=${state === 'member' ? 'shared' : isMailed ? 'mailed' : 'not-mailed'}#notice`)
      newLinks.put(session.hash, id, `${addressOf(request)}${invitePath(token)}`)
      return redirect(`${path}?created=${id}#created`)
    },

    showUnsaved(sent: UserSent<FormParams>): Response {
      const typed = { email: sent.form.get('email') ?? '', role: sent.form.get('role') ?? '' }
      return page(sent, { typed, done: 'unsaved' })
    },

    /** Changes the role, or removes someone. A person who leaves the form goes back to the list of forms. */
    async change({ session, params, form }: UserSent<MemberParams>): Promise<Response> {
      const { userId } = session
      const { formId, memberId } = params
      if (form.get('action') === 'remove') {
        await members.removeMember(userId, formId, memberId)
        const left = access.isShutOut(userId, formId)
        return redirect(left ? `${formsPath()}?done=left#notice` : `${membersPath(formId)}?done=removed#notice`)
      }
      await members.updateMember(userId, formId, memberId, parseRole(form.get('role') ?? ''))
      const path = access.mayDo(userId, access.findFormTo('read', userId, formId), 'share') ? membersPath : formPath
      return redirect(`${path(formId)}?done=changed#notice`)
    },

    /** Makes a member the owner, after a question. */
    async handOver({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const form = access.findFormTo('handOver', session.userId, params.formId)
      const email = sent.get('email') ?? ''
      if (sent.get('sure') !== 'yes') return handingPage(session.email, form, email)
      await members.handOver(session.userId, form.id, parseEmail(email))
      return redirect(`${membersPath(form.id)}?done=handed#notice`)
    },

    /** Lets someone leave a form that others share with them, after a question. */
    async leave({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
      const form = access.findFormTo('read', session.userId, params.formId)
      const own = members.findOwn(session.userId, form)
      if (own === undefined) throw forbidden()
      if (sent.get('leave') !== 'yes') return leavingPage(session.email, form)
      await members.removeMember(session.userId, form.id, own)
      return redirect(`${formsPath()}?done=left#notice`)
    },
  }

  return [
    userPage(membersPath, on.show),
    userAction(membersPath, membersPath, on.add, on.showUnsaved),
    userAction(memberPath, membersPath, on.change),
    userAction(ownerPath, membersPath, on.handOver),
    userAction(leavePath, formsPath, on.leave),
  ]
}

/** On the page of the settings: who can also see the form, and the way to share it. */
export const peopleSection = (
  formId: string,
  members: readonly ListedMember[],
): Html => html`<section aria-labelledby="people">
<h3 id="people">People</h3>
<ul class="things card"><li class="is-none"><div class="what"><p>${members.length === 0 ? 'Only you.' : members.map(({ email }, i) => html`${i > 0 && ', '}<bdi>${email}</bdi>`)}</p></div>
<div class="does"><a class="button" href="${membersPath(formId)}">Who can see this form</a></div></li>
<li class="is-none"><div class="what"><p>Live spreadsheets</p></div>
<div class="does"><a class="button" href="${sheetsPath(formId)}">Addresses<span class="visually-hidden"> of live spreadsheets</span></a></div></li></ul>
</section>
`

const handingPage = (email: string, form: Form, to: string): Response =>
  questionPage({
    email,
    title: 'Hand this form over?',
    subject: html`<p class="subject"><bdi>${visible(form.title)}</bdi></p>`,
    text: `${to} becomes the owner, and may delete the form. You remain a manager.`,
    action: ownerPath(form.id),
    answers: html`<input type="hidden" name="email" value="${to}"><input type="hidden" name="sure" value="yes">
<button class="primary">Hand over</button>
<a class="button" href="${membersPath(form.id)}">Cancel</a>`,
  })

const leavingPage = (email: string, form: Form): Response =>
  questionPage({
    email,
    title: 'Leave this form?',
    subject: html`<p class="subject"><bdi>${visible(form.title)}</bdi></p>`,
    text: 'You will not see it any more, unless it is shared with you again.',
    action: leavePath(form.id),
    answers: html`<input type="hidden" name="leave" value="yes">
<button class="primary dangerous">Leave</button>
<a class="button" href="${formsPath()}">Cancel</a>`,
  })

const parseRole = (typed: string): MemberRole => {
  const role = memberRoles.find((one) => one === typed)
  if (role) return role
  throw invalid({ field: 'role', message: 'choose a role' })
}

interface Shown extends Omit<FormPage, 'role'> {
  readonly status?: number
  readonly people: People
  /** The link of an invitation that was just made. */
  readonly link?: string | null
  readonly typed?: { readonly email: string; readonly role: string }
  readonly errors?: InputErrors
  readonly done?: unknown
}

const doneTexts: Readonly<Record<string, string>> = {
  shared: 'The form is shared, and is on their list of forms.',
  mailed: 'Invited. The link was emailed to this address only.',
  changed: 'The role has been changed.',
  handed: 'Handed over. You are now a manager of the form.',
  removed: 'Removed. They can no longer see the form.',
}

const membersPage = (shown: Shown): Response => {
  const { status, email, form, navigation, now, people, link, done } = shown
  const text = typeof done === 'string' && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined
  return formFrame({
    ...(status !== undefined && { status }),
    form,
    email,
    navigation,
    tab: 'Settings',
    now,
    body: html`${text && notice('done', text)}
${done === 'unsaved' && html`<p class="notice failed" role="alert">Not shared yet. What you typed is below.</p>`}
${
  done === 'not-mailed' &&
  notice(
    'failed',
    'Invited, but no email was sent. The address may have stopped all emails, or, in the last 24 hours, got an invitation to a form of the same owner or three in all; 50 invitations may have been sent in that time; or the mail server refused the email. Cancel the invitation and try again later.',
  )
}
${link && created(link)}
<section class="card" aria-labelledby="people-heading">
<h2 id="people-heading">People</h2>
<p>Who can see what people send to this form, and what they can do with it.</p>
<ul class="plain">
<li><p><bdi>${people.owner}</bdi><br><span class="small muted">Owner: can do everything</span></p></li>
${people.members.map((member) => memberItem(form.id, member))}
</ul>
${people.members.length < maxMembers ? addition(shown) : html`<p>A form is shared with at most ${maxMembers} people.</p>`}
</section>
${people.owner === email && people.members.some(mayGet) && handing(form.id, people.members)}`,
  })
}

const memberItem = (formId: string, { id, email, role, userId, isProved, invitedBy }: ListedMember): Html => html`<li>
<form class="row" method="post" action="${membersPath(formId)}/${id}">
<p><bdi>${email}</bdi><br>
<span class="small muted">${userId === null ? html`Invited ${time(creationTime(id))}, not accepted yet` : html`Since ${time(creationTime(id))}`}</span>${isProved === false && unproved(userId !== null, invitedBy)}</p>
<select name="role" aria-label="Role of ${email}">
${memberRoles.map((one) => html`<option value="${one}"${one === role && html` selected`}>${roleNames[one]}</option>`)}
</select>
<button aria-label="Save the role of ${email}">Save</button>
<button class="danger" name="action" value="remove" aria-label="${userId === null ? 'Cancel invitation of' : 'Remove'} ${email}">${userId === null ? 'Cancel invitation' : 'Remove'}</button>
</form>
</li>
`

/** Whether the form can be handed over to them. */
const mayGet = ({ userId, isProved }: ListedMember): boolean => userId !== null && isProved === true

/** Says who the person may be. */
const unproved = (isMember: boolean, invitedBy: string | null): Html => html`<br>
<span class="small">This address has not been proved. ${isMember ? 'The account' : 'There is an account with it, which'} was created through an invitation from <bdi>${invitedBy ?? 'a user who was deleted'}</bdi>: anyone who had the link may use it.</span>`

const handing = (
  formId: string,
  members: readonly ListedMember[],
): Html => html`<section class="card" aria-labelledby="owner-heading">
<h2 id="owner-heading">Hand the form over</h2>
<p>The person you choose becomes the owner, and you remain a manager.</p>
<form class="row" method="post" action="${ownerPath(formId)}">
<select name="email" aria-label="The new owner">
${members.filter(mayGet).map(({ email }) => html`<option>${email}</option>`)}
</select>
<button>Hand over</button>
</form>
</section>
`

const addition = ({
  form,
  typed = { email: '', role: 'reader' },
  errors = {},
}: Shown): Html => html`<form class="ask" method="post" action="${membersPath(form.id)}">
<h3>Share the form</h3>
${labelledInput({
  name: 'email',
  label: 'Email address',
  type: 'email',
  value: typed.email,
  error: errors.email,
  hint: 'A person without an account here gets a link to create one.',
  autocomplete: 'off',
})}
<fieldset>
<legend>Role</legend>
${memberRoles.map((role) =>
  radio({
    name: 'role',
    value: role,
    label: roleNames[role],
    hint: roleSentence(role),
    chosen: typed.role || 'reader',
  }),
)}
</fieldset>
<button class="primary">Share</button>
</form>`

const created = (
  link: string,
): Html => html`<section class="card new" id="created" tabindex="-1" aria-labelledby="created-heading" data-secret>
<h2 id="created-heading">The invitation</h2>
<p><strong>Copy the link now</strong> and pass it on: it is shown only once. It works once, within seven days, for this email address.</p>
${copyable('invitation', link, 'Copy link')}
</section>`

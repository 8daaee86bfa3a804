import { maxMembers } from '../accounts/members/member-writes.ts'
import type { ListedMember } from '../accounts/members/store.ts'
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
  type ParamsOf,
  peopleSettingsPath,
} from '../config/addresses.ts'
import type { FormTo, MemberRole } from '../forms/access.ts'
import { memberRoles } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { copyable } from '../html/copyable.ts'
import { time, withCommas } from '../html/format.ts'
import { notice, noticeOf } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import { questionPage } from '../html/message-page.ts'
import { redirect } from '../html/redirect.ts'
import { type BesideVisit, type ShowPeople, type TypedBeside, typedFor } from './form-settings.ts'
import type { PageOptions } from './page-options.ts'
import { errorsOf, parseInputs } from './parse-inputs.ts'
import { memberWords, roleNames, rolesHint } from './role-words.ts'
import { openShownOnce } from './shown-once.ts'
import type { FormParams, UserSent } from './visit.ts'

type MemberParams = ParamsOf<typeof memberPath.route>

/** People in one list: each has a menu. */
const shownMembers = 20

/** Leads to those before and after a list that begins with the one at this position. */
const others = (formId: string, count: number, from: number): Html | false => {
  const to = (first: number, words: string) =>
    html`<a href="${peopleSettingsPath(formId)}?from=${first}#people">${words}</a> `
  const [before, after] = [from, count - from - shownMembers]
  return (
    (before > 0 || after > 0) &&
    html`<p>${before > 0 && to(Math.max(0, from - shownMembers), `${withCommas(before)} before`)}${after > 0 && to(from + shownMembers, `${withCommas(after)} more people`)}</p>`
  )
}

/** Who can see a form: the part of the page of people and data, and what it sends, which `show` answers if it is wrong. */
export const membersPart = ({ pages: { userAction }, access, members, now, addressOf }: PageOptions) => {
  const newLinks = openShownOnce(now)

  const section = ({ session, query, beside }: BesideVisit, form: FormTo<'share'>): Html => {
    const { owner, members: all } = members.listMembers(form)
    const from = Math.min(Number(/^\d{1,2}$/.exec(String(query.from))?.[0] ?? 0), all.length)
    const isOwner = owner === session.email
    const link = newLinks.take(session.hash, query.created)
    return html`${news(query.done, beside)}${link && created(link)}<section aria-labelledby="people">
<h3 id="people">People</h3>
<ul class="things card">
<li class="is-none"><div class="what"><p><strong><bdi>${owner}</bdi></strong> <span class="chip">Owner</span></p>
<p class="muted">${isOwner && 'You. '}Can do everything.</p></div></li>
${all.slice(from, from + shownMembers).map((member) => memberItem(form.id, member, isOwner))}</ul>
${others(form.id, all.length, from)}
${all.length < maxMembers ? addition(form.id, beside) : html`<p>A form is shared with at most ${maxMembers} people.</p>`}
</section>
`
  }

  const routes = (show: ShowPeople) => {
    const on = {
      async add(sent: UserSent<FormParams>): Promise<Response> {
        const { request, session, params, form } = sent
        const typed = typedIn(form)
        const refuse = (errors: TypedBeside['errors']) =>
          show(sent, { status: 400, beside: { part: 'members', typed, errors } })
        const inputs = parseInputs({ email: () => parseEmail(typed.email), role: () => parseRole(typed.role) })
        if (inputs.state === 'invalid') return refuse(inputs.errors)
        const caller = { userId: session.userId, forms: null }
        const added = await expecting(['invalid'], () => members.addMember(caller, params.formId, inputs.values))
        if (added.state === 'invalid') {
          const [issue] = added.error.issues
          return refuse(issue?.field === 'email' ? errorsOf(added.error) : { email: issue?.message })
        }
        const { id, state, token, isMailed } = added.value
        const path = peopleSettingsPath(params.formId)
        if (token === undefined)
          return redirect(`${path}?done=${state === 'member' ? 'shared' : isMailed ? 'mailed' : 'not-mailed'}#notice`)
        newLinks.put(session.hash, id, `${addressOf(request)}${invitePath(token)}`)
        return redirect(`${path}?created=${id}#created`)
      },

      showUnsaved: (sent: UserSent<FormParams>): Promise<Response> =>
        show(sent, { status: 200, beside: { part: 'members', typed: typedIn(sent.form), errors: {} } }),

      /** Changes the role, or removes someone. A person who leaves the form goes back to the list of forms. */
      async change({ session, params, form }: UserSent<MemberParams>): Promise<Response> {
        const { userId } = session
        const { formId, memberId } = params
        if (form.get('action') === 'remove') {
          await members.removeMember(userId, formId, memberId)
          const left = access.isShutOut(userId, formId)
          return redirect(
            left ? `${formsPath()}?done=left#notice` : `${peopleSettingsPath(formId)}?done=removed#notice`,
          )
        }
        await members.updateMember(userId, formId, memberId, parseRole(form.get('role') ?? ''))
        const mayShare = access.mayDo(userId, access.findFormTo('read', userId, formId), 'share')
        return redirect(`${(mayShare ? peopleSettingsPath : formPath)(formId)}?done=changed#notice`)
      },

      /** Makes a member the owner, after a question. */
      async handOver({ session, params, form: sent }: UserSent<FormParams>): Promise<Response> {
        const form = access.findFormTo('handOver', session.userId, params.formId)
        const email = sent.get('email') ?? ''
        if (sent.get('sure') !== 'yes') return handingPage(session.email, form, email)
        await members.handOver(session.userId, form.id, parseEmail(email))
        return redirect(`${peopleSettingsPath(form.id)}?done=handed#notice`)
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
      userAction(membersPath, peopleSettingsPath, on.add, on.showUnsaved),
      userAction(memberPath, peopleSettingsPath, on.change),
      userAction(ownerPath, peopleSettingsPath, on.handOver),
      userAction(leavePath, formsPath, on.leave),
    ]
  }

  return { section, routes }
}

const typedIn = (form: URLSearchParams) => ({ email: form.get('email') ?? '', role: form.get('role') ?? '' })

const handingPage = (email: string, form: Form, to: string): Response =>
  questionPage({
    email,
    title: 'Hand this form over?',
    subject: html`<p><strong><bdi>${visible(form.title)}</bdi></strong></p>`,
    text: `${to} becomes the owner, and may delete the form. You remain a manager.`,
    action: ownerPath(form.id),
    answers: html`<input type="hidden" name="email" value="${to}"><input type="hidden" name="sure" value="yes">
<button class="primary">Hand over</button>
<a class="button" href="${peopleSettingsPath(form.id)}">Cancel</a>`,
  })

const leavingPage = (email: string, form: Form): Response =>
  questionPage({
    email,
    title: 'Leave this form?',
    subject: html`<p><strong><bdi>${visible(form.title)}</bdi></strong></p>`,
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

const doneTexts: Readonly<Record<string, string>> = {
  shared: 'The form is shared, and is on their list of forms.',
  mailed: 'Invited. The link was emailed to this address only.',
  changed: 'The role has been changed.',
  handed: 'Handed over. You are now a manager of the form.',
  removed: 'Removed. They can no longer see the form.',
  'sheet-deleted': 'The address of the spreadsheet has been deleted and no longer works.',
}

const news = (done: unknown, beside: TypedBeside | undefined): Html => {
  const isUnsaved = beside !== undefined && Object.keys(beside.errors).length === 0
  return html`${noticeOf(doneTexts, done)}${isUnsaved && notice('failed', 'Not done yet. What you typed is below.')}${
    done === 'not-mailed' &&
    notice(
      'failed',
      'Invited, but no email was sent. The address may have stopped all emails, or, in the last 24 hours, got an invitation to a form of the same owner or three in all; 50 invitations may have been sent in that time; or the mail server refused the email. Cancel the invitation and try again later.',
    )
  }`
}

const memberItem = (formId: string, member: ListedMember, isOwner: boolean): Html => {
  const { id, email, role, userId, isProved, invitedBy } = member
  const isMember = userId !== null
  return html`<li class="is-none"><div class="what"><p><strong><bdi>${email}</bdi></strong> <span class="chip">${roleNames[role]}</span></p>
<p class="muted">${isMember ? html`Since ${time(creationTime(id))}. ${memberWords[role]}` : html`Invited ${time(creationTime(id))}, not accepted yet.`}</p>${isProved === false && unproved(isMember, invitedBy)}</div>
<div class="does"><details class="menu more quiet" name="menus"><summary><span aria-hidden="true">⋯</span><span class="visually-hidden">More for ${email}</span></summary>
<form class="panel items" method="post" action="${memberPath(formId, id)}"><ul class="items">
${memberRoles.map((one) => html`<li><button name="role" value="${one}"${one === role && html` aria-current="true"`}>${roleNames[one]}</button></li>`)}
${isOwner && mayGet(member) && html`<li class="apart"><button formaction="${ownerPath(formId)}" name="email" value="${email}">Make the owner…</button></li>`}<li class="apart"><button class="danger" name="action" value="remove">${isMember ? 'Remove' : 'Cancel invitation'}</button></li>
</ul></form></details></div></li>
`
}

/** Whether the form can be handed over to them. */
export const mayGet = ({ userId, isProved }: ListedMember): boolean => userId !== null && isProved === true

/** Says who the person may be. */
const unproved = (isMember: boolean, invitedBy: string | null): Html => html`
<p class="small">This address has not been proved. ${isMember ? 'The account' : 'There is an account with it, which'} was created through an invitation from <bdi>${invitedBy ?? 'a user who was deleted'}</bdi>: anyone who had the link may use it.</p>`

const addition = (formId: string, beside: TypedBeside | undefined): Html => {
  const { typed, errors } = typedFor('members', beside)
  const options = memberRoles.map((value) => ({ value, label: roleNames[value] }))
  return html`<form class="inline" method="post" action="${membersPath(formId)}">
${labelledInput({ name: 'email', id: 'share-email', label: 'Share with', type: 'email', value: typed.email ?? '', error: errors.email })}
${labelledInput({ name: 'role', label: 'as', type: 'select', value: typed.role || 'reader', options, error: errors.role })}
<button class="primary">Share</button>
</form>
<p class="hint">${rolesHint} Someone without an account gets a link to make one.</p>`
}

const created = (
  link: string,
): Html => html`<section class="card new" id="created" tabindex="-1" aria-labelledby="created-heading" data-secret>
<h2 id="created-heading">The invitation</h2>
<p><strong>Copy the link now</strong> and pass it on: it is shown only once. It works once, within seven days, for this email address.</p>
${copyable('invitation', link, 'Copy link')}
</section>`

import type { MemberStore } from '../accounts/members/store.ts'
import { visible } from '../base/visible.ts'
import { formPath, formsPath } from '../config/addresses.ts'
import type { FormTo } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { FormLists } from '../forms/form-lists.ts'
import type { FormStore } from '../forms/store.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { UnreadReads } from '../submissions/unread.ts'

export interface JumpOptions {
  readonly formLists: Pick<FormLists, 'listFormsByActivity'>
  readonly forms: Pick<FormStore, 'findReadable'>
  readonly members: Pick<MemberStore, 'listShared'>
  readonly unreadReads: Pick<UnreadReads, 'countUnread'>
}

/** Own forms in the menu, and as many of others. The rest is on the page of all forms. */
const page = { page: 1, perPage: 10 }

/** The title of the form as a menu of the others; undefined for someone who has no other one. */
export const jumpMenu = (
  { formLists, forms, members, unreadReads }: JumpOptions,
  userId: string,
  current: Pick<Form, 'id' | 'title'>,
): Html | undefined => {
  const own = formLists.listFormsByActivity(userId, page)
  const shared = members.listShared(userId, page)
  if (own.total + shared.total < 2) return undefined
  const others = forms.findReadable(
    userId,
    shared.forms.map(({ id }) => id),
  )
  const listed: FormTo<'read'>[] = [...own.forms, ...others].sort((a, b) => (a.latestId < b.latestId ? 1 : -1))
  return html`<details class="menu start jump" name="menus">
<summary><h1><bdi>${visible(current.title)}</bdi></h1></summary>
<ul class="panel items">
${listed.map((form) => item(form, form.id === current.id, unreadReads.countUnread(form, userId)))}<li class="apart"><a href="${formsPath()}">All forms</a></li>
</ul>
</details>`
}

const item = (form: Form, isCurrent: boolean, unreadCount: number): Html =>
  html`<li><a href="${formPath(form.id)}"${isCurrent && html` aria-current="page"`}><bdi>${visible(form.title)}</bdi>${unreadCount > 0 && html`<span class="count">${withCommas(unreadCount)}<span class="visually-hidden"> unread</span></span>`}</a></li>
`

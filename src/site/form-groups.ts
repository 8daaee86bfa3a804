import { creationTime } from '../base/id.ts'
import { toIsoTime } from '../base/moment.ts'
import { visible } from '../base/visible.ts'
import { deliveriesPath, formPath, formsPath } from '../config/addresses.ts'
import type { FormGroup, GroupedForm } from '../forms/lists/grouped-forms.ts'
import { counted, rowTime, withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'

/** The heading of forms that are in no group. */
export const groupTitle = (name: string | null): string => (name === null ? 'Other' : visible(name))

const groupPath = (name: string): string => `${formsPath()}?${new URLSearchParams({ group: name })}`

interface Folded {
  readonly groups: readonly FormGroup<GroupedForm>[]
  readonly unreadIn: (form: GroupedForm) => number
  /** Numbers of those whose deliveries failed, as far as the user may see that. */
  readonly failing: ReadonlySet<number>
  readonly now: number
}

/** More forms than a page has rows for: the titles of each group, which are seen when it is opened. */
export const foldedGroups = ({
  groups,
  unreadIn,
  failing,
  now,
}: Folded): Html => html`<section class="list" aria-label="Forms">
${groups.map(({ name, forms }) => {
  const unread = forms.reduce((sum, form) => sum + unreadIn(form), 0)
  const latest = forms.find(({ submissionCount }) => submissionCount > 0)
  const at = latest && creationTime(latest.latestId)
  return html`<details class="group">
<summary><h2><bdi>${groupTitle(name)}</bdi></h2><span class="muted">${counted(forms.length, 'form')}</span>${unread > 0 && html`<span class="chip is-good">${withCommas(unread)} unread</span>`}${forms.some(({ number }) => failing.has(number)) && html`<span class="chip is-bad">Not delivered</span>`}${at !== undefined && html`<time datetime="${toIsoTime(at)}" data-format="row">${rowTime(at, now)}</time>`}</summary>
<ul class="titles">
${forms.map((form) => title(form, unreadIn(form), failing.has(form.number)))}</ul>
${name !== null && html`<p><a class="button" href="${groupPath(name)}">Open as a list<span class="visually-hidden">: ${visible(name)}</span></a></p>`}</details>
`
})}</section>`

const title = ({ id, title: text }: GroupedForm, unread: number, isFailing: boolean): Html =>
  html`<li><a href="${formPath(id)}"><bdi>${visible(text)}</bdi></a>${unread > 0 && html`<span class="chip is-good">${withCommas(unread)}<span class="visually-hidden"> unread</span></span>`}${isFailing && html`<a class="chip is-bad" href="${deliveriesPath(id)}">Not delivered</a>`}</li>
`

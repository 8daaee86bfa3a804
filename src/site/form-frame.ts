import type { Session } from '../accounts/sessions/store.ts'
import { visible } from '../base/visible.ts'
import {
  answersPath,
  embedPath,
  formPath,
  formsPath,
  formTabPath,
  settingsPath,
  spamPath,
} from '../config/addresses.ts'
import { type FormAccess, isEnough, type Role } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import type { MenuForm } from '../forms/lists/own-forms.ts'
import type { FormLists } from '../forms/lists/store.ts'
import { type Closing, closedReasons, whyClosed } from '../forms/settings/opening.ts'
import { time, withCommas } from '../html/format.ts'
import { frame, header, pageTitle, unreadTitle } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { UnreadReads } from '../submissions/unread.ts'

/** The pages of a form, as tabs above each of them. */
const tabs = [
  { name: 'Submissions', pathOf: formPath },
  { name: 'Answers', pathOf: answersPath },
  { name: 'Spam', pathOf: spamPath },
  { name: 'Form', pathOf: formTabPath },
  { name: 'Embed', pathOf: embedPath },
  { name: 'Settings', pathOf: settingsPath },
] as const

/** What every page of a form needs to know. */
export interface FormPage<F extends Form = Form> {
  /** Address of the user who is signed in. */
  readonly email: string
  /** The role of this user in the form. */
  readonly role: Role | undefined
  readonly form: F
  readonly jump: Html | undefined
  readonly now: number
}

interface Options {
  readonly access: Pick<FormAccess, 'roleOf'>
  readonly formLists: Pick<FormLists, 'listForMenu'>
  readonly unreadReads: Pick<UnreadReads, 'unreadCounter'>
  readonly now: () => number
}

/** Reads what a page of a form needs to know, in the turn in which the form was found. */
export const formPages =
  (options: Options) =>
  <F extends Form>({ userId, email }: Pick<Session, 'userId' | 'email'>, form: F): FormPage<F> => ({
    email,
    role: options.access.roleOf(userId, form),
    form,
    jump: jumpMenu(options, userId, form),
    now: options.now(),
  })

interface Framed extends FormPage {
  readonly status?: number
  readonly tab: (typeof tabs)[number]['name']
  /** What the page is called, if that is not the name of the tab. */
  readonly name?: string
  /** Whether the page has rows, to which a link before everything leads. */
  readonly hasRows?: boolean
  /** At the end of the line with the title. */
  readonly end?: Html
  /** Unread submissions, for the title of the tab. */
  readonly unreadCount?: number
  readonly body: Html
  readonly headers?: Readonly<Record<string, string>>
}

/** Responds with a page of a form: its title, the tabs, and below them the body. */
export const formFrame = ({
  status = 200,
  form,
  now,
  email,
  tab,
  // The first tab is what the form is about. Its page needs no other name than the form's.
  name = tab === 'Submissions' ? '' : tab,
  role,
  jump,
  hasRows,
  end,
  unreadCount = 0,
  body,
  headers = {},
}: Framed): Response => {
  const isOfAll = ({ name }: (typeof tabs)[number]): boolean => name !== 'Form' && name !== 'Settings'
  const shownTabs = tabs.filter((one) => isOfAll(one) || isEnough(role, 'configure'))
  return frame({
    status,
    title: pageTitle(unreadTitle(unreadCount, `${name && `${name} · `}${form.title}`), status),
    headers,
    width: 'list',
    header: header(formsPath, email),
    body: html`${hasRows && html`<a class="skip" href="#rows">Skip to the rows</a>`}<div class="head">
${jump ?? html`<h1><bdi>${visible(form.title)}</bdi></h1>`}
${closedState(form, now)}${role === 'reader' && html`<span class="chip">Reader</span>`}
<nav class="tabs" aria-label="${visible(form.title)}">
${shownTabs.map(
  ({
    name: label,
    pathOf,
  }) => html`<a href="${pathOf(form.id)}"${label === tab && html` aria-current="page"`}>${label}${label === 'Spam' && form.spamCount > 0 && html` <span class="count">${withCommas(form.spamCount)}</span>`}</a>
`,
)}</nav>
${end}
</div>
${body}`,
  })
}

/** A label after the title of a form that takes no submissions. */
export const closedState = (form: Closing, now: number): Html | false => {
  const closed = whyClosed(form, now)
  if (!closed) return false
  return html`<span class="chip">${closedReasons[closed.reason].state}${closed.reason === 'early' && html` ${time(closed.moment)}`}</span>`
}

/** The title of the form as a menu of others, of which the rest is on their page; undefined if there is no other one. */
const jumpMenu = (
  { formLists, unreadReads }: Options,
  userId: string,
  current: Pick<Form, 'id' | 'title'>,
): Html | undefined => {
  const { total, forms } = formLists.listForMenu(userId)
  if (total < 2) return undefined
  const unreadIn = unreadReads.unreadCounter(forms, userId)
  return html`<details class="menu start jump" name="menus">
<summary><h1><bdi>${visible(current.title)}</bdi></h1></summary>
<ul class="panel items">
${forms.map((form) => jumpItem(form, form.id === current.id, unreadIn(form)))}<li class="apart"><a href="${formsPath()}">All forms</a></li>
</ul>
</details>`
}

const jumpItem = (form: MenuForm, isCurrent: boolean, unreadCount: number): Html =>
  html`<li><a href="${formPath(form.id)}"${isCurrent && html` aria-current="page"`}><bdi>${visible(form.title)}</bdi>${unreadCount > 0 && html`<span class="count">${withCommas(unreadCount)}<span class="visually-hidden"> unread</span></span>`}</a></li>
`

import type { Form } from '../forms/ownership.ts'
import { ago, count, time } from '../html/format.ts'
import { frame, header, notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager } from '../html/pager.ts'
import type { ListPage } from '../list-page.ts'
import { closedState, formPath } from './form-frame.ts'
import { smallPlot, total as totalOf } from './small-plot.ts'

export interface FormRow {
  readonly form: Form
  /** Submissions that the owner has not seen. */
  readonly newCount: number
  /** Whether somebody was not told of a submission. */
  readonly isInTrouble: boolean
  /** Submissions on each of the last days, the last one today. */
  readonly days: readonly number[]
  readonly newest: { readonly at: number; readonly who: string; readonly words: string } | undefined
}

interface Shown extends ListPage {
  readonly email: string
  /** What was just done. */
  readonly done: string | undefined
  readonly rows: readonly FormRow[]
  readonly now: number
  /** Forms on all pages together. */
  readonly total: number
}

export const formListPage = ({ email, done, rows, now, ...paged }: Shown): Response =>
  frame({
    title: 'Forms · Formbox',
    width: 'wide',
    header: header('/', email),
    body: html`<div class="head">
<div>
<h1>Forms</h1>
<p class="lead">${paged.total > rows.length ? `${count(paged.total)} forms` : news(rows)}</p>
</div>
<a class="button primary" href="/forms/new">New form</a>
</div>
${done && notice('done', done)}
<ul class="card flush bleed forms">
${rows.map((row) => item(row, now))}
</ul>
${pager({ ...paged, toPath: (page) => (page === 1 ? '/' : `/?page=${page}`) })}`,
  })

const news = (rows: readonly FormRow[]): string => {
  const sum = totalOf(rows.map(({ newCount }) => newCount))
  if (sum === 0) return 'Nothing new since you last looked'
  return `${sum === 1 ? 'One new submission' : `${count(sum)} new submissions`} since you last looked`
}

const item = ({ form, newCount, isInTrouble, days, newest }: FormRow, now: number): Html => {
  const lately = totalOf(days)
  return html`<li${newCount > 0 && html` class="is-new"`}>
<div>
<h2><a class="open" href="${formPath(form.id)}"><bdi>${form.title}</bdi></a>${closedState(form)}${newCount > 0 && html` <span class="state active">${count(newCount)} new</span>`}${isInTrouble && html` <span class="state failed">Not delivered</span>`}</h2>
${newest ? latest(newest, now) : nothingYet(form)}
</div>
<figure class="plot${lately === 0 && ' flat'}">
${smallPlot(days, now)}
<figcaption>${form.submissionCount === 0 ? 'None yet' : `${count(form.submissionCount)} in all`}<span>${lately > 0 && `${count(lately)} in ${days.length} days`}</span></figcaption>
</figure>
</li>
`
}

const latest = ({ at, who, words }: NonNullable<FormRow['newest']>, now: number): Html =>
  html`<p class="latest"><bdi>${who && html`<b>${who}</b> `}${words}</bdi> ${ago(at, now, 24, time(at))}</p>`

const nothingYet = ({ id, title }: Form): Html => html`<p class="muted">Nothing yet.
<a class="above" href="${formPath(id)}/embed">Put its snippet on your page<span class="visually-hidden">: ${title}</span></a></p>`

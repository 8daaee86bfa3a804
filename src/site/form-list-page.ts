import type { ListedForm } from '../forms/store.ts'
import { count } from '../html/count.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { type Html, html } from '../html/html.ts'
import { notice } from '../html/notice.ts'
import { pager } from '../html/pager.ts'
import type { ListPage } from '../list-page.ts'
import { formPath } from './form-frame.ts'

interface Shown extends ListPage {
  readonly email: string
  /** What was just done. */
  readonly done: string | undefined
  readonly forms: readonly ListedForm[]
  /** Forms on all pages together. */
  readonly total: number
}

export const formListPage = ({ email, done, forms, ...paged }: Shown): Response =>
  frame({
    title: 'Forms · Formbox',
    width: 'wide',
    header: header('/', email),
    body: html`<div class="head">
<div>
<h1>Forms</h1>
<p class="lead">${paged.total === 1 ? 'One form' : `${count(paged.total)} forms`}</p>
</div>
<a class="button primary" href="/forms/new">New form</a>
</div>
${done && notice('done', done)}
<ul class="card flush bleed forms">
${forms.map(row)}
</ul>
${pager({ ...paged, toPath: (page) => (page === 1 ? '/' : `/?page=${page}`) })}`,
  })

const row = ({ id, title, description, submissionCount }: ListedForm): Html => html`<li>
<div>
<h2><a class="open" href="${formPath(id)}"><bdi>${title}</bdi></a></h2>
${
  submissionCount === 0
    ? html`<p class="muted">Nothing yet. <a class="above" href="${formPath(id)}/embed">Put its snippet on your
page<span class="visually-hidden">: ${title}</span></a></p>`
    : description && html`<p class="latest"><bdi>${description}</bdi></p>`
}
</div>
<p class="small muted">${submissionCount === 0 ? 'None yet' : `${count(submissionCount)} in all`}</p>
</li>
`

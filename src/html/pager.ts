import type { ListPage } from '../list-page.ts'
import { count } from './count.ts'
import { type Html, html } from './html.ts'

interface Paged extends ListPage {
  /** Items on all pages together. */
  readonly total: number
  readonly toPath: (page: number) => string
}

/** Links to the pages before and after one page of a list, and what it shows. Nothing for a list of one page. */
export const pager = ({ page, perPage, total, toPath }: Paged): Html | false => {
  if (total <= perPage) return false
  const first = (page - 1) * perPage + 1
  const last = Math.min(page * perPage, total)
  return html`<nav class="pages" aria-label="Pages">
${link('newer', 'Newer', page > 1 && toPath(page - 1))}
<p>${count(first)} to ${count(last)} of ${count(total)}</p>
${link('older', 'Older', last < total && toPath(page + 1))}
</nav>`
}

/** Without a path it only takes its place. */
const link = (kind: string, name: string, path: string | false): Html =>
  path === false
    ? html`<span class="button ${kind} off" aria-hidden="true">${name}</span>`
    : html`<a class="button ${kind}" href="${path}">${name}</a>`

/** The page that the query asks for. What is no page number is the first one, and what is past the end the last one. */
export const parsePage = (text: unknown, perPage: number, total: number): number => {
  const page = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 1
  return Math.min(page, Math.max(1, Math.ceil(total / perPage)))
}

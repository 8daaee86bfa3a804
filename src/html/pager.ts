import type { ListPage } from '../base/list-page.ts'
import { withCommas } from './format.ts'
import { type Html, html } from './html.ts'

interface Paged extends ListPage {
  /** Items on all pages together. */
  readonly total: number
  readonly toPath: (page: number) => string
  /** The words of the links to the page before and to the one after. */
  readonly names?: readonly [before: string, after: string]
}

/** Links to the pages before and after one page of a list, and the numbers of its items. False for a list of one page. */
export const pager = ({
  page,
  perPage,
  total,
  toPath,
  names: [before, after] = ['Newer', 'Older'],
}: Paged): Html | false => {
  if (total <= perPage) return false
  const first = (page - 1) * perPage + 1
  const last = Math.min(page * perPage, total)
  return html`<nav class="pages" aria-label="Pages">
${pageLink('newer', before, page > 1 && toPath(page - 1))}
<p>${withCommas(first)} to ${withCommas(last)} of ${withCommas(total)}</p>
${pageLink('older', after, last < total && toPath(page + 1))}
</nav>`
}

/**
 * A link to the page before or after, and the keys that do the same (see shortcuts.js). Without a path, an empty space of
 * the same size.
 */
const pageLink = (kind: 'newer' | 'older', name: string, path: string | false, keys?: string): Html =>
  path === false
    ? html`<span class="button ${kind} off" aria-hidden="true">${name}</span>`
    : html`<a class="button ${kind}" href="${path}"${keys && html` data-key="${keys}"`}>${name}</a>`

/** Anything but a page number means the first page. */
export const pageNumber = (text: unknown): number =>
  typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 1

/** Reads the page that the query asks for. A number past the end means the last page. */
export const readPage = <Found extends { readonly total: number }>(
  text: unknown,
  perPage: number,
  read: (page: ListPage) => Found,
): Found & ListPage => {
  const page = pageNumber(text)
  const found = read({ page, perPage })
  const last = Math.max(1, Math.ceil(found.total / perPage))
  if (page <= last) return { ...found, page, perPage }
  return { ...read({ page: last, perPage }), page: last, perPage }
}

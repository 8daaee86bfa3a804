import type { ListPage } from '../base/list-page.ts'

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

import { Type } from '@sinclair/typebox'
import type { ListPage } from '../base/list-page.ts'
import { NamedObject } from './kind-schema.ts'
import { QueryInteger } from './query-types.ts'

const page = QueryInteger({ minimum: 1, preset: 1, description: 'Page number, starting at 1' })
const perPage = QueryInteger({ minimum: 1, maximum: 100, preset: 20, description: 'Items per page' })

/** The parameters of every list. */
export const listParameters = { page, perPage }

export const PaginationSchema = NamedObject('Pagination', {
  page: Type.Integer({ minimum: 1, example: 1 }),
  perPage: Type.Integer({ minimum: 1, maximum: 100, example: 20 }),
  total: Type.Integer({ minimum: 0, example: 1, description: 'Number of items on all pages' }),
  totalPages: Type.Integer({ minimum: 0, example: 1, description: '0 for an empty list' }),
})

export const toPage = (query: { page?: string | undefined; perPage?: string | undefined }): ListPage => ({
  page: Number(query.page ?? page.preset),
  perPage: Number(query.perPage ?? perPage.preset),
})

/** JSON text of a page's metadata. */
export const paginationJson = ({ page, perPage }: ListPage, total: number): string =>
  `{"page":${page},"perPage":${perPage},"total":${total},"totalPages":${Math.ceil(total / perPage)}}`

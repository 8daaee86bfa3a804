import { notFound } from '../errors.ts'

/**
 * An identifier out of a path. `bulk` is none, under whatever method: it addresses the bulk operations beside it.
 *
 * @throws AppError `not_found`
 */
export const pathId = (segment: string): string => {
  if (segment === 'bulk') throw notFound()
  return segment
}

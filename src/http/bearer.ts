import { AppError } from '../errors.ts'

/**
 * The token in `Authorization: Bearer TOKEN`, with the scheme in any case (RFC 6750 section 2.1). Undefined where the
 * header looks different.
 *
 * @throws AppError `unauthenticated` when there is no such header
 */
export const bearerToken = (request: Request): string | undefined => {
  const authorization = request.headers.get('authorization')
  if (authorization === null) throw new AppError('unauthenticated', 'Authorization not provided')
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
}

import { AppError } from '../errors.ts'

/**
 * The token in `Authorization: Bearer TOKEN`; the case of `Bearer` does not matter (RFC 6750 section 2.1). Undefined if
 * the header has another form.
 *
 * @throws AppError `unauthenticated` if the header is missing
 */
export const bearerToken = (request: Request): string | undefined => {
  const authorization = request.headers.get('authorization')
  if (authorization === null) throw new AppError('unauthenticated', 'Authorization not provided')
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
}

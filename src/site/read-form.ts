import { invalid, tooLarge } from '../errors.ts'
import { mediaType } from '../http/headers.ts'
import { readBody } from '../http/read-body.ts'
import { decodeUtf8 } from '../json.ts'

const maxBytes = 64 * 1024
/** So that lists that are too long get the page that says so: browsers encode a character in up to 12 bytes. */
const maxBytesOfUser = 512 * 1024

/**
 * The fields of a form that one of our pages sent. Large bodies share the memory that one user may have, or that all
 * visitors together may have.
 *
 * @param userId of the user who is signed in
 * @throws AppError `invalid` or `too_large`
 */
export const readForm = async (request: Request, userId?: string): Promise<URLSearchParams> => {
  const type = mediaType(request)
  if (type !== 'application/x-www-form-urlencoded')
    throw invalid({
      field: 'body',
      message: `must have Content-Type application/x-www-form-urlencoded, has ${type || 'none'}`,
    })
  const most = userId === undefined ? maxBytes : maxBytesOfUser
  const bytes = await readBody({ request, server: null, owner: () => userId ?? 'pages' }, most)
  if (bytes === 'too large') throw tooLarge(most)
  return new URLSearchParams(decodeUtf8(bytes))
}

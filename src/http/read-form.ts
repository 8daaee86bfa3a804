import { expecting, invalid, tooLarge } from '../base/errors.ts'
import { decodeUtf8 } from '../base/json.ts'
import { mediaType } from './headers.ts'
import { readBody } from './read-body.ts'

const maxBytes = 64 * 1024
/** Enough for a list that is too long to reach the page that says so: browsers encode a character in up to 12 bytes. */
const maxBytesOfUser = 512 * 1024

/**
 * Reads the fields of a form that one of our pages sent. Large bodies share the memory that one user may have, or that all
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

/** Null if it is too long to be held. */
export const readShortForm = async (request: Request): Promise<URLSearchParams | null> => {
  const form = await expecting(['too_large'], () => readForm(request))
  return form.state === 'done' ? form.value : null
}

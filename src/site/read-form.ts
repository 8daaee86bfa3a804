import { invalid, tooLarge } from '../errors.ts'
import { mediaType } from '../http/media-type.ts'
import { readBody } from '../http/read-body.ts'
import { decodeUtf8 } from '../http/text.ts'

const maxBytes = 64 * 1024

/**
 * The fields of a form that one of our pages sent. Such a form is short. Larger bodies share the memory that one
 * client may have.
 *
 * @throws AppError `invalid` or `too_large`
 */
export const readForm = async (request: Request): Promise<URLSearchParams> => {
  const type = mediaType(request)
  if (type !== 'application/x-www-form-urlencoded')
    throw invalid({
      field: 'body',
      message: `must have Content-Type application/x-www-form-urlencoded, has ${type || 'none'}`,
    })
  const bytes = await readBody({ request, server: null, owner: () => 'pages' }, maxBytes)
  if (bytes === 'too large') throw tooLarge(maxBytes)
  return new URLSearchParams(decodeUtf8(bytes))
}

import { invalid, tooLarge } from '../errors.ts'
import { mediaType } from '../http/media-type.ts'
import { readBody } from '../http/read-body.ts'
import { decodeUtf8 } from '../http/text.ts'

const maxBytes = 64 * 1024

/**
 * The fields that a form of our own pages sent. They are short, so that none needs memory of its own or more time than Bun gives;
 * those that do are all of one owner.
 *
 * @throws AppError `invalid` or `too_large`
 */
export const readForm = async (request: Request): Promise<URLSearchParams> => {
  const type = mediaType(request)
  if (type !== 'application/x-www-form-urlencoded')
    throw invalid({ field: 'body', message: `must be a form, is ${type || 'of no type'}` })
  const bytes = await readBody({ request, server: null, owner: () => 'pages' }, maxBytes)
  if (bytes === 'too large') throw tooLarge(maxBytes)
  return new URLSearchParams(decodeUtf8(bytes))
}

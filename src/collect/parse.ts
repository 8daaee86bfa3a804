import { invalid } from '../errors.ts'
import { mediaType } from '../http/headers.ts'
import { decodeJson, decodeUtf8 } from '../json.ts'
import { checkText, type Field, maxFields, textField } from '../submissions/fields.ts'
import { jsonFields } from '../submissions/json-fields.ts'
import { type Part, parseMultipart } from './multipart.ts'

/**
 * The fields of a body, in order.
 *
 * @throws AppError `invalid` if the body has another content type, is malformed or not UTF-8
 */
export const parseFields = (request: Request, body: Uint8Array): Field[] => {
  if (body.length === 0) throw invalid({ field: 'body', message: 'must hold at least one field, is empty' })
  const contentType = mediaType(request)
  switch (contentType) {
    case 'application/x-www-form-urlencoded':
      return parseUrlencoded(decodeUtf8(body))
    case 'multipart/form-data':
      return toFields(parseMultipart(request.headers.get('content-type') ?? '', body, maxFields))
    case 'application/json':
      return jsonFields(decodeJson(body))
    default:
      throw invalid({
        field: 'body',
        message:
          'must have Content-Type application/x-www-form-urlencoded, multipart/form-data or application/json, ' +
          `has ${contentType.slice(0, 100) || 'none'}`,
      })
  }
}

/** Parses as the WHATWG URL standard does, section 5.1, except that invalid UTF-8 is refused instead of replaced. */
const parseUrlencoded = (text: string): Field[] => {
  const fields: Field[] = []
  let next = 0
  // Stops after one field too many: 500,000 would take 200 MB.
  for (let at = 0; at < text.length && fields.length <= maxFields; at = next + 1) {
    next = text.indexOf('&', at)
    if (next === -1) next = text.length
    const pair = text.slice(at, next)
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodePart(equals === -1 ? pair : pair.slice(0, equals))
    fields.push(textField(name, equals === -1 ? '' : decodePart(pair.slice(equals + 1))))
  }
  return fields
}

const decodePart = (part: string): string => {
  const text = part.includes('+') ? part.replaceAll('+', ' ') : part
  if (!text.includes('%')) return text
  try {
    // A percent sign that does not start an escape stands for itself.
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    throw invalid({ field: 'body', message: 'must be UTF-8' })
  }
}

/** Makes a file a value of the submission. */
const toFields = (parts: readonly Part[]): Field[] =>
  parts.map(({ name, filename, type, content }) => {
    // A browser sends this for a file input without a file.
    const isUnchosen = filename === '' && content.length === 0
    if (filename === null || isUnchosen) return textField(name, decodeUtf8(content))
    const base64 = Buffer.from(content).toString('base64')
    const file = { filename: checkText(name, filename), type: checkText(name, type), size: content.length, base64 }
    return { name: checkText(name, name), json: JSON.stringify(file) }
  })

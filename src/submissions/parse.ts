import { invalid } from '../errors.ts'
import { decodeUtf8, isObject, mediaType, parseJson } from '../http/json-body.ts'
import { checkText, type Field } from './fields.ts'
import { members } from './json-members.ts'

/**
 * The fields of a body, in order.
 *
 * @throws AppError `invalid` when the body is of another content type, malformed or not UTF-8.
 */
export const parseFields = async (request: Request, body: Uint8Array): Promise<Field[]> => {
  if (body.length === 0) throw invalid({ message: 'body: must hold at least one field, is empty' })
  const contentType = mediaType(request)
  switch (contentType) {
    case 'application/x-www-form-urlencoded':
      return parseUrlencoded(decodeUtf8(body))
    case 'multipart/form-data':
      return parseMultipart(request.headers.get('content-type') ?? '', body)
    case 'application/json':
      return parseJsonObject(decodeUtf8(body))
    default:
      throw invalid({
        message:
          'body: must have Content-Type application/x-www-form-urlencoded, multipart/form-data or application/json, ' +
          `has ${contentType.slice(0, 100) || 'none'}`,
      })
  }
}

/** WHATWG URL standard section 5.1, but what is not UTF-8 is refused instead of being replaced. */
const parseUrlencoded = (text: string): Field[] => {
  const fields: Field[] = []
  for (const pair of text.split('&')) {
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
    // A percent sign that begins no escape stands for itself.
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    throw invalid({ message: 'body: must be UTF-8' })
  }
}

/** RFC 7578. A file is kept in the submission, within the limit of the body. */
const parseMultipart = async (contentType: string, body: Uint8Array): Promise<Field[]> => {
  const entries = await readMultipart(contentType, body)
  const fields: Field[] = []
  for (const [encodedName, value] of entries) {
    const name = decodeName(encodedName)
    // The parser puts U+FFFD where it meets anything but UTF-8: if it stands here, the sender must have sent it.
    for (const text of typeof value === 'string' ? [encodedName, value] : [encodedName, value.name])
      if (text.includes('�') && !Buffer.from(body.buffer, body.byteOffset, body.length).includes(text))
        throw invalid({ message: 'body: must be UTF-8' })
    fields.push(typeof value === 'string' ? textField(name, value) : await fileField(name, value))
  }
  return fields
}

/** What browsers write in a name for a quotation mark and a line break, and for nothing else (HTML, 4.10.21.8). */
const decodeName = (name: string): string => name.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code))

const readMultipart = async (contentType: string, body: Uint8Array) => {
  try {
    return [
      ...(await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()),
    ]
  } catch {
    throw invalid({ message: 'body: must be valid multipart/form-data' })
  }
}

const fileField = async (name: string, file: File): Promise<Field> => {
  // What a browser sends for a file input in which nothing was chosen.
  if (file.name === '' && file.size === 0) return textField(name, '')
  const content = Buffer.from(await file.arrayBuffer()).toString('base64')
  const value = { filename: checkText(name, decodeName(file.name)), type: file.type, size: file.size, base64: content }
  return { name: checkText(name, name), json: JSON.stringify(value) }
}

const textField = (name: string, text: string): Field => ({
  name: checkText(name, name),
  json: JSON.stringify(checkText(name, text)),
})

const parseJsonObject = (text: string): Field[] => {
  const value = parseJson(text)
  if (!isObject(value)) throw invalid({ message: 'body: must be a JSON object' })
  return members(text).map(({ name, json }) => {
    // Only an escape can bring NUL or half a surrogate pair into a text that was valid UTF-8 and valid JSON.
    if (/\\u(0000|d[89a-f])/i.test(json)) checkEverything(name, JSON.parse(json))
    return { name: checkText(name, name), json }
  })
}

const checkEverything = (field: string, value: unknown): void => {
  if (typeof value === 'string') checkText(field, value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    checkText(field, name)
    checkEverything(field, inner)
  }
}

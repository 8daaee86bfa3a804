/** Parameters of one header. Clients send one or two; a name of 255 bytes takes up to 15 if it comes in sections. */
const maxParameters = 20

/** By name in lower case. */
type Parameters = Map<string, string>

/** What the `Content-Disposition` of a part names. */
interface Disposition {
  /** Null if the part has none. */
  readonly name: string | null
  /** Null if the part is not a file; empty if no file was chosen. */
  readonly filename: string | null
  /** How it writes quotation marks, if it has any in its values. */
  readonly quotationMark: QuotationMark | undefined
}

export type QuotationMark = '%22' | '\\"'

/**
 * Parses the value of a `Content-Disposition` of a part; undefined if it is malformed.
 *
 * Browsers write `%22`, `%0D` and `%0A` for quotation marks and line breaks, and escape nothing else, not even backslashes
 * (HTML standard, "multipart form data"). Programs write `\"` and `\\` (RFC 2183 section 2). A value begins with `="`, and
 * `\"` never does, so a header with `\"` is valid in one of both ways at most. Without `\"` it counts as a browser's.
 */
export const parseDisposition = (text: string): Disposition | undefined => {
  const ofBrowser = parametersIn(text)
  if (ofBrowser) return toDisposition(ofBrowser, hasEscapes(ofBrowser) ? '%22' : undefined)
  if (!text.includes('\\"') || text.includes('\0')) return undefined
  const ofProgram = parametersIn(text.replaceAll('\\\\', escapedBackslash).replaceAll('\\"', escapedQuotationMark))
  return ofProgram && toDisposition(ofProgram, '\\"')
}

const hasEscapes = (parameters: Parameters): boolean =>
  ['name', 'filename'].some((name) => parameters.get(name)?.includes('%22'))

/** No name may hold NUL. */
const [escapedBackslash, escapedQuotationMark] = ['\0b', '\0q']

/** As they are written, of two with one name the first; undefined if that is not all of the text. */
const parametersIn = (text: string): Parameters | undefined => {
  const start = formData.exec(text)
  if (!start) return undefined
  const parameters: Parameters = new Map()
  let count = 0
  for (let at = start[0].length; at < text.length; ) {
    parameter.lastIndex = at
    const [whole = '', key, quoted, plain = ''] = parameter.exec(text) ?? []
    if (whole === '' || ++count > maxParameters || plain.includes('\0')) return undefined
    at += whole.length
    const name = key?.toLowerCase()
    if (name !== undefined && !parameters.has(name)) parameters.set(name, quoted ?? plain)
  }
  return text.includes('*') ? joinSections(parameters) : parameters
}
const formData = /^form-data[ \t]*(?=;|$)/i
const parameter = /;[ \t]*(?:([^\s=;"]+)=(?:"([^"]*)"|([^\s;"]*))[ \t]*)?(?=;|$)/y

/**
 * Joins parameters that were cut into sections (RFC 2231 section 3), such as `filename*0*=utf-8''a%20; filename*1=b`, to
 * `filename*=utf-8''a%20b`. Undefined if sections are missing.
 */
const joinSections = (parameters: Parameters): Parameters | undefined => {
  const names = [...parameters.keys()].flatMap((key) => /^([^*]+)\*\d+\*?$/.exec(key)?.[1] ?? [])
  for (const [name, { length }] of Map.groupBy(names, (name) => name)) {
    const isExtended = parameters.has(`${name}*0*`)
    let joined = ''
    for (let i = 0; i < length; i++) {
      const plain = parameters.get(`${name}*${i}`)
      const section = parameters.get(`${name}*${i}*`) ?? (isExtended ? plain?.replaceAll('%', '%25') : plain)
      if (section === undefined) return undefined
      joined += section
    }
    parameters.set(isExtended ? `${name}*` : name, joined)
  }
  return parameters
}

const toDisposition = (parameters: Parameters, quotationMark: QuotationMark | undefined): Disposition => ({
  name: textOf(parameters, 'name', quotationMark),
  filename: textOf(parameters, 'filename', quotationMark),
  quotationMark,
})

/** The extended parameter counts if it can be decoded (RFC 6266 section 4.3), and otherwise the plain one. */
const textOf = (parameters: Parameters, name: string, quotationMark: QuotationMark | undefined): string | null => {
  const plain = parameters.get(name)
  const extended = parameters.get(`${name}*`)
  const decoded = extended === undefined ? undefined : decodeExtended(extended)
  if (decoded !== undefined) return decoded
  return plain === undefined ? (extended ?? null) : decodePlain(plain, quotationMark)
}

/** What has no quotation mark stays as it is written, as in a header without any: a name is to be the same in both. */
const fromProgram = (value: string): string =>
  value.includes(escapedQuotationMark)
    ? value.replaceAll(escapedQuotationMark, '"').replaceAll(escapedBackslash, '\\')
    : value.replaceAll(escapedBackslash, '\\\\')

const decodePlain = (value: string, quotationMark: QuotationMark | undefined): string => {
  const unquoted = quotationMark === '\\"' ? fromProgram(value) : value.replaceAll('%22', '"')
  return unquoted.replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n')
}

/** RFC 8187. RFC 7578 section 4.2 forbids it here, but some clients send it. Undefined if it is anything else. */
const decodeExtended = (value: string): string | undefined => {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[^']*'(.*)$/is.exec(value) ?? []
  if (charset === '') return undefined
  try {
    return charset.toLowerCase() === 'utf-8'
      ? decodeURIComponent(encoded)
      : encoded.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  } catch {
    return undefined
  }
}

import { invalid } from '../errors.ts'

/** With a byte order mark, where there is one. @throws AppError `invalid` */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ field: 'body', message: 'must be UTF-8' })
  }
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Without a byte order mark, which RFC 8259 section 8.1 lets a reader ignore. */
export const decodeJson = (bytes: Uint8Array): string => decodeUtf8(bytes).replace(/^\ufeff/, '')

/** Whether a text has neither NUL nor half a surrogate pair: SQLite, or whoever reads an answer, would cut or change it. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

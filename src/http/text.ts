import { invalid } from '../errors.ts'

/** Keeps a byte order mark. @throws AppError `invalid` */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid({ field: 'body', message: 'must be UTF-8' })
  }
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Drops a byte order mark, as RFC 8259 section 8.1 allows. */
export const decodeJson = (bytes: Uint8Array): string => decodeUtf8(bytes).replace(/^\ufeff/, '')

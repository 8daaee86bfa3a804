import { visible } from '../visible.ts'
import { fileFacts, filesIn } from './sent-file.ts'

/**
 * What was sent in a field, as plain text for a message. A file is its name and size. Empty if nothing was sent.
 *
 * @param json the value as JSON text
 */
export const fieldText = (json: string): string => {
  const value: unknown = JSON.parse(json)
  const files = filesIn(value)
  if (files.length > 0) return files.map((file) => visible(`${file.filename} (${fileFacts(file)})`)).join(', ')
  if (value === null) return ''
  if (typeof value === 'string') return visible(value)
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return visible(isList ? value.join(', ') : json)
}

import { parse, TomlDate, TomlError } from 'smol-toml'
import { invalid } from './errors.ts'
import { atMost } from './short-text.ts'
import { visible } from './visible.ts'

/** Deeper than any setting. */
const maxDepth = 32

/**
 * Reads TOML 1.0. Where a line ends does not depend on the system that wrote the file.
 *
 * @throws AppError `invalid` that says where it is not TOML
 */
export const readToml = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  const text = decode(bytes).replaceAll('\r\n', '\n')
  try {
    const read = parse(text, { maxDepth })
    checkDates(read, text, [])
    return read
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // After the first line come lines of the file, which may have secrets.
    const [first = ''] = error.message.split('\n', 1)
    const reason = first.replace(/^Invalid TOML document: /, '').replace(/\.$/, '')
    throw invalid({ field: `line ${error.line}, column ${error.column}`, message: visible(atMost(reason, 200)) })
  }
}

/** The parser makes 2 March of 30 February. So the day that it made has to stand in the text. */
const checkDates = (value: unknown, text: string, path: readonly string[]): void => {
  if (value instanceof TomlDate) {
    if (value.isTime() || text.includes(value.toISOString().slice(0, 10))) return
    throw invalid({ field: path.join('.'), message: 'must be a day of the calendar' })
  }
  // A name may have a million dots.
  if (typeof value !== 'object' || value === null || path.length > maxDepth) return
  for (const [name, inside] of Object.entries(value)) checkDates(inside, text, [...path, name])
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ message: 'must be UTF-8' })
  }
}

import { invalid } from '../errors.ts'
import { shown } from './fields.ts'

/** Python reads no integer of more than 4,300 digits. Nobody counts with more than these. */
const maxDigits = 100

/**
 * Where the number ends whose first digit is at `start`.
 *
 * @param field that it is in, for the error
 * @throws AppError `invalid` for a number that Python, Go or another reader of JSON could not parse, and with it the whole
 *   list that it stands in: one of more than 100 digits, or past the greatest double (RFC 8259 section 6). One that is too
 *   small to be told from 0 does no harm.
 */
export const endOfNumber = (text: string, start: number, field: string): number => {
  let digits = 0
  let hasExponent = false
  let end = start
  for (let code = text.charCodeAt(end); isOfNumber(code); code = text.charCodeAt(++end)) {
    if (isDigit(code)) digits++
    else if (code === 0x65 || code === 0x45) hasExponent = true
  }
  if (digits > maxDigits)
    throw invalid({ field: shown(field), message: `must not hold a number of more than ${maxDigits} digits` })
  // 100 digits alone are within the range.
  if (hasExponent && Number(text.slice(start, end)) === Number.POSITIVE_INFINITY)
    throw invalid({ field: shown(field), message: 'must not hold a number outside the range of a double, ±1.8e308' })
  return end
}

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Whether it is one of `0123456789.eE+-`. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d

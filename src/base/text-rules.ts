import { invalid } from './errors.ts'

/** How long a text must be, in Unicode characters. */
export interface TextRule {
  readonly minLength?: number
  readonly maxLength: number
}

/** Whether a text has neither NUL nor half a surrogate pair, which SQLite or clients would cut off or change. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Whether a clean text follows the rule. If it must not be empty, white space alone is not enough. */
export const isText = ({ minLength = 0, maxLength }: TextRule, text: string): boolean => {
  if (!isCleanText(text)) return false
  // A character takes one or two units: only between the two bounds is there something to count.
  if (text.length > 2 * maxLength || (text.length > maxLength && [...text].length > maxLength)) return false
  return minLength === 0 || (text.trim() !== '' && (minLength === 1 || [...text].length >= minLength))
}

/** @returns the text @throws AppError `invalid`, which names this field */
export const parseText = (field: string, rule: TextRule, text: string): string => {
  if (isText(rule, text)) return text
  throw invalid({ field, message: `must be ${textInWords(rule)}; got ${[...text].length}` })
}

/** Whether a text is an absolute `http:` or `https:` URL that follows the rule. */
export const isHttpUrl = (rule: TextRule, text: string): boolean =>
  // The parser drops line breaks, tabs and spaces at the ends: what is stored would not be what was checked.
  isText(rule, text) && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text)

/** The rule of a text in words: `1 to 255 characters, not only white space`. */
export const textInWords = (rule: TextRule): string =>
  `${rangeInWords(rule)} characters${(rule.minLength ?? 0) > 0 ? ', not only white space' : ''}`

/** The rule of a URL in words. */
export const httpUrlInWords = (rule: TextRule): string =>
  `an absolute http or https URL of ${rangeInWords(rule)} characters`

const rangeInWords = ({ minLength = 0, maxLength }: TextRule): string =>
  minLength > 0 ? `${minLength} to ${maxLength}` : `at most ${maxLength}`

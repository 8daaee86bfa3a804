import { domainToASCII } from 'node:url'
import type { FieldRule } from '../forms/fields/field-problem.ts'
import { type FormField, isDay, type TextType } from '../forms/fields/form-field.ts'

// Rules for a text that was typed in a field. Nothing is converted: a rule says yes or no. White space at the ends is
// left out before.

/** The rule that a text breaks, with its bound; both undefined if it breaks none. */
export type BrokenRule = readonly [rule?: FieldRule, bound?: number | string]

export const kept: BrokenRule = []

/** Judges a text by the type of its field. */
export const brokenRule = (type: Exclude<TextType, 'choice'>, field: FormField, text: string): BrokenRule => {
  switch (type) {
    case 'text':
    case 'lines':
      return brokenLength(field, text)
    case 'email':
      return isEmail(text) ? kept : ['email']
    case 'tel':
      return isTel(text) ? kept : ['tel']
    case 'url':
      return isWebAddress(text) ? kept : ['url']
    case 'number': {
      const value = toNumber(text)
      return value === undefined ? ['number'] : brokenBound(field, value)
    }
    case 'date':
      return isDay(text) ? brokenBound(field, text) : ['date']
    case 'checkbox':
    case 'hidden':
      return kept
  }
}

const brokenBound = ({ min, max }: FormField, value: number | string): BrokenRule => {
  if (min !== undefined && value < min) return ['min', min]
  return max !== undefined && value > max ? ['max', max] : kept
}

const brokenLength = ({ minLength, maxLength }: FormField, text: string): BrokenRule => {
  if (minLength === undefined && maxLength === undefined) return kept
  // Browsers count a line break once, and send two characters for it.
  const typed = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
  // They count UTF-16 units. So that what they let through is taken, an emoji may count as two here, or as one.
  if (minLength !== undefined && typed.length < minLength) return ['minLength', minLength]
  return maxLength !== undefined && isLonger(typed, maxLength) ? ['maxLength', maxLength] : kept
}

/** Whether a text has more Unicode characters. */
export const isLonger = (text: string, most: number): boolean => {
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let count = 0
  for (const _ of text) if (++count > most) return true
  return false
}

/**
 * Whether browsers take it in an input for an e-mail address: the pattern of the HTML standard, after the domain was
 * made ASCII. The standard takes addresses that mail servers would not, such as `a..b@example.com`, because people have
 * some of these.
 */
const isEmail = (text: string): boolean => {
  if (text.length > 1000) return false
  const at = text.lastIndexOf('@') + 1
  const domain = text.slice(at)
  const address = /^[\0-\x7f]*$/.test(domain) ? text : text.slice(0, at) + domainToASCII(domain)
  return address.length <= 254 && emailPattern.test(address)
}

// https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
const emailPattern =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** People write them in many ways, also with letters. So three digits of any script are enough. */
const isTel = (text: string): boolean => !isLonger(text, 40) && /(?:\p{Nd}\P{Nd}*){3}/u.test(text)

/** With http or https, or without either, and with a full stop in the host. */
const isWebAddress = (text: string): boolean => {
  const [, scheme = '', host = ''] = /^(https?:\/\/)?([^/?#\\]*)/i.exec(text) ?? []
  // Without a scheme, `mailto:ada@example.com` would be an address with a user.
  if (host.length > 1000 || (scheme === '' && host.includes('@'))) return false
  return /[^.]\.[^.]/.test(host.replaceAll(/[。．｡]/g, '.')) && URL.canParse(`http://${host}`)
}

/**
 * A number as people write it, to compare it with a bound; undefined if it is not one. A comma and a full stop are both decimal
 * marks, so with both of them no one knows what is meant. Spaces and apostrophes may stand between groups of three.
 */
export const toNumber = (text: string): number | undefined => {
  // Most are whole numbers: the rest takes four times as long.
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  const ascii = /^[\0-\x7f]*$/.test(text)
    ? text
    : text
        .replaceAll(/[٠-٩۰-۹０-９]/g, toAsciiDigit)
        .replace('−', '-')
        .replace('٫', ',')
  if (!numberPattern.test(ascii)) return undefined
  return Number(ascii.replaceAll(/[^\d.,-]/g, '').replace(',', '.'))
}

// With more than 102 groups it is too large for a number, and looking through a megabyte of them took 0.2 s.
const numberPattern = /^-?(?:\d{1,3}(?:[ '’\u00a0\u2009\u202f]\d{3}){1,102}|\d*)(?:(?<=\d)|(?=[.,]))(?:[.,]\d+)?$/

/** In each of these blocks, the lowest four bits are the value. */
const toAsciiDigit = (digit: string): string => String(digit.charCodeAt(0) & 15)

import { isText, type TextRule } from '../text-rules.ts'

export const maxOrigins = 20
/** A host has at most 253 characters (RFC 1035 section 2.3.4), and a little more before it was encoded. */
export const originRule: TextRule = { minLength: 1, maxLength: 300 }
export const originInWords = 'an origin such as https://example.com or https://*.example.com, without a path'

/**
 * An origin of which a form takes submissions, as browsers write it in `Origin`: in lower case, in Punycode and without
 * the port that is usual. `https://*.example.com` stands for one level below. Null if it is none.
 */
export const toAllowedOrigin = (text: string): string | null => {
  const url = isText(originRule, text) && originPattern.test(text) ? URL.parse(text) : null
  return url && hostPattern.test(url.hostname) ? url.origin : null
}

// The parser of URLs would take much more. An address that was copied from a browser ends with a slash.
const originPattern = /^https?:\/\/[^\s\p{Cc}/?#@\\]+\/?$/iu
const hostPattern = /^(?:(?:\*\.)?\w[\w.-]*|\[[\da-f:]+\])$/

/** @param origin as browsers write it */
export const isAllowedOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.includes(origin) || allowed.includes(origin.replace(/^(https?:\/\/)[^.]+\./, '$1*.'))

import { isAllowedOrigin } from '../forms/allowed-origins.ts'
import { returnUrlRule } from '../forms/form-fields.ts'
import { isHttpUrl } from '../text-rules.ts'

/**
 * The URL as a browser writes it, if it is an `http:` or `https:` URL with one of these origins (see `toAllowedOrigin`). Otherwise null, because
 * anybody may send the field, and Formbox must not send browsers anywhere else.
 */
export const allowedNext = (next: string, origins: readonly string[]): string | null => {
  const url = isHttpUrl(returnUrlRule, next) ? URL.parse(next) : null
  const isAllowed = url !== null && isAllowedOrigin(origins, url.origin) && url.username === '' && url.password === ''
  return isAllowed ? url.href : null
}

const maxSubjectLength = 200

/** The subject in one line, cut to 200 characters; undefined if there is nothing in it. */
export const toSubject = (text: string): string | undefined => {
  // Of a long text, the pattern need not look at more than could be shown.
  const line = text
    .slice(0, 10 * maxSubjectLength)
    .replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
  return [...line].slice(0, maxSubjectLength).join('').trimEnd() || undefined
}

import { returnUrlRule } from '../forms/form-fields.ts'
import { isHttpUrl } from '../text-rules.ts'

// Fields by which a page tells Formbox something, with the names that Formspree made common. They are not part of the
// data of a submission.

/** People do not see this field, so only robots fill it in. */
export const honeypot = '_gotcha'

/** Where to send this visitor's browser. */
export const nextField = '_next'

/** The subject of the e-mail about this submission. */
export const subjectField = '_subject'

/** Names a submission that may be sent twice. */
export const idempotencyField = '_idempotency'

/** The proof of work, for a form that asks for one. */
export const challengeField = '_challenge'

const names = new Set([honeypot, nextField, subjectField, idempotencyField, challengeField])

export const isControlField = (name: string): boolean => names.has(name)

/**
 * The URL as a browser writes it, if it is an `http:` or `https:` URL with one of these origins. Otherwise null, because
 * anybody may send the field, and Formbox must not send browsers anywhere else.
 */
export const allowedNext = (next: string, origins: readonly string[]): string | null => {
  const url = isHttpUrl(returnUrlRule, next) ? URL.parse(next) : null
  const isAllowed = url !== null && origins.includes(url.origin) && url.username === '' && url.password === ''
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

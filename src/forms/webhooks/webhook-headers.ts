import { invalid } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import type { Kind } from '../settings/kind.ts'

/** A header that a webhook gets besides Formbox's own. */
export interface WebhookHeader {
  readonly name: string
  readonly value: string
}

/** A header after a change. Null keeps the value of the one with this name. */
interface SentHeader {
  readonly name: string
  readonly value: string | null
}

export const maxHeaders = 10
const maxNameCharacters = 100
const maxValueCharacters = 2000

/** Shown in the place of a secret. Sent back, it stands for what is stored: no value can have these characters. */
export const hidden = '•••'

/** RFC 9110 section 5.6.2. */
const namePattern = /^[\w!#$%&'*+.^`|~-]+$/
/** Printable ASCII, with spaces and tabs only inside: the part of RFC 9110 section 5.5 that every receiver reads alike. */
const valuePattern = '^[!-~]([\\t -~]*[!-~])?$'
const isValue = (text: string): boolean => text.length <= maxValueCharacters && new RegExp(valuePattern).test(text)

/** Names of headers of the connection, of the message and of the signature, which are Formbox's, or a proxy's on the way. */
const reserved =
  /^(?:accept-encoding|connection|content-.*|date|expect|forwarded|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|webhook-.*|x-forwarded-.*|x-real-ip)$/i

/** Names of headers and their values. What each of them may be is checked by `checkHeaders`. */
export const headerValues: Pick<Kind<Readonly<Record<string, string>>>, 'problems' | 'schema'> = {
  problems: (value) =>
    isObject(value) && Object.values(value).every((text) => typeof text === 'string')
      ? []
      : [{ at: '', message: 'must be an object of the values of headers by their names', value }],
  schema: {
    type: 'object',
    maxProperties: maxHeaders,
    documented: { additionalProperties: { type: 'string', pattern: `${valuePattern}|^${hidden}$` } },
  },
}

/**
 * Checks headers that someone sent, by their names.
 *
 * @throws AppError `invalid`
 */
export const checkHeaders = (sent: Readonly<Record<string, string>>): SentHeader[] => {
  const headers = Object.entries(sent)
  if (headers.length > maxHeaders) throw refused(`must be at most ${maxHeaders}; got ${headers.length}`)
  const names = headers.map(([name]) => name.toLowerCase())
  return headers.map(([name, value], position) => {
    if (name.length > maxNameCharacters || !namePattern.test(name))
      throw refused(`must have names of 1 to ${maxNameCharacters} letters, digits and any of !#$%&'*+-.^_\`|~`)
    if (reserved.test(name)) throw refused(`must not have ${name}, which is set by Formbox or on the way`)
    if (names.indexOf(name.toLowerCase()) !== position) throw refused(`must have ${name} once, in whatever case`)
    if (value === hidden) return { name, value: null }
    if (!isValue(value)) throw refused(`must have ${valueInWords} for ${name}`)
    return { name, value }
  })
}

const valueInWords = `a value of 1 to ${maxValueCharacters} characters of ASCII, without spaces at the ends`

/** Parses what a person typed: one header a line, `Name: value`. @throws AppError `invalid` */
export const parseHeaderLines = (text: string): Record<string, string> => {
  const lines = text.split('\n').map((line) => line.trim())
  const headers = lines.filter((line) => line !== '').map((line) => /^([^:\s]+)\s*:\s*(.*)$/.exec(line))
  if (headers.some((header) => header === null))
    throw refused('must be one header a line, such as Authorization: Bearer and a token')
  const found = headers.map((header) => header?.slice(1) as [string, string])
  if (found.some(([name], position) => found.findIndex(([other]) => other === name) !== position))
    throw refused('must have each name once')
  return Object.fromEntries(found)
}

/**
 * Returns the headers to store after a change, with the values that are kept.
 *
 * @throws AppError `invalid` if there is none to keep
 */
export const mergeHeaders = (stored: string | null, sent: readonly SentHeader[]): string | null => {
  const before = parseHeaders(stored)
  const merged = sent.map(({ name, value }) => {
    const kept = value ?? before.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
    if (kept === undefined) throw refused(`must have the value of ${name}: there is none that ${hidden} stands for`)
    return { name, value: kept }
  })
  return merged.length === 0 ? null : JSON.stringify(merged)
}

/** @param stored see `receivers.headers` */
export const parseHeaders = (stored: string | null): WebhookHeader[] => (stored === null ? [] : JSON.parse(stored))

/** The headers as they are shown. */
export const hiddenHeaders = (stored: string | null): Record<string, string> =>
  Object.fromEntries(parseHeaders(stored).map(({ name }) => [name, hidden]))

/** Secrets that were entered for one place must not go to another one, where the person who enters the URL could read them. */
export const movedHeaders = (): Error =>
  refused(`must have the values again instead of ${hidden}, or be empty, because the URL leads elsewhere`)

const refused = (message: string) => invalid({ field: 'headers', message, path: '/headers' })

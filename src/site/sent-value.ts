import { type Html, html } from '../html/html.ts'

/** A file that was sent with a form, as `collect/parse.ts` stores it. */
export interface SentFile {
  readonly filename: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  readonly base64: string
}

const isFile = (value: unknown): value is SentFile => {
  const { filename, type, size, base64 } = (value ?? {}) as Partial<Record<keyof SentFile, unknown>>
  return [filename, type, base64].every((text) => typeof text === 'string') && typeof size === 'number'
}

/** The files in a field: one, several, or none. */
export const filesIn = (value: unknown): SentFile[] => {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.length > 0 && values.every(isFile) ? values : []
}

/** Nothing was sent: the field is missing or empty. */
export const emptyValue = html`<span class="none" aria-hidden="true">–</span><span class="visually-hidden">Empty</span>`

/** `PDF, 2.4 MB` */
export const fileFacts = ({ filename, size }: SentFile): string => {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1]?.toUpperCase()
  return `${extension ? `${extension}, ` : ''}${inBytes(size)}`
}

const inBytes = (size: number): string => {
  if (size < 1000) return `${size} bytes`
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`
}

/**
 * Control characters and those that reorder the text around them (Unicode TR 9 section 2), as visible symbols. Tabs and
 * line breaks stay.
 */
export const visible = (text: string): string =>
  text.replaceAll(/(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : '\ufffd'
  })

/** What a row of a list shows of a value: at most this many characters, in one line. */
const maxCellCharacters = 300

export const cellText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const cut = text
    .slice(0, 4 * maxCellCharacters)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return visible(cut.length > maxCellCharacters ? `${cut.slice(0, maxCellCharacters)}…` : cut).toWellFormed()
}

// An e-mail address starts where its run of characters starts: so each run is tried once, however long it is.
const addresses = /https?:\/\/[^\s<>"'`]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi

/** Text with its web and e-mail addresses as links. Nothing else in it becomes markup. */
export const linked = (text: string): Html[] => {
  const parts: Html[] = []
  let at = 0
  for (const { 0: found, index } of text.matchAll(addresses)) {
    // What ends the sentence, not the address. A bracket belongs to it if it was opened inside.
    const address = found.replace(found.includes('(') ? /[.,;:!?\]}]+$/ : /[.,;:!?)\]}]+$/, '')
    const link = linkTo(address)
    if (!link) continue
    parts.push(html`${visible(text.slice(at, index))}`, link)
    at = index + address.length
  }
  return [...parts, html`${visible(text.slice(at))}`]
}

const linkTo = (address: string): Html | undefined => {
  if (!/^https?:/i.test(address)) return html`<a href="mailto:${encodeURI(address)}">${address}</a>`
  // A direction or control character could make the text look like another address.
  if (!URL.canParse(address) || visible(address) !== address) return undefined
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc">${address}</a>`
}

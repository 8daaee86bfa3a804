import { toMailAddress } from '../base/mail-address.ts'
import { oneLine } from '../base/short-text.ts'
import { type Html, html } from '../html/html.ts'
import { type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import { summaryOf } from '../submissions/summary.ts'

const maxSubject = 60
const maxQuoted = 1500

/**
 * A link that writes to the visitor's address in the mail program of the reader: with what it is about in the subject, and its
 * text quoted. False if there is no address.
 *
 * @param settings of the form, as they are stored @param title of the form
 */
export const replyLink = (
  fields: readonly SubmittedField[],
  settings: string | null,
  title: string,
  isAsked: boolean,
): Html | false => {
  const { from, sender, about, text } = summaryOf(fields, settings)
  const textOf = (position: number | undefined): string =>
    position === undefined ? '' : (textIn((fields[position] as SubmittedField).json) ?? '').trim()
  const address = toMailAddress(textOf(from.address))
  if (address === null) return false
  const whole = textOf(from.text)
  const subject = (sender === '' ? '' : about) || [...oneLine(text)].slice(0, maxSubject).join('') || title
  const query = [`subject=${encodeURIComponent(`Re: ${subject.toWellFormed()}`)}`]
  if (whole !== '') query.push(`body=${encodeURIComponent(quoted(whole))}`)
  return html`<a class="button primary reply" data-key="r"${isAsked && html` data-then="answered"`} href="${mailTo(address)}?${query.join('&')}">Reply</a>`
}

/** Encoded, so that no mail program finds more than one address in it (RFC 6068). */
export const mailTo = (address: string): string => `mailto:${encodeURIComponent(address).replace('%40', '@')}`

/** The text below an empty line, each of its lines after `>`. */
const quoted = (text: string): string => {
  const characters = [...text.replaceAll('\r\n', '\n').toWellFormed()]
  const cut = characters.slice(0, maxQuoted).join('') + (characters.length > maxQuoted ? '…' : '')
  return `\r\n\r\n${cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\r\n')}`
}

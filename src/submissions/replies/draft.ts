import { toMailAddress } from '../../base/mail-address.ts'
import { oneLine } from '../../base/short-text.ts'
import { type SubmittedField, textIn } from '../sent-fields.ts'
import { summaryOf } from '../summary.ts'

const maxSubject = 60
const maxQuoted = 1500

/** What a person begins with who answers a submission by hand. */
interface ReplyDraft {
  readonly to: string
  /** What it is about, after `Re: `. */
  readonly subject: string
  /** The visitor's text, quoted; empty if there is none. */
  readonly body: string
}

/**
 * Null if there is no address to answer.
 *
 * @param settings of the form, as they are stored @param title of the form
 */
export const replyDraft = (
  fields: readonly SubmittedField[],
  settings: string | null,
  title: string,
): ReplyDraft | null => {
  const { from, sender, about, text } = summaryOf(fields, settings)
  const textOf = (position: number | undefined): string =>
    position === undefined ? '' : (textIn((fields[position] as SubmittedField).json) ?? '').trim()
  const to = toMailAddress(textOf(from.address))
  if (to === null) return null
  const whole = textOf(from.text)
  const subject = (sender === '' ? '' : about) || [...oneLine(text)].slice(0, maxSubject).join('') || title
  return { to, subject: `Re: ${subject.toWellFormed()}`, body: whole === '' ? '' : quoted(whole) }
}

/** The text below an empty line, each of its lines after `>`. */
const quoted = (text: string): string => {
  const characters = [...text.replaceAll('\r\n', '\n').toWellFormed()]
  const cut = characters.slice(0, maxQuoted).join('') + (characters.length > maxQuoted ? '…' : '')
  return `\r\n\r\n${cut
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\r\n')}`
}

import { oneLine, shownLine } from '../../base/short-text.ts'
import type { SubmittedField } from '../../submissions/sent-fields.ts'
import { summaryOf } from '../../submissions/summary.ts'
import { hasLink } from './links.ts'

/** A mail about a submission in the list of a mail program. Both are one line, whatever was sent. */
interface Headline {
  readonly subject: string
  /** The name beside our address; empty for the operator's. */
  readonly fromName: string
}

interface Headed {
  readonly title: string
  /** The form's, as they are stored. */
  readonly settings: string | null
  readonly fields: readonly SubmittedField[]
  /** What the visitor sent as the subject, if any. */
  readonly subject: string | null
}

/**
 * The subject says who sent what: mail programs fold all mails of a form with one subject into one conversation. The name
 * says who too, since some lists show nothing else.
 */
export const headlineOf = ({ title, settings, fields, subject }: Headed): Headline => {
  const { sender, text } = summaryOf(fields, settings)
  const own = shownLine(subject ?? '', maxSubjectCharacters)
  return { subject: own || toSubject(title, sender, text), fromName: toFromName(title, sender) }
}

const maxSubjectCharacters = 200
const maxWordsCharacters = 60

const toSubject = (title: string, sender: string, text: string): string => {
  const parts = [sender, text].map((part) => shownLine(part, maxWordsCharacters)).filter((part) => part !== '')
  return parts.length === 0 ? shownLine(title) : `${shownLine(title, maxTitleCharacters)}: ${parts.join(' – ')}`
}

/** Room for both others in a subject of 200 characters. */
const maxTitleCharacters = 70

const maxNameCharacters = 60
const maxWhoCharacters = 35

/** The display name of a mail about a form; empty if nothing of the texts may stand there. @param who empty for nobody */
export const toFromName = (title: string, who = ''): string => {
  const [name, form] = [toHarmlessName(who, maxWhoCharacters), toHarmlessName(title, maxNameCharacters)]
  return shownLine(name !== '' && form !== '' ? `${name} via ${form}` : form, maxNameCharacters)
}

/**
 * A name that a mail program shows beside our address. Readers, and filters against forgery, take an address or a link there
 * for that of the sender: of an address its name is left, and what else leads somewhere is left out. So are quotation marks,
 * brackets and encoded words, which a program may read as the end of the name.
 */
const toHarmlessName = (text: string, maxCharacters: number): string => {
  const plain = text
    .slice(0, 8 * maxNameCharacters)
    .toWellFormed()
    .replaceAll(/[^\S ]/g, ' ')
    .replaceAll(notForNames, '')
    .replaceAll(/=\?|\?=/g, ' ')
  const words = oneLine(plain).split(' ')
  const harmless = words.map((word) => word.replace(/[@\uff20\ufe6b].*$/u, '')).filter((word) => !hasLink(word))
  return shownLine(oneLine(harmless.join(' ')), maxCharacters)
}

/** Control characters, those that reorder or hide text (Unicode TR 9), and what ends a name (RFC 5322). */
const notForNames = /[\p{Cc}\p{Co}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd"<>\\]/gu

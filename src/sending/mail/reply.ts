import { shownLine } from '../../base/short-text.ts'
import { unsubscribePath } from '../../config/addresses.ts'
import type { MailConfig } from '../../config/mail.ts'
import type { Form } from '../../forms/form.ts'
import { addressOf } from '../../forms/settings/notify-entries.ts'
import { ownPlaceholders, placeholders } from '../../forms/settings/reply.ts'
import { parseSettings, type ReplySettings } from '../../forms/settings/settings.ts'
import { chooseLanguage, firstLanguage } from '../../languages/choose.ts'
import { loadTexts } from '../../languages/languages.ts'
import type { Texts } from '../../languages/texts.ts'
import { asRead } from '../../submissions/sent-as-read.ts'
import { fieldsIn, fieldText, type SubmittedField } from '../../submissions/sent-fields.ts'
import { toParts } from './letter.ts'
import { asBrowsersWrite, hasLink, withoutLinks } from './links.ts'
import type { Mail } from './parcel.ts'
import { type ShownFields, showFields } from './shown-fields.ts'
import { everyForm, unsubscribeHeaders, unsubscribeLink } from './unsubscribe.ts'

/** The placeholder of the link that confirms an address. */
const linkPlaceholder = 'link'

interface Answer {
  /** Identifies the mail, the same for each attempt. */
  readonly id: string
  readonly to: string
  /** The address to which the visitor can write back; null for the sender. */
  readonly replyTo: string | null
  readonly reply: Partial<ReplySettings> & Pick<ReplySettings, 'subject' | 'text'>
  /** What confirms the address: in its place in the text, or else at its end. Absent for a reply. */
  readonly link?: string
  readonly form: Pick<Form, 'title' | 'settings'>
  /** `data` is the text of a JSON object. */
  readonly submission: { readonly id: string; readonly data: string }
  /** Where the address was entered. */
  readonly sites: readonly string[]
  /** The texts of the visitor's language. */
  readonly texts: Texts
  /** The result of `unsubscribeLink`. */
  readonly stop: string
}

interface ToVisitor extends Omit<Answer, 'replyTo' | 'sites' | 'texts' | 'stop'> {
  /** The language of the visitor, as it is stored; null for that of the form. */
  readonly language: string | null
  /** See storage/secrets/signing-key.ts. Null for a mail that is shown alone: what stops it is the visitor's. */
  readonly key: Uint8Array | null
}

/** Puts together a mail to a visitor, or a test of one, with what all of a form have. */
export const mailToVisitor = async (
  { publicUrl }: MailConfig,
  { language: asked, key, ...mail }: ToVisitor,
): Promise<Mail> => {
  const { notify, allowedOrigins, language: setting } = parseSettings(mail.form.settings)
  const language = chooseLanguage({ asked: firstLanguage([asked ?? '']), setting })
  return replyMail({
    ...mail,
    replyTo: notify[0] === undefined ? null : addressOf(notify[0]),
    sites: sitesOf(allowedOrigins, publicUrl),
    texts: await loadTexts(language),
    stop: key
      ? unsubscribeLink(publicUrl, key, { receiver: everyForm, address: mail.to }, language)
      : `${publicUrl}${unsubscribePath('')}…`,
  })
}

/**
 * Makes the reply to a visitor. No one has proved that the address is the visitor's own. So what a stranger typed
 * appears only where `harmlessText` and `fillIn` let it, or as a copy without links.
 */
export const replyMail = ({
  id,
  to,
  replyTo,
  reply,
  link,
  form: { title, settings },
  submission,
  sites,
  texts,
  stop,
}: Answer): Mail => {
  const fields = fieldsIn(submission.data)
  const ours = new Map<string, string>([
    [ownPlaceholders.title, shownLine(title)],
    [ownPlaceholders.reference, submission.id.slice(0, referenceCharacters)],
  ])
  const typed = new Map<string, string>()
  const readTyped = (name: string): string => {
    // A value may be long, and its placeholder a thousand times in the text.
    const known = typed.get(name)
    if (known !== undefined) return known
    const field = fields.find((one) => one.name === name)
    const text = field ? harmlessText(fieldText(field.json)) : ''
    typed.set(name, text)
    return text
  }
  const fill = (text: string): string => fillIn(text, ours, readTyped)
  const subject = shownLine(fill(reply.subject), maxSubjectCharacters) || shownLine(title)
  if (link !== undefined) ours.set(linkPlaceholder, link)
  const place = `{${linkPlaceholder}}`
  const written = reply.text.replaceAll(/\r\n?/g, '\n')
  // Once: the text may have its place a thousand times.
  const [before, ...after] = written.split(place)
  const withPlace = after.length === 0 ? `${written}\n\n${place}` : `${before}${place}${after.join('')}`
  const text = link === undefined ? written : withPlace
  return {
    to,
    replyTo,
    messageId: id,
    headers: {
      'Auto-Submitted': 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      ...unsubscribeHeaders(stop),
    },
    ...toParts({
      subject,
      title: null,
      lines: [],
      body: fill(text),
      link,
      ...(reply.copy && { fields: copyOf(asRead(fields, settings), texts) }),
      button: null,
      footer: [texts.mail.why(sites), texts.mail.ignore],
      stop: { label: texts.mail.stop, url: stop },
      texts,
    }),
  }
}

/**
 * Fills in a text word by word. What placeholders make of a word is judged as one value is, with the text around them: in
 * `{a}{b}` and in `{a}.com`, a name of a host could come together.
 *
 * @param ours what no visitor has typed, which is not judged
 */
const fillIn = (text: string, ours: ReadonlyMap<string, string>, readTyped: (name: string) => string): string =>
  text.replaceAll(words, (word) => {
    let typed = ''
    const filled = word.replaceAll(placeholders, (_, name: string) => {
      const known = ours.get(name)
      if (known !== undefined) return known
      const value = readTyped(name)
      typed += value
      return value
    })
    if (typed === '' || (!isLong(typed) && !hasLink(filled))) return filled
    return word.replaceAll(placeholders, (_, name: string) => ours.get(name) ?? '')
  })

/** In a template. White space in a placeholder does not end one, nor does U+FEFF, which is invisible. */
const words = /(?:\{[^{}\n]+\}|[\S\ufeff])+/g
const referenceCharacters = 8
const maxSubjectCharacters = 200

/** The most of a visitor's text that appears in a mail of someone else's. */
const maxCharacters = 60

/**
 * A visitor's text if it is short and leads nowhere, otherwise nothing. Mail programs make links of much that has no
 * `http`, and they ignore invisible characters in between. Marks of direction could show a text as another one.
 */
export const harmlessText = (text: string): string => {
  const line = text.trim()
  return isLong(line) || odd.test(line) || hasLink(line) ? '' : line
}

const isLong = (text: string): boolean => [...text.slice(0, 3 * maxCharacters)].length > maxCharacters

/** Line breaks, control characters, and all that marks a direction. */
const odd = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/**
 * The sites on which an address may have been entered. What the browser said could be made up, so it is the pages that may
 * send, or else this server. An app has no site.
 */
export const sitesOf = (allowedOrigins: readonly string[], publicUrl: string): readonly string[] => {
  const hosts = allowedOrigins.flatMap((origin) => /^https?:\/\/(?:\*\.)?(.*)$/.exec(origin)?.[1] ?? [])
  return hosts.length === 0 || hosts.length > maxHosts ? [new URL(publicUrl).host] : hosts
}

const maxHosts = 3

/** The submission as the visitor may see it: without links to the owner's pages, and without the visitor's own. */
const copyOf = (fields: readonly SubmittedField[], texts: Texts) => {
  const { shown, rest } = showFields(fields, '', [], texts)
  return {
    shown: shown.map(({ name, text, files, isCode, rest }) => ({
      isCode,
      name: withBrokenLinks(name),
      text: text === null ? null : withBrokenLinks(text),
      files: files.map((file) => ({ ...file, name: withBrokenLinks(file.name), url: null })),
      rest: withoutUrl(rest),
    })),
    rest: withoutUrl(rest),
  }
}

const withoutUrl = (rest: ShownFields['rest']): ShownFields['rest'] => rest && { label: rest.label, url: null }

const withBrokenLinks = (text: string): string =>
  text.replaceAll(/[\S\ufeff]+/g, (word) => (hasLink(word) ? withoutLinks(asBrowsersWrite(word)) : word))

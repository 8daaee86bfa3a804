import { encodedWords } from '../encoded-words.ts'
import { fieldsIn, fieldText } from '../submissions/sent-fields.ts'
import { visible } from '../visible.ts'

/** An event that a webhook gets a message about. */
export interface WebhookEvent {
  readonly form: { readonly id: string; readonly title: string }
  /** Null for a test. */
  readonly submission: {
    readonly id: string
    readonly createdAt: string
    /** JSON text of an object, as it is stored. */
    readonly data: string
  } | null
  /** Unix time in milliseconds. */
  readonly attemptAt: number
  /** Addresses of the submission's files by their identifiers; none if the public URL of this server is not known. */
  readonly fileUrls?: ReadonlyMap<string, string>
  /** The page of the submission, for a test that of the form; null if the public URL of this server is not known. */
  readonly link: string | null
}

export interface WebhookMessage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * The payload of Standard Webhooks 1.0.0. Holds the submission as the API returns it, its data byte for byte, with an
 * address of each file.
 */
export const standardMessage = ({ form, submission, fileUrls, attemptAt }: WebhookEvent): WebhookMessage => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    submission
      ? `{"type":"submission.created","timestamp":"${submission.createdAt}","data":{"id":"${submission.id}","formId":"${form.id}","data":${withUrls(submission.data, fileUrls)},"createdAt":"${submission.createdAt}"}}`
      : `{"type":"webhook.test","timestamp":"${new Date(attemptAt).toISOString()}","data":{"formId":"${form.id}"}}`,
  ),
})

/** Adds the addresses to JSON text that collecting wrote. Inside a text, quotes are escaped. */
const withUrls = (data: string, fileUrls: ReadonlyMap<string, string> | undefined): string =>
  fileUrls?.size
    ? data.replaceAll(/(,"file":"(\w+)")\}/g, (member, file: string, id: string) => {
        const url = fileUrls.get(id)
        return url === undefined ? member : `${file},"url":${JSON.stringify(url)}}`
      })
    : data

/** ntfy keeps a longer message as a file (https://docs.ntfy.sh/publish/#limitations). */
const maxBytes = 4096

/**
 * A notification of ntfy, for the URL of a topic: the fields as plain text, one a line. The link opens when it is
 * tapped. https://docs.ntfy.sh/publish/
 */
export const ntfyMessage = ({ form, submission, link }: WebhookEvent): WebhookMessage => ({
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    title: encodedWords(visible(submission ? form.title : `Test from Formbox: ${form.title}`)),
    tags: 'incoming_envelope',
    ...(link !== null && { click: link }),
  },
  body: atMostBytes(maxBytes, submission ? toText(submission.data) : 'Submissions of this form will arrive here.'),
})

const toText = (data: string): string => {
  const lines: string[] = []
  let characters = 0
  for (const { name, json } of fieldsIn(data)) {
    // More is cut off below, and only a little is looked at of a submission with 100,000 fields.
    if (characters > maxBytes) break
    const line = `${visible(name.slice(0, maxBytes))}: ${fieldText(json).slice(0, maxBytes)}`
    lines.push(line)
    characters += line.length
  }
  return lines.join('\n') || 'No fields'
}

/** UTF-8 of a text, which ends with `…` if it had to be cut. Halves no character. */
const atMostBytes = (most: number, text: string): Buffer => {
  const bytes = Buffer.from(text.toWellFormed())
  if (bytes.length <= most) return bytes
  const ellipsis = '…'
  // With `stream`, the decoder keeps the first bytes of a character that was cut.
  const whole = new TextDecoder().decode(bytes.subarray(0, most - Buffer.byteLength(ellipsis)), { stream: true })
  return Buffer.from(whole + ellipsis)
}

// What Slack, Mattermost, Rocket.Chat and Discord understand alike. Blocks are understood by Slack alone.
//
// Slack: https://api.slack.com/reference/messaging/attachments and
// https://docs.slack.dev/messaging/formatting-message-text (what to escape).
// Mattermost: https://developers.mattermost.com/integrate/reference/message-attachments and
// https://developers.mattermost.com/integrate/webhooks/incoming (`<!channel>` and `@channel` both tell everybody).
// Discord: https://discord.com/developers/docs/resources/webhook#execute-slackcompatible-webhook and
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits, the smallest limits of the four.

const maxTextCharacters = 300
const maxFields = 25
const maxNameCharacters = 200
const maxValueCharacters = 1024
/** Discord takes 6,000 in all. */
const maxFieldsCharacters = 5500
/** A value of at most this many characters has space for another one beside it. */
const maxShortCharacters = 40

/** A message for a channel: one line that notifications show, then the fields, and a link to the page. */
export const slackMessage = ({ form, submission, link }: WebhookEvent): WebhookMessage => {
  const text = submission ? `New submission: ${form.title}` : `Test from Formbox: ${form.title}`
  const fields = submission ? toFields(submission.data) : []
  const attachment = {
    fallback: inert(text, maxTextCharacters),
    ...(link !== null && { title: submission ? 'Open the submission' : 'Open the form', title_link: link }),
    fields,
    // No field is Slack's Markdown.
    mrkdwn_in: [],
  }
  const attachments = link === null && fields.length === 0 ? [] : [attachment]
  return {
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ text: inert(text, maxTextCharacters), attachments })),
  }
}

interface Field {
  readonly title: string
  readonly value: string
  readonly short: boolean
}

const toFields = (data: string): Field[] => {
  const sent = fieldsIn(data)
  const fields: Field[] = []
  let characters = 0
  for (const { name, json } of sent) {
    const text = fieldText(json)
    // Discord refuses an empty name or value.
    const title = inert(name, maxNameCharacters) || '–'
    const value = inert(text, maxValueCharacters) || '–'
    characters += title.length + value.length
    const left = sent.length - fields.length
    if (characters > maxFieldsCharacters || (fields.length === maxFields - 1 && left > 1))
      return [...fields, { title: '…', value: left === 1 ? '1 more field' : `${left} more fields`, short: true }]
    fields.push({ title, value, short: value.length <= maxShortCharacters && !value.includes('\n') })
  }
  return fields
}

/**
 * Text that a visitor sent, without an effect: it tells nobody (`<!channel>`, `@everyone`) and hides no address behind
 * other words. The markup for that is escaped or, where a server knows no escape for it, broken by a space of no width.
 * An e-mail address stays as it is.
 *
 * @param maxCharacters UTF-16 units of the result
 */
const inert = (text: string, maxCharacters: number): string => {
  const broken = visible(text.trim().slice(0, maxCharacters + 1))
    .toWellFormed()
    .replaceAll(/(?<![a-z0-9])@(?=\S)/gi, '@\u200b')
    .replaceAll(/\](?=[(:[])/g, ']\u200b')
  let escaped = ''
  for (const character of broken) {
    const next = entities[character] ?? character
    if (escaped.length + next.length >= maxCharacters) return `${escaped}…`
    escaped += next
  }
  return escaped
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

import { fieldText } from '../submissions/field-text.ts'
import { fieldsIn } from '../submissions/sent-fields.ts'
import { visible } from '../visible.ts'
import type { WebhookEvent, WebhookMessage } from './webhook-event.ts'

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
/** Of 6,000 in all. */
const maxFieldsCharacters = 5500
/** A value of at most so many characters leaves room for another one beside it. */
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

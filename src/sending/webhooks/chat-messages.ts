import { visible } from '../../base/visible.ts'
import {
  firstFields,
  linkWords,
  moreFields,
  titleOf,
  untelling,
  type WebhookEvent,
  type WebhookMessage,
  withoutMentions,
} from './message-parts.ts'

// What Slack, Mattermost, Rocket.Chat and Discord understand alike. Blocks are understood by Slack alone.
//
// Slack: https://api.slack.com/reference/messaging/attachments and
// https://docs.slack.dev/messaging/formatting-message-text (what to escape).
// Mattermost: https://developers.mattermost.com/integrate/reference/message-attachments and
// https://developers.mattermost.com/integrate/webhooks/incoming (`<!channel>` and `@channel` both tell everyone).
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
export const slackMessage = (event: WebhookEvent): WebhookMessage => {
  const { link } = event
  const text = titleOf(event)
  const fields = toFields(event)
  const attachment = {
    fallback: inert(text, maxTextCharacters),
    ...(link !== null && { title: linkWords(event), title_link: link }),
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

const toFields = (event: WebhookEvent): Field[] => {
  const limits = { maxFields, maxSize: maxFieldsCharacters }
  const toField = (name: string, text: string): Field => {
    // Discord refuses an empty name or value.
    const title = inert(name, maxNameCharacters) || '–'
    const value = inert(text, maxValueCharacters) || '–'
    return { title, value, short: value.length <= maxShortCharacters && !value.includes('\n') }
  }
  const { fields, left } = firstFields(event, limits, toField, ({ title, value }) => title.length + value.length)
  return left === 0 ? [...fields] : [...fields, { title: '…', value: moreFields(left), short: true }]
}

/**
 * Text that a visitor sent, without an effect: it tells no one (`<!channel>`, `@everyone`) and hides no address behind
 * other words. The markup for that is escaped or, where a server knows no escape for it, broken by a space of no width.
 * An e-mail address stays as it is.
 *
 * @param maxCharacters UTF-16 units of the result
 */
const inert = (text: string, maxCharacters: number): string => {
  const begun = visible(text.trim().slice(0, maxCharacters + 1)).toWellFormed()
  const broken = withoutMentions(begun).replaceAll(/\](?=[(:[])/g, ']\u200b')
  let escaped = ''
  for (const character of broken) {
    const next = entities[character] ?? character
    if (escaped.length + next.length >= maxCharacters) return `${escaped}…`
    escaped += next
  }
  return escaped
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Teams takes some 28 KB (https://learn.microsoft.com/connectors/teams/#known-issues-and-limitations-with-actions), but
 * someone measured 21 (https://rubydoc.info/gems/msteams_hermes/MsTeamsHermes/Message).
 */
const maxCardFieldsBytes = 18_000
const maxCardFields = 50
const maxLines = 20

/**
 * A message for a workflow of Microsoft Teams, “When a Teams webhook request is received”: an Adaptive Card. All text is in
 * blocks of rich text, which have no Markdown that a visitor could write
 * (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features), and no one is mentioned without `entities`.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const teamsMessage = (event: WebhookEvent): WebhookMessage => {
  const { link } = event
  const { fields, left } = firstFields(
    event,
    { maxFields: maxCardFields, maxSize: maxCardFieldsBytes },
    (name, text) => cardField(untelling(name, maxNameCharacters), untelling(text, maxValueCharacters)),
    (blocks) => Buffer.byteLength(JSON.stringify(blocks)),
  )
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [
      textBlock(untelling(titleOf(event), maxTextCharacters), { weight: 'Bolder', size: 'Medium' }),
      ...fields.flat(),
      ...(left > 0 ? [textBlock(`… ${moreFields(left)}`, { isSubtle: true })] : []),
    ],
    actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: linkWords(event), url: link }],
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  const message = { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(message)) }
}

/** The name, and each line of the value: line breaks inside a block are not shown everywhere. */
const cardField = (name: string, value: string) => {
  const lines = value.split('\n')
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines - 1), '…'] : lines
  return [textBlock(name, { weight: 'Bolder' }), ...shown.map((line) => ({ ...textBlock(line, {}), spacing: 'None' }))]
}

const textBlock = (text: string, look: object) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: text.trim() || '–', ...look }],
})

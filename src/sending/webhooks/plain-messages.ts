import { encodedWords } from '../../base/encoded-words.ts'
import { visible } from '../../base/visible.ts'
import { fieldText } from '../../submissions/sent-fields.ts'
import {
  firstFields,
  labelledFields,
  moreFields,
  titleOf,
  untelling,
  type WebhookEvent,
  type WebhookMessage,
} from './message-parts.ts'

/** ntfy keeps a longer message as a file (https://docs.ntfy.sh/publish/#limitations). */
const maxBytes = 4096

/**
 * A notification of ntfy, for the URL of a topic: the fields as plain text, one a line. The link opens when it is
 * tapped. https://docs.ntfy.sh/publish/
 */
export const ntfyMessage = (event: WebhookEvent): WebhookMessage => ({
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    title: encodedWords(visible(shortTitle(event))),
    tags: 'incoming_envelope',
    ...(event.link !== null && { click: event.link }),
  },
  body: atMostBytes(maxBytes, toText(event)),
})

/** It stands beside the name of the program. */
const shortTitle = (event: WebhookEvent): string => (event.submission ? event.form.title : titleOf(event))

const testText = 'Submissions of this form will arrive here.'

const toText = (event: WebhookEvent): string => {
  if (!event.submission) return testText
  const lines: string[] = []
  let characters = 0
  for (const { name, json } of labelledFields(event)) {
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

/**
 * A message of Gotify, for the address `/message` with the token of an application: plain text, which Gotify recommends for
 * what strangers write. The priority is the application's own. https://gotify.net/docs/pushmsg and
 * https://gotify.net/docs/msgextras; there is no limit in it, so it is that of ntfy.
 */
export const gotifyMessage = (event: WebhookEvent): WebhookMessage => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({
      title: untelling(shortTitle(event), maxTitleCharacters),
      message: atMostBytes(maxBytes, toText(event)).toString(),
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(event.link !== null && { 'client::notification': { click: { url: event.link } } }),
      },
    }),
  ),
})

const maxTitleCharacters = 300

// A text has 1 to 4,096 characters, counted without its markup (https://core.telegram.org/bots/api#sendmessage), and 100
// entities. It is the markup of this message: with HTML or Markdown, what a visitor writes would have to be escaped.
const maxTelegramFields = 90
const maxTelegramNameCharacters = 200
const maxTelegramValueCharacters = 1024
/** Leaves room for the title, the link of up to 400 characters and the words about further fields. */
const maxTelegramFieldsCharacters = 3300
const maxLinkCharacters = 400

/**
 * A message of a bot of Telegram, for the address of `sendMessage` with `chat_id`. Its link is written out: Telegram refuses
 * one behind other words to a host without a dot, such as `localhost`. https://core.telegram.org/bots/api#messageentity
 */
export const telegramMessage = (event: WebhookEvent): WebhookMessage => {
  const { link } = event
  const title = untelling(titleOf(event), maxTitleCharacters)
  const { fields, left } = firstFields(
    event,
    { maxFields: maxTelegramFields, maxSize: maxTelegramFieldsCharacters },
    (name, text) => ({
      name: `${untelling(name, maxTelegramNameCharacters) || '–'}:`,
      value: ` ${untelling(text, maxTelegramValueCharacters) || '–'}`,
    }),
    ({ name, value }) => name.length + value.length + 1,
  )
  const entities = [{ type: 'bold', offset: 0, length: title.length }]
  let text = title
  for (const { name, value } of fields) {
    entities.push({ type: 'bold', offset: text.length + 1, length: name.length })
    text += `\n${name}${value}`
  }
  if (left > 0) text += `\n… ${moreFields(left)}`
  if (link !== null && link.length <= maxLinkCharacters) text += `\n${link}`
  const message = { text, entities, link_preview_options: { is_disabled: true } }
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(message)) }
}

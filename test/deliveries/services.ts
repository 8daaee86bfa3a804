// What the documentation of services demands of a webhook, as servers that refuse everything else.
import { expect } from 'bun:test'
import type { Arrived } from './receiver.ts'

/** Answers as a service does, and tells what it understood. */
export type Service = (arrived: Arrived) => {
  readonly status: number
  readonly answer: string
  readonly shown?: unknown
}

const refuse = (status: number, answer: string) => ({ status, answer })

/** JSON is the only thing that the chat servers and n8n are sent. */
const jsonOf = ({ headers, body }: Arrived): unknown => {
  expect(headers.get('content-type')).toMatch(/^application\/json\b/)
  return JSON.parse(body)
}

/**
 * The Webhook node: only its path exists, and a body may have 16 MB. What the following nodes see is `headers` and `body`.
 * https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.webhook/
 */
export const n8n: Service = (arrived) => {
  if (!/^\/webhook\/[^/]+$/.test(arrived.path)) return refuse(404, 'The requested webhook is not registered.')
  if (arrived.body.length > 16_000_000) return refuse(413, 'request entity too large')
  const shown = { headers: Object.fromEntries(arrived.headers), body: jsonOf(arrived) }
  return { status: 200, answer: '{"message":"Workflow was started"}', shown }
}

interface ChatMessage {
  readonly text?: unknown
  readonly attachments?: readonly {
    readonly fallback?: unknown
    readonly title?: string
    readonly title_link?: string
    readonly fields?: readonly { readonly title?: unknown; readonly value?: unknown; readonly short?: unknown }[]
  }[]
}

/**
 * A message needs a text, and has at most 100 attachments, whose fields have a title and a value. `&`, `<` and `>` must be
 * escaped: what is between the brackets is a link or a mention.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export const slack: Service = (arrived) => {
  if (!arrived.path.startsWith('/services/')) return refuse(404, 'no_service')
  const message = jsonOf(arrived) as ChatMessage
  const { text, attachments = [] } = message
  if (typeof text !== 'string' || text === '') return refuse(400, 'no_text')
  if (attachments.length > 100) return refuse(400, 'too_many_attachments')
  const fields = attachments.flatMap(({ fields = [] }) => fields)
  if (!fields.every(({ title, value }) => typeof title === 'string' && typeof value === 'string'))
    return refuse(400, 'invalid_attachments')
  const texts = [text, ...fields.flatMap(({ title, value }) => [title, value])].join('\n')
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(texts)) return refuse(400, 'invalid_payload')
  return { status: 200, answer: 'ok', shown: message }
}

/**
 * The same message; an attachment must have a plain text besides (`fallback`). `@channel`, `@all`, `@here` and `@name`
 * mention people without brackets.
 * https://developers.mattermost.com/integrate/webhooks/incoming/
 * https://developers.mattermost.com/integrate/reference/message-attachments/
 */
export const mattermost: Service = (arrived) => {
  if (!arrived.path.startsWith('/hooks/')) return refuse(404, 'not found')
  const message = jsonOf(arrived) as ChatMessage
  const { text, attachments = [] } = message
  if (typeof text !== 'string' && attachments.length === 0) return refuse(400, 'No text specified.')
  if (!attachments.every(({ fallback }) => typeof fallback === 'string' && fallback !== ''))
    return refuse(400, 'fallback is required')
  if (/(?<![a-z0-9])@[a-z]/i.test(JSON.stringify(message))) return refuse(400, 'this mentions somebody')
  return { status: 200, answer: 'ok', shown: message }
}

/**
 * `/slack` after the URL of a webhook takes the same message, of which an attachment becomes an embed with its limits.
 * https://discord.com/developers/docs/resources/webhook#execute-slackcompatible-webhook
 * https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
export const discord: Service = (arrived) => {
  if (!/^\/api\/webhooks\/\d+\/[\w-]+\/slack$/.test(arrived.path)) return refuse(404, 'Unknown Webhook')
  const message = jsonOf(arrived) as ChatMessage
  const { text = '', attachments = [] } = message
  const fields = attachments.flatMap(({ fields = [] }) => fields)
  const texts = [...attachments.map(({ title = '' }) => title), ...fields.flatMap(({ title, value }) => [title, value])]
  const isWithin = (value: unknown, most: number) => typeof value === 'string' && value !== '' && value.length <= most
  const isValid =
    isWithin(text, 2000) &&
    attachments.length <= 10 &&
    attachments.every(({ title, fields = [] }) => isWithin(title ?? 'none', 256) && fields.length <= 25) &&
    fields.every(({ title, value }) => isWithin(title, 256) && isWithin(value, 1024)) &&
    texts.join('').length <= 6000
  return isValid ? { status: 200, answer: 'ok', shown: message } : refuse(400, '{"message":"Invalid Form Body"}')
}

/**
 * A protected topic wants the value of an `Authorization` header in `?auth=`, in base64 for URLs without padding. A body
 * of more than 4,096 bytes would become an attachment. Headers that are not ASCII are encoded as RFC 2047 says.
 * https://docs.ntfy.sh/publish/#query-param, https://docs.ntfy.sh/publish/#limitations
 *
 * @param token that may write to the topic
 */
export const ntfy =
  (token: string): Service =>
  ({ path, query, headers, body }) => {
    if (!/^\/[-_A-Za-z0-9]{1,64}$/.test(path)) return refuse(404, '{"code":40401,"error":"page not found"}')
    const auth = query.get('auth') ?? ''
    if (!/^[-_A-Za-z0-9]+$/.test(auth)) return refuse(400, '{"code":40013,"error":"invalid request"}')
    if (Buffer.from(auth, 'base64url').toString() !== `Bearer ${token}`)
      return refuse(401, '{"code":40101,"error":"unauthorized"}')
    if (Buffer.byteLength(body) > 4096) return refuse(413, 'this becomes an attachment')
    const title = decoded(headers.get('title') ?? '')
    return { status: 200, answer: '{"event":"message"}', shown: { title, click: headers.get('click'), message: body } }
  }

/** The words of a header that RFC 2047 encodes, in UTF-8 and base64. */
const decoded = (value: string): string =>
  value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, word: string) => Buffer.from(word, 'base64').toString())

/**
 * `POST /bot…/sendMessage`: the chat is a parameter of the URL, the rest is JSON. A text has 1 to 4,096 characters, and its
 * markup are entities inside it, at most 100, in UTF-16 units.
 * https://core.telegram.org/bots/api#making-requests, https://core.telegram.org/bots/api#sendmessage
 *
 * @param token of the bot
 */
export const telegram =
  (token: string): Service =>
  (arrived) => {
    if (arrived.path !== `/bot${token}/sendMessage`) return refuse(404, '{"ok":false,"error_code":404}')
    if (!/^-?\d+$/.test(arrived.query.get('chat_id') ?? ''))
      return refuse(400, '{"ok":false,"description":"Bad Request: chat_id is empty"}')
    const message = jsonOf(arrived) as {
      readonly text?: unknown
      readonly entities?: readonly { readonly type: string; readonly offset: number; readonly length: number }[]
    }
    const { text, entities = [] } = message
    if (typeof text !== 'string' || text.trim() === '') return refuse(400, 'Bad Request: message text is empty')
    if (text.length > 4096) return refuse(400, 'Bad Request: message is too long')
    const isInside = entities.every(({ offset, length }) => length > 0 && offset >= 0 && offset + length <= text.length)
    if (!isInside || entities.length > 100) return refuse(400, 'Bad Request: entities are wrong')
    const bold = entities.map(({ offset, length }) => text.slice(offset, offset + length))
    return { status: 200, answer: '{"ok":true,"result":{"message_id":1}}', shown: { text, bold } }
  }

/**
 * `POST /message` with the token of an application in the query or in the header `X-Gotify-Key`. The message is required,
 * and the extras need JSON. https://gotify.net/docs/pushmsg, https://gotify.net/docs/msgextras
 *
 * @param token of an application
 */
export const gotify =
  (token: string): Service =>
  (arrived) => {
    if (arrived.path !== '/message') return refuse(404, '{"error":"Not Found"}')
    if ((arrived.query.get('token') ?? arrived.headers.get('x-gotify-key')) !== token)
      return refuse(401, '{"error":"Unauthorized"}')
    const { title, message, extras } = jsonOf(arrived) as Record<string, unknown>
    if (typeof message !== 'string' || message === '') return refuse(400, '{"error":"Bad Request"}')
    return { status: 200, answer: '{"id":25}', shown: { title, message, extras } }
  }

interface Card {
  readonly type?: unknown
  readonly attachments?: readonly {
    readonly contentType?: unknown
    readonly content?: {
      readonly type?: unknown
      readonly version?: unknown
      readonly body?: readonly { readonly type: unknown; readonly inlines: readonly { readonly text: unknown }[] }[]
      readonly actions?: readonly { readonly type: unknown; readonly url: unknown }[]
    }
  }[]
}

/**
 * A workflow that begins with “When a Teams webhook request is received” posts the first attachment, which is an Adaptive
 * Card; a message has some 28 KB. It answers 202.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 * https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook
 */
export const teams: Service = (arrived) => {
  if (!arrived.query.get('sig')) return refuse(401, '{"error":{"code":"DirectApiAuthorizationRequired"}}')
  if (Buffer.byteLength(arrived.body) > 28_000) return refuse(413, 'RequestEntityTooLarge')
  const { type, attachments = [] } = jsonOf(arrived) as Card
  const [{ contentType, content } = {}] = attachments
  if (type !== 'message' || contentType !== 'application/vnd.microsoft.card.adaptive') return refuse(400, 'no card')
  if (content?.type !== 'AdaptiveCard' || typeof content.version !== 'string') return refuse(400, 'no card')
  const texts =
    content.body?.map((block) => (block.type === 'RichTextBlock' ? block.inlines[0]?.text : undefined)) ?? []
  if (!texts.every((text) => typeof text === 'string' && text !== '')) return refuse(400, 'no text')
  return { status: 202, answer: '', shown: { texts, url: content.actions?.[0]?.url } }
}

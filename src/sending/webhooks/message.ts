import { hmac } from '../../base/hash.ts'
import type { WebhookFormat } from '../../forms/webhooks/formats.ts'
import { parseHeaders } from '../../forms/webhooks/webhook-headers.ts'
import { joinUrl } from '../../forms/webhooks/webhook-services.ts'
import { keyOf, validSecrets } from '../../outbox/webhook-secret.ts'
import { slackMessage, teamsMessage } from './chat-messages.ts'
import { standardMessage, type WebhookEvent, type WebhookMessage } from './message-parts.ts'
import { gotifyMessage, ntfyMessage, telegramMessage } from './plain-messages.ts'
import { secretsIn } from './post.ts'

interface Delivery extends WebhookEvent {
  /** The identifier, which is the same at every attempt. */
  readonly id: string
}

/** As a `Poster` takes it. */
interface AddressedMessage extends WebhookMessage {
  readonly url: string
  readonly secrets: readonly string[]
}

/**
 * Makes the message to a webhook. Every format has the headers of Standard Webhooks 1.0.0: chat servers ignore them, and a
 * proxy in front of one can check them.
 */
export const webhookMessage = ({ id, ...event }: Delivery): AddressedMessage => {
  const { receiver, attemptAt } = event
  const { headers, body } = toMessage[receiver.format ?? 'standard'](event)
  const own = parseHeaders(receiver.headers)
  const timestamp = Math.floor(attemptAt / 1000)
  return {
    url: joinUrl(receiver),
    headers: {
      ...headers,
      ...Object.fromEntries(own.map(({ name, value }) => [name.toLowerCase(), value])),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(validSecrets(receiver, attemptAt), { id, timestamp, body }),
    },
    body,
    secrets: secretsIn(own, receiver.urlToken),
  }
}

const toMessage: Readonly<Record<WebhookFormat, (event: WebhookEvent) => WebhookMessage>> = {
  standard: standardMessage,
  slack: slackMessage,
  teams: teamsMessage,
  telegram: telegramMessage,
  ntfy: ntfyMessage,
  gotify: gotifyMessage,
}

interface Signed {
  readonly id: string
  /** Unix time of the attempt in seconds. */
  readonly timestamp: number
  readonly body: Uint8Array
}

/**
 * The value of `webhook-signature`: one signature for each secret, so that a receiver can change its secret while the
 * old one is still valid (Standard Webhooks 1.0.0, "Signature scheme" and "Webhook headers").
 */
const signatures = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => hmac(keyOf(secret), `${id}.${timestamp}.`, body))
    .map((signature) => `v1,${signature.toBase64()}`)
    .join(' ')

import { hmac } from '../../base/hash.ts'
import type { WebhookFormat } from '../../forms/webhooks/formats.ts'
import type { WebhookHeader } from '../../forms/webhooks/webhook-headers.ts'
import { keyOf } from '../../outbox/webhook-secret.ts'
import { slackMessage, teamsMessage } from './chat-messages.ts'
import { standardMessage, type WebhookEvent, type WebhookMessage } from './message-parts.ts'
import { gotifyMessage, ntfyMessage, telegramMessage } from './plain-messages.ts'

interface Delivery extends WebhookEvent {
  /** The identifier, which is the same at every attempt. */
  readonly id: string
  /** The current one, and those that were replaced lately. */
  readonly secrets: readonly string[]
  /** The owner's own. */
  readonly headers: readonly WebhookHeader[]
}

/**
 * Makes the message to a webhook. Every format has the headers of Standard Webhooks 1.0.0: chat servers ignore them, and a
 * proxy in front of one can check them.
 */
export const webhookMessage = (
  format: WebhookFormat,
  { id, secrets, headers: own, ...event }: Delivery,
): WebhookMessage => {
  const { headers, body } = toMessage[format](event)
  const timestamp = Math.floor(event.attemptAt / 1000)
  return {
    headers: {
      ...headers,
      ...Object.fromEntries(own.map(({ name, value }) => [name.toLowerCase(), value])),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(secrets, { id, timestamp, body }),
    },
    body,
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

import type { WebhookFormat } from '../webhooks/webhook-writes.ts'
import { ntfyMessage } from './ntfy.ts'
import { signatures } from './signature.ts'
import { slackMessage } from './slack.ts'
import { standardMessage } from './standard.ts'
import type { WebhookEvent, WebhookMessage } from './webhook-event.ts'

interface Delivery extends WebhookEvent {
  /** The same at every attempt. */
  readonly id: string
  /** The current one, and those that were replaced lately. */
  readonly secrets: readonly string[]
}

/**
 * What is sent to a webhook. Every format has the headers of Standard Webhooks 1.0.0: chat servers ignore them, and a
 * proxy in front of one can check them.
 */
export const webhookMessage = (format: WebhookFormat, { id, secrets, ...event }: Delivery): WebhookMessage => {
  const { headers, body } = toMessage[format](event)
  const timestamp = Math.floor(event.attemptAt / 1000)
  return {
    headers: {
      ...headers,
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
  ntfy: ntfyMessage,
}

import { hmac } from '../hash.ts'
import { keyOf } from '../outbox/webhook-secret.ts'

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
export const signatures = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => hmac(keyOf(secret), `${id}.${timestamp}.`, body))
    .map((signature) => `v1,${signature.toBase64()}`)
    .join(' ')

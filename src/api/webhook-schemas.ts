import { Type } from '@sinclair/typebox'
import { descriptionRule, webhookFormats } from '../webhooks/webhook-fields.ts'
import { Choice, ignoringOthers } from './schema-types.ts'
import { NullableText, WebhookUrl } from './text-types.ts'

const url = WebhookUrl({
  description:
    'Where submissions are sent: an absolute http or https URL, valid by the WHATWG URL standard, without a user name ' +
    'and password. Its address must be public, or one that the operator allows: an IP address or `localhost` is checked ' +
    'at once, and what a name resolves to when Formbox connects. That of a webhook of Discord ends with `/slack`.',
  example: 'https://example.com/hooks/formbox',
})
const formatOptions = {
  choices: webhookFormats,
  description:
    'Format of the requests. `standard`: as Standard Webhooks describes; `slack`: for Slack, Mattermost, Rocket.Chat and ' +
    'the `/slack` URLs of Discord; `ntfy`: for a topic of ntfy',
  example: 'standard',
} as const
const description = NullableText({
  ...descriptionRule,
  description: 'What the webhook is for. NUL and unpaired surrogates are refused.',
  example: 'Booking calendar',
})
const enabled = Type.Boolean({
  description: 'Whether submissions are sent to it. Switching it on also clears `disabledReason`.',
  example: true,
  error: 'must be true or false',
})

export const NewWebhookSchema = Type.Object(
  {
    url,
    format: Type.Optional(Choice({ ...formatOptions, preset: 'standard' })),
    description: Type.Optional(description),
  },
  ignoringOthers,
)

/** A field that is absent keeps its value. */
export const WebhookChangesSchema = Type.Partial(
  Type.Object({ url, format: Choice(formatOptions), description, enabled }),
  ignoringOthers,
)

const id = Type.String({ description: 'Webhook identifier', example: '01kahp5x2r00q2s4tznwe8cm3k9f' })
const secret = Type.String({
  description: 'Signs what is sent: `whsec_` and base64 of 32 bytes. It is never shown again.',
  example: 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGw=',
})

export const CreatedWebhookSchema = Type.Object({ id, secret })
export const WebhookSecretSchema = Type.Object({ secret })

export const WebhookSchema = Type.Object({
  id,
  url: Type.String({ example: 'https://example.com/hooks/formbox' }),
  format: Type.Unsafe<string>({ type: 'string', enum: [...webhookFormats], example: 'standard' }),
  description: Type.Unsafe<string | null>({ type: 'string', nullable: true, example: 'Booking calendar' }),
  enabled: Type.Boolean({ example: true }),
  disabledReason: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Why Formbox switched it off; null if it did not',
    example: null,
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

export const WebhookTestSchema = Type.Object({
  status: Type.Unsafe<number | null>({
    type: 'integer',
    nullable: true,
    description: 'Status of the answer; null if there was none',
    example: 204,
  }),
  error: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'What went wrong; null after a status of 200 to 299',
    example: null,
  }),
  answer: Type.String({ description: 'The first 500 characters of the answer, as text', example: '' }),
  milliseconds: Type.Integer({ description: 'How long it took', minimum: 0, example: 87 }),
})

export const WebhookListSchema = Type.Object({ webhooks: Type.Array(Type.Ref('Webhook')) })

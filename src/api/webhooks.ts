import { type TOptional, type TUnsafe, Type } from '@sinclair/typebox'
import { createdAt } from '../base/id.ts'
import type { Webhook } from '../forms/webhooks/store.ts'
import { headerValues, hidden, maxHeaders } from '../forms/webhooks/webhook-headers.ts'
import { members, type WebhookMembers } from '../forms/webhooks/webhook-members.ts'
import { webhookUrl, webhookUrlInWords } from '../forms/webhooks/webhook-rules.ts'
import { maxWebhooks, pickMembers } from '../forms/webhooks/webhook-writes.ts'
import { hookMembers } from '../storage/tables.ts'
import type { Stores } from '../stores/stores.ts'
import { jsonBody } from './json-body.ts'
import { NamedObject, schemaOf } from './kind-schema.ts'
import { linksToWebhook } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'
import { SubmissionSchema } from './submission-json.ts'

const tags = ['Webhooks'] as const

export const webhookOperations = ({ access, webhooks: store }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/webhooks',
    role: 'manager',
    operationId: 'listWebhooks',
    tags,
    summary: 'List the webhooks of a form',
    description: `All webhooks, at most ${maxWebhooks}, in the order in which they were created.`,
    answer: WebhookListSchema,
    errors: commonErrors,
    links: linksToWebhook('$response.body#/webhooks/0/id', 'the first webhook'),
    handle: ({ caller, params }) =>
      JSON.stringify({
        webhooks: store.listWebhooks(access.findFormTo('webhooks', caller.userId, params.formId)).map(toJson),
      }),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/webhooks',
    role: 'manager',
    operationId: 'createWebhook',
    tags,
    summary: 'Create a webhook',
    description:
      'From now on, sends each submission to a URL, signed as Standard Webhooks describes. Returns the secret, which is ' +
      `never shown again. A form has at most ${maxWebhooks} webhooks.`,
    body: jsonBody(WebhookInputSchema),
    isIdempotent: true,
    hasSecret: true,
    answer: CreatedWebhookSchema,
    errors: commonErrors,
    links: linksToWebhook('$response.body#/id', 'the new webhook'),
    handle: ({ caller, params, body, request }) => store.createWebhook(caller.userId, params.formId, body, request),
  }),

  readOperation({
    method: 'GET',
    path: '/forms/:formId/webhooks/:webhookId',
    role: 'manager',
    operationId: 'getWebhook',
    tags,
    summary: 'Get a webhook',
    description: 'One webhook, without its secret.',
    answer: WebhookSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      JSON.stringify(
        toJson(store.findWebhook(access.findFormTo('webhooks', caller.userId, params.formId), params.webhookId)),
      ),
  }),

  writeOperation({
    method: 'PATCH',
    path: '/forms/:formId/webhooks/:webhookId',
    role: 'manager',
    operationId: 'updateWebhook',
    tags,
    summary: 'Update a webhook',
    description: `A field that is absent keeps its value; null clears ${clearable.join(' and ')}.`,
    body: jsonBody(WebhookChangesSchema),
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params, body }) => store.updateWebhook(caller.userId, params.formId, params.webhookId, body),
  }),

  writeOperation({
    method: 'DELETE',
    path: '/forms/:formId/webhooks/:webhookId',
    role: 'manager',
    operationId: 'deleteWebhook',
    tags,
    summary: 'Delete a webhook',
    description: 'Its past deliveries stay in the list of deliveries. Its pending deliveries fail.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => store.deleteWebhook(caller.userId, params.formId, params.webhookId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/webhooks/:webhookId/rotate',
    role: 'manager',
    operationId: 'rotateWebhook',
    tags,
    summary: 'Give a webhook a new secret',
    description:
      'Returns the new secret, which is never shown again. For 24 hours after this call, everything is signed with the ' +
      'former secret as well, even if there is another rotation within that time. A third one ends the oldest secret.',
    isIdempotent: true,
    hasSecret: true,
    answer: WebhookSecretSchema,
    errors: commonErrors,
    handle: ({ caller, params, request }) =>
      store.rotateWebhook(caller.userId, params.formId, params.webhookId, request),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/webhooks/:webhookId/test',
    role: 'manager',
    operationId: 'testWebhook',
    tags,
    summary: 'Send a test to a webhook',
    description:
      'Sends a `webhook.test`, signed like everything else, and waits up to 15 seconds for the response of the receiver. ' +
      'The status is 200 whatever the receiver does. A test is tried once and is not in the list of deliveries. Two tests ' +
      'per user and 16 in total can run at the same time; the next one gets 429.',
    answer: WebhookTestSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      store.testWebhook(caller.userId, access.findFormTo('webhooks', caller.userId, params.formId), params.webhookId),
  }),
]

/** The body that a webhook with the format `standard` gets about a submission. */
export const SubmissionCreatedSchema = NamedObject('SubmissionCreated', {
  type: Type.Literal('submission.created', { example: 'submission.created' }),
  timestamp: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
  data: SubmissionSchema,
})

/** The message of a test. */
export const TestMessageSchema = NamedObject('TestMessage', {
  type: Type.Literal('webhook.test', { example: 'webhook.test' }),
  timestamp: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
  data: Type.Object({ formId: Type.String({ example: '01kahp5x2r00v7m3k9qd4tznwe8c' }) }),
})

const toJson = ({ id, url, headers, isEnabled, disabledReason, ...rest }: Webhook) => ({
  id,
  url,
  ...pickMembers((name) => rest[name]),
  headers,
  enabled: isEnabled,
  disabledReason,
  createdAt: createdAt(id),
})

const url = schemaOf(webhookUrl, {
  description:
    `Where submissions are sent: ${webhookUrlInWords}. Its address must be public, or one that the operator allows: ` +
    'an IP address or `localhost` is checked at once, and what a name resolves to when Formbox connects. A Discord URL ' +
    `gets \`/slack\` at its end. The secret in the URL of a service is shown as \`${hidden}\`, which keeps it in an update.`,
  example: 'https://example.com/hooks/formbox',
})
const memberSchemas = Object.fromEntries(
  hookMembers.map((name) => [name, schemaOf<unknown>(members[name].kind, members[name].words)]),
) as { [Name in keyof WebhookMembers]: TUnsafe<WebhookMembers[Name]> }
const clearable = hookMembers.filter((name) => members[name].kind.schema.nullable).map((name) => `\`${name}\``)
const optionalMembers = Object.fromEntries(
  Object.entries(memberSchemas).map(([name, schema]) => [name, Type.Optional(schema)]),
) as { [Name in keyof WebhookMembers]: TOptional<TUnsafe<WebhookMembers[Name]>> }
const headers = schemaOf(headerValues, {
  description:
    `Up to ${maxHeaders} headers that are sent besides those of Formbox, such as \`Authorization\`. Those of the connection, ` +
    'of the body, of proxies and of the signature are refused. A value is 1 to 2000 characters of printable ASCII; it is ' +
    `never shown again. In an update, the headers become these, and \`${hidden}\` keeps the value of the header with that ` +
    'name. With a URL that differs before its query, they must have their values again.',
  example: { 'X-Api-Key': 'not-a-real-key' },
})
const enabled = Type.Boolean({
  description: 'Whether submissions are sent to it. Switching it on also clears `disabledReason`.',
  example: true,
  error: 'must be true or false',
})

export const WebhookInputSchema = NamedObject('WebhookInput', {
  url,
  ...optionalMembers,
  headers: Type.Optional(headers),
})

/** A field that is absent keeps its value. */
export const WebhookChangesSchema = Type.Partial(
  NamedObject('WebhookChanges', {
    url,
    ...memberSchemas,
    headers,
    enabled,
  }),
)

const id = Type.String({ description: 'Webhook identifier', example: '01kahp5x2r00q2s4tznwe8cm3k9f' })
const secret = Type.String({
  description: 'Signs what is sent: `whsec_` and base64 of 32 bytes. It is never shown again.',
  example: 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGw=',
})

const CreatedWebhookSchema = NamedObject('CreatedWebhook', { id, secret })
const WebhookSecretSchema = NamedObject('WebhookSecret', { secret })

const WebhookSchema = NamedObject('Webhook', {
  id,
  url: Type.String({ example: 'https://example.com/hooks/formbox' }),
  ...memberSchemas,
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    documented: { additionalProperties: { type: 'string' } },
    description: `The names of the headers that are sent besides those of Formbox; in the place of each value, \`${hidden}\``,
    example: { 'X-Api-Key': hidden },
  }),
  enabled: Type.Boolean({ example: true }),
  disabledReason: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Why Formbox switched it off; null if it did not',
    example: null,
  }),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

const WebhookTestSchema = NamedObject('WebhookTest', {
  status: Type.Unsafe<number | null>({
    type: 'integer',
    format: 'int32',
    nullable: true,
    description: 'Status of the response; null if there was none',
    example: 204,
  }),
  error: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'What went wrong; null after a status of 200 to 299',
    example: null,
  }),
  answer: Type.String({ description: 'The first 500 characters of the response, as text', example: '' }),
  milliseconds: Type.Integer({ description: 'How long it took', minimum: 0, format: 'int32', example: 87 }),
})

const WebhookListSchema = NamedObject('WebhookList', { webhooks: Type.Array(WebhookSchema) })

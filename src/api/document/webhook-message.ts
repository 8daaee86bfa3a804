import { SubmissionCreatedSchema, TestMessageSchema } from '../webhooks.ts'
import { toContent, toSchema } from './to-schema.ts'

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  example,
  schema: { type: 'string' },
})

const { schema: created, example } = toContent(SubmissionCreatedSchema)['application/json']
const test = toSchema(TestMessageSchema)

/** The request that a webhook with the format `standard` gets: a callback of the operation that makes the webhook. */
export const webhookCallbacks = {
  message: {
    '{$request.body#/url}': {
      post: {
        operationId: 'receiveMessage',
        tags: ['Webhooks'],
        summary: 'Receive a submission',
        description:
          'Sent for each submission, with the format `standard`, and signed as Standard Webhooks describes. Ignore a `type` ' +
          'that you do not know. The same message may come twice, with the same `webhook-id`.',
        security: [],
        parameters: [
          header('webhook-id', 'Identifies the message, at every attempt', '01kahp6a8d00x5tznwe8cm3k9f2q'),
          header('webhook-timestamp', 'Unix time of this attempt in seconds', '1795248060'),
          header(
            'webhook-signature',
            'One to three signatures, separated by spaces',
            'v1,bm90IGEgcmVhbCBzaWduYXR1cmU=',
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                oneOf: [created, test],
                discriminator: {
                  propertyName: 'type',
                  mapping: { 'submission.created': created.$ref, 'webhook.test': test.$ref },
                },
              },
              example,
            },
          },
        },
        responses: {
          '2XX': { description: 'The message has arrived' },
          '410': { description: 'Nothing more is wanted: the webhook is switched off' },
          default: { description: 'The message is sent again later' },
        },
      },
    },
  },
}

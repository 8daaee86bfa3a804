import { Type } from '@sinclair/typebox'
import type { Stores } from '../stores/stores.ts'
import { NamedObject } from './kind-schema.ts'
import { writeOperation } from './operation.ts'
import { commonErrors } from './response-schemas.ts'

const ReplyTestSchema = NamedObject('ReplyTest', {
  to: Type.String({ description: 'Your own address', example: 'ada@example.com' }),
  subject: Type.String({ example: 'Thank you, Grace' }),
  text: Type.String({ description: 'The text part of the mail', example: 'We reply within two working days.' }),
  status: Type.Unsafe<number | null>({
    type: 'integer',
    format: 'int32',
    nullable: true,
    description: 'SMTP status of the response; null if there was none',
    example: 250,
  }),
  error: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'What went wrong; null if the mail server took the mail',
    example: null,
  }),
  answer: Type.String({ description: 'The response of the mail server, as text', example: '' }),
  milliseconds: Type.Integer({ description: 'How long it took', minimum: 0, format: 'int32', example: 87 }),
})

export const visitorMailTests = ({ access, mailPreviews }: Stores) => [
  writeOperation({
    method: 'POST',
    path: '/forms/:formId/reply/test',
    role: 'manager',
    operationId: 'testReply',
    tags: ['Settings'],
    summary: 'Send yourself the automatic reply',
    description:
      'Sends the mail of the setting `reply` to your own address, as the newest submission would get it, and waits up to 40 ' +
      'seconds for the mail server. Returns the mail, and what the mail server said. The status is 200 whatever that is. ' +
      'A test is tried once and is not in the list of deliveries. A user can send ten within an hour; the next one gets 429.',
    answer: ReplyTestSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      mailPreviews.test(caller.userId, access.findFormTo('configure', caller.userId, params.formId), 'reply'),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/confirm/test',
    role: 'manager',
    operationId: 'testConfirm',
    tags: ['Settings'],
    summary: 'Send yourself the email that asks to confirm an address',
    description:
      'Does the same with the mail of the setting `confirm`. Its link leads to the settings of the form, and confirms nothing. ' +
      'Tests of both mails count together.',
    answer: ReplyTestSchema,
    errors: commonErrors,
    handle: ({ caller, params }) =>
      mailPreviews.test(caller.userId, access.findFormTo('configure', caller.userId, params.formId), 'confirm'),
  }),
]

import { Type } from '@sinclair/typebox'
import { notFound } from '../base/errors.ts'
import { toIsoTime } from '../base/moment.ts'
import type { Stores } from '../stores/stores.ts'
import type { ConfirmRecord } from '../submissions/confirm/confirm-reads.ts'
import { listNames } from '../submissions/lists.ts'
import { NamedObject } from './kind-schema.ts'
import { readOperation } from './operation.ts'
import { commonErrors } from './response-schemas.ts'

const time = (description: string, example: string | null) =>
  Type.Unsafe<string | null>({ type: 'string', format: 'date-time', nullable: true, description, example })

export const ConfirmationSchema = NamedObject('Confirmation', {
  mailedAt: time('When the email was sent; null if none was', '2026-11-21T08:01:02.000Z'),
  confirmedAt: time('When the address was confirmed; null if it was not', '2026-11-21T08:03:00.000Z'),
  acceptedAt: time('When someone let it in by hand; null if no one did', null),
  acceptedBy: Type.Unsafe<string | null>({
    type: 'string',
    format: 'email',
    nullable: true,
    description: 'Email address of the user who did; null if the account is gone, too',
    example: null,
  }),
  mail: Type.Unsafe<ConfirmRecord['mail'] | null>({
    ...NamedObject('ConfirmationMail', {
      subject: Type.String({ example: 'Please confirm your address' }),
      text: Type.String({ example: 'You asked for our newsletter. {link}' }),
    }),
    nullable: true,
    description: 'What the email said, before its placeholders were filled in; null without a record',
  }),
  consent: Type.Array(Type.String(), {
    description: 'The labels of the check boxes that were ticked, as they stood',
    example: ['Send me the newsletter'],
  }),
})

export const confirmationOperations = ({ access, submissions, confirmReads }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/submissions/:submissionId/confirmation',
    role: 'reader',
    operationId: 'getConfirmation',
    tags: ['Submissions'],
    summary: 'Get the record of a confirmed address',
    description:
      'Of a form with the setting `confirm`: what a visitor was asked, and when the address was confirmed. Also of a submission ' +
      'that waits for it. All is null and `consent` empty if no one was asked.',
    answer: ConfirmationSchema,
    errors: commonErrors,
    handle({ caller, params: { formId, submissionId } }) {
      const form = access.findFormTo('read', caller.userId, formId)
      const isThere = listNames.some(
        (list) => submissions.findSubmissions(form, list, [submissionId]).submissions.length > 0,
      )
      if (!isThere) throw notFound('Submission')
      return JSON.stringify(toJson(confirmReads.recordOf(form, submissionId)))
    },
  }),
]

const toJson = (record: ConfirmRecord | undefined) => ({
  mailedAt: toTime(record?.mailedAt),
  confirmedAt: toTime(record?.confirmedAt),
  acceptedAt: toTime(record?.acceptedAt),
  acceptedBy: record?.acceptedBy ?? null,
  mail: record?.mail ?? null,
  consent: record?.consent ?? [],
})

const toTime = (at: number | null | undefined): string | null => (at == null ? null : toIsoTime(at))

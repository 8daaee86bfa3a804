import { Type } from '@sinclair/typebox'
import { momentPattern } from '../moment.ts'
import type { Reason } from '../submissions/submission-reads.ts'
import { listParameters } from './pagination.ts'
import { ignoringOthers } from './schema-types.ts'

const date = (which: string, example: string) =>
  Type.Optional(
    Type.String({
      description:
        `${which} creation time, inclusive: a date (the whole day in UTC) or a date-time with an offset. ` +
        'A + in the offset must be sent as %2B. ' +
        '`startDate` must not be after `endDate`.',
      example,
      documented: { pattern: momentPattern },
    }),
  )

export const dateParameters = {
  startDate: date('Earliest', '2026-11-01'),
  endDate: date('Latest', '2026-11-21T23:59:59Z'),
}

export const SubmissionsQuerySchema = Type.Object({ ...listParameters, ...dateParameters }, ignoringOthers)

export const SubmissionSchema = Type.Object({
  id: Type.String({ description: 'Submission identifier', example: '01kahp6a8d00q2s4tznwe8cm3k9f' }),
  formId: Type.String({
    description: 'Identifier of the form that it belongs to',
    example: '01kahp5x2r00v7m3k9qd4tznwe8c',
  }),
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        'The submitted values by field name. A field that was sent more than once has an array of its values.',
      example: { name: 'Ada', email: 'ada@example.com', message: 'Hello' },
    },
  ),
  createdAt: Type.String({ format: 'date-time', example: '2026-11-21T08:01:00.000Z' }),
})

export const SubmissionListSchema = Type.Object({
  submissions: Type.Array(Type.Ref('Submission')),
  pagination: Type.Ref('Pagination'),
})

export const ExportedSubmissionsSchema = Type.Array(Type.Ref('Submission'))

const reasons = ['honeypot', 'terms', 'links', 'marked'] satisfies Reason[]

/** A submission that is in quarantine. */
export const SpamSchema = Type.Object({
  ...SubmissionSchema.properties,
  reason: Type.Unsafe<Reason>({
    type: 'string',
    enum: [...reasons],
    description:
      'Why it is spam. `honeypot`: the trap field was filled in; `terms`: it contains a blocked term; `links`: it has too ' +
      'many links; `marked`: it was marked as spam',
    example: 'honeypot',
  }),
})

export const SpamListSchema = Type.Object({
  spam: Type.Array(Type.Ref('Spam')),
  pagination: Type.Ref('Pagination'),
})

// biome-ignore-all lint/suspicious/noExplicitAny: a JSON document

import { AppError, invalid, notFound, tooLarge, tooManyRequests, unavailable } from '../../base/errors.ts'
import { challengePath, challengeScriptPath, serverUrl, submitPath } from '../../config/addresses.ts'
import { closedError } from '../../forms/settings/opening.ts'
import { maxSentBytes } from '../../submissions/fields.ts'
import { ChallengeSchema, SubmittedSchema } from '../response-schemas.ts'
import { SubmissionDataSchema } from '../submission-json.ts'
import { idempotencyKeyFor, toParameter } from './parameters.ts'
import { always, errorResponse, header } from './responses.ts'
import { toContent } from './to-schema.ts'

type Json = any

/**
 * The paths where forms send to. They need no key, and are beside the API, not below it: their operations have a server of
 * their own.
 */
export const collecting = (publicUrl: string | null): Json => {
  const common = {
    tags: ['Collecting'],
    servers: [
      { url: publicUrl === null ? '/' : serverUrl(publicUrl), description: 'This server, without the path of the API' },
    ],
    security: [],
  }
  return {
    [inBraces(submitPath.route)]: { post: { ...common, ...submit } },
    [inBraces(challengePath.route)]: { get: { ...common, ...getChallenge } },
  }
}

/** `/s/{formId}` for `/s/:formId`. */
const inBraces = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}')

const formId = toParameter({}, { name: 'formId', in: 'path', required: true, schema: { type: 'string' } })

const json = toContent(SubmissionDataSchema)['application/json']
const { name, email, message } = json.example

const stored = { ...always, 'Idempotency-Replayed': header('IdempotencyReplayed') }

const submit = {
  operationId: 'submit',
  summary: 'Send a submission',
  description:
    'What plain HTML forms, scripts on any page and programs send to. 1 to 1,000 fields; repeated names become an array. The ' +
    'response comes when the submission is on the disk. `_gotcha` is the trap field; `_next`, `_subject`, `_idempotency` and ' +
    '`_challenge` are no part of the data. A client that accepts `text/html` and does not send JSON gets pages.',
  parameters: [
    formId,
    idempotencyKeyFor(
      'Makes it safe to send again. Within 24 hours, the same key with the same fields gets the first response again, and ' +
        'nothing is stored twice. With other fields, the key gets 400.',
    ),
  ],
  requestBody: {
    description: `At most ${maxSentBytes / 1024 / 1024} MiB of UTF-8 without files, not compressed`,
    required: true,
    content: {
      'application/json': json,
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', additionalProperties: { type: 'string' } },
        example: { name, email, message },
      },
      'multipart/form-data': {
        schema: { type: 'object', additionalProperties: { type: 'string', format: 'binary' } },
      },
    },
  },
  responses: {
    200: {
      description: 'Stored; for a browser, a page that says thank you',
      headers: stored,
      content: {
        ...toContent(SubmittedSchema),
        'text/html': { schema: { type: 'string' } },
      },
    },
    303: {
      description: 'Stored; a browser goes on to the `returnUrl` of the form, or to `_next`',
      headers: {
        ...stored,
        Location: { description: 'Where it goes', schema: { type: 'string', format: 'uri' } },
      },
    },
    400: errorResponse(
      'Invalid fields, a file that the form does not take, or no proof of work',
      invalid({
        field: 'email',
        message: 'must be an email address such as ada@example.com',
        path: '/email',
        rule: 'email',
        text: 'Enter an email address, such as ada@example.com.',
      }),
    ),
    403: errorResponse(
      'The form is closed, or takes no submissions from this page',
      closedError({ settings: null }, { reason: 'closed' }),
    ),
    404: errorResponse('There is no such form', notFound('Form')),
    413: errorResponse('Too large', tooLarge(maxSentBytes)),
    429: errorResponse('Too many submissions from one address', tooManyRequests(27)),
    500: errorResponse('Server error', new AppError('internal', 'Internal server error')),
    503: errorResponse('Temporarily unable to write', unavailable(1)),
  },
}

const getChallenge = {
  operationId: 'getChallenge',
  summary: 'Get a proof of work to solve',
  description:
    `For programs that send to a form with the setting \`challenge\`. Pages load \`${challengeScriptPath.route}\`, which does it. The field ` +
    '`_challenge` is the challenge and the nonce of each puzzle in base 36, joined by dots. For the puzzle `i`, the SHA-256 ' +
    'of the text after the last dot of the challenge, `i` (one byte) and the nonce (four bytes, big-endian) begins with ' +
    '`bits` zero bits.',
  parameters: [formId],
  responses: {
    200: { description: 'Success', headers: always, content: toContent(ChallengeSchema, { challenge: null }) },
    404: errorResponse('There is no such form', notFound('Form')),
    500: errorResponse('Server error', new AppError('internal', 'Internal server error')),
    503: errorResponse('Temporarily unable to write the key that signs challenges', unavailable(1)),
  },
}

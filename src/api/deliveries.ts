import { type Static, Type } from '@sinclair/typebox'
import { createdAt, creationTime } from '../base/id.ts'
import { deliveryKinds } from '../outbox/kinds.ts'
import { skipReasons } from '../storage/tables.ts'
import type { Stores } from '../stores/stores.ts'
import { deliveryStates } from '../submissions/deliveries/delivery-reads.ts'
import type { Delivery } from '../submissions/deliveries/store.ts'
import { NamedObject } from './kind-schema.ts'
import { linkToFirstDelivery } from './links.ts'
import { readOperation, writeOperation } from './operation.ts'
import { listParameters, PaginationSchema, paginationJson, toPage } from './pagination.ts'
import { QueryWords } from './query-types.ts'
import { commonErrors, SuccessSchema } from './response-schemas.ts'
import { checkedQuery, repeated } from './schema-check.ts'

const tags = ['Deliveries'] as const

const DeliveryStateSchema = Type.Unsafe<string>({
  name: 'DeliveryState',
  type: 'string',
  enum: [...deliveryStates],
  example: 'pending',
})

const DeliveriesQuerySchema = Type.Object({
  ...listParameters,
  state: QueryWords({
    items: DeliveryStateSchema,
    description: 'Only deliveries in these states: repeat the parameter, or separate them with commas',
    example: ['pending', 'failed'],
  }),
})

const RetryQuerySchema = Type.Object({
  receiverId: Type.Optional(
    Type.String({
      description: 'Only deliveries to this receiver: the identifier of a webhook, or `receiverId` of a delivery',
      example: '01kahp5x2r00q2s4tznwe8cm3k9f',
    }),
  ),
})

const toListed = ({ state, ...given }: Static<typeof DeliveriesQuerySchema>) => ({
  page: toPage(given),
  states: deliveryStates.filter((one) => state === undefined || state.split(',').includes(one)),
})
const checked = checkedQuery(DeliveriesQuerySchema, toListed, ['state'])

/** Takes `state=pending&state=failed` as well. */
const deliveriesQuery = {
  ...checked,
  parse: (given: Readonly<Record<string, string>>, url: string) =>
    checked.parse(given.state === undefined ? given : { ...given, state: repeated(url, 'state').join() }, url),
}

const DeliveryKindSchema = Type.Unsafe<string>({
  type: 'string',
  enum: Object.keys(deliveryKinds),
  description: `How: ${Object.values(deliveryKinds)
    .map(({ description }) => description)
    .join('; ')}`,
  example: 'webhook',
})

const SkipReasonSchema = Type.Unsafe<string | null>({
  type: 'string',
  nullable: true,
  enum: [...skipReasons, null],
  description:
    'Why nothing was sent; null unless `state` is `skipped`. `dismissed`: it failed, and someone looked at it. The others are of ' +
    'replies to visitors. `notify`: the address gets the notifications. ' +
    '`stopped`: its recipient wants no mail from this server. `refused`: its mail server refused it within 90 days. ' +
    '`form_address`, `server_address`: it got a reply from this form, or three from this server, within 24 hours. ' +
    '`form_hour`, `form_day`: the form sent 30 replies within an hour, or 300 within 24 hours. `user_hour`, ' +
    '`user_day`: all forms of its owner gave 60 within an hour, or 300 within 24 hours (30 while the account is younger than ' +
    'a day). `spam`: the submission was marked as spam.',
  example: null,
})

const DeliverySchema = NamedObject('Delivery', {
  id: Type.String({ description: 'Delivery identifier', example: '01kahp6a8d00x5tznwe8cm3k9f2q' }),
  submissionId: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'The submission; for a digest, the first one; null for a mail that is not about a submission',
    example: '01kahp6a8d00q2s4tznwe8cm3k9f',
  }),
  receiverId: Type.String({
    description: 'Identifier of the receiver: of a webhook, its own',
    example: '01kahp5x2r00q2s4tznwe8cm3k9f',
  }),
  kind: DeliveryKindSchema,
  target: Type.String({
    description: 'URL or email address. An editor sees of a URL only its host.',
    example: 'https://example.com/hooks/formbox',
  }),
  state: DeliveryStateSchema,
  attempts: Type.Integer({ description: 'Attempts begun so far', minimum: 0, format: 'int32', example: 2 }),
  lastStatus: Type.Unsafe<number | null>({
    type: 'integer',
    format: 'int32',
    nullable: true,
    description: 'HTTP or SMTP status of the last attempt; null if there was no response',
    example: 502,
  }),
  lastError: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Why the last attempt failed; null if it did not',
    example: 'The receiver responded with 502',
  }),
  reason: SkipReasonSchema,
  nextAttemptAt: Type.Unsafe<string | null>({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When it is due; null unless it is pending',
    example: '2026-11-21T08:06:05.000Z',
  }),
  createdAt: Type.String({
    format: 'date-time',
    description: 'Time of the submission',
    example: '2026-11-21T08:01:00.000Z',
  }),
})

const DeliveryListSchema = NamedObject('DeliveryList', {
  deliveries: Type.Array(DeliverySchema),
  pagination: PaginationSchema,
})

const RetriedSchema = NamedObject('Retried', {
  count: Type.Integer({ description: 'How many deliveries are due now', minimum: 0, example: 12 }),
})

export const deliveryOperations = ({ access, deliveries: store }: Stores) => [
  readOperation({
    method: 'GET',
    path: '/forms/:formId/deliveries',
    role: 'editor',
    operationId: 'listDeliveries',
    tags,
    summary: 'List the deliveries of a form',
    description:
      'One delivery for each submission and receiver, newest submission first. Delivered and skipped ones are deleted after 30 days, ' +
      'failed ones after 90. `page` must be among the newest 100,000 deliveries of the list.',
    query: deliveriesQuery,
    answer: DeliveryListSchema,
    errors: commonErrors,
    links: linkToFirstDelivery('retryDelivery', 'Tries the first delivery of the page again.'),
    handle({ caller, params, query: { page, states } }) {
      const form = access.findFormTo('deliver', caller.userId, params.formId)
      const { total, deliveries } = store.listDeliveries(caller.userId, form, states, page)
      return `{"deliveries":${JSON.stringify(deliveries.map(toJson))},"pagination":${paginationJson(page, total)}}`
    },
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/deliveries/:deliveryId/retry',
    role: 'editor',
    operationId: 'retryDelivery',
    tags,
    summary: 'Try a delivery again',
    description:
      'Starts another attempt at once, even if the delivery has succeeded. A failed delivery gets one more attempt. The ' +
      'response does not wait for it. A visitor gets no second reply, and none beyond the limits.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => store.retryDelivery(caller.userId, params.formId, params.deliveryId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/deliveries/:deliveryId/dismiss',
    role: 'editor',
    operationId: 'dismissDelivery',
    tags,
    summary: 'Dismiss a failed delivery',
    description:
      'For use after someone has looked at it: makes a failed delivery a skipped one, so that the form is not shown as one with ' +
      'failures, and so that retrying all leaves it out. It can still be retried by itself. A delivery that has not failed stays as it is.',
    answer: SuccessSchema,
    errors: commonErrors,
    handle: ({ caller, params }) => store.dismissDelivery(caller.userId, params.formId, params.deliveryId),
  }),

  writeOperation({
    method: 'POST',
    path: '/forms/:formId/deliveries/retry',
    role: 'editor',
    operationId: 'retryDeliveries',
    tags,
    summary: 'Try again what was not delivered',
    description:
      'For use after a receiver was repaired: starts another attempt at once for all deliveries that are pending or have ' +
      'failed, except to webhooks that are switched off. Each failed delivery gets one more attempt. One call takes about ' +
      '10,000 deliveries at most; call again for the others. `receiverId` limits it to one receiver.',
    query: checkedQuery(RetryQuerySchema, ({ receiverId }) => receiverId),
    answer: RetriedSchema,
    errors: commonErrors,
    handle: async ({ caller, params, query: receiverId }) => ({
      count: await store.retryDeliveries(caller.userId, params.formId, receiverId),
    }),
  }),
]

const toJson = ({
  id,
  submission,
  receiverId,
  kind,
  target,
  state,
  attempts,
  lastAttempts,
  reason,
  dueAt,
}: Delivery) => ({
  id,
  submissionId: submission,
  receiverId,
  kind,
  target,
  state,
  attempts,
  lastStatus: lastAttempts.at(-1)?.status ?? null,
  lastError: lastAttempts.at(-1)?.error ?? null,
  reason,
  // 0 is at once: since it was written down.
  nextAttemptAt: state === 'pending' ? new Date(dueAt || creationTime(id)).toISOString() : null,
  createdAt: createdAt(id),
})

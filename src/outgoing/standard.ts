import type { WebhookEvent, WebhookMessage } from './webhook-event.ts'

/** The payload of Standard Webhooks 1.0.0. Holds the submission as the API returns it, its data byte for byte. */
export const standardMessage = ({ form, submission, attemptAt }: WebhookEvent): WebhookMessage => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    submission
      ? `{"type":"submission.created","timestamp":"${submission.createdAt}","data":{"id":"${submission.id}","formId":"${form.id}","data":${submission.data},"createdAt":"${submission.createdAt}"}}`
      : `{"type":"webhook.test","timestamp":"${new Date(attemptAt).toISOString()}","data":{"formId":"${form.id}"}}`,
  ),
})

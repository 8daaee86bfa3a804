import { createdAt } from '../../base/id.ts'
import { atMost } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import type { Form } from '../../forms/form.ts'
import type { StoredMembers } from '../../forms/webhooks/webhook-writes.ts'
import type { Receiver } from '../../outbox/receivers.ts'
import { asRead } from '../../submissions/sent-as-read.ts'
import { fieldsIn, fieldText, type SubmittedField } from '../../submissions/sent-fields.ts'
import { type StoredSubmission, storedJson } from '../../submissions/stored-submission.ts'

/** An event that a webhook gets a message about. */
export interface WebhookEvent {
  readonly receiver: StoredMembers & Pick<Receiver, 'target' | 'urlToken' | 'headers' | 'secret' | 'oldSecrets'>
  readonly form: Pick<Form, 'id' | 'title' | 'settings'>
  /** With all its data, however long it is. Null for a test. */
  readonly submission: StoredSubmission | null
  /** Unix time in milliseconds. */
  readonly attemptAt: number
  /** Addresses of the submission's files by their identifiers; none if the public URL of this server is not known. */
  readonly fileUrls?: ReadonlyMap<string, string>
  /** The page of the submission, for a test that of the form; null if the public URL of this server is not known. */
  readonly link: string | null
}

export interface WebhookMessage {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * The payload of Standard Webhooks 1.0.0. Holds the submission as the API returns it, its data byte for byte, with an
 * address of each file.
 */
export const standardMessage = ({ form, submission, fileUrls, attemptAt }: WebhookEvent): WebhookMessage => ({
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    submission
      ? `{"type":"submission.created","timestamp":"${createdAt(submission.id)}","data":${withUrls(form.id, submission, fileUrls)}}`
      : `{"type":"webhook.test","timestamp":"${new Date(attemptAt).toISOString()}","data":{"formId":"${form.id}"}}`,
  ),
})

/** The submission as JSON, with the addresses in the JSON text that collecting wrote. Inside a text, quotes are escaped. */
const withUrls = (formId: string, submission: StoredSubmission, fileUrls: WebhookEvent['fileUrls']): string => {
  const { data } = submission
  const linked = fileUrls?.size
    ? data.replaceAll(/(,"file":"(\w+)")\}/g, (member, file: string, id: string) => {
        const url = fileUrls.get(id)
        return url === undefined ? member : `${file},"url":${JSON.stringify(url)}}`
      })
    : data
  return storedJson(formId, submission, '', linked)
}

/** Before the title of the form. */
export const newSubmission = 'New submission: '

/** What a message says that it is about, before its fields. */
export const titleOf = ({ form, submission }: WebhookEvent): string =>
  submission ? `${newSubmission}${form.title}` : `Test from Formbox: ${form.title}`

/** The words of the link to the page. */
export const linkWords = ({ submission }: WebhookEvent): string =>
  submission ? 'Open the submission' : 'Open the form'

type Fielded = Pick<WebhookEvent, 'form'> & { readonly submission: Pick<StoredSubmission, 'data'> | null }

/** The fields of a submission, none for a test, with the labels that people read. */
export const labelledFields = ({ form, submission }: Fielded): readonly SubmittedField[] =>
  submission ? asRead(fieldsIn(submission.data), form.settings) : []

interface Limits {
  readonly maxFields: number
  /** The size of all fields together. */
  readonly maxSize: number
}

/**
 * The first fields of a submission, as many as a message has room for, and how many are left. A field that would be the
 * only one left takes the place of the words that say so.
 */
export const firstFields = <F>(
  event: WebhookEvent,
  { maxFields, maxSize }: Limits,
  toField: (name: string, text: string) => F,
  sizeOf: (field: F) => number,
): { readonly fields: readonly F[]; readonly left: number } => {
  const sent = labelledFields(event)
  const fields: F[] = []
  let size = 0
  for (const { name, json } of sent) {
    const field = toField(name, fieldText(json))
    size += sizeOf(field)
    const left = sent.length - fields.length
    if (size > maxSize || (fields.length === maxFields - 1 && left > 1)) return { fields, left }
    fields.push(field)
  }
  return { fields, left: 0 }
}

export const moreFields = (left: number): string => (left === 1 ? '1 more field' : `${left} more fields`)

/**
 * The beginning of a text that a visitor sent, without those characters of it that tell someone in a chat, such as
 * `@everyone`: a space of no width follows the sign. An e-mail address stays as it is. Of a longer text, the end is `…`.
 */
export const untelling = (text: string, maxUnits: number): string => {
  const begun = visible(text.trim().slice(0, maxUnits + 1)).replaceAll(/\r\n?/g, '\n')
  return atMost(withoutMentions(begun.toWellFormed()), maxUnits - 1)
}

export const withoutMentions = (text: string): string => text.replaceAll(/(?<![a-z0-9])@(?=\S)/gi, '@\u200b')

import { idempotencyField } from '../forms/control-fields.ts'
import type { Form } from '../forms/ownership.ts'
import { checkKey, type IdempotentRequest, toIdempotentRequest } from '../idempotency/idempotency.ts'
import type { SentSubmission } from '../submissions/fields.ts'

interface Sent {
  readonly form: Pick<Form, 'id'>
  /** `Idempotency-Key`, if there is one. */
  readonly header: string | undefined
  readonly sent: SentSubmission
  /** When it arrived, as Unix milliseconds. */
  readonly at: number
}

/**
 * Tells a submission that is sent again from others; undefined if neither the header nor the field `_idempotency` does.
 *
 * Fields are compared, not bytes, because a browser that sends a form again separates its parts in another way. The proof
 * of work is left out: by then, a browser may have another one. With the field, other content is another submission, and
 * no mistake: a visitor may go back, change the text and send it again.
 *
 * @throws AppError `invalid` if the key is none
 */
export const toRequest = ({ form, header, sent: { fields, control }, at }: Sent): IdempotentRequest | undefined => {
  const { idempotencyKey, next, subject, isTrapFilled } = control
  const key = header ?? (idempotencyKey === undefined ? undefined : checkKey(idempotencyKey, idempotencyField))
  if (key === undefined) return undefined
  const isKeyedByContent = header === undefined
  const scope = `form ${form.id} ${isKeyedByContent ? 'field' : 'header'}`
  const data = fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()
  const content = `${JSON.stringify([next, subject, isTrapFilled])}${data}`
  return toIdempotentRequest({ scope, key, content, isKeyedByContent, at })
}

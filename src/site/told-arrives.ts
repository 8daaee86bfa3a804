import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import type { Form } from '../forms/form.ts'
import { type Html, html } from '../html/html.ts'
import { labelledFields, newSubmission } from '../sending/webhooks/message-parts.ts'
import { fieldText } from '../submissions/sent-fields.ts'
import type { ReceiverForm } from './told-form.ts'
import { type ToldKind, toldKinds } from './told-kinds.ts'

const maxFields = 6
const maxCharacters = 85
const example = '{"email":"ada@example.com","message":"Good day, …"}'

/**
 * What a chat or a phone gets of a message, in short: of the newest one, or of an example.
 *
 * @param data the JSON text of the newest submission; empty if there is none, or a long one
 */
export const arrivesThere = ({ kind }: Pick<ReceiverForm, 'kind'>, form: Form, data: string): Html | false => {
  const { arrives }: ToldKind = toldKinds[kind]
  if (arrives === null) return false
  const sent = labelledFields({ form, submission: { data: data || example } })
  const fields = sent.slice(0, maxFields)
  const isChat = arrives === 'chat'
  return html`<section aria-labelledby="arrives">
<h3 id="arrives">What arrives there</h3>
<blockquote class="arrives"><p><strong>${isChat && newSubmission}<bdi>${visible(form.title)}</bdi></strong></p><dl class="facts">${fields.map(
    ({ name, json }) =>
      html`<div><dt><bdi>${atMost(visible(name), maxCharacters)}</bdi></dt><dd><bdi>${atMost(fieldText(json), maxCharacters) || '–'}</bdi></dd></div>`,
  )}</dl>${sent.length > maxFields && html`<p>…</p>`}${isChat && html`<p>Open the submission</p>`}</blockquote>
</section>
`
}

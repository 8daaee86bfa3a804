import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import type { Form } from '../forms/form.ts'
import { type Html, html } from '../html/html.ts'
import { newSubmission } from '../sending/webhooks/message-parts.ts'
import { asRead } from '../submissions/sent-as-read.ts'
import { fieldsIn, fieldText } from '../submissions/sent-fields.ts'
import { type ToldKind, type ToldKindName, toldKinds } from './told-kinds.ts'

const maxFields = 6
const maxCharacters = 85
const example = '{"email":"ada@example.com","message":"Good day, …"}'

/**
 * What a chat or a phone gets of a message, in short: of the newest one, or of an example.
 *
 * @param data the JSON text of the newest submission; empty if there is none, or a long one
 */
export const arrivesThere = (
  kind: ToldKindName,
  form: Pick<Form, 'title' | 'settings'>,
  data: string,
): Html | false => {
  const { arrives }: ToldKind = toldKinds[kind]
  if (arrives === null) return false
  const sent = fieldsIn(data || example, maxFields + 1)
  const more = sent.length > maxFields
  const isChat = arrives === 'chat'
  return html`<section aria-labelledby="arrives">
<h3 id="arrives">What arrives there</h3>
<blockquote class="arrives"><p><strong>${isChat && newSubmission}<bdi>${visible(form.title)}</bdi></strong></p><dl class="facts">${asRead(
    sent.slice(0, maxFields),
    form.settings,
  ).map(
    ({ name, json }) =>
      html`<div><dt><bdi>${atMost(visible(name), maxCharacters)}</bdi></dt><dd><bdi>${atMost(fieldText(json), maxCharacters) || '–'}</bdi></dd></div>`,
  )}</dl>${more && html`<p>…</p>`}${isChat && html`<p>Open the submission</p>`}</blockquote>
</section>
`
}

import { visible } from '../base/visible.ts'
import { replyAsText } from '../forms/settings/reply.ts'
import type { ReplySettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import type { ReplyPreview, ReplyTest } from '../submissions/replies/mail-previews.ts'
import { answerOf, cameBack } from './delivery-item.ts'
import type { OwnInputs } from './settings-section.ts'

const names = ['reply', 'reply-subject', 'reply-text', 'reply-copy'] as const

export const replyInputs: OwnInputs = {
  names,

  read(sent) {
    const [name = '', subject = '', text = '', copy = ''] = names.map((one) => sent.get(one) ?? '')
    return replyAsText({ field: name, subject, text, copy: copy === 'on' })
  },

  show(typed, { error, hint }) {
    const { field: name, subject, text, copy }: ReplySettings = JSON.parse(typed)
    const shared = { isOptional: true } as const
    return html`${labelledInput({ name: 'reply', label: 'Field with the address', type: 'text', value: name, error, hint, ...shared })}
${labelledInput({ name: 'reply-subject', label: 'Subject', type: 'text', value: subject, hint: 'Such as “Thank you, {name}”', ...shared })}
${labelledInput({
  name: 'reply-text',
  label: 'Text',
  type: 'lines',
  value: text,
  hint: 'Plain text. {name} stands for the field “name”, {title} for the title of the form, and {reference} for the first 8 characters of the submission’s identifier. Long values, and values with links, are left out.',
  ...shared,
})}
<label class="choice"><input aria-labelledby="reply-copy-label" aria-describedby="reply-copy-hint" type="checkbox" name="reply-copy"${copy && html` checked`}><span><strong id="reply-copy-label">Add a copy of what was sent</strong> <span class="hint" id="reply-copy-hint">Needs “Let browsers work before they send”, under Spam, and “Pages that may send”, under Visitors.</span></span></label>
`
  },
}

interface Preview {
  /** What the mail is called. */
  readonly name: string
  readonly mail: ReplyPreview
  /** Where a button sends it to the reader. */
  readonly testPath: string
  readonly test: ReplyTest | null
}

/** A mail to visitors as the newest submission gets it, and a button to try it. */
export const mailPreview = ({ name, mail: { to, subject, text, waits }, testPath, test }: Preview): Html =>
  html`${test && testResult(test)}<div class="inputs" role="group" aria-labelledby="preview-heading">
<h4 id="preview-heading">Preview</h4>
<p class="small">${to === null ? `The ${name} to the newest submission, if the field held one address.` : html`The ${name} to the newest submission, at ${to}.`}</p>
${waits !== null && html`<p class="notice warn">${waits}. It waits until that is put right.</p>\n`}<p><strong>${visible(subject)}</strong></p>
<pre dir="auto" tabindex="0">${visible(text)}</pre>
<button formaction="${testPath}#test-result">Send it to yourself</button>
</div>
`

const testResult = ({ to, status, error, answer, milliseconds }: ReplyTest): Html =>
  html`<div class="notice ${error === null ? 'done' : 'failed'}" id="test-result" tabindex="-1" role="${error === null ? 'status' : 'alert'}">
<p>The email to ${to} was ${error === null ? html`${cameBack({ status, error })}` : html`not sent: ${cameBack({ status, error })}`} (${withCommas(milliseconds)} ms).</p>${answerOf(answer)}
</div>
`

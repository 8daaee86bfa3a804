import { encodedWords } from '../encoded-words.ts'
import { fieldText } from '../submissions/field-text.ts'
import { fieldsIn } from '../submissions/sent-fields.ts'
import { visible } from '../visible.ts'
import type { WebhookEvent, WebhookMessage } from './webhook-event.ts'

/** ntfy keeps a longer message as a file (https://docs.ntfy.sh/publish/#limitations). */
const maxBytes = 4096

/**
 * A notification of ntfy, for the URL of a topic: the fields as plain text, one a line. The link opens when it is
 * tapped. https://docs.ntfy.sh/publish/
 */
export const ntfyMessage = ({ form, submission, link }: WebhookEvent): WebhookMessage => ({
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    title: encodedWords(visible(submission ? form.title : `Test from Formbox: ${form.title}`)),
    tags: 'incoming_envelope',
    ...(link !== null && { click: link }),
  },
  body: atMost(maxBytes, submission ? toText(submission.data) : 'Submissions of this form will arrive here.'),
})

const toText = (data: string): string => {
  const lines: string[] = []
  let characters = 0
  for (const { name, json } of fieldsIn(data)) {
    // More is cut off below, and only a little is looked at of a submission with 100,000 fields.
    if (characters > maxBytes) break
    const line = `${visible(name.slice(0, maxBytes))}: ${fieldText(json).slice(0, maxBytes)}`
    lines.push(line)
    characters += line.length
  }
  return lines.join('\n') || 'No fields'
}

/** UTF-8 of a text, which ends with `…` if it had to be cut. Halves no character. */
const atMost = (most: number, text: string): Buffer => {
  const bytes = Buffer.from(text.toWellFormed())
  if (bytes.length <= most) return bytes
  const ellipsis = '…'
  // With `stream`, the decoder keeps the first bytes of a character that was cut.
  const whole = new TextDecoder().decode(bytes.subarray(0, most - Buffer.byteLength(ellipsis)), { stream: true })
  return Buffer.from(whole + ellipsis)
}

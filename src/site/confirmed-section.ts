import { visible } from '../base/visible.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { ConfirmRecord } from '../submissions/confirm/confirm-reads.ts'

/** Beside a submission: when its address was confirmed, what the email said, and which boxes were ticked. */
export const confirmedSection = (record: ConfirmRecord): Html => {
  const { mailedAt, confirmedAt, mail, consent } = record
  return html`<h2 id="confirmed">${confirmedAt === null ? 'Address not confirmed' : 'Confirmed address'}</h2>
<dl class="facts" aria-labelledby="confirmed">
${confirmedAt === null ? fact('Let in', letIn(record)) : fact('Confirmed', time(confirmedAt))}${fact('Email', mailedAt === null ? html`None was sent` : time(mailedAt))}${
  consent.length > 0 &&
  fact('Ticked', html`${consent.map((label, i) => html`${i > 0 && html`<br>`}<bdi>${visible(label)}</bdi>`)}`)
}</dl>
<details class="fold"><summary><span>What the email ${mailedAt === null ? 'would have said' : 'said'}</span></summary>
<p><strong>${visible(mail.subject)}</strong></p>
<pre dir="auto" tabindex="0">${visible(mail.text)}</pre>
</details>`
}

const fact = (name: string, value: Html): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`

const letIn = ({ acceptedAt, acceptedBy }: ConfirmRecord): Html =>
  html`by ${acceptedBy === null ? 'someone whose account is gone' : html`<bdi>${acceptedBy}</bdi>`}${acceptedAt !== null && html`, ${time(acceptedAt)}`}`

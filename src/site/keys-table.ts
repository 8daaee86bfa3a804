import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { creationTime } from '../id.ts'
import type { Key } from '../keys/store.ts'

const headings = ['Name', 'Key', 'Permission', 'Created', 'Last used', 'Expires', 'State'] as const

// On a narrow screen the table is `display: block`. The roles keep it a table for screen readers.
export const keysTable = (keys: readonly Key[], now: number): Html => html`<div class="card flush">
<table role="table" aria-label="API keys">
<thead role="rowgroup"><tr role="row">
${headings.map((heading) => html`<th role="columnheader" scope="col">${heading}</th>`)}
<th role="columnheader" scope="col"><span class="visually-hidden">Action</span></th>
</tr></thead>
<tbody role="rowgroup">
${keys.map((key) => row(key, now))}
</tbody>
</table>
</div>`

const row = (key: Key, now: number): Html => {
  const isExpired = key.expiresAt !== null && key.expiresAt <= now
  const cells = [
    html`<bdi>${key.name}</bdi>`,
    html`<code>${key.start}…</code>`,
    key.isReadOnly ? 'Read-only' : 'Full',
    time(creationTime(key.id)),
    key.lastUsedAt === null ? never : time(key.lastUsedAt),
    // The last millisecond at which it works, which is on the day that was chosen.
    key.expiresAt === null ? never : time(key.expiresAt - 1),
    html`<span class="state ${isExpired ? 'expired' : 'active'}">${isExpired ? 'Expired' : 'Active'}</span>`,
  ]
  return html`<tr role="row">
${cells.map((cell, column) => html`<td role="cell" data-label="${headings[column]}">${cell}</td>`)}
<td role="cell" class="action"><a class="button danger" href="/settings/keys/${key.id}/revoke" aria-label="Revoke ${key.name}">Revoke</a></td>
</tr>`
}

const never = html`<span class="never">Never</span>`

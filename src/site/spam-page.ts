import type { Form } from '../forms/ownership.ts'
import { parseSettings } from '../forms/settings.ts'
import { deleteByDefault } from '../html/field.ts'
import { count, days, time } from '../html/format.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { pager } from '../html/pager.ts'
import { creationTime } from '../id.ts'
import { atMost } from '../short-text.ts'
import { blockedTermIn } from '../submissions/judge.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import type { Reason } from '../submissions/submission-reads.ts'
import { visible } from '../visible.ts'
import { formFrame, formPath } from './form-frame.ts'
import { type ListPlace, placeInputs } from './list-place.ts'
import { selectionBar } from './selection-bar.ts'
import { cellText } from './sent-value.ts'

interface SpamRow {
  readonly id: string
  readonly reason: Reason
  /** The first text in it, which is usually a name, and the longest of the others. */
  readonly who: string
  readonly words: string
  readonly fields: readonly SubmittedField[]
  readonly isWhole: boolean
}

/** What was just done with how many. */
export interface SpamDone {
  readonly what: 'accepted' | 'deleted'
  readonly count: number
}

interface Shown {
  readonly email: string
  readonly form: Form
  readonly rows: readonly SpamRow[]
  /** On all pages together. */
  readonly total: number
  readonly perPage: number
  readonly place: ListPlace
  readonly toPath: (page: number) => string
  readonly selectAllPath: string
  readonly isAllSelected: boolean
  readonly done: SpamDone | undefined
}

export const spamPage = (shown: Shown): Response => {
  const { email, form, rows, done } = shown
  const { spamDays } = parseSettings(form.settings)
  return formFrame({
    form,
    email,
    tab: 'Spam',
    body: html`${done && notice('done', doneText(done))}
${rows.length === 0 ? nothingHeldBack(spamDays) : list(shown, spamDays)}`,
  })
}

const reasons: Readonly<Record<Reason, string>> = {
  honeypot: 'Trap field filled',
  terms: 'Blocked term',
  links: 'Too many links',
  marked: 'Marked by you',
}

const doneText = ({ what, count: number }: SpamDone): string => {
  const which = number === 1 ? 'The submission has' : `${count(number)} submissions have`
  return what === 'accepted' ? `${which} been moved to the list.` : `${which} been deleted.`
}

const nothingHeldBack = (spamDays: number): Html => html`<section class="card empty" aria-labelledby="empty">
<h2 id="empty">No spam</h2>
<p>What the filter holds back appears here for ${days(spamDays)}.</p>
</section>`

const list = (shown: Shown, spamDays: number): Html => {
  const { form, rows, place, total, perPage, toPath, isAllSelected } = shown
  const path = formPath(form.id)
  return html`<div class="toolbar">
<p><strong>${count(total)}</strong> held back. Kept for ${days(spamDays)}, then deleted. Nobody is told of these, and they are not counted. <a href="${path}/settings#spam">What counts as spam</a></p>
<form method="post" action="${path}/spam"><button class="danger" name="action" value="delete-all">Delete all</button></form>
</div>
<form class="selectable" autocomplete="off" method="post" action="${path}/spam">
${placeInputs(place)}${deleteByDefault}<a class="skip" href="#after-list">Skip the list</a>
<div class="card flush bleed">
<table class="entries spam" role="table" aria-label="Spam">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
<th role="columnheader" scope="col">What was sent</th>
<th role="columnheader" scope="col">Why it is here</th>
<th role="columnheader" scope="col" class="when">Time</th>
<th role="columnheader" scope="col"><span class="visually-hidden">Actions</span></th>
</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => tableRow(row, form, isAllSelected))}</tbody>
</table>
</div>
${selectionBar({
  what: 'spam',
  rowCount: rows.length,
  isAllSelected,
  selectAllPath: shown.selectAllPath,
  clearPath: toPath(place.page),
  buttons: html`<button name="action" value="accept">Not spam</button>
<button class="danger" name="action" value="delete">Delete</button>`,
})}
</form>
${pager({ page: place.page, perPage, total, toPath })}`
}

const tableRow = (row: SpamRow, form: Form, isSelected: boolean): Html => {
  const { id, reason, who, words, fields, isWhole } = row
  const at = time(creationTime(id))
  const name = who || 'No name'
  return html`<tr role="row">
<td role="cell"><label class="check"><input type="checkbox" name="ids" value="${id}"${isSelected && html` checked`}><span class="visually-hidden">Select ${name}, ${at}</span></label></td>
<td role="cell" class="who-cell"><details class="fold"><summary><span class="first-words">${
    who === '' ? html`<span class="none">${name}</span>` : html`<b><bdi>${who}</bdi></b>`
  } <bdi class="words">${fields.length > 0 && words}</bdi></span></summary>
${allOf(fields, isWhole)}</details></td>
<td role="cell" class="why" data-label="Why">${reasons[reason]}${reason === 'terms' && term(form, fields)}</td>
<td role="cell" class="when">${at}</td>
<td role="cell" class="buttons"><button name="accept" value="${id}">Not spam<span class="visually-hidden">: ${name}</span></button><button class="danger" name="delete" value="${id}">Delete<span class="visually-hidden">: ${name}</span></button></td>
</tr>
`
}

const term = ({ settings }: Form, fields: readonly SubmittedField[]): Html | false => {
  const found = blockedTermIn(parseSettings(settings), fields)
  return found !== undefined && html` <bdi class="term">${found}</bdi>`
}

/** Of one submission. A page has twenty, and a robot chose how much is in them. */
const maxFields = 30
const maxCharacters = 2000

const allOf = (fields: readonly SubmittedField[], isWhole: boolean): Html => {
  const shown = fields.slice(0, maxFields)
  const isCut = !isWhole || fields.length > maxFields || shown.some(({ json }) => json.length > maxCharacters)
  if (fields.length === 0) return html`<p class="muted small">No fields were sent.</p>`
  return html`<dl class="fields">
${shown.map(
  ({ name, json }) => html`<div><dt><bdi>${cellText(name)}</bdi></dt><dd dir="auto">${shownValue(json)}</dd></div>
`,
)}</dl>
${isCut && html`<p class="muted small">This is its beginning. The API has all of it, and so has the list of submissions if you choose “Not spam”.</p>`}`
}

const shownValue = (json: string): string => {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : json
  const text = typeof value === 'string' ? value : json
  return visible(atMost(text, maxCharacters)).toWellFormed()
}

import { creationTime } from '../base/id.ts'
import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { blockTermPath } from '../config/addresses.ts'
import { type FormTo, isEnough } from '../forms/access.ts'
import { withLabels } from '../forms/fields/labels.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import type { Term } from '../submissions/search/query.ts'
import { filesIn, isFile, itemsIn, type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import { blockedTermIn } from '../submissions/spam/judge.ts'
import type { Likeness } from '../submissions/spam/learning.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Reason } from '../submissions/stored-submission.ts'
import type { FormPage } from './form-frame.ts'
import { listPath, wholeList } from './list-query.ts'
import { marked } from './marked.ts'
import { perPage } from './selected-submissions.ts'
import { type SubmissionFiles, storedFile } from './sent-files.ts'
import { cellText } from './summary.ts'

export interface SpamRow {
  readonly id: string
  readonly reason: Reason
  /** Why it looks like spam, if it was held back for that, and would be today. */
  readonly likeness?: Likeness | undefined
  /** The path of what it is a copy of. */
  readonly copyPath?: string | undefined
  /** See `firstWords`. */
  readonly who: string
  readonly words: string
  readonly fields: readonly SubmittedField[]
  readonly isWhole: boolean
  readonly files: SubmissionFiles
}

interface Shown extends Pick<FormPage, 'form' | 'role'> {
  readonly rows: readonly SpamRow[]
  readonly isAllSelected: boolean
  /** The terms of the search, to mark them. */
  readonly terms: readonly Term[]
  /** Whether they are in the inbox, and only look like spam. */
  readonly isInbox?: boolean
}

/** Adds to a line why it looks like spam. */
export const explained = (
  submissions: Pick<SubmissionStore, 'findPlace'>,
  form: FormTo<'read'>,
  row: SpamRow,
  likeness: Likeness | undefined,
): SpamRow => {
  if (!likeness || !('copyOf' in likeness) || likeness.copyOf === undefined) return { ...row, likeness }
  const page = Math.ceil(submissions.findPlace(form, 'spam', likeness.copyOf).position / perPage)
  return { ...row, likeness, copyPath: `${listPath(form.id, 'spam', { ...wholeList, page })}#${likeness.copyOf}` }
}

/** A line for each, which opens to show what was sent. */
export const spamTable = ({ form, role, rows, isAllSelected, terms, isInbox = false }: Shown): Html =>
  html`<table class="entries spam" role="table" aria-label="${isInbox ? 'What looks like spam' : 'Spam'}">
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col"><span class="visually-hidden">Select</span></th>
<th role="columnheader" scope="col">What was sent</th>
<th role="columnheader" scope="col">${isInbox ? 'Why' : 'Why it is here'}</th>
<th role="columnheader" scope="col" class="when">Time</th>
<th role="columnheader" scope="col"><span class="visually-hidden">Actions</span></th>
</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => tableRow(row, { form, role, isAllSelected, terms: terms.filter(isAnywhere), isInbox }))}</tbody>
</table>`

const isAnywhere = ({ field, isExcluded }: Term): boolean => field === null && !isExcluded

const tableRow = (
  row: SpamRow,
  { form, role, isAllSelected: isSelected, terms, isInbox }: Omit<Shown, 'rows'>,
): Html => {
  const { id, reason, who, words, fields, isWhole, files } = row
  const at = time(creationTime(id))
  const name = who || 'No name'
  const mayKeep = !isInbox || parseSettings(form.settings).learnSpam
  return html`<tr role="row" id="${id}">
<td role="cell"><label class="check"><input type="checkbox" name="ids" value="${id}"${isSelected && html` checked`}><span class="visually-hidden">Select ${name}, ${at}</span></label></td>
<td role="cell" class="who-cell"><details class="fold"><summary><span class="first-words">${
    who === '' ? html`<span class="none">${name}</span>` : html`<b><bdi>${marked(who, terms)}</bdi></b>`
  } <bdi class="words">${fields.length > 0 && marked(words, terms)}</bdi></span></summary>
${allOf(withLabels(fields, form.settings), isWhole, files)}${
  isEnough(role, 'configure') &&
  !isInbox &&
  html`<p><a href="${blockTermPath(form.id, id)}">Block this word or address<span class="visually-hidden">: ${name}</span></a></p>`
}</details></td>
<td role="cell" class="why${row.likeness && ' told'}" data-label="Why">${likenessText(row) ?? reasons[reason]}${reason === 'terms' && term(form, fields)}</td>
<td role="cell" class="when">${at}</td>
<td role="cell" class="buttons">${
    isEnough(role, 'edit') &&
    html`${mayKeep && html`<button name="${isInbox ? 'keep' : 'accept'}" value="${id}">Not spam<span class="visually-hidden">: ${name}</span></button>`}<button class="danger" name="${isInbox ? 'spam' : 'delete'}" value="${id}">${isInbox ? 'Spam' : 'Delete'}<span class="visually-hidden">: ${name}</span></button>`
  }</td>
</tr>
`
}

const reasons: Readonly<Record<Reason, string>> = {
  honeypot: 'Trap field filled',
  terms: 'Blocked term',
  links: 'Too many links',
  marked: 'Marked by hand',
  similar: 'Looks like what was marked',
}

const likenessText = ({ likeness, copyPath }: SpamRow): string | Html | undefined => {
  if (!likeness) return undefined
  if ('markedAt' in likeness) {
    const when = html`marked on ${time(likeness.markedAt)}`
    return html`Almost the same as what was ${copyPath === undefined ? when : html`<a href="${copyPath}">${when}</a>`}`
  }
  const { words } = likeness
  if (words.length === 0) return reasons.similar
  return html`${reasons.similar}: ${words.map((word, i) => html`${i > 0 && ', '}<bdi>${cellText(word)}</bdi>`)}`
}

const term = ({ settings }: Form, fields: readonly SubmittedField[]): Html | false => {
  const found = blockedTermIn(parseSettings(settings), fields)
  return found !== undefined && html` <bdi class="term">${found}</bdi>`
}

/** Limits for one submission. A page has twenty, and a robot chose how much is in them. */
const maxFields = 30
const maxItems = 30
const maxCharacters = 2000

const allOf = (fields: readonly SubmittedField[], isWhole: boolean, files: SubmissionFiles): Html => {
  const shown = fields.slice(0, maxFields)
  const isCut = !isWhole || fields.length > maxFields || shown.some(({ json }) => isLonger(json))
  if (fields.length === 0) return html`<p class="muted small">No fields were sent.</p>`
  return html`<dl class="fields">
${shown.map(
  ({
    name,
    json,
  }) => html`<div><dt><bdi>${cellText(name)}</bdi></dt><dd dir="auto">${shownValue(json, files)}</dd></div>
`,
)}</dl>
${isCut && html`<p class="muted small">This is only the beginning. The API has the rest, and so has the list of submissions if you choose “Not spam”.</p>`}`
}

const isLonger = (json: string): boolean =>
  hasFiles(json) ? itemsIn(json).length > maxItems : json.length > maxCharacters

const hasFiles = (json: string): boolean => /^[[{]/.test(json) && filesIn(JSON.parse(json)).length > 0

const shownValue = (json: string, files: SubmissionFiles): string | Html =>
  hasFiles(json)
    ? html`<ul class="files">
${itemsIn(json)
  .slice(0, maxItems)
  .map(
    (item) => html`<li>${shownItem(item.json, files)}</li>
`,
  )}</ul>`
    : shownText(json)

const shownItem = (json: string, files: SubmissionFiles): string | Html => {
  const value: unknown = JSON.parse(json)
  return isFile(value) ? storedFile(value, files) : shownText(json)
}

const shownText = (json: string): string => visible(atMost(textIn(json) ?? json, maxCharacters)).toWellFormed()

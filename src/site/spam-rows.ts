import { creationTime } from '../base/id.ts'
import { toIsoTime } from '../base/moment.ts'
import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { blockTermPath, learnedPath, submissionPath } from '../config/addresses.ts'
import { type FormTo, isEnough } from '../forms/access.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { rowTime, time } from '../html/format.ts'
import { type Html, html } from '../html/html.ts'
import { filesIn, isFile } from '../submissions/files/sent-file.ts'
import type { FileStore } from '../submissions/files/store.ts'
import { cellText, firstFields, firstWords } from '../submissions/lines.ts'
import { isHeldList, type ListName, ofEachHeld } from '../submissions/lists.ts'
import type { Term } from '../submissions/search/terms.ts'
import { asRead } from '../submissions/sent-as-read.ts'
import { itemsIn, type SubmittedField, textIn } from '../submissions/sent-fields.ts'
import { blockedTermIn } from '../submissions/spam/judge.ts'
import type { Likeness } from '../submissions/spam/learning.ts'
import type { SubmissionStore } from '../submissions/store.ts'
import type { Reason } from '../submissions/stored-submission.ts'
import type { FoundSubmissions } from '../submissions/submission-reads.ts'
import { bodyOf, type Summary, summaryOf } from '../submissions/summary.ts'
import type { FormPage } from './form-frame.ts'
import { mailChip, mailText, type ShownMail } from './held.ts'
import { listPath, wholeList } from './list-query.ts'
import { marked } from './marked.ts'
import { perPage } from './selected-submissions.ts'
import { type SubmissionFiles, storedFile, submissionFiles } from './sent-files.ts'

export interface SpamRow {
  readonly id: string
  readonly reason: Reason
  /** Why it looks like spam, if it was held back for that, and would be today. */
  readonly likeness?: Likeness | undefined
  /** The path of what it is a copy of. */
  readonly copyPath?: string | undefined
  /** The first ones with the same value, by field, if it was held back for that. */
  readonly first?: ReadonlyMap<string, string> | undefined
  /** The email to its visitor, if it waits to be confirmed. */
  readonly mail?: ShownMail | undefined
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
  readonly now: number
}

/** The lines of what was found. */
export const toSpamRows = (
  files: FileStore,
  form: FormTo<'read'>,
  list: ListName,
  found: FoundSubmissions,
): SpamRow[] =>
  found.submissions.map((submission) => {
    const { id, reason } = submission
    const first = firstFields(found, submission)
    return {
      ...{ id, reason: reason ?? 'marked', ...first },
      ...firstWords({ ...found, submissions: [submission] }, form.settings),
      files: submissionFiles(files, { form, list, submission: id }, first.fields),
    }
  })

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
export const spamRows = ({ form, role, rows, now, isAllSelected, terms, isInbox = false }: Shown): Html =>
  html`<ol class="rows">
${rows.map((row) => listedRow(row, { form, role, now, isAllSelected, terms: terms.filter(isAnywhere), isInbox }))}</ol>
`

const isAnywhere = ({ field, isExcluded }: Term): boolean => field === null && !isExcluded

const listedRow = (
  row: SpamRow,
  { form, role, now, isAllSelected: isSelected, terms, isInbox }: Omit<Shown, 'rows'>,
): Html => {
  const { id, fields, isWhole, files } = row
  const summary = summaryOf(fields, form.settings)
  const name = summary.sender || summary.text.slice(0, 40).toWellFormed() || 'No name'
  const at = creationTime(id)
  const when = rowTime(at, now)
  const why = html`${likenessText(row) ?? (row.mail && mailText(row.mail)) ?? ((row.reason === 'repeated' && repeatOf(row.first, form)) || reasons[row.reason][1])}${row.reason === 'terms' && term(form, fields)}${
    row.reason === 'similar' &&
    isEnough(role, 'edit') &&
    !isInbox &&
    html`. <a href="${learnedPath(form.id)}">What was learned</a>`
  }`
  const mayKeep = !isInbox || parseSettings(form.settings).learnSpam
  return html`<li class="row opens" id="${id}">
<label class="check"><input type="checkbox" name="ids" value="${id}"${isSelected && html` checked`}><span class="visually-hidden">Select ${name}, ${when}</span></label>
<a class="to-bar" href="#picked">To the actions</a>
<details>
<summary>${summary.sender === '' ? html`<span class="one none">No name</span>` : html`<span class="one"><bdi>${marked(summary.sender, terms)}</bdi></span>`}<span class="gist"><bdi>${marked(row.words, terms)}</bdi></span><span class="chip">${chipOf(row, form)}</span><time datetime="${toIsoTime(at)}" data-format="row">${when}</time></summary>
<div class="opened">
${opened({ form, fields, isWhole, files, summary, why })}
${
  isEnough(role, 'configure') &&
  !isInbox &&
  !isHeldList(row.reason) &&
  html`<p><a href="${blockTermPath(form.id, id)}">Block this word or address<span class="visually-hidden">: ${name}</span></a></p>
`
}</div>
</details>
${
  isEnough(role, 'edit') &&
  html`<div class="acts">${mayKeep && html`<button name="${isInbox ? 'keep' : 'accept'}" value="${id}">${isInbox ? 'Keep' : isHeldList(row.reason) ? 'Let in' : 'Not spam'}<span class="visually-hidden">: ${name}</span></button>`}<button class="danger" name="${isInbox ? 'spam' : 'delete'}" value="${id}">${isInbox ? 'Spam' : 'Delete'}<span class="visually-hidden">: ${name}</span></button></div>
`
}</li>
`
}

/** Says which field has a value that was sent before, with a link; false if the first one is gone. @param first by field */
export const repeatOf = (first: ReadonlyMap<string, string> = new Map(), { id, settings }: Form): Html | false => {
  const [found] = first
  if (!found) return false
  const [name, submission] = found
  const label = parseSettings(settings).fields.find((one) => one.name === name)?.label ?? name
  return html`Sent before with this “<bdi>${cellText(label)}</bdi>”: <a href="${submissionPath(id, submission)}">the first one</a>`
}

/** The reason in two words, with what it is about. */
const chipOf = ({ reason, likeness, fields, mail }: SpamRow, form: Form): Html => {
  if (mail) return html`${mailChip(mail)}`
  if (reason === 'terms') {
    const found = term(form, fields)
    return html`${reasons.terms[0]}${found && html`:${found}`}`
  }
  if (reason !== 'similar' || !likeness) return html`${reasons[reason][0]}`
  if ('markedAt' in likeness) return html`A copy of what was marked`
  const words = likeness.words.slice(0, 2)
  return html`${reasons[reason][0]}${words.length > 0 && ': '}${words.map((word, i) => html`${i > 0 && ', '}<bdi>${cellText(word)}</bdi>`)}`
}

/** A reason as the legend of the page and a row name it, and in words of its own. */
export const reasons: Readonly<Record<Reason, readonly [name: string, why: string]>> = {
  honeypot: ['Trap field', 'Trap field filled'],
  terms: ['Word', 'Blocked term'],
  links: ['Links', 'Too many links'],
  repeated: ['Sent before', 'Sent before'],
  marked: ['By hand', 'Marked by hand'],
  similar: ['Like marked', 'Looks like what was marked'],
  ...ofEachHeld(({ label }) => [label, label] as const),
}

const likenessText = ({ likeness, copyPath }: SpamRow): string | Html | undefined => {
  if (!likeness) return undefined
  if ('markedAt' in likeness) {
    const when = html`marked on ${time(likeness.markedAt)}`
    return html`Almost the same as what was ${copyPath === undefined ? when : html`<a href="${copyPath}">${when}</a>`}`
  }
  const { words } = likeness
  if (words.length === 0) return reasons.similar[1]
  return html`${reasons.similar[1]}: ${words.map((word, i) => html`${i > 0 && ', '}<bdi>${cellText(word)}</bdi>`)}`
}

const term = ({ settings }: Form, fields: readonly SubmittedField[]): Html | false => {
  const found = blockedTermIn(parseSettings(settings), fields)
  return found !== undefined && html` <bdi class="term">${found}</bdi>`
}

/** Limits for one submission. A page has twenty, and a robot chose how much is in them. */
const maxFields = 30
const maxItems = 30
const maxCharacters = 2000

interface Opened {
  readonly form: Form
  readonly fields: readonly SubmittedField[]
  readonly isWhole: boolean
  readonly files: SubmissionFiles
  readonly summary: Summary
  readonly why: Html
}

/** All that was sent: its text, and the other fields. */
const opened = ({ form, fields, isWhole, files, summary, why }: Opened): Html => {
  const text = bodyOf(fields, form.settings, summary)
  const shown = asRead(fields, form.settings)
    .slice(0, maxFields)
    .filter((_, position) => position !== text)
  const body = text === undefined ? undefined : fields[text]
  const isCut = !isWhole || fields.length > maxFields || fields.slice(0, maxFields).some(({ json }) => isLonger(json))
  const facts = shown.map(({ name, json }) => fact(cellText(name), html`${shownValue(json, files)}`))
  return html`${
    body &&
    html`<div class="text" dir="auto">${shownValue(body.json, files)}</div>
`
  }${fields.length === 0 && html`<p class="muted small">No fields were sent.</p>`}<dl class="facts">
${facts}<div><dt>Why it is here</dt><dd>${why}</dd></div>
</dl>
${isCut && html`<p class="muted small">This is only the beginning. The API has the rest, and so has the list of submissions if you choose “Not spam”.</p>`}`
}

const fact = (
  name: string,
  value: Html,
): Html => html`<div><dt><bdi>${name}</bdi></dt><dd dir="auto">${value}</dd></div>
`

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

import { creationTime } from '../../base/id.ts'
import { atMost } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import { dayTime } from '../../html/format.ts'
import { type Html, html } from '../../html/html.ts'
import type { ConfirmRecord } from '../../submissions/confirm/confirm-reads.ts'
import type { StoredFile } from '../../submissions/files/file-reads.ts'
import { fileFacts, isFile } from '../../submissions/files/sent-file.ts'
import { lists } from '../../submissions/lists.ts'
import { asRead } from '../../submissions/sent-as-read.ts'
import { fieldsIn, itemsIn, readableJson } from '../../submissions/sent-fields.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'
import type { Match } from './scan.ts'

// A page that someone opens from a folder: without scripts, and without anything from elsewhere.

/** A submission in the archive. */
export interface ArchivedSubmission extends Match {
  /** The form's settings. */
  readonly settings: string | null
  /** With all its data. */
  readonly stored: StoredSubmission
  /** What was written about it, oldest first. */
  readonly notes: readonly { readonly text: string; readonly createdAt: string }[]
  readonly files: readonly PersonFile[]
  /** Of a confirmed address, if there is one. */
  readonly record: ConfirmRecord | undefined
}

export interface PersonFile extends StoredFile {
  /** Its name in the archive. */
  readonly path: string
}

/** @param value what was looked for */
export const aboutStart = (value: string, now: number): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>What was sent by ${shown(value)}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
article { border-top: 1px solid; padding-bottom: 1rem }
dt { font-weight: 600; margin-top: 0.75rem }
dd { margin: 0 }
dd, .note { white-space: pre-wrap }
</style>
</head>
<body>
<h1>What was sent by <bdi>${shown(value)}</bdi></h1>
<p>These are all submissions in which a field has exactly this value, as stored on ${dayTime(now)}. The file submissions.json has
the same data for programs, and the folder “files” has the files.</p>
`

export const aboutEnd: Html = html`</body>
</html>
`

export const aboutSubmission = ({
  formTitle,
  settings,
  submissionId,
  list,
  stored,
  notes,
  files,
  record,
}: ArchivedSubmission): Html => {
  const byId = new Map(files.map((file) => [file.id, file]))
  return html`<article>
<h2><bdi>${shown(formTitle)}</bdi></h2>
<p>Sent on ${dayTime(creationTime(submissionId))}${lists[list].told}. Number ${submissionId}.</p>
${notes.map(({ text, createdAt }) => html`<p class="note">Note of ${dayTime(Date.parse(createdAt))}: ${visible(text)}</p>`)}
${record && recordOf(record)}<dl>
${asRead(fieldsIn(stored.data), settings).map(
  ({ name, json }) => html`<dt><bdi>${shown(name)}</bdi></dt>
${toValues(json, byId)}`,
)}</dl>
</article>
`
}

const recordOf = ({ mailedAt, confirmedAt, mail, consent }: ConfirmRecord): Html =>
  html`${
    mailedAt !== null &&
    html`<p>An email of ${dayTime(mailedAt)} asked to confirm the address:</p>
<p class="note">${visible(mail.subject)}

${visible(mail.text)}</p>
`
  }${
    confirmedAt !== null &&
    html`<p>The address was confirmed on ${dayTime(confirmedAt)}.</p>
`
  }${
    consent.length > 0 &&
    html`<p>Boxes that were ticked: ${consent.map((label, i) => html`${i > 0 && ', '}<bdi>${visible(label)}</bdi>`)}</p>
`
  }`

/** Items that are shown of one field. A page of megabytes would freeze a phone. */
const maxItems = 200
const maxCharacters = 20_000
const more = '(The rest of it is in submissions.json.)'

const toValues = (json: string, files: ReadonlyMap<string, PersonFile>): Html => {
  const items = itemsIn(json)
  return html`${items.slice(0, maxItems).map(
    (item) => html`<dd dir="auto">${toValue(item.json, files)}</dd>
`,
  )}${items.length === 0 && html`<dd>–</dd>`}${items.length > maxItems && html`<dd>${more}</dd>`}`
}

const toValue = (json: string, files: ReadonlyMap<string, PersonFile>): Html => {
  const value: unknown = JSON.parse(json)
  const file = isFile(value) ? files.get(value.file) : undefined
  if (file)
    return html`<a href="${file.path.split('/').map(encodeURIComponent).join('/')}">${shown(file.name) || 'Unnamed file'}</a>`
  if (isFile(value)) return html`${shown(value.filename)} (${fileFacts(value)}, not here)`
  if (value === '' || value === null) return html`–`
  const text = typeof value === 'string' ? value : json.length > maxCharacters ? json : readableJson(json)
  return html`${visible(atMost(text, maxCharacters))}${text.length > maxCharacters && ` ${more}`}`
}

const shown = (text: string): string => visible(atMost(text.replaceAll(/\s+/g, ' '), 1000))

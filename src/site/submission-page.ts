import type { Form } from '../forms/ownership.ts'
import { count } from '../html/count.ts'
import { frame } from '../html/frame.ts'
import { header } from '../html/header.ts'
import { type Html, html } from '../html/html.ts'
import { ago, dayTime } from '../html/time.ts'
import { creationTime } from '../id.ts'
import type { SubmittedField } from '../submissions/sent-fields.ts'
import { fileFacts, filesIn } from '../submissions/sent-file.ts'
import { visible } from '../visible.ts'
import { formPath } from './form-frame.ts'
import { type ListPlace, placeInputs, placePath, placeQuery } from './list-place.ts'
import { cellText, linked } from './sent-value.ts'
import { titleOf } from './submission-title.ts'

interface Shown {
  readonly email: string
  readonly form: Form
  readonly id: string
  readonly fields: readonly SubmittedField[]
  /** Of the list that led here. */
  readonly place: ListPlace
  readonly now: number
  readonly neighbours: { readonly older: string | undefined; readonly newer: string | undefined }
}

/**
 * Characters of one field, and of all fields together, that the page shows. The rest is a download away: a page of
 * megabytes would freeze a telephone. When all are used up, each field still gets the fewest.
 */
const maxShownCharacters = 20_000
const maxCharactersOfAll = 200_000
const fewestShownCharacters = 200

export const submissionPage = ({ email, form, id, fields, place, neighbours, now }: Shown): Response => {
  const at = creationTime(id)
  const name = titleOf(fields, id)
  const path = `${formPath(form.id)}/submissions/${id}`
  const pathOf = (other: string): string => `${formPath(form.id)}/submissions/${other}${placeQuery(place)}`
  return frame({
    title: `${name} · ${form.title} · Formbox`,
    width: 'wide',
    header: header('/', email),
    body: html`<div class="trail">
<p class="crumb"><a href="${placePath(form.id, place)}"><bdi>${form.title}</bdi></a></p>
<nav class="pages" aria-label="Submissions">
${neighbour('newer', 'Newer', neighbours.newer && pathOf(neighbours.newer))}
${neighbour('older', 'Older', neighbours.older && pathOf(neighbours.older))}
</nav>
</div>
<h1><bdi>${name}</bdi></h1>
<p class="lead">${dayTime(at)} <span class="small">${ago(at, now, 24)}</span></p>
<div class="sheet">
<section class="card" aria-label="What was sent">
${
  fields.length === 0
    ? html`<p class="muted">No fields were sent.</p>`
    : html`<dl class="fields">
${rows(fields, path)}</dl>`
}
</section>
<div class="aside">
<div class="stack">
${replyLink(form, fields)}
<form method="post" action="${formPath(form.id)}/submissions/delete">
<input type="hidden" name="ids" value="${id}">
${placeInputs(place)}<button class="danger full">Delete</button>
</form>
</div>
<section aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<div><dt>Identifier</dt><dd><code>${id}</code></dd></div>
</dl>
</section>
</div>
</div>`,
  })
}

const neighbour = (kind: string, name: string, path: string | undefined): Html =>
  path === undefined
    ? html`<span class="button ${kind} off" aria-hidden="true">${name}</span>`
    : html`<a class="button ${kind}" href="${path}">${name}</a>`

const rows = (fields: readonly SubmittedField[], path: string): Html[] => {
  let left = maxCharactersOfAll
  return fields.map((field, position) => {
    const most = Math.max(Math.min(left, maxShownCharacters), fewestShownCharacters)
    left -= Math.min(field.json.length, most)
    return row(field, `${path}/fields/${position}`, most)
  })
}

const row = ({ name, json }: SubmittedField, path: string, most: number): Html => {
  const value: unknown = JSON.parse(json)
  const isLong = typeof value === 'string' && (value.length > 80 || value.includes('\n'))
  return html`<div${isLong && html` class="long"`}><dt><bdi>${cellText(name)}</bdi></dt>${toValue(value, json, path, most)}</div>
`
}

const toValue = (value: unknown, json: string, path: string, most: number): Html => {
  const files = filesIn(value)
  if (files.length > 0)
    return html`<dd><ul class="files">
${files.map(
  (
    file,
    position,
  ) => html`<li><a href="${path}?file=${position}" download>${visible(file.filename) || 'Unnamed file'}</a> <span class="muted small">${fileFacts(file)}</span></li>
`,
)}</ul></dd>`
  if (value === '' || value === null) return html`<dd><span class="none">Empty</span></dd>`
  if (typeof value === 'string')
    return html`<dd dir="auto">${linked(value.slice(0, most).toWellFormed())}${rest(value, path, most)}</dd>`
  if (Array.isArray(value) && value.every((item) => typeof item === 'string') && json.length <= most)
    return html`<dd><ul>${value.map((item) => html`<li><bdi>${linked(item)}</bdi></li>`)}</ul></dd>`
  if (typeof value !== 'object') return html`<dd><bdi>${json}</bdi></dd>`
  const text = json.length > most ? json : readable(value, json)
  return html`<dd><pre tabindex="0" aria-label="Nested value"><code>${visible(text.slice(0, most).toWellFormed())}</code></pre>${rest(text, path, most)}</dd>`
}

/** Indented, unless that would round a long number, or multiply the text by its depth. */
const readable = (value: unknown, json: string): string => {
  if (/\d{16}/.test(json)) return json
  const indented = JSON.stringify(value, null, 2)
  return indented.length > 4 * json.length ? json : indented
}

const rest = (text: string, path: string, most: number): Html | false =>
  text.length > most && html`…<br><a href="${path}" download>Download all ${count(text.length)} characters</a>`

/** To the first field that holds nothing but an e-mail address; `email` wins. */
const replyLink = (form: Form, fields: readonly SubmittedField[]): Html | false => {
  const addresses = fields.flatMap(({ name, json }) => {
    const value: unknown = json.startsWith('"') && json.length < 300 ? JSON.parse(json) : undefined
    return typeof value === 'string' && /^[\w.+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i.test(value)
      ? [{ name, value }]
      : []
  })
  const address = (addresses.find(({ name }) => name.toLowerCase() === 'email') ?? addresses[0])?.value
  if (address === undefined) return false
  const subject = encodeURIComponent(`Re: ${form.title.toWellFormed()}`)
  return html`<a class="button primary full" href="mailto:${encodeURI(address)}?subject=${subject}">Reply by e-mail</a>`
}

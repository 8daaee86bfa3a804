import { visible } from '../base/visible.ts'
import { embedPath } from '../config/addresses.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { withCommas } from '../html/format.ts'
import { isHonestLink } from '../html/honest-link.ts'
import { type Html, html } from '../html/html.ts'
import { isFileName } from '../submissions/files/kind.ts'
import {
  filesIn,
  isFile,
  itemsIn,
  readableJson,
  type SubmittedField,
  textIn,
  textsIn,
} from '../submissions/sent-fields.ts'
import { type SubmissionFiles, storedFile } from './sent-files.ts'
import { cellText } from './summary.ts'

/**
 * Characters of one field, characters of all fields together, and items of lists with files, that the page shows. The rest
 * is a download away: a page of megabytes would freeze a telephone. When all characters are used up, each field still gets
 * the fewest.
 */
const maxShownCharacters = 20_000
const maxCharactersOfAll = 200_000
const fewestShownCharacters = 200
const maxListItems = 2000

/** The room that is left on the page. */
interface Room {
  characters: number
  listItems: number
}

/** @param pathOf the path of a whole value, by the position of its field */
export const submittedFields = (
  fields: readonly SubmittedField[],
  files: SubmissionFiles,
  pathOf: (position: number) => string,
): Html[] => {
  const left: Room = { characters: maxCharactersOfAll, listItems: maxListItems }
  return fields.map((field, position) => row(field, { files, path: pathOf(position), left }))
}

/** Where a field stands, and what its page has beside it. */
interface FieldView {
  readonly files: SubmissionFiles
  /** The path of the whole value. */
  readonly path: string
  readonly left: Room
}

const row = ({ name, json }: SubmittedField, place: FieldView): Html => {
  const value: unknown = JSON.parse(json)
  const isLong = typeof value === 'string' && (value.includes('\n') || (value.length > 80 && value.includes(' ')))
  return html`<div${isLong && html` class="long"`}><dt><bdi>${cellText(name)}</bdi></dt>${
    filesIn(value).length > 0 ? withFiles(json, place) : withoutFiles(value, json, place)
  }</div>
`
}

/** The files as links, in order with the values between them. */
const withFiles = (json: string, place: FieldView): Html => {
  const { path, left } = place
  const items = itemsIn(json)
  const shown = items.slice(0, left.listItems)
  left.listItems -= shown.length
  return html`<dd><ul class="files">
${shown.map(
  (item) => html`<li>${listItem(item.json, place)}</li>
`,
)}</ul>${shown.length < items.length && html`… ${wholeList(path)}`}</dd>`
}

const listItem = (item: string, { files, path, left }: FieldView): Html => {
  const value: unknown = JSON.parse(item)
  if (isFile(value)) return storedFile(value, files)
  if (value === '') return nothing
  const text = typeof value === 'string' ? value : item
  const most = takeCharacters(left, text.length)
  return html`<bdi>${linked(text.slice(0, most).toWellFormed())}</bdi>${text.length > most && html`… ${wholeList(path)}`}`
}

const wholeList = (path: string): Html => html`<a href="${path}" download>Download the whole list as JSON</a>`

/** How many of this many characters may be shown. */
const takeCharacters = (left: Room, length: number): number => {
  const most = Math.max(Math.min(left.characters, maxShownCharacters), fewestShownCharacters)
  left.characters -= Math.min(length, most)
  return most
}

const withoutFiles = (value: unknown, json: string, { path, left }: FieldView): Html => {
  const most = takeCharacters(left, json.length)
  if (value === '' || value === null) return html`<dd>${nothing}</dd>`
  if (typeof value === 'string')
    return html`<dd dir="auto">${linked(value.slice(0, most).toWellFormed())}${rest(value, path, most)}</dd>`
  const texts = textsIn(value)
  if (texts?.length === 0) return html`<dd>${nothing}</dd>`
  if (texts && json.length <= most)
    return html`<dd><ul>${texts.map((item) => html`<li><bdi>${linked(item)}</bdi></li>`)}</ul></dd>`
  if (typeof value !== 'object') return html`<dd><bdi>${json}</bdi></dd>`
  const text = json.length > most ? json : readableJson(json)
  return html`<dd><pre tabindex="0" role="group" aria-label="Nested value"><code>${visible(text.slice(0, most).toWellFormed())}</code></pre>${rest(text, path, most)}</dd>`
}

const nothing = html`<span class="none">Empty</span>`

const rest = (text: string, path: string, most: number): Html | false =>
  text.length > most && html`…<br><a href="${path}" download>Download all ${withCommas(text.length)} characters</a>`

/**
 * Explains where the names of files arrived and no file: what a browser sends of a form without `enctype`. No one can tell that
 * from the text for certain, so it is a question.
 */
export const bareNames = (form: Form, fields: readonly SubmittedField[]): Html | false => {
  const [named] = parseSettings(form.settings).acceptFiles ? fields.filter(isBareName) : []
  return (
    named !== undefined &&
    !fields.some(({ json }) => filesIn(JSON.parse(json)).length > 0) &&
    html`<p class="notice">Should there be a file in <bdi>${cellText(named.name)}</bdi>? Only its name arrived. Then the form on your page lacks <code>enctype="multipart/form-data"</code>: see <a href="${embedPath(form.id)}?with=files">HTML with files</a>.</p>`
  )
}

const maxNamesLength = 6000

/** Several are those of an input for several. */
const isBareName = ({ json }: SubmittedField): boolean => {
  const names = json.length <= maxNamesLength ? itemsIn(json).map((item) => textIn(item.json) ?? '') : []
  return names.length > 0 && names.every(isFileName)
}

// An e-mail address starts where its run of characters starts: so each run is tried once, however long it is.
const addresses = /https?:\/\/[^\s<>"'`]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/gi

/** Text with its web and e-mail addresses as links. Nothing else in it becomes markup. */
const linked = (text: string): Html[] => {
  const parts: Html[] = []
  let at = 0
  for (const { 0: found, index } of text.matchAll(addresses)) {
    // Without the end of a sentence. A bracket belongs to it if it was opened inside.
    const address = found.replace(found.includes('(') ? /[.,;:!?\]}]+$/ : /[.,;:!?)\]}]+$/, '')
    const link = linkTo(address)
    if (!link) continue
    parts.push(html`${visible(text.slice(at, index))}`, link)
    at = index + address.length
  }
  return [...parts, html`${visible(text.slice(at))}`]
}

const linkTo = (address: string): Html | undefined => {
  if (!/^https?:/i.test(address)) return html`<a href="mailto:${address}">${address}</a>`
  if (!isHonestLink(address)) return undefined
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc">${address}</a>`
}

import { visible } from '../base/visible.ts'
import { embedPath } from '../config/addresses.ts'
import { type FormField, isDay, isUnticked, sendsTick } from '../forms/fields/form-field.ts'
import type { Form } from '../forms/form.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { longDay, withCommas } from '../html/format.ts'
import { isHonestLink } from '../html/honest-link.ts'
import { type Html, html } from '../html/html.ts'
import { linked } from '../html/linked.ts'
import { isFileName } from '../submissions/files/kind.ts'
import { filesIn, isFile } from '../submissions/files/sent-file.ts'
import { cellText } from '../submissions/lines.ts'
import { itemsIn, readableJson, type SubmittedField, textIn, textsIn } from '../submissions/sent-fields.ts'
import { type SubmissionFiles, storedFile } from './sent-files.ts'

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

/** The path of the whole value of a field, by its position. */
export type WholePath = (position: number) => string

/** What the values of a page share: its files, and the room that is left. */
export interface FieldView {
  readonly files: SubmissionFiles
  readonly toWhole: WholePath
  readonly left: Room
}

export const fieldView = (files: SubmissionFiles, toWhole: WholePath): FieldView => ({
  files,
  toWhole,
  left: { characters: maxCharactersOfAll, listItems: maxListItems },
})

/** The files of all fields; false if there are none. Those of more than one field say of which they are. */
export const sentFiles = (fields: readonly SubmittedField[], { files, toWhole, left }: FieldView): Html | false => {
  const withFiles = fields.filter(({ json }) => json.includes('"file"') && filesIn(JSON.parse(json)).length > 0)
  if (withFiles.length === 0) return false
  const items = withFiles.flatMap((field) => {
    const sent = filesIn(JSON.parse(field.json))
    const shown = sent.slice(0, left.listItems)
    left.listItems -= shown.length
    const of = withFiles.length > 1 ? cellText(field.name) : ''
    const rest =
      shown.length < sent.length
        ? [
            html`<li>… <a href="${toWhole(fields.indexOf(field))}" download>Download the whole list as JSON</a></li>
`,
          ]
        : []
    return [
      ...shown.map(
        (file) => html`<li>${storedFile(file, files, of)}</li>
`,
      ),
      ...rest,
    ]
  })
  return html`<ul class="files" aria-label="Files">
${items}</ul>`
}

/** A field in the list of facts; false if it has files alone, which are shown in another place. */
export const submittedField = (
  { name, json }: SubmittedField,
  position: number,
  known: FormField | undefined,
  view: FieldView,
): Html | false => {
  const value: unknown = JSON.parse(json)
  const path = view.toWhole(position)
  const isOfFiles = filesIn(value).length > 0
  if (isOfFiles && !itemsIn(json).some((item) => isText(item.json))) return false
  const asks = name.length > maxNameOfRow
  const isLong = typeof value === 'string' && (value.includes('\n') || (value.length > 80 && value.includes(' ')))
  return html`<div${asks && html` class="asks"`}><dt><bdi>${cellText(name)}</bdi></dt>${
    isOfFiles ? besideFiles(json, path, view) : valueMarkup(value, json, path, { isLong, known, view })
  }</div>
`
}

/** A longer name is a question, which has a line of its own. */
const maxNameOfRow = 40

const isText = (json: string): boolean => {
  const value: unknown = JSON.parse(json)
  return !isFile(value) && value !== '' && value !== null
}

/** What stands between the files of a field. */
const besideFiles = (json: string, path: string, { left }: FieldView): Html => {
  const items = itemsIn(json).filter((item) => isText(item.json))
  const shown = items.slice(0, left.listItems)
  left.listItems -= shown.length
  const texts = shown.map(({ json: item }) => {
    const value: unknown = JSON.parse(item)
    const text = typeof value === 'string' ? value : item
    const most = takeCharacters(left, text.length)
    return html`<bdi>${withLinks(text.slice(0, most))}</bdi>${text.length > most && html`… <a href="${path}" download>Download the whole list as JSON</a>`}`
  })
  return html`<dd>${inOneLine(texts)}</dd>`
}

const inOneLine = (items: readonly Html[]): Html => html`${items.map((item, i) => html`${i > 0 && ', '}${item}`)}`

/** The text of a field to read: as much of it as there is room for. */
export const longText = (fields: readonly SubmittedField[], position: number, { toWhole, left }: FieldView): Html => {
  const value = textIn((fields[position] as SubmittedField).json) ?? ''
  const most = takeCharacters(left, value.length)
  return html`${withLinks(value.slice(0, most))}${rest(value, toWhole(position), most)}`
}

/** How many of this many characters may be shown. */
const takeCharacters = (left: Room, length: number): number => {
  const most = Math.max(Math.min(left.characters, maxShownCharacters), fewestShownCharacters)
  left.characters -= Math.min(length, most)
  return most
}

interface Shown {
  readonly isLong: boolean
  readonly known: FormField | undefined
  readonly view: FieldView
}

const valueMarkup = (value: unknown, json: string, path: string, { isLong, known, view: { left } }: Shown): Html => {
  const most = takeCharacters(left, json.length)
  if (value === '' || value === null) return nothing
  if (typeof value === 'string') {
    const short = known && typedValue(known, value)
    if (short) return html`<dd>${short}</dd>`
    return html`<dd${isLong && html` class="long"`} dir="auto">${withLinks(value.slice(0, most))}${rest(value, path, most)}</dd>`
  }
  const texts = textsIn(value)
  if (texts?.length === 0) return nothing
  if (texts && json.length <= most)
    return html`<dd>${inOneLine(texts.map((item) => html`<bdi>${withLinks(item)}</bdi>`))}</dd>`
  if (typeof value !== 'object') return html`<dd><bdi>${json}</bdi></dd>`
  const text = json.length > most ? json : readableJson(json)
  return html`<dd><pre tabindex="0" role="group" aria-label="Nested value"><code>${visible(text.slice(0, most).toWellFormed())}</code></pre>${rest(text, path, most)}</dd>`
}

const nothing = html`<dd class="none">Empty</dd>`

const maxTelephone = 40

/** A value as the type of its field is written; undefined if it is not of that type. */
const typedValue = ({ type }: FormField, value: string): Html | undefined => {
  const text = value.trim()
  if (sendsTick(type)) return isUnticked(text) ? undefined : html`Yes`
  if (type === 'tel' && text.length <= maxTelephone && /^[+\d][\d\s()./-]{4,}$/.test(text))
    return html`<a href="tel:${text.replaceAll(/[^+\d]/g, '')}">${text}</a>`
  if (type === 'number' && /^-?\d{4,15}$/.test(text))
    return html`${text.replace(/\d+/, (digits) => withCommas(Number(digits)))}`
  if (type === 'date' && isDay(text)) return html`${longDay(Date.parse(text))}`
  return undefined
}

/** Where the rest of a value is. */
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
    html`<p class="notice">Should there be a file in <bdi>${cellText(named.name)}</bdi>? Only its name arrived. Then the form on your page lacks <code>enctype="multipart/form-data"</code>: see <a href="${embedPath(form.id)}?with=files">the code with files</a>.</p>`
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

/** Text with its web and e-mail addresses as links. */
const withLinks = (text: string): Html[] => linked(text.toWellFormed(), addresses, linkTo)

const linkTo = (address: string): Html | undefined => {
  if (!/^https?:/i.test(address)) return html`<a href="mailto:${address}">${address}</a>`
  if (!isHonestLink(address)) return undefined
  return html`<a href="${address}" rel="nofollow noopener noreferrer ugc">${address}</a>`
}

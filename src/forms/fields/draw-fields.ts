import { shownLine } from '../../base/short-text.ts'
import { visible } from '../../base/visible.ts'
import { isHonestLink } from '../../html/honest-link.ts'
import { type Html, html } from '../../html/html.ts'
import { linked } from '../../html/linked.ts'
import { sentence } from '../../html/sentence.ts'
import { foreign } from '../../languages/foreign.ts'
import type { Texts } from '../../languages/texts.ts'
import { type Attribute, attributesOf, elementOf, otherAttributes } from './field-attributes.ts'
import type { FieldProblem } from './field-problem.ts'
import { problemInWords } from './field-words.ts'
import {
  type FormField,
  isDay,
  isSeen,
  isUnticked,
  labelOf,
  sendsFiles,
  sendsList,
  sendsTick,
  tickOf,
} from './form-field.ts'

/** The form as it is to be shown: empty, or again with what was typed and what is wrong with it. */
export interface DrawnForm {
  readonly texts: Texts
  /** The typed values by name. Absent names have their default. */
  readonly values?: ReadonlyMap<string, readonly string[]>
  /** The inputs as they were drawn before, without values or problems. */
  readonly empty?: readonly Html[] | undefined
  /** The problems by name of the field. */
  readonly errors?: ReadonlyMap<string, readonly FieldProblem[]>
  /** Names of files that were sent and have to be chosen again, by name of the field. */
  readonly lostFiles?: ReadonlyMap<string, readonly string[]>
  /** How many places are left of the options that have some. */
  readonly left?: { readonly of: (field: string, option: string) => number | undefined } | undefined
  /** Whether people may fill it in on paper. */
  readonly isPrinted?: boolean
  /** The beginning of the identifiers on the page. */
  readonly prefix?: string
}

interface Place extends DrawnForm {
  readonly id: string
  readonly typed: readonly string[]
  readonly wrong: readonly string[]
  readonly lost: readonly string[]
}

/** The inputs of a form, in its order: labels above, one column. */
export const drawFields = (fields: readonly FormField[], form: DrawnForm): Html[] =>
  fields.map((field, position) => {
    const { values, errors, lostFiles, empty } = form
    const known = empty?.[position]
    if (known && !values?.has(field.name)) return known
    const problems = errors?.get(field.name) ?? []
    const sent = values?.get(field.name) ?? []
    const isOfFiles = sendsFiles(field.type)
    // Where the page of the owner has no `enctype`, browsers send the name of a file as a text.
    const lostNames = isOfFiles ? [...(lostFiles?.get(field.name) ?? []), ...sent.filter(isFilled)] : []
    const isTooMany = problems.some(({ rule }) => rule === 'maxFiles')
    return drawField(field, {
      ...form,
      id: fieldId(position, form.prefix),
      typed: isOfFiles ? [] : sent,
      wrong: [...new Set(problems.map((problem) => problemInWords(form.texts, problem)))],
      // No one is to choose again what the form does not take.
      lost: lostNames.filter((name) => !isTooMany && problems.every(({ file }) => file?.filename !== name)),
    })
  })

const isFilled = (text: string): boolean => text.trim() !== ''

/** The identifier of the input of a field, or of the first one of a group. */
export const fieldId = (position: number, prefix = 'field'): string => `${prefix}-${position}`

const drawField = (field: FormField, place: Place): Html => {
  const { name, type } = field
  const { typed } = place
  if (!isSeen(type)) {
    const [value = field.value ?? ''] = typed
    return html`<input type="hidden" name="${name}" value="${value}">
`
  }
  if (sendsTick(type)) return drawCheckbox(field, place)
  return elementOf(field) === 'group' ? drawGroup(field, place) : drawInput(field, place)
}

/** Inputs that send these values again. */
export const hiddenInputs = (name: string, values: readonly string[]): Html[] =>
  values.map(
    (value) => html`<input type="hidden" name="${name}" value="${value}">
`,
  )

/** @param own the owner's word for it */
export const sendButton = ({ fields }: Texts, own: string | null = null): Html =>
  html`<button class="primary full">${own === null ? fields.send : html`<bdi lang="">${visible(own)}</bdi>`}</button>`

/** Marks what may be left out: most fields of most forms are needed. */
const markOf = ({ required }: FormField, { texts, lost }: Place): Html | false =>
  !required && lost.length === 0 && html` <span class="mark">${texts.fields.optional}</span>`

const labelText = (field: FormField): Html => html`<bdi lang="">${visible(labelOf(field))}</bdi>`

/** Below the label: the owner's help, and what is wrong. */
const notesOf = ({ help }: FormField, { id, wrong, lost, texts }: Place): Html => {
  const again = lost.map((filename) => texts.fields.again(foreign(shownLine(filename, 100))))
  const sentences = [...wrong, ...again]
  return html`${
    help !== undefined &&
    html`<p class="hint" id="${id}-hint" dir="auto" lang="">${withLinks(help)}</p>
`
  }${
    sentences.length > 0 &&
    html`<p class="error" id="${id}-error">${sentences.map((one, position) => html`${position > 0 && texts.space}${sentence(one)}`)}</p>
`
  }`
}

const isWrong = ({ wrong, lost }: Place): boolean => wrong.length > 0 || lost.length > 0

/** The words that a screen reader adds to the name of an input. */
const described = ({ help }: FormField, place: Place): Html => {
  const ids = [isWrong(place) && `${place.id}-error`, help !== undefined && `${place.id}-hint`]
    .filter(Boolean)
    .join(' ')
  return html`${isWrong(place) && html` aria-invalid="true"`}${ids !== '' && html` aria-describedby="${ids}"`}`
}

const drawInput = (field: FormField, place: Place): Html => {
  const { name } = field
  const { id, typed, lost } = place
  const element = elementOf(field)
  const [value = '', ...others] = typed
  // A browser would drop a line break in an input, and a day that does not exist.
  const isLines = element === 'textarea' || (field.type !== 'date' && element === 'input' && /[\r\n]/.test(value))
  const keepsText = field.type === 'date' && value !== '' && !isDay(value.trim())
  const own = attributesOf(field).filter(([one]) => !(one === 'type' && (isLines || keepsText)))
  const again: Attribute[] = lost.length > 0 && !field.required ? [['required', true]] : []
  // Browsers show a day as the reader writes it.
  const isTyped = !sendsFiles(field.type) && (field.type !== 'date' || keepsText)
  const shared = html`id="${id}" name="${name}"${attributes([...own, ...again])}${described(field, place)}${isTyped && html` dir="auto"`}${isTyped && element !== 'select' && html` placeholder=" "`}`
  return html`<div class="field">
<label for="${id}">${labelText(field)}${markOf(field, place)}</label>
${notesOf(field, place)}${
  element === 'select'
    ? drawSelect(field, place, shared)
    : isLines
      ? // Browsers drop the first line break.
        html`<textarea ${shared}>\n${value}</textarea>`
      : html`<input ${shared}${value !== '' && html` value="${value}"`}>`
}
${others.length > 0 && element !== 'select' && moreInputs(field, others)}</div>
`
}

/** Inputs for more values of a field that takes one: none of them is lost, and the visitor chooses. */
const moreInputs = (field: FormField, others: readonly string[]): Html[] =>
  others.map((value) => {
    const shared = html`name="${field.name}" aria-label="${visible(labelOf(field))}" dir="auto"`
    return /[\r\n]/.test(value) || field.type === 'lines'
      ? html`<textarea ${shared}>\n${value}</textarea>
`
      : html`<input ${shared} value="${value}">
`
  })

const drawSelect = (field: FormField, place: Place, shared: Html): Html => {
  const { options = [] } = field
  const { typed, texts, isPrinted } = place
  const chosen = options.find(
    (option) => !isFull(field, option, place) && typed.some((value) => value.trim() === option.trim()),
  )
  return html`<select ${shared} lang="">
<option value="" lang="${texts.tag}">${texts.fields.choose}</option>
${options.map((option) => drawSelectOption(field, option, option === chosen, place))}</select>
${isPrinted && printedOptions(options)}${answersBeside(field, place)}`
}

const drawSelectOption = (field: FormField, option: string, isChosen: boolean, place: Place): Html => {
  const note = placeNote(field, option, place)
  const isText = note === undefined && isPlain(option)
  return html`<option${!isText && html` value="${option}"`}${isChosen && html` selected`}${isFull(field, option, place) && html` disabled`}>${option}${note !== undefined && ` – ${note}`}</option>`
}

const isFull = ({ name }: FormField, option: string, { left }: Place): boolean => left?.of(name, option) === 0

/** What is said beside an option with places: that it is full, or how many are left. */
const placeNote = ({ name, showPlaces }: FormField, option: string, { left, texts }: Place): string | undefined => {
  const count = left?.of(name, option)
  if (count === 0) return texts.fields.full
  return count !== undefined && showPlaces ? texts.fields.placesLeft(count) : undefined
}

/** Paper cannot open a list. */
const printedOptions = (options: readonly string[]): Html =>
  html`<ul class="printed" lang="" hidden>${options.map((option) => html`<li><bdi>${option}</bdi></li>`)}</ul>
`

/** An option whose text is its value: browsers leave out white space that would not show. */
const isPlain = (option: string): boolean => !/^\s|\s$|\s\s|[^\S ]/.test(option)

/** The answers that are none of the options. */
const ownAnswers = ({ options = [] }: FormField, typed: readonly string[]): readonly string[] => {
  const known = new Set(['', ...options.map((option) => option.trim())])
  return typed.filter((value) => !known.has(value.trim()))
}

/** The input for another answer; and other answers that the field does not take: these are not sent again, but can be copied. */
const answersBeside = (field: FormField, { id, texts, typed, wrong }: Place): Html => {
  const answers = field.other || wrong.length > 0 ? ownAnswers(field, typed) : []
  const [own = ''] = answers
  // What the address of a page says is not shown beside the inputs.
  const left = wrong.length > 0 ? answers.slice(field.other ? 1 : 0) : []
  const label = texts.fields.otherAnswer
  return html`${
    field.other &&
    html`<input id="${id}-other" name="${field.name}" aria-label="${label}" placeholder="${label}"${attributes(otherAttributes)} value="${own}" dir="auto">
`
  }${
    left.length > 0 &&
    html`<textarea readonly aria-label="${label}" dir="auto">\n${left.join('\n')}</textarea>
`
  }`
}

const drawGroup = (field: FormField, place: Place): Html => {
  const { name, type, options = [], other, required } = field
  const { id, typed, errors } = place
  const isOne = !sendsList(type)
  const chosen = new Set(typed.map((value) => value.trim()))
  const isOther = (): boolean =>
    ownAnswers(field, typed).length > 0 && !options.some((option) => chosen.has(option.trim()))
  const input = html`<input type="${isOne ? 'radio' : 'checkbox'}" name="${name}"${isOne && required === true && html` required`}`
  const drawOption = (option: string, position: number): Html => {
    // Each is escaped once: there may be 5,000 on a page.
    const text = html`${option}`
    const full = isFull(field, option, place)
    const note = placeNote(field, option, place)
    return html`<label>${input}${position === 0 && html` id="${id}"`} value="${text}"${!full && chosen.has(option.trim()) && ticked}${full && html` disabled`}><bdi>${text}</bdi>${note !== undefined && html` <span class="mark" lang="${place.texts.tag}">${note}</span>`}</label>
`
  }
  return html`<fieldset class="field"${described(field, place)}>
<legend>${labelText(field)}${markOf(field, place)}</legend>
${notesOf(field, place)}${
  // A site may send an empty text with a group. Our own page does so for another answer only.
  errors &&
  !other &&
  hiddenInputs(
    name,
    typed.filter((value) => !isFilled(value)),
  )
}<div class="options" lang="">
${options.map(drawOption)}</div>
${
  // The button that stands for another answer. Check boxes need none.
  other &&
  isOne &&
  html`<label class="choice">${input} value=""${isOther() && ticked}><span>${place.texts.fields.other}</span></label>
`
}${answersBeside(field, place)}</fieldset>
`
}

const ticked = html` checked`

/** With the value that the box of the site sent, and with what the site sends besides if it is not ticked. */
const drawCheckbox = (field: FormField, place: Place): Html => {
  const { name } = field
  const { id, typed } = place
  const unticked = typed.filter(isUnticked)
  const tick = typed.find((value) => !isUnticked(value))
  const value = tick ?? opposites.get(unticked[0]?.trim().toLowerCase() ?? '') ?? tickOf(field)
  const own = attributesOf(field).map(([key, other]): Attribute => [key, key === 'value' ? value : other])
  return html`<div class="field">
${notesOf(field, place)}${hiddenInputs(name, unticked)}<label class="choice"><input id="${id}" name="${name}"${attributes(own)}${described(field, place)}${tick !== undefined && ticked}><span>${labelText(field)}${markOf(field, place)}</span></label>
</div>
`
}

/** What a box sends beside which a site has one of these. */
const opposites = new Map([
  ['0', '1'],
  ['false', 'true'],
  ['off', 'on'],
  ['no', 'yes'],
])

const attributes = (all: readonly Attribute[]): Html[] =>
  all.map(([name, value]) => (value === true ? html` ${name}` : html` ${name}="${value}"`))

/** A text of the owner with its web addresses as links, which say where they lead. */
const withLinks = (text: string): Html[] =>
  linked(text, /https:\/\/[^\s<>"'`]+/g, (address) =>
    // With a direction of its own, a character before it cannot turn it around: `moc.knab//:sptth` would look like a bank.
    isHonestLink(address)
      ? html`<a href="${address}" dir="ltr" rel="nofollow noopener noreferrer" target="_blank">${address}</a>`
      : undefined,
  )

/** A text of the owner: an empty line begins a paragraph. */
export const paragraphs = (text: string): Html[] =>
  text.split(/\n[^\S\n]*\n\s*/).map(
    (paragraph) => html`<p class="lines" lang="" dir="auto">${withLinks(paragraph)}</p>
`,
  )

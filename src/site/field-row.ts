import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { type Member, membersOf, type TypedField } from '../forms/fields/fields-kind.ts'
import { type FieldType, factsOf, fieldTypes, isSeen } from '../forms/fields/form-field.ts'
import { type Focus, isMade } from '../forms/form-draft.ts'
import { type Html, html } from '../html/html.ts'
import { hiddenInput, type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { inputs } from './draft-inputs.ts'

export interface RowPlace {
  readonly position: number
  readonly count: number
  readonly errors: InputErrors
  readonly focus: Focus['on'] | undefined
  /** The names under which something came in. */
  readonly received: ReadonlySet<string>
}

/** A field in one line. What is rarely needed is drawn for the rows that are open. The key of a row is its position. */
export const fieldRow = (row: TypedField, place: RowPlace): Html => {
  const { position, count, errors, focus } = place
  const type = typeOf(row)
  const known = visible(atMost(row.label.trim() || row.name.trim() || `field ${position + 1}`, maxKnown))
  const isOpen = focus === 'rest' || Object.values(errors).some(Boolean)
  const isHidden = !isSeen(type)
  return html`<li id="field-${position}">
<input type="hidden" name="${inputs.row}" value="${position}">
<div class="move" role="group" aria-label="Move ${known}">
${moveButton('up', '↑', 'Up', place, position === 0)}${moveButton('down', '↓', 'Down', place, position === count - 1)}</div>
${isHidden ? mainInput('name', row, `Name of field ${position + 1}`, place) : mainInput('label', row, `Label of field ${position + 1}`, place)}
<select class="type" name="${inputs.of('type', position)}" aria-label="Type of ${known}">${isOpen ? typeOptions(type) : typeOption(type, type)}</select>
${!isHidden && html`<label class="choice need">${tickBox('required', row, position, html` aria-label="${known} is required"`)}<span>Required</span></label>`}
${isOpen ? opened(row, type, known, place) : closed(row, known, place)}</li>
`
}

const typeOption = (one: FieldType, chosen?: FieldType): Html =>
  html`<option value="${one}"${one === chosen && html` selected`}>${factsOf(one).word}</option>`

/** All types. A row that is closed has its own, and a script gives it the others: they are on the page once. */
export const typeOptions = (chosen?: FieldType): Html => html`${fieldTypes.map((one) => typeOption(one, chosen))}`

/** Characters of the name of a row, for those who cannot see where it is. */
const maxKnown = 60

const closed = (row: TypedField, known: string, { position, received }: RowPlace): Html =>
  html`<div class="rest"><button name="${inputs.action}" value="open ${position}" aria-label="More about ${known}" aria-expanded="false">⋯</button></div>
${hiddenName(row, position, received)}${hiddenMembers(
  row,
  position,
  membersOf(typeOf(row)).filter((one) => !isInLine(one)),
)}`

const isInLine = (one: Member): boolean => one === 'label' || one === 'required'

const opened = (row: TypedField, type: FieldType, known: string, place: RowPlace): Html => {
  const { position, focus } = place
  const words = asked(type)
  return html`<details class="rest" open><summary aria-label="More about ${known}"${focus === 'rest' && html` autofocus`}><span aria-hidden="true">⋯</span></summary>
<div class="within">
${rest(row, type, place)}<div class="between">
<div>${membersOf(type)
    .filter((one) => words[one]?.isTick)
    .map(
      (one) => html`<label class="choice">${tickBox(one, row, position)}<span>${words[one]?.label}</span></label>
`,
    )}</div>
<button class="danger" name="${inputs.action}" value="remove ${position}">Remove<span class="visually-hidden"> ${known}</span></button>
</div>
</div></details>
`
}

/** A type that someone made up is shown as that of a new row. */
export const typeOf = ({ type }: TypedField): FieldType => fieldTypes.find((one) => one === type) ?? 'text'

const moveButton = (what: 'up' | 'down', arrow: string, label: string, place: RowPlace, isEnd: boolean): Html =>
  html`<button name="${inputs.action}" value="${what} ${place.position}" aria-label="${label}"${isEnd && html` disabled`}${place.focus === what && html` autofocus`}>${arrow}</button>
`

/** What the row is called: by people, or for a hidden one by programs. */
const mainInput = (member: 'label' | 'name', row: TypedField, words: string, place: RowPlace): Html => {
  const { position, errors, focus } = place
  const name = inputs.of(member, position)
  const error = errors[member]
  const attributes = html`class="label" name="${name}" aria-label="${words}" placeholder="${member === 'label' ? row.name : 'name'}" dir="auto"${error && html` aria-invalid="true" aria-describedby="${name}-error"`}${(error || focus === 'label') && html` autofocus`}`
  // An input is one line. Browsers drop the first line break of several.
  return row[member].includes('\n')
    ? html`<textarea rows="1" ${attributes}>\n${row[member]}</textarea>`
    : html`<input ${attributes} value="${row[member]}">`
}

const tickBox = (member: Member, row: TypedField, position: number, attributes: Html | false = false): Html =>
  html`<input type="checkbox" name="${inputs.of(member, position)}"${attributes}${row[member] === 'on' && html` checked`}>`

interface Asked {
  readonly label: string
  readonly hint?: string
  readonly isLong?: true
  readonly isTick?: true
}

/** What an open row asks for, by the words that it asks with. */
const asked = (type: FieldType): { readonly [One in Member]?: Asked } => ({
  help: { label: 'Help below the label' },
  options: { label: 'Options', hint: 'One per line', isLong: true },
  once: { label: 'Each value' },
  places: { label: 'Places', hint: 'How often an option is given, one per line, such as Morning | 70', isLong: true },
  minLength: { label: 'Shortest, in characters' },
  maxLength: { label: 'Longest, in characters' },
  min: { label: type === 'date' ? 'First day' : 'At least', ...(type === 'date' && { hint: 'Such as 2026-12-31' }) },
  max: { label: type === 'date' ? 'Last day' : 'At most' },
  fileTypes: {
    label: 'Kinds of files',
    hint: 'One per line, such as .pdf or image/*. Leave empty for all that the form accepts.',
    isLong: true,
  },
  maxFiles: { label: 'How many files', hint: 'Leave empty for one' },
  value: { label: 'Value', hint: 'Visitors can change it.' },
  other: { label: 'Also an answer of one’s own', isTick: true },
  showPlaces: { label: 'Show how many places are left', isTick: true },
  prefill: { label: 'A link may fill it in', isTick: true },
})

/** Two that stand beside each other. */
const pairs: { readonly [One in Member]?: Member } = { minLength: 'maxLength', min: 'max' }

/** What the type uses. */
const rest = (row: TypedField, type: FieldType, place: RowPlace): Html => {
  const { position, errors } = place
  const words = asked(type)
  const used = membersOf(type).filter((one) => words[one] && !words[one].isTick)
  const input = (one: Member): Html => {
    if (one === 'once') return onceInput(row, place)
    const { label = '', hint, isLong } = words[one] ?? {}
    return textInput(one, row, place, {
      label,
      hint,
      isLong: isLong ?? row[one].includes('\n'),
      isOptional: one !== 'options',
    })
  }
  const isSecond = (one: Member): boolean => Object.values(pairs).includes(one)
  return html`${
    errors.label &&
    html`<p class="error" id="${inputs.of('label', position)}-error">${errors.label}</p>
`
  }${
    !isSeen(type)
      ? errors.name &&
        html`<p class="error" id="${inputs.of('name', position)}-error">${errors.name}</p>
`
      : html`<div class="pair">
${nameInput(row, place)}
${input('help')}
</div>
`
  }${used
    .filter((one) => one !== 'help' && !isSecond(one))
    .map((one) => {
      const other = pairs[one]
      return other
        ? html`<div class="pair">
${input(one)}
${input(other)}
</div>
`
        : html`${input(one)}
`
    })}${hiddenMembers(row, position)}`
}

/** What the row does not ask for: of another type, or of a row that is closed. */
const hiddenMembers = (row: TypedField, position: number, closed: readonly Member[] = []): Html[] =>
  (Object.keys(row) as (keyof TypedField)[])
    .filter((one): one is Member => one !== 'name' && one !== 'type' && row[one] !== '')
    .filter((one) => closed.includes(one) || !membersOf(typeOf(row)).includes(one))
    .map((one) => hiddenInput(inputs.of(one, position), row[one]))

/** A name that still follows its label is sent as such. */
const hiddenName = (row: TypedField, position: number, received: ReadonlySet<string>): Html | false =>
  isSeen(typeOf(row)) &&
  hiddenInput(isMade(row, received) ? inputs.made(position) : inputs.of('name', position), row.name)

const onceInput = (row: TypedField, { position, errors }: RowPlace): Html =>
  labelledInput({
    name: inputs.of('once', position),
    label: 'Each value',
    type: 'select',
    isOptional: true,
    options: [
      { value: '', label: 'As often as people like' },
      { value: 'hold', label: 'Once: hold back a second one' },
      { value: 'refuse', label: 'Once: refuse a second one' },
    ],
    value: row.once,
    error: errors.once,
    hint: 'Refusing tells strangers who has registered.',
  })

const nameInput = (row: TypedField, place: RowPlace): Html => {
  const { position, received } = place
  const isFollowing = isMade(row, received)
  const hint = isFollowing
    ? 'Follows the label until something comes in.'
    : received.has(row.name)
      ? 'Kept in what has come in. A new name is a new field.'
      : undefined
  return html`${isFollowing && html`<input type="hidden" name="${inputs.made(position)}" value="${row.name}">`}${textInput('name', row, place, { label: 'Name in HTML and exports', hint, isLong: row.name.includes('\n'), isOptional: false })}`
}

interface TextInput {
  readonly label: string
  readonly hint: string | undefined
  readonly isLong: boolean
  readonly isOptional: boolean
}

const textInput = (
  member: keyof TypedField,
  row: TypedField,
  { position, errors }: RowPlace,
  { label, hint, isLong, isOptional }: TextInput,
): Html =>
  labelledInput({
    name: inputs.of(member, position),
    label,
    type: isLong ? 'lines' : 'text',
    value: row[member],
    error: errors[member],
    ...(hint && { hint }),
    ...(isOptional && { isOptional: true }),
  })

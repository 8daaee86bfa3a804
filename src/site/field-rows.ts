import { settingsPath } from '../config/addresses.ts'
import { type Member, membersOf, parseTypedFields, type TypedField, typedField } from '../forms/fields/fields-kind.ts'
import { type FieldType, type FormField, fieldTypes } from '../forms/fields/form-field.ts'
import { guessFields } from '../forms/fields/guess-fields.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import type { OwnInputs } from './settings-section.ts'

// A row for each field. Every button sends the whole page, which comes back with the rows as they are then: no script is
// needed, and nothing that was typed is lost.

/** The button that was pressed: what to do, and with which row. */
export const rowAction = 'field-do'

const inputName = (one: keyof TypedField): string => `field-${one}`

const flags = ['required', 'other', 'prefill'] as const
const texts = [
  ...['name', 'type', 'label', 'help', 'minLength', 'maxLength', 'min', 'max', 'options'],
  ...['fileTypes', 'maxFiles', 'value'],
] as (keyof TypedField)[]

export const fieldRows: OwnInputs = {
  names: [rowAction, ...[...texts, ...flags].map(inputName)],

  read(sent) {
    const columns = texts.map((one) => [one, sent.getAll(inputName(one))] as const)
    const ticked = flags.map((one) => [one, new Set(sent.getAll(inputName(one)))] as const)
    const count = columns[0]?.[1].length ?? 0
    const rows = Array.from({ length: count }, (_, position) => ({
      // In the order of the text that is stored, with which this one is compared.
      ...emptyRow,
      ...Object.fromEntries(columns.map(([one, values]) => [one, toText(values[position])])),
      ...Object.fromEntries(ticked.map(([one, on]) => [one, on.has(String(position)) ? 'on' : ''])),
    })) as TypedField[]
    return JSON.stringify(changed(rows, sent.get(rowAction) ?? ''))
  },

  show(text, { error, hint }, shown) {
    const rows: TypedField[] = JSON.parse(text)
    const names = guessFields(shown.fieldNames).map(({ name }) => name)
    const path = settingsPath(shown.form.id)
    const parsed = error === undefined ? [] : parseTypedFields(rows)
    return html`<input type="hidden" name="fields" value="">
${error && html`<p class="error" id="fields-error">${error}</p>`}
${rows.length === 0 ? noRows(names, path) : html`<p class="hint">${hint}</p>`}
${rows.map((row, position) => rowInputs(row, { position, count: rows.length, path, errors: sentencesOf(parsed[position]?.errors) }))}
<button name="${rowAction}" value="add" formaction="${path}#field-name-${rows.length}">Add a field</button>
`
  },
}

/** Browsers end lines with two characters. */
const toText = (typed = ''): string => typed.replaceAll(/\r\n?/g, '\n')

const emptyRow = typedField({ name: '', type: 'text' })

const isEmpty = (row: TypedField): boolean =>
  [...texts, ...flags].every((one) => row[one].trim() === '' || row[one] === emptyRow[one])

/** The rows after a button was pressed. Empty ones are left out, but for the one that was just added. */
const changed = (rows: readonly TypedField[], action: string): readonly TypedField[] => {
  const [what = '', rest = ''] = /^(\w+) ?(.*)$/s.exec(action)?.slice(1) ?? []
  const position = Number(rest)
  if (what === 'start') return (rest === '' ? usualFields : guessFields(namesIn(rest))).map(typedField)
  const moved = [...rows]
  if (what === 'remove') moved.splice(position, 1)
  const target = what === 'up' ? position - 1 : what === 'down' ? position + 1 : -1
  const [one, other] = [moved[position], moved[target]]
  if (one && other) {
    moved[target] = one
    moved[position] = other
  }
  const kept = what === 'up' || what === 'down' || what === 'remove' ? moved : moved.filter((row) => !isEmpty(row))
  return what === 'add' ? [...kept, emptyRow] : kept
}

const namesIn = (text: string): readonly string[] => {
  try {
    const names: unknown = JSON.parse(text)
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

/** Names of the fields that the form has had, to begin with. */
const maxShownNames = 3

/** Those of the snippet of a form without a list. */
const usualFields: readonly FormField[] = [
  { name: 'name', type: 'text', label: 'Name', required: true },
  { name: 'email', type: 'email', label: 'Email', required: true },
  { name: 'message', type: 'lines', label: 'Message', required: true },
]

const noRows = (names: readonly string[], path: string): Html => {
  const start = (from: string): Html =>
    html`<button name="${rowAction}" value="start${from}" formaction="${path}#field-name-0">Start from these</button>
`
  if (names.length === 0)
    return html`<p>Nothing is checked: whatever your page sends is stored. Add the fields of your form to refuse mistakes. Many forms have a name, an email address and a message.</p>
${start('')}`
  const rest = names.length - maxShownNames
  return html`<p>Nothing is checked yet. This form has received ${names
    .slice(0, maxShownNames)
    .map((name, position) => html`${position > 0 && ', '}<bdi>${name}</bdi>`)}${rest > 0 && ` (${rest} more)`}.</p>
${start(` ${JSON.stringify(names)}`)}`
}

const typeWords: { readonly [Type in FieldType]: string } = {
  text: 'Text',
  lines: 'Long text',
  email: 'Email',
  tel: 'Phone',
  url: 'Web address',
  number: 'Number',
  date: 'Date',
  choice: 'One option',
  choices: 'Several options',
  checkbox: 'Check box',
  file: 'File',
  hidden: 'Hidden',
}

interface Place {
  readonly position: number
  readonly count: number
  readonly path: string
  readonly errors: InputErrors
}

const rowInputs = (row: TypedField, { position, count, path, errors }: Place): Html => {
  const number = position + 1
  const input = (one: keyof TypedField, label: string, rest: Partial<Parameters<typeof labelledInput>[0]> = {}): Html =>
    labelledInput({
      name: inputName(one),
      id: `${inputName(one)}-${position}`,
      label,
      type: 'text',
      value: row[one],
      error: errors[one],
      autocomplete: 'off',
      ...(one !== 'name' && { isOptional: true }),
      ...rest,
    })
  const tick = (one: (typeof flags)[number], label: string): Html =>
    html`<label class="choice ${uses(one)}"><input type="checkbox" name="${inputName(one)}" value="${position}"${row[one] === 'on' && html` checked`}><span>${label}</span></label>
`
  const of = (one: Member, inputs: Html): Html => html`<div class="${uses(one)}">${inputs}</div>
`
  const details: readonly Member[] = ['help', 'minLength', 'min', 'fileTypes', 'maxFiles', 'value', 'prefill']
  const isOpen = [...details, 'maxLength', 'max'].some((one) => errors[one] ?? row[one as Member] !== '')
  const move = (what: 'up' | 'down' | 'remove', label: string, target: number): Html =>
    html`<button name="${rowAction}" value="${what} ${position}" formaction="${path}#field-${target}">${label}<span class="visually-hidden"> field ${number}</span></button>
`
  return html`<fieldset class="field-row" id="field-${position}" tabindex="-1">
<legend>Field ${number}</legend>
<div class="field-main">
${input('name', 'Name', { hint: 'As in your HTML' })}
${input('label', 'Label', { hint: 'What people read' })}
<div class="field">
<label for="field-type-${position}">Type</label>
<select id="field-type-${position}" name="field-type" autocomplete="off">${fieldTypes.map(
    (type) =>
      html`<option value="${type}" data-has="${shownOf(type)}"${type === row.type && html` selected`}>${typeWords[type]}</option>`,
  )}</select>
</div>
</div>
${tick('required', 'Required')}${of('options', input('options', 'Options', { type: 'lines', hint: 'One per line' }))}${tick('other', 'Also another answer')}
<details class="fold more"${isOpen && html` open`}><summary>More</summary>
<div class="ask">
${of('help', input('help', 'Help', { type: 'lines', hint: 'Below the label. An https://… becomes a link.' }))}${of(
  'minLength',
  html`${input('minLength', 'Shortest', { hint: 'In characters' })}
${input('maxLength', 'Longest', { hint: 'In characters' })}`,
)}${of(
  'min',
  html`${input('min', 'At least', { hint: 'A number, a day such as 2026-12-31, or how many options' })}
${input('max', 'At most')}`,
)}${of(
  'fileTypes',
  html`${input('fileTypes', 'Kinds of files', { type: 'lines', hint: 'One per line, such as .pdf or image/*. Leave empty for all that the form accepts.' })}
${input('maxFiles', 'How many files', { hint: 'Leave empty for one' })}`,
)}${of('value', input('value', 'Value', { hint: 'Visitors can change it.' }))}${tick('prefill', 'A link may fill it in')}</div>
</details>
<div class="actions">
${position > 0 && move('up', 'Up', position - 1)}${position < count - 1 && move('down', 'Down', position + 1)}${move('remove', 'Remove', Math.min(position, Math.max(count - 2, 0)))}</div>
</fieldset>
`
}

/** The inputs that are shown only if the chosen type has a use for them. The style sheet knows these names, and no type. */
const shown = ['options', 'minLength', 'min', 'fileTypes', 'value', 'required', 'prefill'] satisfies readonly Member[]

const uses = (one: Member): string => `has-${one.toLowerCase()}`

const shownOf = (type: FieldType): string => {
  const members = membersOf(type)
  return shown
    .filter((one) => members.includes(one))
    .map((one) => one.toLowerCase())
    .join(' ')
}

const sentencesOf = (errors: Partial<Record<keyof FormField, string>> = {}): InputErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([one, message]) => [one, `${message.charAt(0).toUpperCase()}${message.slice(1)}.`]),
  )

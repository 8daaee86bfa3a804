import { type Html, html } from './html.ts'

/** Problems with the inputs of a page, by their names. */
export type InputErrors = Readonly<Record<string, string | undefined>>

interface Input {
  readonly name: string
  /** The name, unless another element has that identifier. */
  readonly id?: string
  readonly label: string | Html
  /**
   * A `number` is sent as text: of an input for numbers, browsers send nothing where someone typed anything else. A
   * `datetime-local` is in UTC, and a script shows it in the reader's time zone.
   */
  readonly type: 'text' | 'email' | 'password' | 'date' | 'url' | 'lines' | 'number' | 'datetime-local' | 'select'
  /** The text typed before. A password is never sent back. */
  readonly value?: string
  readonly hint?: string | Html
  readonly error?: string | undefined
  /** `off` unless it says otherwise. */
  readonly autocomplete?: string
  readonly min?: string
  /** What can be chosen, of a `select`. */
  readonly options?: readonly Option[]
  /** Values that a browser offers while someone types. */
  readonly suggestions?: readonly string[]
  readonly isOptional?: true
  /** Of a number, behind the input. */
  readonly unit?: string
  readonly hasFocus?: boolean
}

export interface Option {
  readonly value: string
  readonly label: string
  /** Of the label, if it is not that of the page. */
  readonly language?: string
}

/** One labelled input with its hint and its error. */
export const labelledInput = (options: Input): Html => {
  const {
    name,
    id = name,
    label,
    type,
    value = '',
    hint,
    error,
    autocomplete = 'off',
    min,
    options: offered = [],
    suggestions,
    isOptional,
    unit,
    hasFocus,
  } = options
  const described = [unit && `${id}-unit`, error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ')
  const attributes = html`autocomplete="${autocomplete}"
${min && html` min="${min}"`}${!isOptional && html` required`}${(error || hasFocus) && html` autofocus`}
${suggestions && html` list="${id}-suggestions"`}${type === 'number' && html` inputmode="numeric"`}${error && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`
  return html`<div class="field${type === 'date' && ' short'}">
<label for="${id}">${label}${isOptional && html` <span class="optional">optional</span>`}</label>
${
  type === 'lines'
    ? // Browsers drop the first line break.
      html`<textarea id="${id}" name="${name}" ${attributes}>\n${value}</textarea>`
    : type === 'select'
      ? html`<select id="${id}" name="${name}" ${attributes}>
${offered.map(
  (
    option,
  ) => html`<option value="${option.value}"${option.language && html` lang="${option.language}"`}${option.value === value && html` selected`}>${option.label}</option>
`,
)}</select>`
      : inUnit(
          html`<input id="${id}" name="${name}" type="${type === 'number' ? 'text' : type}" value="${type === 'password' ? '' : value}" ${attributes}>`,
          id,
          unit,
        )
}
${suggestions && html`<datalist id="${id}-suggestions">${suggestions.map((value) => html`<option value="${value}">`)}</datalist>`}
${error && html`<p class="error" id="${id}-error">${error}</p>`}
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>`
}

const inUnit = (input: Html, id: string, unit: string | undefined): Html =>
  unit === undefined ? input : html`<div class="unit">${input} <span id="${id}-unit">${unit}</span></div>`

interface Radio {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly hint: string
  /** The value that is chosen. */
  readonly chosen: string
}

/** One of several values to choose from. */
export const radio = ({ name, value, label, hint, chosen }: Radio): Html => html`<label class="choice">
<input type="radio" name="${name}" value="${value}"${value === chosen && html` checked`}>
<span><strong>${label}</strong> <span class="hint">${hint}</span></span>
</label>`

/** What is sent along without being seen. */
export const hiddenInput = (
  name: string,
  value: string,
): Html => html`<input type="hidden" name="${name}" value="${value}">
`

/**
 * The button that Enter presses in an input of a form with several buttons: otherwise, it would be the first
 * one that shows. A page then asks before it deletes.
 */
export const deleteByDefault = html`<button hidden name="action" value="delete"></button>
`

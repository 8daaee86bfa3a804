export const fieldTypes = [
  'text',
  'lines',
  'email',
  'tel',
  'url',
  'number',
  'date',
  'choice',
  'choices',
  'checkbox',
  'file',
  'hidden',
] as const

export type FieldType = (typeof fieldTypes)[number]

/**
 * A field of a form, with its rules. As it is stored, what has its default is left out: a text of the owner is then null, a
 * number has no bound, and what may be true is false.
 */
export interface FormField {
  readonly name: string
  readonly type: FieldType
  /** The words that people read in place of the name. */
  readonly label?: string
  readonly help?: string
  readonly required?: true
  readonly minLength?: number
  readonly maxLength?: number
  /** A number; a day such as `2026-12-31`; or how many may be chosen. */
  readonly min?: number | string
  readonly max?: number | string
  readonly options?: readonly string[]
  /** Whether an answer of the visitor's own may stand beside the options. */
  readonly other?: true
  /** How often each option is given; without end if it is not named. */
  readonly places?: Readonly<Record<string, number>>
  /** What becomes of a value that another submission has: as often as people like if it is absent. */
  readonly once?: 'hold' | 'refuse'
  /** Whether visitors see how many places are left. */
  readonly showPlaces?: true
  readonly fileTypes?: readonly string[]
  /** One if it is absent. */
  readonly maxFiles?: number
  /** The value that a page of Formbox sends in a hidden field. */
  readonly value?: string
  /** Whether the address of the form's page may fill it in. */
  readonly prefill?: true
}

/** The words that people read in place of a field's name. */
export const labelOf = ({ name, label = name }: Pick<FormField, 'name' | 'label'>): string => label

/** Whether a value of a check box says that it is not ticked: sites put a hidden `0`, `false` or empty text beside one. */
export const isUnticked = (text: string): boolean => /^(?:|0|false|off|no)$/i.test(text.trim())

/** The value that a check box of ours sends. */
export const tickOf = (field: Pick<FormField, 'name' | 'label'>): string =>
  isUnticked(labelOf(field)) ? 'on' : labelOf(field)

/** Characters of an answer that is not among the options. */
export const maxOtherLength = 200

/** Whether a text is a day that exists, such as `2026-12-31`. */
export const isDay = (text: string): boolean => {
  // To take groups of the pattern took three times as long: a count of answers asks this a million times.
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8))
  return year > 0 && month > 0 && month <= 12 && day > 0 && day <= daysIn(year, month)
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** What a type of fields is, wherever it does not matter which one. */
interface FieldTypeFacts {
  /** What owners call it. */
  readonly word: string
  /** What comes in, if it is no text: texts of which each is an option, one that says whether something is ticked, or files. */
  readonly sends?: 'list' | 'tick' | 'files'
  /** What it tells of a submission, whatever its name is (see submissions/field-roles.ts). */
  readonly role?: 'email' | 'telephone' | 'lines' | 'aside'
  /** What a visitor is asked to do who has left it out, if it is not to fill it in. */
  readonly whenEmpty?: 'chooseOne' | 'chooseSome' | 'tick' | 'chooseFile'
  /** The element that asks for it, if it is no `input`. A group has an input for each option. */
  readonly element?: 'textarea' | 'group'
  /** The attributes of its `input`, if it needs more than the name of the type. */
  readonly input?: Readonly<Record<string, string | number>>
  /** The value that browsers may fill in by themselves (WCAG 1.3.5); `byName` for that which its name says. */
  readonly autocomplete?: string
  /** Whether visitors do not see it. */
  readonly isHidden?: true
  /** How its answers are added up, if they are more than counted. */
  readonly answers?: 'options' | 'ticks' | 'numbers' | 'months' | 'files'
  /** What it takes, for a try. */
  readonly sample?: string
}

/**
 * In the order in which owners choose from them. Numbers and web addresses are asked for as text, because browsers drop `1,5`,
 * and refuse `example.com`.
 */
const facts = {
  text: { word: 'Text', autocomplete: 'byName', sample: 'Test' },
  lines: { word: 'Long text', role: 'lines', element: 'textarea', sample: 'Hello from Formbox' },
  email: { word: 'Email', role: 'email', autocomplete: 'email', sample: 'ada@example.com', input: { maxlength: 254 } },
  tel: { word: 'Phone', role: 'telephone', autocomplete: 'tel', sample: '+44 20 7946 0958', input: { maxlength: 40 } },
  url: {
    word: 'Web address',
    autocomplete: 'url',
    sample: 'https://example.com',
    input: { type: 'text', inputmode: 'url' },
  },
  number: { word: 'Number', answers: 'numbers', sample: '1', input: { type: 'text', inputmode: 'decimal' } },
  date: { word: 'Date', autocomplete: 'byName', answers: 'months', sample: '2026-12-31' },
  choice: { word: 'One option', whenEmpty: 'chooseOne', element: 'group', answers: 'options' },
  choices: { word: 'Several options', sends: 'list', whenEmpty: 'chooseSome', element: 'group', answers: 'options' },
  checkbox: { word: 'Check box', sends: 'tick', role: 'aside', whenEmpty: 'tick', answers: 'ticks' },
  file: { word: 'File', sends: 'files', role: 'aside', whenEmpty: 'chooseFile', answers: 'files' },
  hidden: { word: 'Hidden', role: 'aside', isHidden: true },
} as const satisfies Readonly<Record<string, FieldTypeFacts>>

export type FieldType = keyof typeof facts

export const fieldTypes = Object.keys(facts) as readonly FieldType[]

/** A machine of an earlier version may read a type that it does not know, which is then a text. */
export const factsOf = (type: FieldType): FieldTypeFacts => facts[type] ?? facts.text

/** A type of which the answer is one text. */
export type TextType = {
  [Type in FieldType]: (typeof facts)[Type] extends { word: string; sends?: 'tick' } ? Type : never
}[FieldType]

export const sendsFiles = (type: FieldType): boolean => factsOf(type).sends === 'files'
export const isSeen = (type: FieldType): boolean => factsOf(type).isHidden !== true
export const sendsTick = (type: FieldType): boolean => factsOf(type).sends === 'tick'
export const sendsList = (type: FieldType): boolean => factsOf(type).sends === 'list'

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
  /** See `fileTypesOf` and `maxFilesOfField`. */
  readonly fileTypes?: readonly string[]
  readonly maxFiles?: number
  /** The value that a page of Formbox sends in a hidden field. */
  readonly value?: string
  /** Whether the address of the form's page may fill it in. */
  readonly prefill?: true
}

/** Whether each submission has an answer to it. */
export const isAlwaysThere = ({ required }: FormField): boolean => required === true

/** The kinds of files that it takes, of those that the form takes; all of these if there are none. */
export const fileTypesOf = ({ fileTypes = [] }: FormField): readonly string[] => fileTypes

export const maxFilesOfField = ({ maxFiles = 1 }: FormField): number => maxFiles

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

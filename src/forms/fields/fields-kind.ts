import { isObject } from '../../base/json.ts'
import { isText, textInWords } from '../../base/text-rules.ts'
import { isControlField } from '../control-fields.ts'
import { areFieldNames } from '../field-names.ts'
import {
  accepted,
  type JsonSchema,
  type Kind,
  kind,
  orNull,
  type Problem,
  refused,
  type Typed,
} from '../settings/kind.ts'
import { choice, flag, integer, linesOf, normalText, textOrNull, visiblePattern } from '../settings/kinds.ts'
import { fileType } from '../settings/own-kinds.ts'
import { maxFileTypes, maxMaxFiles } from '../settings/settings.ts'
import { type FieldType, type FormField, fieldTypes, isDay, isSeen, sendsFiles, sendsTick } from './form-field.ts'
import { maxPlaces, type Places, places, problemOfPlaces } from './places-kind.ts'

export const maxFormFields = 50
/** Bytes of the whole list as JSON. */
const maxListBytes = 32 * 1024
const maxNameLength = 100
const maxLengthOfText = 100_000
const maxOptions = 100
/** All options, and one other answer. */
const maxChosen = maxOptions + 1

const nameRule = { minLength: 1, maxLength: maxNameLength }

const name: Kind<string> = normalText({
  // No trap can have the name of a control field.
  normal: (typed) => (isText(nameRule, typed) && areFieldNames([typed]) && !isControlField(typed, '') ? typed : null),
  inWords: `1 to ${maxNameLength} characters, and no control field such as _next`,
  schema: { ...nameRule, documented: { pattern: visiblePattern } },
})

/** A number as people type it in the settings, also with a decimal comma. */
const number: Kind<number> = kind({
  isValid: (value) => typeof value === 'number' && Number.isFinite(value),
  inWords: 'a number',
  input: 'number',
  toText: String,
  fromText(typed) {
    const value = Number(typed.trim().replace(',', '.'))
    return typed.trim() !== '' && Number.isFinite(value) ? accepted(value) : refused('must be a number')
  },
  schema: { type: 'number' },
})

const day: Kind<string> = normalText({
  normal: (typed) => (isDay(typed) ? typed : null),
  inWords: 'a day such as 2026-12-31',
  schema: { format: 'date' },
})

const optionRule = { minLength: 1, maxLength: 200 }

/** Browsers send another line break than that of an option, which would then be none. */
const option: Kind<string> = normalText({
  normal: (typed) => (isText(optionRule, typed) && !/[\r\n]/.test(typed) ? typed : null),
  inWords: `${textInWords(optionRule)}, in one line`,
  schema: { ...optionRule, documented: { pattern: visiblePattern } },
})

const differentOptions = (options: readonly string[]): string | undefined => {
  if (options.length === 0) return 'must have at least one'
  return new Set(options.map((option) => option.trim())).size < options.length
    ? 'must be different from each other'
    : undefined
}

/** All that a field may have besides its name and type. */
export type Member = Exclude<keyof FormField, 'name' | 'type'>

interface Declared {
  readonly types: readonly FieldType[]
  readonly kindOf: (type: FieldType) => Kind<unknown>
  /** The value if it is left out. */
  readonly preset: unknown
  readonly description: string
}

const visible = fieldTypes.filter(isSeen)
const chosen: readonly FieldType[] = ['choice', 'choices']
const bounded: readonly FieldType[] = ['number', 'date', 'choices']
const boundOf = (type: FieldType): Kind<unknown> =>
  orNull<unknown, unknown>(
    (type === 'number' ? number : type === 'date' ? day : integer({ min: 0, max: maxChosen })) as Kind<unknown>,
  )

const member = <T>(
  types: readonly FieldType[],
  one: Kind<T> | ((type: FieldType) => Kind<unknown>),
  preset: T,
  description: string,
): Declared => ({
  types,
  kindOf: typeof one === 'function' ? one : () => one as Kind<unknown>,
  preset,
  description,
})

/** In the order in which they are stored. */
const members: { readonly [Name in Member]: Declared } = {
  label: member(visible, textOrNull({ minLength: 1, maxLength: 200 }), null, 'What people read; null for the name'),
  help: member(
    visible,
    textOrNull({ minLength: 1, maxLength: 500 }, 'lines'),
    null,
    'A sentence below the label. An `https://…` in it becomes a link.',
  ),
  required: member(visible, flag, false, 'Whether a submission without it is refused'),
  minLength: member(
    ['text', 'lines'],
    orNull(integer({ min: 1, max: maxLengthOfText })),
    null,
    'Characters of a `text` or of `lines`',
  ),
  maxLength: member(
    ['text', 'lines'],
    orNull(integer({ min: 1, max: maxLengthOfText })),
    null,
    'Characters of a `text` or of `lines`',
  ),
  once: member(
    ['text', 'email', 'tel'],
    orNull(choice(['hold', 'refuse'])) as Kind<unknown>,
    null,
    'Whether a value may come once: `hold` keeps a second one in quarantine and tells the sender nothing, `refuse` refuses ' +
      'it, which tells strangers who has registered',
  ),
  min: member(bounded, boundOf, null, 'Of a `number`; a day, of a `date`; of `choices`, how many'),
  max: member(bounded, boundOf, null, 'Of a `number`; a day, of a `date`; of `choices`, how many'),
  options: member(
    chosen,
    linesOf(option, {
      max: maxOptions,
      many: 'texts',
      typed: ['line', 'lines'],
      together: differentOptions,
    }) as Kind<unknown>,
    undefined,
    `What a \`choice\` or \`choices\` may be: 1 to ${maxOptions} different texts of 1 to 200 characters, each in one line`,
  ),
  other: member(
    chosen,
    flag,
    false,
    'Whether one answer of the visitor’s own, of at most 200 characters, may be given',
  ),
  places: member(
    chosen,
    orNull(places) as Kind<unknown>,
    null,
    `How often each option is given, such as {"Morning": 70}: 0 to ${maxPlaces}. An option that is not named has no end.`,
  ),
  showPlaces: member(chosen, flag, false, 'Whether visitors see how many places of an option are left'),
  fileTypes: member(
    ['file'],
    linesOf(fileType, { max: maxFileTypes, many: 'kinds of files', typed: ['entry', 'entries'] }) as Kind<unknown>,
    [],
    'Kinds of files, besides those of the form; an empty list allows all of these',
  ),
  maxFiles: member(['file'], integer({ min: 1, max: maxMaxFiles }), 1, 'How many files'),
  value: member(
    ['hidden'],
    textOrNull({ minLength: 1, maxLength: 200 }),
    null,
    'What a page of Formbox sends in a `hidden` field. Visitors can change it.',
  ),
  prefill: member(
    fieldTypes.filter((type) => !sendsTick(type) && !sendsFiles(type)),
    flag,
    false,
    'Whether the address of the form’s page may fill it in',
  ),
}

const memberNames = Object.keys(members) as Member[]

/** What a field of a type may have. */
export const membersOf = (type: FieldType): readonly Member[] =>
  memberNames.filter((one) => members[one].types.includes(type))

const type = choice(fieldTypes)

type Sent = Readonly<Record<string, unknown>>

const typeIn = (field: Sent): FieldType | undefined => {
  const { type: sent = 'text' } = field
  return fieldTypes.find((one) => one === sent)
}

/** The problems of one field, apart from the others. */
const problemsOfField = (field: unknown): readonly Problem[] => {
  if (!isObject(field)) return [{ at: '', message: 'must be an object with `name` and `type`', value: field }]
  const inside = (at: string, problems: readonly Problem[]): Problem[] =>
    problems.map((problem) => ({ ...problem, at: `/${at}${problem.at}` }))
  const wrong = inside('name', name.problems(field.name))
  const type_ = typeIn(field)
  if (type_ === undefined) return [...wrong, ...inside('type', type.problems(field.type))]
  for (const one of memberNames) wrong.push(...inside(one, problemsOfMember(one, type_, field)))
  return wrong.length > 0 ? wrong : problemsOfBounds(field)
}

const problemsOfMember = (one: Member, type: FieldType, field: Sent): readonly Problem[] => {
  const { types, kindOf, preset } = members[one]
  const value = field[one]
  if (value === undefined && preset !== undefined) return []
  if (types.includes(type)) return kindOf(type).problems(value)
  const isNothing = [undefined, null, preset].includes(value) || (Array.isArray(value) && value.length === 0)
  return isNothing ? [] : [{ at: '', message: `must be left out of a field of the type ${type}`, value }]
}

/** A rule that no value can follow is a mistake. */
const problemsOfBounds = ({ minLength, maxLength, min, max, options, other, ...rest }: Sent): readonly Problem[] => {
  const wrong: Problem[] = []
  if (isAbove(minLength, maxLength))
    wrong.push({ at: '/maxLength', message: 'must be at least `minLength`', value: maxLength })
  if (Array.isArray(options) && max === 0) wrong.push({ at: '/max', message: 'must be at least 1', value: max })
  else if (isAbove(min, max)) wrong.push({ at: '/max', message: 'must be at least `min`', value: max })
  else if (Array.isArray(options) && isAbove(min, options.length + (other === true ? 1 : 0)))
    wrong.push({ at: '/min', message: 'must be at most the number of options', value: min })
  const unknown = Array.isArray(options) && rest.places ? problemOfPlaces(rest.places as Places, options) : undefined
  if (unknown !== undefined) wrong.push({ at: '/places', message: unknown, value: rest.places })
  return wrong
}

const isAbove = (low: unknown, high: unknown): boolean =>
  (typeof low === 'number' && typeof high === 'number' && low > high) ||
  (typeof low === 'string' && typeof high === 'string' && low > high)

/** The fields of a form, in the order of the page. The text form is JSON of what was typed. */
export const formFields: Kind<readonly FormField[]> = {
  problems(value) {
    if (!Array.isArray(value) || value.length > maxFormFields)
      return [{ at: '', message: `must be an array of at most ${maxFormFields} fields`, value }]
    const inside = value.flatMap((field, position) => [
      ...problemsOfField(field).map((problem) => ({ ...problem, at: `/${position}${problem.at}` })),
      ...twice(value, position),
    ])
    if (inside.length > 0) return inside
    const bytes = Buffer.byteLength(JSON.stringify(formFields.toStored(value)))
    if (bytes <= maxListBytes) return []
    return [{ at: '', message: `must be at most ${maxListBytes} bytes as JSON; got ${bytes}`, value: undefined }]
  },
  toStored: (sent) => sent.map(toStoredField),
  input: 'own',
  isOptional: true,
  toText: (fields) => JSON.stringify(fields.map(typedField)),
  fromText: (text) => fromTyped(JSON.parse(text)),
  schema: {
    type: 'array',
    maxItems: maxFormFields,
    documented: {
      items: {
        name: 'FormField',
        type: 'object',
        required: ['name'],
        properties: {
          name: name.schema,
          type: { ...type.schema, description: '`text` if it is absent' },
          ...Object.fromEntries(memberNames.map((one) => [one, schemaOfMember(one)])),
        },
      },
    },
  },
}

function schemaOfMember(one: Member): JsonSchema {
  const { kindOf, types, description } = members[one]
  const words = { description }
  if (one !== 'min' && one !== 'max') return { ...kindOf(types[0] as FieldType).schema, ...words }
  return { anyOf: [{ ...number.schema, nullable: true }, day.schema], ...words }
}

const twice = (fields: readonly unknown[], position: number): Problem[] => {
  const nameAt = (at: number): unknown => (fields[at] as Partial<FormField> | null)?.name
  const value = nameAt(position)
  const isTaken = typeof value === 'string' && fields.findIndex((_, at) => nameAt(at) === value) < position
  return isTaken ? [{ at: `/${position}/name`, message: anotherName, value }] : []
}

const anotherName = 'must be another name than that of a field above'

/** Without other members that a client sent, and without what has its default. */
const toStoredField = (sent: FormField): FormField => {
  const type = typeIn(sent as unknown as Sent) as FieldType
  const own = memberNames.flatMap((one) => {
    const { types, kindOf, preset } = members[one]
    const value = sent[one] as unknown
    if (!types.includes(type) || value === undefined || value === null) return []
    const stored = kindOf(type).toStored(value)
    return Bun.deepEquals(stored, preset) ? [] : [[one, stored] as const]
  })
  return { name: sent.name, type, ...Object.fromEntries(own) }
}

/** A field as a page asks for it: the text in each of its inputs. */
export type TypedField = { readonly [Name in keyof FormField]-?: string }

export const typedField = (field: FormField): TypedField => ({
  name: field.name,
  type: field.type,
  ...(Object.fromEntries(
    memberNames.map((one) => {
      const { types, kindOf, preset } = members[one]
      const value = field[one]
      const isSet = types.includes(field.type) && value !== undefined && value !== preset
      return [one, isSet ? kindOf(field.type).toText(value) : '']
    }),
  ) as { readonly [Name in Member]: string }),
})

interface ParsedField {
  readonly field: FormField
  /** The problems by member. */
  readonly errors: Partial<Record<keyof FormField, string>>
}

/** Parses the inputs of all fields. A member for which the type of its field has no use is ignored. */
export const parseTypedFields = (rows: readonly TypedField[]): readonly ParsedField[] => {
  const names = new Set<string>()
  return rows.map(parseTypedField).map(({ field, errors }) => {
    const isTaken = names.has(field.name)
    names.add(field.name)
    return { field, errors: isTaken ? { name: anotherName, ...errors } : errors }
  })
}

const parseTypedField = (typed: TypedField): ParsedField => {
  const errors: Partial<Record<keyof FormField, string>> = {}
  const read = <T>(one: keyof FormField, result: Typed<T>): T | undefined => {
    if (result.state === 'accepted') return result.value
    errors[one] = result.message
    return undefined
  }
  const sent: Record<string, unknown> = {
    name: read('name', name.fromText(typed.name)),
    type: read('type', type.fromText(typed.type)),
  }
  for (const one of memberNames) {
    const { types, kindOf, preset } = members[one]
    if (!types.includes(typed.type as FieldType)) continue
    const isEmpty = typed[one].trim() === ''
    if (!(isEmpty && preset !== undefined)) sent[one] = read(one, kindOf(typed.type as FieldType).fromText(typed[one]))
  }
  if (Object.keys(errors).length === 0)
    for (const { at, message } of problemsOfBounds(sent)) errors[at.slice(1) as Member] = message
  return { field: sent as unknown as FormField, errors }
}

const fromTyped = (rows: readonly TypedField[]): Typed<readonly FormField[]> => {
  if (rows.length > maxFormFields) return refused(`must be at most ${maxFormFields} fields`, rows.length)
  const parsed = parseTypedFields(rows)
  const marked = parsed.flatMap(({ errors }, position) => (Object.keys(errors).length > 0 ? position + 1 : []))
  if (marked.length > 0) return refused(`look at what is marked in field ${marked.join(', ')}`)
  const fields = parsed.map(({ field }) => field)
  const [problem] = formFields.problems(fields)
  if (!problem) return accepted(fields)
  const [, position, ...rest] = problem.at.split('/')
  return refused(position ? `field ${Number(position) + 1}: ${rest.join(' ')} ${problem.message}` : problem.message)
}

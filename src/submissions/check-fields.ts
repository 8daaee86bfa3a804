import { AppError } from '../base/errors.ts'
import { languageField, replyToField } from '../forms/control-fields.ts'
import { type FieldProblem, toIssue } from '../forms/fields/field-problem.ts'
import {
  type FieldType,
  type FormField,
  isUnticked,
  maxFilesOfField,
  maxOtherLength,
  sendsList,
  sendsTick,
  type TextType,
} from '../forms/fields/form-field.ts'
import type { FormSettings } from '../forms/settings/settings.ts'
import type { Field, SentSubmission } from './fields.ts'
import type { ChosenPlace } from './limits/places.ts'
import { itemsIn, textIn } from './sent-fields.ts'
import { type BrokenRule, brokenRule, isLonger, kept } from './value-rules.ts'

/** Problems of one submission that are told. */
const maxProblems = 50

/** Answers to one field: a form has no more fields, and JSON of 1 MiB has half a million. */
const maxAnswers = 1000

/** A submission that breaks rules of its form's fields. */
export class RefusedFields extends AppError {
  constructor(
    readonly problems: readonly FieldProblem[],
    /** The submission, to be shown again. */
    readonly sent: SentSubmission,
  ) {
    super('invalid', 'Invalid input data', { issues: problems.map(toIssue) })
  }
}

/** @throws RefusedFields with everything that is wrong. What fills in the trap is taken: it is spam. */
export const refuseWrongFields = (sent: SentSubmission, settings: FormSettings): void => {
  if (sent.control.isTrapFilled) return
  const problems = fieldProblems(sent.fields, settings)
  if (problems.length > 0) throw new RefusedFields(problems, sent)
}

/** The problems of a submission that asks for places of which none is left. */
export const fullPlaces = (
  sent: readonly Field[],
  fields: readonly FormField[],
  places: readonly ChosenPlace[],
): readonly FieldProblem[] =>
  places.map(({ field: name, option }) => {
    const field = fields.find((one) => one.name === name)
    const answers: Value[] = []
    if (field && sendsList(field.type)) for (const one of sent) if (one.name === name) addAnswers(answers, one, false)
    const at = answers.findIndex(({ text }) => text === option)
    return { name, field, rule: 'full', at: at === -1 ? undefined : at, bound: option }
  })

/** The problems of a submission with values that come once, and that another one has. */
export const repeatedValues = (fields: readonly FormField[], names: readonly string[]): readonly FieldProblem[] =>
  names.map((name) => ({ name, field: fields.find((one) => one.name === name), rule: 'repeated', at: undefined }))

/** An answer: a text, a file, or something else that JSON can hold. */
interface Value {
  /** Absent if it is a file or something else. */
  readonly text?: string
  readonly file?: Field
}

/**
 * Finds the problems of the fields of a submission, in the order of the form, and then other fields that it does not
 * take.
 */
export const fieldProblems = (
  sent: readonly Field[],
  { fields, otherFields }: Pick<FormSettings, 'fields' | 'otherFields'>,
): readonly FieldProblem[] => {
  const { positions, judges, ticks } = compiled(fields)
  const values: (Value[] | undefined)[] = []
  const others = new Set<string>()
  for (const one of sent) {
    const position = positions.get(one.name)
    if (position === undefined) {
      if (otherFields === 'refuse' && !alwaysTaken.has(one.name)) others.add(one.name)
    } else {
      values[position] ??= []
      addAnswers(values[position], one, ticks[position] === true)
    }
  }
  const problems: FieldProblem[] = []
  for (let position = 0; position < fields.length; position++) {
    const field = fields[position] as FormField
    const answers = values[position] ?? none
    const missing = field.required ? requiredOnly : none
    for (const broken of answers.length === 0 ? missing : (judges[position] as Judge)(field, answers))
      problems.push({ name: field.name, field, ...broken })
  }
  for (const name of others) problems.push({ name, field: undefined, rule: 'other' })
  return problems.length > maxProblems ? problems.slice(0, maxProblems) : problems
}

const none: readonly never[] = []
const requiredOnly: readonly Broken[] = [{ rule: 'required' }]

const alwaysTaken = new Set([replyToField, languageField])

interface Compiled {
  /** The positions of the fields, by name. */
  readonly positions: ReadonlyMap<string, number>
  /** In their order. */
  readonly judges: readonly Judge[]
  readonly ticks: readonly boolean[]
  /** Names of the fields that are stored as a list. */
  readonly lists: ReadonlySet<string>
  readonly checkboxes: ReadonlySet<string>
}

// `parseSettings` remembers what it parsed, so a list of fields is the same object until it is changed.
const remembered = new WeakMap<readonly FormField[], Compiled>()

const compiled = (fields: readonly FormField[]): Compiled => {
  const known = remembered.get(fields)
  if (known) return known
  const made = {
    positions: new Map(fields.map(({ name }, position) => [name, position])),
    judges: fields.map(({ type }) => otherJudges[type] ?? judgeText),
    ticks: fields.map(({ type }) => sendsTick(type)),
    lists: namesOf(fields, sendsList),
    checkboxes: namesOf(fields, sendsTick),
  }
  remembered.set(fields, made)
  return made
}

const namesOf = (fields: readonly FormField[], isWanted: (type: FieldType) => boolean): ReadonlySet<string> =>
  new Set(fields.flatMap(({ name, type }) => (isWanted(type) ? name : [])))

/** Adds what was answered: nothing for what is empty, and for a check box that is not ticked. */
const addAnswers = (answers: Value[], sent: Field, ofTick: boolean): void => {
  if (sent.sameAs !== undefined) {
    answers.push({ file: sent })
    return
  }
  if (!sent.json.startsWith('[')) {
    addAnswer(answers, sent.json, ofTick)
    return
  }
  // Enough to be refused.
  if (answers.length > maxAnswers) return
  const items = answersIn(sent.json)
  // Behind so many, what is empty hides what is not.
  if (items.length > maxAnswers) answers.push(...items.map(() => ({ text: '' })))
  else for (const { json } of items) addAnswer(answers, json, ofTick)
}

/** At least one more than a field may have, if there are as many. */
const answersIn = (json: string) => itemsIn(json, maxAnswers + 1)

const addAnswer = (answers: Value[], json: string, ofTick: boolean): void => {
  if (json === 'null' || json === '[]' || (ofTick && !isTick(json))) return
  const text = json.startsWith('{') || json.startsWith('[') ? undefined : (textIn(json) ?? json).trim()
  if (text === undefined) answers.push({})
  else if (text !== '') answers.push({ text })
}

/** Whether a value of a check box is anything but a text that says that it is not ticked. */
export const isTick = (json: string): boolean => json !== 'null' && json !== '[]' && !isUnticked(textIn(json) ?? json)

type Broken = Omit<FieldProblem, 'name' | 'field'>

/** Judges answers, of which there is at least one. */
type Judge = (field: FormField, answers: readonly Value[]) => readonly Broken[]

const judgeText: Judge = (field, answers) => {
  const wrong = firstOther(answers)
  if (wrong !== -1) return [{ rule: 'type', at: answers.length > 1 ? wrong : undefined }]
  if (answers.length > 1) return [{ rule: 'one', bound: answers.length }]
  const { text = '' } = answers[0] as Value
  const type = field.type as TextType
  const [rule, bound] = type === 'choice' ? brokenChoice(field, text) : brokenRule(type, field, text)
  if (rule === undefined) return none
  return [bound === undefined ? { rule } : { rule, bound }]
}

/** Where the first answer is that is no text; -1 if all are. */
const firstOther = (answers: readonly Value[]): number => answers.findIndex(({ text }) => text === undefined)

const judgeFiles: Judge = (field, answers) => {
  const maxFiles = maxFilesOfField(field)
  const broken = answers.flatMap(({ file }, position): Broken[] => {
    const at = answers.length > 1 ? position : undefined
    if (!file) return [{ rule: 'file', at }]
    return file.refused?.rule === 'fileTypes' ? [{ at, ...file.refused }] : []
  })
  // The form may take fewer than the field.
  const over = answers.find(({ file }) => file?.refused?.rule === 'maxFiles')?.file?.refused
  if (over) return [...broken, { rule: 'maxFiles', bound: over.bound }]
  return answers.length > maxFiles ? [...broken, { rule: 'maxFiles', bound: maxFiles }] : broken
}

const judgeChoices: Judge = (field, answers) => {
  const wrong = firstOther(answers)
  if (wrong !== -1) return [{ rule: 'type', at: wrong }]
  const { min, max, other } = field
  const broken: Broken[] = []
  const options = optionsOf(field)
  if (answers.length > maxAnswers) return [{ rule: 'max', bound: max ?? options.size + (other ? 1 : 0) }]
  let others = 0
  for (let at = 0; at < answers.length; at++) {
    const { text = '' } = answers[at] as Value
    if (broken.length === maxProblems || options.has(text)) continue
    // One answer may be the visitor's own.
    const [rule, bound] = others++ === 0 ? brokenChoice(field, text) : (['option'] as const)
    if (rule) broken.push(bound === undefined ? { rule, at } : { rule, at, bound })
  }
  if (min === undefined && max === undefined) return broken
  const { size } = new Set(answers.map(({ text }) => text))
  if (typeof min === 'number' && size < min) broken.push({ rule: 'min', bound: min })
  if (typeof max === 'number' && size > max) broken.push({ rule: 'max', bound: max })
  return broken
}

/** Of those types of which the answer is not one text. */
const otherJudges: { readonly [Type in FieldType]?: Judge } = {
  choices: judgeChoices,
  file: judgeFiles,
} satisfies { readonly [Type in Exclude<FieldType, TextType>]: Judge }

/** The options as answers are compared with them. */
const optionsOf = ({ options = [] }: FormField): ReadonlySet<string> => {
  // A list is the same object until it is changed, as above.
  const known = trimmedOptions.get(options)
  if (known) return known
  const trimmed = new Set(options.map((option) => option.trim()))
  trimmedOptions.set(options, trimmed)
  return trimmed
}

const trimmedOptions = new WeakMap<readonly string[], ReadonlySet<string>>()

const brokenChoice = (field: FormField, text: string): BrokenRule => {
  if (optionsOf(field).has(text)) return kept
  if (!field.other) return ['option']
  return isLonger(text, maxOtherLength) ? ['maxLength', maxOtherLength] : kept
}

/**
 * The fields without what a site sends for a check box that is not ticked, such as a hidden `0`, if the box is ticked: both
 * are one answer.
 */
export const withoutUnticked = (sent: readonly Field[], fields: readonly FormField[]): readonly Field[] => {
  if (fields.length === 0) return sent
  const { checkboxes } = compiled(fields)
  const ofBoxes = checkboxes.size === 0 ? [] : sent.filter(({ name, sameAs }) => !sameAs && checkboxes.has(name))
  const ticked = new Set(
    ofBoxes.flatMap(({ name, json }) => (answersIn(json).some((item) => isTick(item.json)) ? name : [])),
  )
  if (ticked.size === 0) return sent
  return sent.flatMap((field) => {
    const { name, json, sameAs } = field
    if (!ticked.has(name) || sameAs) return field
    const items = answersIn(json)
    const [tick, ...others] = items.filter((item) => isTick(item.json))
    if (items.length > maxAnswers) return field
    if (!tick) return []
    return others.length > 0 ? field : { name, json: tick.json }
  })
}

/**
 * The fields as they are stored: those of several choices are always a list, without empty answers, where the first of them
 * was. Everything else stays as it was sent, and so does spam with more answers than a field may have.
 */
export const withLists = (sent: readonly Field[], fields: readonly FormField[]): readonly Field[] => {
  if (fields.length === 0) return sent
  const { lists } = compiled(fields)
  if (lists.size === 0 || !sent.some(({ name }) => lists.has(name))) return sent
  const answers = new Map<string, string[]>()
  for (const { name, json, sameAs } of sent) {
    if (!lists.has(name)) continue
    const all = answers.get(name) ?? []
    answers.set(name, all)
    const items = sameAs === undefined ? answersIn(json) : [{ json }]
    for (const item of items) if (isAnswer(item.json)) all.push(item.json)
    if (Math.max(items.length, all.length) > maxAnswers) return sent
  }
  const stored: Field[] = []
  for (const field of sent) {
    const { name } = field
    const all = answers.get(name)
    if (all) {
      stored.push({ name, json: `[${all.join()}]` })
      answers.delete(name)
    } else if (!lists.has(name)) stored.push(field)
  }
  return stored
}

const isAnswer = (json: string): boolean => json !== 'null' && json !== '[]' && textIn(json)?.trim() !== ''

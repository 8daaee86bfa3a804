import { invalid } from '../base/errors.ts'
import { foldValue } from '../base/search-fold.ts'
import { isText, type TextRule, textInWords } from '../base/text-rules.ts'
import { conditionsId } from './receivers.ts'

/** A receiver with a condition gets the submissions that have this text as a value of this field. */
export interface Condition {
  readonly field: string
  readonly equals: string
}

export const conditionRule: TextRule = { minLength: 1, maxLength: 255 }

export const conditionInWords = `an object with field and equals, each of ${textInWords(conditionRule)}`

/** Whether someone sent a condition. Other members are ignored. */
export const isCondition = (value: unknown): value is Condition => {
  const { field, equals } = (value ?? {}) as Partial<Record<keyof Condition, unknown>>
  return [field, equals].every((text) => typeof text === 'string' && isText(conditionRule, text))
}

/** Parses what a person typed; both empty for none. @throws AppError `invalid` */
export const parseCondition = (typed: Condition): Condition | null => {
  const [field, equals] = [typed.field.trim(), typed.equals.trim()]
  if (field === '' && equals === '') return null
  const condition = { field, equals }
  if (isCondition(condition)) return condition
  throw invalid({ field: 'only', message: `must have a field and its value, each of ${textInWords(conditionRule)}` })
}

/** A condition as it is stored: two that are the same have the same text. */
export const conditionText = ({ field, equals }: Condition): string => JSON.stringify({ field, equals })

/**
 * For whom a submission is meant, as the main thread has found it when the submission was made. A command must not find it
 * itself: how text is folded depends on the version of Unicode that a machine knows.
 */
export interface Decision {
  /** Identifies the conditions that were looked at: they can be long, and this is in the log of a cluster. */
  readonly id: string
  /** The positions of the ones that hold. */
  readonly holding: readonly number[]
}

/** A command has done nothing, because the form's conditions became others after the decision: now they are these. */
export interface Undecided {
  readonly state: 'undecided'
  readonly conditions: string | null
}

/**
 * Decides which of a form's conditions hold for a submission.
 *
 * @param conditions see `forms.conditions`
 * @param fields its values as JSON text. A list, or a name that is there several times, has each of its values.
 */
export const decide = (
  conditions: string | null,
  fields: readonly { readonly name: string; readonly json: string }[],
): Decision | undefined => {
  if (conditions === null) return undefined
  const wanted = (JSON.parse(conditions) as string[]).map((stored) => ({
    stored,
    ...(JSON.parse(stored) as Condition),
  }))
  const values = new Map(wanted.map(({ field }) => [field, new Set<string>()]))
  let left = maxCharacters
  for (const { name, json } of fields) {
    const texts = values.get(name)
    if (!texts || json.length > left) continue
    left -= json.length
    for (const text of textsIn(json)) texts.add(foldValue(text))
  }
  const holds = ({ field, equals }: Condition): boolean => values.get(field)?.has(foldValue(equals)) === true
  return { id: conditionsId(conditions), holding: wanted.flatMap((one, position) => (holds(one) ? position : [])) }
}

/**
 * Characters that are compared in one submission. Folding a megabyte can take 0.2 s. A longer value is equal to
 * nothing.
 */
const maxCharacters = 20_000

/** The texts in a value, with numbers, `true` and `false` as they are written. */
const textsIn = (json: string): string[] => {
  const value: unknown = JSON.parse(json)
  if (typeof value === 'number') return [json]
  return [value].flat().flatMap((item) => (typeof item === 'object' ? [] : [String(item)]))
}

import { isText, type TextRule, textInWords } from '../../base/text-rules.ts'
import { areFieldNames, maxNameBytes } from '../field-names.ts'
import { accepted, type Kind, refused, type Typed } from './kind.ts'
import { integer, textPattern, visiblePattern } from './kinds.ts'
import type { ConfirmSettings, SentConfirm } from './settings.ts'

const subjectRule: TextRule = { minLength: 1, maxLength: 200 }
const textRule: TextRule = { minLength: 1, maxLength: 5000 }
const days = integer({ min: 1, max: 30 })
const usualDays = 7

const inWords =
  'null, or an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 ' +
  'characters) and, if you like, `days` (1 to 30)'

/** What was typed. An empty field is no setting. */
interface TypedConfirm extends Omit<ConfirmSettings, 'days'> {
  readonly days: string
}

/** The mail that asks a visitor to confirm the address, or null. The text form is JSON of what was typed. */
export const confirm: Kind<ConfirmSettings | null, SentConfirm | null> = {
  problems: (value) => (value === null || isConfirm(value) ? [] : [{ at: '', message: `must be ${inWords}`, value }]),
  /** Without other members that a client sent. */
  toStored: (sent) =>
    sent && { field: sent.field, subject: sent.subject, text: sent.text, days: sent.days ?? usualDays },
  input: 'own',
  isOptional: true,
  toText: (value) =>
    confirmAsText(
      value ? { ...value, days: String(value.days) } : { field: '', subject: '', text: '', days: `${usualDays}` },
    ),
  fromText: (text) => fromTyped(JSON.parse(text)),
  schema: {
    name: 'Confirm',
    type: 'object',
    nullable: true,
    documented: {
      required: ['field', 'subject', 'text'],
      properties: {
        field: { type: 'string', minLength: 1, maxLength: maxNameBytes - 2, pattern: textPattern },
        subject: { type: 'string', ...subjectRule, pattern: visiblePattern },
        text: { type: 'string', ...textRule, pattern: visiblePattern },
        days: { ...days.schema, description: `${usualDays} if it is absent` },
      },
    },
  },
}

/** The text form of what was typed. */
export const confirmAsText = (typed: TypedConfirm): string =>
  JSON.stringify({
    field: typed.field.trim(),
    subject: typed.subject.trim(),
    text: typed.text.replaceAll(/\r\n?/g, '\n').trim(),
    days: typed.days.trim(),
  })

const isConfirm = (value: unknown): value is SentConfirm => {
  if (typeof value !== 'object' || value === null) return false
  const sent = value as Partial<Record<keyof ConfirmSettings, unknown>>
  return (
    isField(sent.field) &&
    typeof sent.subject === 'string' &&
    isText(subjectRule, sent.subject) &&
    !/[\n\r]/.test(sent.subject) &&
    typeof sent.text === 'string' &&
    isText(textRule, sent.text) &&
    days.problems(sent.days ?? usualDays).length === 0
  )
}

const isField = (name: unknown): name is string => typeof name === 'string' && name !== '' && areFieldNames([name])

const fromTyped = (typed: TypedConfirm): Typed<SentConfirm | null> => {
  if (typed.field === '') {
    if (typed.subject === '' && typed.text === '') return accepted(null)
    return refused('must name the field with the address; or clear the others as well')
  }
  for (const [part, rule] of [['subject', subjectRule] as const, ['text', textRule] as const])
    if (!isText(rule, typed[part]))
      return refused(`must have a ${part} of ${textInWords(rule)}`, [...typed[part]].length)
  const number = days.fromText(typed.days)
  if (number.state === 'refused') return refused('must wait for 1 to 30 days')
  const sent = { field: typed.field, subject: typed.subject, text: typed.text, days: number.value }
  return isConfirm(sent) ? accepted(sent) : refused(`must be a name of at most ${maxNameBytes} bytes`)
}

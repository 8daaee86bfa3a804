import { isText, type TextRule, textInWords } from '../../base/text-rules.ts'
import { areFieldNames, maxNameBytes } from '../field-names.ts'
import { accepted, type Kind, refused, type Typed } from './kind.ts'
import { textPattern, visiblePattern } from './kinds.ts'
import type { ReplySettings } from './settings.ts'

const subjectRule: TextRule = { minLength: 1, maxLength: 200 }
const textRule: TextRule = { minLength: 1, maxLength: 5000 }

const inWords =
  'null, or an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 ' +
  'characters) and, if you like, `copy` (true or false)'

/** The texts of an empty input: an empty field is no reply. */
const nothing: ReplySettings = { field: '', subject: '', text: '', copy: false }

/** The automatic reply, or null. The text form is JSON of what was typed. */
export const reply: Kind<ReplySettings | null> = {
  problems: (value) => (value === null || isReply(value) ? [] : [{ at: '', message: `must be ${inWords}`, value }]),
  /** Without other members that a client sent. */
  toStored: (sent) =>
    sent && { field: sent.field, subject: sent.subject, text: sent.text, copy: sent.copy ?? nothing.copy },
  input: 'own',
  isOptional: true,
  toText: (value) => replyAsText(value ?? nothing),
  fromText: (text) => fromTyped(JSON.parse(text)),
  schema: {
    name: 'Reply',
    type: 'object',
    nullable: true,
    documented: {
      required: ['field', 'subject', 'text'],
      properties: {
        field: { type: 'string', minLength: 1, maxLength: maxNameBytes - 2, pattern: textPattern },
        subject: { type: 'string', ...subjectRule, pattern: visiblePattern },
        text: { type: 'string', ...textRule, pattern: visiblePattern },
        copy: { type: 'boolean', description: 'False if it is absent' },
      },
    },
  },
}

/** A placeholder in the subject or the text. */
export const placeholders = /\{([^{}\n]+)\}/g
/** Placeholders that stand for no field. */
export const ownPlaceholders = { title: 'title', reference: 'reference' } as const

/** The fields that the reply uses: the one with the address first, and then those of its placeholders. */
export const fieldsOfReply = ({ field, subject, text }: ReplySettings): string[] => {
  const named = [...`${subject}\n${text}`.matchAll(placeholders)].map(([, name = '']) => name)
  return [...new Set([field, ...named.filter((name) => !Object.hasOwn(ownPlaceholders, name))])]
}

/** The text form of what was typed. */
export const replyAsText = ({ field, subject, text, copy }: ReplySettings): string =>
  JSON.stringify({
    field: field.trim(),
    subject: subject.trim(),
    text: text.replaceAll(/\r\n?/g, '\n').trim(),
    copy,
  })

const isReply = (value: unknown): value is ReplySettings => {
  if (typeof value !== 'object' || value === null) return false
  const { field, subject, text, copy = false } = value as Partial<Record<keyof ReplySettings, unknown>>
  return (
    isField(field) &&
    typeof subject === 'string' &&
    isText(subjectRule, subject) &&
    !/[\n\r]/.test(subject) &&
    typeof text === 'string' &&
    isText(textRule, text) &&
    typeof copy === 'boolean'
  )
}

const isField = (name: unknown): name is string => typeof name === 'string' && name !== '' && areFieldNames([name])

const fromTyped = (typed: ReplySettings): Typed<ReplySettings | null> => {
  if (typed.field === '') {
    if (typed.subject === '' && typed.text === '' && !typed.copy) return accepted(null)
    return refused('must name the field with the address; or clear the others as well')
  }
  for (const [part, rule] of [['subject', subjectRule] as const, ['text', textRule] as const])
    if (!isText(rule, typed[part]))
      return refused(`must have a ${part} of ${textInWords(rule)}`, [...typed[part]].length)
  if (isReply(typed)) return accepted(typed)
  return refused(`must be a name of at most ${maxNameBytes} bytes`)
}

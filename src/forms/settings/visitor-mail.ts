import { isText, type TextRule, textInWords } from '../../base/text-rules.ts'
import { areFieldNames, maxNameBytes } from '../field-names.ts'
import { accepted, type JsonSchema, type Kind, refused, type Typed } from './kind.ts'
import { textPattern, visiblePattern } from './kinds.ts'

/** What each mail to visitors has: the name of the field with their address, and texts. */
interface Texts {
  readonly field: string
  readonly subject: string
  readonly text: string
}

/** What a mail has besides. */
interface Member<Name extends string, Value, Text> {
  readonly name: Name
  /** If it is absent. */
  readonly usual: Value
  /** Its value in words: `true or false`. */
  readonly inWords: string
  readonly isValid: (value: unknown) => boolean
  /** What is typed for it. */
  readonly toTyped: (value: Value) => Text
  readonly fromTyped: (typed: Text) => Typed<Value>
  /** Whether that alone, without any text, is no mail. */
  readonly isNothing: (typed: Text) => boolean
  readonly schema: JsonSchema
}

const subjectRule: TextRule = { minLength: 1, maxLength: 200 }
const textRule: TextRule = { minLength: 1, maxLength: 5000 }

/** A mail that the owner writes for visitors, or null. The text form is JSON of what was typed. An empty field is no mail. */
export const visitorMail = <Name extends string, Value, Text>(
  schemaName: string,
  member: Member<Name, Value, Text>,
) => {
  const { name, usual } = member
  type Mail = Texts & { readonly [One in Name]: Value }
  type Sent = Texts & { readonly [One in Name]?: Value | undefined }
  type TypedMail = Texts & { readonly [One in Name]: Text }
  /** Without other members. */
  const mail = <T>({ field, subject, text }: Texts, value: T) =>
    ({ field, subject, text, [name]: value }) as Texts & { readonly [One in Name]: T }

  const isMail = (value: unknown): value is Sent => {
    if (typeof value !== 'object' || value === null) return false
    const { field, subject, text, [name]: own = usual } = value as Readonly<Record<string, unknown>>
    return (
      isField(field) &&
      typeof subject === 'string' &&
      isText(subjectRule, subject) &&
      !/[\n\r]/.test(subject) &&
      typeof text === 'string' &&
      isText(textRule, text) &&
      member.isValid(own)
    )
  }

  /** The text form of what was typed. */
  const asText = (typed: TypedMail): string => {
    const texts = { field: typed.field.trim(), subject: typed.subject.trim(), text: inLines(typed.text) }
    const own = typed[name]
    return JSON.stringify(mail(texts, typeof own === 'string' ? own.trim() : own))
  }

  const fromTyped = (typed: TypedMail): Typed<Sent | null> => {
    if (typed.field === '') {
      if (typed.subject === '' && typed.text === '' && member.isNothing(typed[name])) return accepted(null)
      return refused('must name the field with the address; or clear the others as well')
    }
    for (const [part, rule] of [['subject', subjectRule] as const, ['text', textRule] as const])
      if (!isText(rule, typed[part]))
        return refused(`must have a ${part} of ${textInWords(rule)}`, [...typed[part]].length)
    const own = member.fromTyped(typed[name])
    if (own.state === 'refused') return own
    const sent = mail(typed, own.value)
    return isMail(sent) ? accepted(sent as Sent) : refused(`must be a name of at most ${maxNameBytes} bytes`)
  }

  const inWords =
    'null, or an object with `field` (the name of a field), `subject` (1 to 200 characters in one line), `text` (1 to 5000 ' +
    `characters) and, if you like, \`${name}\` (${member.inWords})`
  const kind: Kind<Mail | null, Sent | null> = {
    problems: (value) => (value === null || isMail(value) ? [] : [{ at: '', message: `must be ${inWords}`, value }]),
    toStored: (sent) => sent && mail(sent, (sent[name] as Value | undefined) ?? usual),
    input: 'own',
    isOptional: true,
    toText: (value) => asText(mail(value ?? nothing, member.toTyped(value ? value[name] : usual))),
    fromText: (text) => fromTyped(JSON.parse(text)),
    schema: {
      name: schemaName,
      type: 'object',
      nullable: true,
      documented: {
        required: ['field', 'subject', 'text'],
        properties: {
          field: { type: 'string', minLength: 1, maxLength: maxNameBytes - 2, pattern: textPattern },
          subject: { type: 'string', ...subjectRule, pattern: visiblePattern },
          text: { type: 'string', ...textRule, pattern: visiblePattern },
          [name]: member.schema,
        },
      },
    },
  }
  return { kind, asText }
}

const nothing: Texts = { field: '', subject: '', text: '' }

const inLines = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()

const isField = (name: unknown): name is string => typeof name === 'string' && name !== '' && areFieldNames([name])

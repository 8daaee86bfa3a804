import { invalid } from '../../base/errors.ts'

/**
 * The values that something of the API, of a page or of a file may have: a setting, a field of a form or of a webhook.
 * It is checked as JSON, typed as text, and described for the OpenAPI document. A kind knows no HTTP and no markup.
 */
export interface Kind<T, Sent = T> {
  /** The problems of a value of JSON; none if it can be stored. */
  readonly problems: (value: unknown) => readonly Problem[]
  /** A valid value as it is stored. */
  readonly toStored: (sent: Sent) => T
  /** How a page asks for it. What is `own` has several inputs, whose text form is JSON. */
  readonly input: 'text' | 'url' | 'lines' | 'number' | 'datetime-local' | 'checkbox' | 'own'
  /** Whether the input may be empty. */
  readonly isOptional?: true
  /** Values that a browser offers while someone types. */
  readonly suggestions?: () => readonly string[]
  /** The text in the input. Line breaks are single characters. */
  readonly toText: (value: T) => string
  /** @param most the largest number that the operator allows */
  readonly fromText: (text: string, most?: number) => Typed<Sent>
  /**
   * For the document: JSON Schema as OpenAPI 3.0.3 has it. What is in `documented` counts there as well, and
   * `name` is the name of the schema.
   */
  readonly schema: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Problem {
  /** JSON pointer (RFC 6901) from the value to what is wrong in it; empty for the value itself. */
  readonly at: string
  /** The requirement: `must be true or false`. */
  readonly message: string
  /** The wrong value. */
  readonly value: unknown
}

/**
 * The typed value, or the requirement that it does not meet (`must be a whole number from 1 to 20`) and the value in
 * words.
 */
export type Typed<T> = Accepted<T> | Refused
interface Accepted<T> {
  readonly state: 'accepted'
  readonly value: T
}
interface Refused {
  readonly state: 'refused'
  readonly message: string
  readonly got: string | number | undefined
}

export const accepted = <T>(value: T): Accepted<T> => ({ state: 'accepted', value })
export const refused = (message: string, got?: string | number): Refused => ({ state: 'refused', message, got })

interface Whole<T> extends Omit<Kind<T>, 'problems' | 'toStored'>, Partial<Pick<Kind<T>, 'toStored'>> {
  readonly isValid: (value: unknown) => boolean
  /** The requirement without its verb: `true or false`. */
  readonly inWords: string
}

/** A kind whose values are right or wrong as a whole. */
export const kind = <T>({ isValid, inWords, toStored = (sent) => sent, ...rest }: Whole<T>): Kind<T> => ({
  problems: (value) => (isValid(value) ? [] : [{ at: '', message: `must be ${inWords}`, value }]),
  toStored,
  ...rest,
})

/** Extends a kind by null, for which the input is empty. */
export const orNull = <T, Sent>(inner: Kind<T, Sent>): Kind<T | null, Sent | null> => ({
  ...inner,
  isOptional: true,
  problems: (value) =>
    value === null
      ? []
      : inner
          .problems(value)
          .map((problem) => ({ ...problem, ...(problem.at === '' && { message: orNullInWords(problem) }) })),
  toStored: (sent) => (sent === null ? null : inner.toStored(sent)),
  toText: (value) => (value === null ? '' : inner.toText(value)),
  fromText(text, most) {
    if (text.trim() === '') return accepted(null)
    const typed = inner.fromText(text, most)
    return typed.state === 'refused' ? refused(`${typed.message}, or empty`, typed.got) : typed
  },
  schema: {
    ...inner.schema,
    nullable: true,
    ...(Array.isArray(inner.schema.enum) && { enum: [...inner.schema.enum, null] }),
  },
})

const orNullInWords = ({ message }: Problem): string => `${message}, or null`

/** A text of a person, which it returns only if it is right. @throws AppError `invalid` */
export const parseTyped = <T>(field: string, typed: Typed<T>): T => {
  if (typed.state === 'accepted') return typed.value
  const { message, got } = typed
  throw invalid({ field, message: got === undefined ? message : `${message}; got ${got}` })
}

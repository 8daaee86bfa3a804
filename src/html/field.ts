import { AppError, type Issue } from '../errors.ts'
import { type Html, html } from './html.ts'

export type FieldErrors = Readonly<Record<string, string | undefined>>

interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'email' | 'password' | 'date'
  /** What was typed before. A password is never sent back. */
  readonly value?: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly autocomplete: string
  readonly min?: string
  readonly isOptional?: true
  readonly hasFocus?: boolean
}

/** One labelled input with its hint, and what is wrong with it. */
export const field = (options: Field): Html => {
  const { name, label, type, value = '', hint, error, autocomplete, min, isOptional, hasFocus } = options
  const described = [error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}${isOptional && html` <span class="optional">optional</span>`}</label>
<input id="${name}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}" autocomplete="${autocomplete}"
${min && html` min="${min}"`}${!isOptional && html` required`}${(error || hasFocus) && html` autofocus`}
${error && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}>
${error && html`<p class="error" id="${name}-error">${error}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`
}

type Parsers = Readonly<Record<string, () => unknown>>
type Parsed<P extends Parsers> = { [Name in keyof P]: ReturnType<P[Name]> }

/** Runs the parser of every field; either all values, or what is wrong with which. */
export const parseFields = <P extends Parsers>(parsers: P): { values: Parsed<P> } | { errors: FieldErrors } => {
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const [name, parse] of Object.entries(parsers)) {
    try {
      values[name] = parse()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid') throw error
      errors[name] = error.issues.map(toSentence).join(' ')
    }
  }
  return Object.keys(errors).length > 0 ? { errors } : { values: values as Parsed<P> }
}

/** It is shown next to the field, so it does not name it. */
const toSentence = ({ message }: Issue): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

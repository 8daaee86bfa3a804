import { type Html, html } from './html.ts'

/** What is wrong with each field, by the field's name. */
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

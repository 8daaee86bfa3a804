import type { FormChanges } from '../forms/form-writes.ts'
import type { Form } from '../forms/ownership.ts'
import type { RefusedOrigin } from '../forms/refused-origins.ts'
import type { SettingsChanges } from '../forms/settings.ts'
import type { FieldErrors } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { formPath } from './form-frame.ts'

/** What the page of a form's settings shows. */
export interface ShownForm {
  readonly form: Form
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** Whether the server can send e-mail. */
  readonly canMail: boolean
  /** Submissions a minute from one address that the server allows; 0 for any number. */
  readonly submitLimit: number
  /** Pages that may not send to the form. */
  readonly refused: readonly RefusedOrigin[]
}

/** A section of that page, which is a form of its own. */
export interface SettingsSection {
  /** What the form sends as `section`, and the section's id on the page. */
  readonly name: string
  readonly heading: string
  readonly lead: string
  /** The label of each field that may be wrong, by the field's name. */
  readonly labels: Readonly<Record<string, string>>
  /** @param typed what was typed in this section, where it cannot be stored */
  show(shown: ShownForm, typed: URLSearchParams | undefined, errors: FieldErrors): Html
  /** What is to be changed, or what is wrong with each field. */
  parse(
    typed: URLSearchParams,
    shown: Omit<ShownForm, 'fieldNames' | 'refused'>,
  ): { readonly values: FormChanges & SettingsChanges } | { readonly errors: FieldErrors }
}

/** The form of a section, around its fields. */
export const sectionForm = (name: string, { id }: Pick<Form, 'id'>, fields: Html): Html =>
  html`<form class="ask" method="post" action="${formPath(id)}/settings">
<input type="hidden" name="section" value="${name}">
${fields}
<button class="primary">Save</button>
</form>`

interface Checkbox {
  readonly name: string
  readonly label: string
  readonly hint: string | Html
  readonly isChecked: boolean
}

/** A screen reader names it by its label alone, and reads the hint afterwards. */
export const checkbox = ({ name, label, hint, isChecked }: Checkbox): Html =>
  html`<label class="choice"><input aria-labelledby="${name}-label" aria-describedby="${name}-hint" type="checkbox" name="${name}"${isChecked && html` checked`}><span><strong id="${name}-label">${label}</strong> <span class="hint" id="${name}-hint">${hint}</span></span></label>`

/** Browsers end the lines of a form with two characters. */
export const withoutCr = (text: string): string => text.replaceAll('\r\n', '\n')

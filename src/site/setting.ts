import type { FormChanges } from '../forms/form-writes.ts'
import type { RefusedOrigin } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import type { SettingsChanges } from '../forms/settings.ts'
import type { Html } from '../html/html.ts'

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

/** A section of that page, which is saved by itself. */
export interface SettingsSection {
  /** What its button sends as `section`, and the section's id on the page. */
  readonly name: string
  readonly heading: string
  readonly lead: string
  readonly settings: readonly Setting[]
  /** What stands above the settings. */
  readonly above?: (shown: ShownForm) => Html | false
  /** Whether the settings are left out, because none of them can be changed. */
  readonly isFixed?: (shown: ShownForm) => boolean
}

export type Changes = FormChanges & SettingsChanges

/** One of the form's own fields, or one of its settings, and how the page asks for it. */
export type Setting = { [Name in keyof Changes]-?: SettingOf<Name> }[keyof Changes]

interface SettingOf<Name extends keyof Changes> {
  readonly name: Name
  readonly label: string
  /** A `checkbox` is `on` as text, or empty. */
  readonly type: 'text' | 'url' | 'lines' | 'number' | 'checkbox'
  readonly hint: string | Html | ((shown: ShownForm) => string | Html)
  readonly isOptional?: true
  readonly toText: (form: Form) => string
  /** @throws AppError `invalid` */
  readonly parse: (text: string, shown: ShownForm) => Changes[Name]
}

import { formClosed } from '../errors.ts'
import type { TextRule } from '../text-rules.ts'
import type { Form } from './ownership.ts'
import { parseOnce } from './parse-once.ts'

/**
 * What a form's owner may set besides the form's own fields. To add one, add it here with its default, and its schema in
 * api/settings-schemas.ts. Whatever uses it calls `parseSettings` with the form's column.
 */
export interface FormSettings {
  /** Whether the form takes submissions. */
  readonly open: boolean
  /** Names of the fields that the list of submissions shows; null for the first ones. */
  readonly columns: readonly string[] | null
  /** Text of the built-in thank-you page; null for the usual one. */
  readonly thankYou: string | null
}

/** An absent or undefined setting keeps its value. */
export type SettingsChanges = { readonly [Name in keyof FormSettings]?: FormSettings[Name] | undefined }

export const maxColumns = 8
export const thankYouRule: TextRule = { minLength: 1, maxLength: 1000 }

export const defaultSettings: FormSettings = { open: true, columns: null, thankYou: null }

/** All settings of a form. @param stored the form's column */
export const parseSettings = (stored: string | null): FormSettings =>
  stored === null ? defaultSettings : parseStored(stored)

const parseStored = parseOnce((stored): FormSettings => ({ ...defaultSettings, ...JSON.parse(stored) }))

export const isOpen = ({ settings }: Pick<Form, 'settings'>): boolean => parseSettings(settings).open

/** @throws AppError `closed` */
export const refuseIfClosed = (form: Pick<Form, 'settings'>): void => {
  if (!isOpen(form)) throw formClosed()
}

/** The settings among the members of an object. */
export const pickSettings = (values: SettingsChanges): SettingsChanges =>
  Object.fromEntries(settingNames.map((name) => [name, values[name]]))

/** The column after a change: JSON of what differs from the defaults, or null. */
export const changeSettings = (stored: string | null, changes: SettingsChanges): string | null => {
  const before = parseSettings(stored)
  const changed = settingNames
    .map((name) => [name, changes[name] === undefined ? before[name] : changes[name]] as const)
    .filter(([name, value]) => !Bun.deepEquals(value, defaultSettings[name]))
  return changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed))
}

const settingNames = Object.keys(defaultSettings) as (keyof FormSettings)[]

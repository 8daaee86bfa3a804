import { invalid } from '../errors.ts'
import type { Form } from '../forms/ownership.ts'
import { sha256 } from '../hash.ts'
import type { FieldErrors } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { parseInputs } from './parse-inputs.ts'
import type { Changes, Setting, SettingsSection, ShownForm } from './setting.ts'

// A page may be sent long after it was opened. Meanwhile, the form may have been changed elsewhere, or an update may have
// added settings that the page does not have. So each setting comes with a mark, a hash of what the page showed, and only
// what differs from that is a change.

/** What is to be changed, or what is wrong with each setting. */
export const changedSettings = (
  { settings }: SettingsSection,
  sent: URLSearchParams,
  shown: ShownForm,
): { readonly values: Changes } | { readonly errors: FieldErrors } => {
  const changed = settings.flatMap((setting) => {
    const text = changedText(setting, sent, shown.form)
    return text === undefined ? [] : [[setting.name, () => parse(setting, text, sent, shown)] as const]
  })
  return parseInputs(Object.fromEntries(changed))
}

const parse = (setting: Setting, text: string, sent: URLSearchParams, shown: ShownForm) => {
  const before = markOf(storedText(setting, shown.form))
  if (shownMark(setting, sent, before) === before) return setting.parse(text, shown)
  throw invalid({
    field: setting.name,
    message: 'this was changed elsewhere after you opened the page; save again to overwrite it',
  })
}

/** What was typed in place of what the page showed; undefined if nothing was. */
export const changedText = (setting: Setting, sent: URLSearchParams, form: Form): string | undefined => {
  const stored = storedText(setting, form)
  const text = sentText(setting, sent)
  if (text === undefined || text === stored) return undefined
  return markOf(text) === shownMark(setting, sent, markOf(stored)) ? undefined : text
}

/** Whether something was typed in place of what the page showed of a section. */
export const isChanged = ({ settings }: SettingsSection, sent: URLSearchParams, form: Form): boolean =>
  settings.some((setting) => changedText(setting, sent, form) !== undefined)

/** What was sent, without a section that has been stored. */
export const withoutSection = ({ settings }: SettingsSection, sent: URLSearchParams): URLSearchParams => {
  const saved = new Set(settings.flatMap(({ name }) => [name, markName(name)]))
  return new URLSearchParams([...sent].filter(([name]) => !saved.has(name)))
}

/** What is stored, as a browser sends it back. */
export const storedText = ({ type, toText }: Setting, form: Form): string => asSent(type, toText(form))

/** Undefined if the page did not have the setting. */
export const sentText = ({ name, type }: Setting, sent: URLSearchParams): string | undefined => {
  const text = sent.get(name)
  if (type !== 'checkbox') return text === null ? undefined : asSent(type, text)
  if (text !== null) return 'on'
  // Of a check box that is not checked, a browser sends nothing.
  return sent.has(markName(name)) ? '' : undefined
}

/** A browser ends lines with two characters, and leaves line breaks out where there is one line. */
const asSent = (type: Setting['type'], text: string): string => {
  if (type === 'lines') return text.replaceAll(/\r\n?/g, '\n')
  const line = text.replaceAll(/[\r\n]/g, '')
  return type === 'url' ? line.trim() : line
}

/**
 * The hidden input with a mark of what the page shows, or of what an earlier page showed: then it is noticed that the
 * setting was changed elsewhere since then.
 */
export const markInput = (setting: Setting, form: Form, earlier: URLSearchParams | undefined): Html => {
  const mark = markOf(storedText(setting, form))
  return html`<input type="hidden" name="${markName(setting.name)}" value="${earlier ? shownMark(setting, earlier, mark) : mark}">`
}

const shownMark = ({ name }: Setting, sent: URLSearchParams, otherwise: string): string =>
  sent.get(markName(name)) ?? otherwise

const markName = (name: string): string => `shown-${name}`

/** Short: the longest setting would not fit into a form twice. */
const markOf = (text: string): string => sha256(text, 'base64url').slice(0, 16)

import { invalid } from '../errors.ts'
import type { FormChanges } from '../forms/form-writes.ts'
import type { RecentOrigin } from '../forms/origins.ts'
import type { Form } from '../forms/ownership.ts'
import type { SettingsChanges } from '../forms/settings.ts'
import { sha256 } from '../hash.ts'
import { type FieldErrors, field } from '../html/field.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { foldedSection } from './form-frame.ts'
import { parseInputs } from './parse-inputs.ts'

/** The form on the page of its settings. */
export interface ShownForm {
  readonly form: Form
  /** The fields that the form has had so far. */
  readonly fieldNames: readonly string[]
  /** Whether the server can send e-mail. */
  readonly canMail: boolean
  /** Submissions a minute from one address that the server allows; 0 for any number. */
  readonly submitLimit: number
  /** Bytes of one file that the server allows. */
  readonly fileLimitBytes: number
  /** Pages that may not send to the form. */
  readonly refused: readonly RecentOrigin[]
  /** Pages to which the form's `_next` may not lead. */
  readonly ignored: readonly RecentOrigin[]
  /** The answer to visitors as it is now; null for none. */
  readonly replyPreview: Html | null
}

/** A section of that page, which is saved by itself. */
export interface SettingsSection {
  /** The value of `section` that its button sends, and the section's id on the page. */
  readonly name: string
  readonly heading: string
  readonly lead: string
  readonly settings: readonly Setting[]
  /** Markup above the settings. */
  readonly above?: (shown: ShownForm) => Html | false
  /** Whether the settings are left out, because none of them can be changed. */
  readonly isFixed?: (shown: ShownForm) => boolean
}

type Changes = FormChanges & SettingsChanges

/** One of the form's own fields, or one of its settings, and how the page asks for it. */
type Setting = { [Name in keyof Changes]-?: SettingOf<Name> }[keyof Changes]

interface SettingOf<Name extends keyof Changes> {
  readonly name: Name
  readonly label: string
  /**
   * A `checkbox` is `on` as text, or empty. `choices` are words, one a line: check boxes for some, and a field for others.
   * What is `own` has inputs of its own.
   */
  readonly type: 'text' | 'url' | 'lines' | 'number' | 'datetime-local' | 'checkbox' | 'choices' | 'own'
  readonly choices?: Choices
  readonly own?: OwnInputs
  /** Values that a browser offers while somebody types. */
  readonly suggestions?: () => readonly string[]
  readonly hint: string | Html | ((shown: ShownForm) => string | Html)
  readonly isOptional?: true
  /** The stored value in a few words, for the line of the folded section; false or empty if nobody misses it there. */
  readonly brief: (form: Form) => string | Html | false
  readonly toText: (form: Form) => string
  /** @throws AppError `invalid` */
  readonly parse: (text: string, shown: ShownForm) => Changes[Name]
}

/** Words that a person can choose from, and how to ask for others. */
interface Choices {
  readonly offered: readonly {
    /** Chosen together. */
    readonly words: readonly string[]
    readonly label: string
    readonly hint?: string
  }[]
  readonly others: { readonly label: string; readonly hint: string }
}

/** Several inputs for one setting. */
export interface OwnInputs {
  readonly names: readonly string[]
  /** Their contents as one text. */
  readonly read: (sent: URLSearchParams) => string
  /** The inputs with the contents of such a text. */
  readonly show: (text: string, asked: Pick<Asked, 'hint' | 'error'>) => Html
}

interface Options {
  /** A form that was sent and not stored. */
  readonly sent: URLSearchParams | undefined
  readonly errors: FieldErrors
  /** Whether it was just saved. */
  readonly isSaved: boolean
  /** Whether it is open for another reason than what was typed or saved. */
  readonly isWanted: boolean
}

export const settingsSection = (section: SettingsSection, shown: ShownForm, options: Options): Html => {
  const { name, heading, lead, settings, above, isFixed } = section
  const { sent, errors, isSaved, isWanted } = options
  return foldedSection({
    name,
    heading,
    lead,
    set: settings.map(({ brief }) => brief(shown.form)),
    isOpen:
      isWanted ||
      isSaved ||
      settings.some(
        (setting) => errors[setting.name] || (sent && changedText(setting, sent, shown.form) !== undefined),
      ),
    body: html`${isSaved && notice('done', 'Saved.')}${above?.(shown)}
${
  (!isFixed?.(shown) || (sent && settings.some((setting) => sentText(setting, sent) !== undefined))) &&
  html`${settings.map((setting) => input(setting, shown, sent, errors))}<button class="primary" name="section" value="${name}">Save<span class="visually-hidden"> ${heading}</span></button>`
}`,
  })
}

const input = (setting: Setting, shown: ShownForm, sent: URLSearchParams | undefined, errors: FieldErrors): Html => {
  const { name, label, type, hint, choices, own, suggestions, isOptional } = setting
  const typed = sent && changedText(setting, sent, shown.form)
  const value = typed ?? storedText(setting, shown.form)
  const text = typeof hint === 'function' ? hint(shown) : hint
  return html`${markInput(setting, shown.form, typed === undefined || errors[name] ? undefined : sent)}
${
  type === 'checkbox'
    ? checkbox({ name, label, hint: text, error: errors[name] }, value === 'on')
    : type === 'choices'
      ? choices && checkboxes({ name, label, hint: text, error: errors[name] }, choices, value.split('\n'))
      : type === 'own'
        ? own?.show(value, { hint: text, error: errors[name] })
        : field({
            name,
            label,
            type,
            value,
            error: errors[name],
            hint: text,
            autocomplete: 'off',
            ...(isOptional && { isOptional }),
            ...(suggestions && { suggestions: suggestions() }),
          })
}
`
}

/** A screen reader names it by its label alone, and reads the hint afterwards. */
const checkbox = ({ name, label, hint, error }: Asked, isChecked: boolean): Html =>
  html`${error && html`<p class="error" id="${name}-error">${error}</p>`}
<label class="choice"><input id="${name}" aria-labelledby="${name}-label" aria-describedby="${error && html`${name}-error `}${name}-hint" type="checkbox" name="${name}"${error && html` autofocus aria-invalid="true"`}${isChecked && html` checked`}><span><strong id="${name}-label">${label}</strong> <span class="hint" id="${name}-hint">${hint}</span></span></label>`

interface Asked {
  readonly name: string
  readonly label: string
  readonly hint: string | Html
  readonly error: string | undefined
}

/** All of them have one name, and so has the field for others. */
const checkboxes = (
  { name, label, hint, error }: Asked,
  { offered, others }: Choices,
  chosen: readonly string[],
): Html => {
  const ticked = offered.filter(({ words }) => words.every((word) => chosen.includes(word)))
  const rest = chosen.filter((word) => !ticked.some(({ words }) => words.includes(word)))
  return html`<fieldset class="choices" aria-describedby="${name}-choices">
<legend>${label}</legend>
<p class="hint" id="${name}-choices">${hint}</p>
${offered.map(
  (
    choice,
  ) => html`<label class="choice"><input type="checkbox" name="${name}" value="${choice.words.join(' ')}"${ticked.includes(choice) && html` checked`}><span>${choice.label}${choice.hint && html` <span class="hint">${choice.hint}</span>`}</span></label>
`,
)}${field({ name, ...others, type: 'text', value: rest.join(' '), error, autocomplete: 'off', isOptional: true })}
</fieldset>`
}

/** The words in the order in which that page sends them. */
export const inOrder = ({ offered }: Choices, chosen: readonly string[]): string[] => {
  const ticked = offered.map(({ words }) => words).filter((words) => words.every((word) => chosen.includes(word)))
  return [...new Set([...ticked.flat(), ...chosen])]
}

/**
 * The hidden input with a mark of the text that the page shows, or that an earlier page showed. The latter finds out
 * whether the setting was changed elsewhere since then.
 */
const markInput = (setting: Setting, form: Form, earlier: URLSearchParams | undefined): Html => {
  const mark = markOf(storedText(setting, form))
  return html`<input type="hidden" name="${markName(setting.name)}" value="${earlier ? shownMark(setting, earlier, mark) : mark}">`
}

// A page may be sent long after it was opened. Meanwhile, the form may have been changed elsewhere, or an update may have
// added settings that the page does not have. So each setting comes with a mark, a hash of the text that the page showed,
// and only a text that differs from it is a change.

/** The changes to make, or the error of each setting. */
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

/** The text typed in place of the one that the page showed; undefined if that was left as it was. */
const changedText = (setting: Setting, sent: URLSearchParams, form: Form): string | undefined => {
  const stored = storedText(setting, form)
  const text = sentText(setting, sent)
  if (text === undefined || text === stored) return undefined
  return markOf(text) === shownMark(setting, sent, markOf(stored)) ? undefined : text
}

/** Whether somebody has changed a section of the page. */
export const isChanged = ({ settings }: SettingsSection, sent: URLSearchParams, form: Form): boolean =>
  settings.some((setting) => changedText(setting, sent, form) !== undefined)

/** The form that was sent, without a section that has been stored. */
export const withoutSection = ({ settings }: SettingsSection, sent: URLSearchParams): URLSearchParams => {
  const saved = new Set(settings.flatMap(({ name, own }) => [name, markName(name), ...(own?.names ?? [])]))
  return new URLSearchParams([...sent].filter(([name]) => !saved.has(name)))
}

/** The stored text, as a browser sends it back. */
const storedText = ({ type, toText }: Setting, form: Form): string => asSent(type, toText(form))

/** The text that was sent; undefined if the page did not have the setting. */
const sentText = ({ name, type, own }: Setting, sent: URLSearchParams): string | undefined => {
  if (own) return sent.has(name) ? own.read(sent) : undefined
  const text = type === 'choices' && sent.has(name) ? sent.getAll(name).join('\n') : sent.get(name)
  if (type !== 'checkbox') return text === null ? undefined : asSent(type, text)
  if (text !== null) return 'on'
  // Of a check box that is not checked, a browser sends nothing.
  return sent.has(markName(name)) ? '' : undefined
}

/** Undoes what browsers do: they end lines with two characters, and leave out line breaks where there is one line. */
const asSent = (type: Setting['type'], text: string): string => {
  if (type === 'own') return text
  if (type === 'lines') return text.replaceAll(/\r\n?/g, '\n')
  if (type === 'choices')
    return text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .join('\n')
  const line = text.replaceAll(/[\r\n]/g, '')
  return type === 'url' ? line.trim() : line
}

const shownMark = ({ name }: Setting, sent: URLSearchParams, otherwise: string): string =>
  sent.get(markName(name)) ?? otherwise

const markName = (name: string): string => `shown-${name}`

/** A short hash: the longest setting would not fit into a form twice. */
const markOf = (text: string): string => sha256(text, 'base64url').slice(0, 16)

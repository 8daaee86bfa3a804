import { invalid } from '../base/errors.ts'
import { sha256 } from '../base/hash.ts'
import type { Form } from '../forms/form.ts'
import type { FormChanges } from '../forms/form-writes.ts'
import { type Setting as Declared, ownFields, settingOf } from '../forms/settings/declared.ts'
import { parseTyped } from '../forms/settings/kind.ts'
import { refuseWithoutMail } from '../forms/settings/sent-settings.ts'
import {
  type FormSettings,
  parseSettings,
  type SettingName,
  type SettingsChanges,
  settingNames,
} from '../forms/settings/settings.ts'
import { type Html, html } from '../html/html.ts'
import { type InputErrors, labelledInput } from '../html/labelled-input.ts'
import { type Inputs, parseInputs } from './parse-inputs.ts'
import { extras } from './setting-extras.ts'
import type { Asked, Choices, Extra, Name, Placed, ShownForm } from './settings-section.ts'

export type Changes = FormChanges & SettingsChanges

/** A setting as the page asks for it. */
interface Setting extends Declared<unknown>, Extra {
  readonly name: Name
  readonly type: Declared<unknown>['kind']['input'] | 'choices' | 'select'
}

const settingNamed = (name: Name): Setting => {
  const declared = (isOwn(name) ? ownFields[name] : settingOf(name)) as Declared<unknown>
  const extra = extras[name]
  const type = extra?.own ? 'own' : extra?.choices ? 'choices' : extra?.options ? 'select' : declared.kind.input
  return { ...declared, ...extra, name, type }
}

/** A setting and what the page calls it. */
export const labelled = (name: Name): Pick<Setting, 'name' | 'label'> => settingNamed(name)

/** What the pages call a setting; undefined if they do not ask for it. */
export const labelOf = (name: string): string | undefined =>
  isOwn(name as Name) || settingNames.some((one) => one === name) ? settingNamed(name as Name).label : undefined

const isOwn = (name: Name): name is keyof typeof ownFields => Object.hasOwn(ownFields, name)

const valueIn = (name: Name, form: Form): unknown => (isOwn(name) ? form[name] : parseSettings(form.settings)[name])

/** What was typed and not stored, and what is wrong with it. */
export interface Typed {
  readonly sent: URLSearchParams | undefined
  readonly errors: InputErrors
}

/** The inputs of settings, in their order. */
export const settingInputs = (placed: readonly Placed[], shown: ShownForm, typed: Typed): Html =>
  html`${placed.map((one) => {
    if (typeof one === 'string') return oneInput(one, shown, typed)
    const { names } = one
    const inputs = html`${names.map((name) => oneInput(name, shown, typed))}`
    if ('box' in one) return html`<div class="${one.box}">\n${inputs}</div>\n`
    const settings = parseSettings(shown.form.settings)
    const set = names.map((name) => settingNamed(name).brief?.(valueIn(name, shown.form), settings)).filter(Boolean)
    const isOpen = isTyped(names, shown.form, typed) || one.isOpen(shown, typed.sent)
    return html`<details class="fold card"${isOpen && html` open`}><summary><strong>${one.fold}</strong> <span class="muted">${set.map((part, i) => html`${i > 0 && ' · '}<bdi>${part || false}</bdi>`)}</span></summary>
<div class="within">
${inputs}</div>
</details>
`
  })}`

/** Whether one of the settings was typed and not stored, or is wrong. */
export const isTyped = (names: readonly Name[], form: Form, { sent, errors }: Typed): boolean =>
  names.some((name) => errors[name] !== undefined) || (sent !== undefined && isChanged(names, sent, form))

const oneInput = (name: Name, shown: ShownForm, { sent, errors }: Typed): Html => {
  const setting = settingNamed(name)
  return setting.isLeftOut?.(shown) ? html`` : input(setting, shown, sent, errors)
}

const input = (setting: Setting, shown: ShownForm, sent: URLSearchParams | undefined, errors: InputErrors): Html => {
  const { name, label, type, choices, options, own, kind, unit } = setting
  const typed = sent && changedText(setting, sent, shown.form)
  const value = typed ?? storedText(setting, shown.form)
  const asked = { name, label, hint: hintOf(setting, shown), error: errors[name] }
  return html`${markInput(setting, shown.form, typed === undefined || errors[name] ? undefined : sent)}
${
  type === 'checkbox'
    ? checkbox(asked, value === 'on')
    : type === 'choices'
      ? choices && checkboxes(asked, choices, value.split('\n'))
      : type === 'own'
        ? own?.show(value, asked, shown, sent)
        : labelledInput({
            ...asked,
            type,
            value,
            ...(unit !== undefined && { unit }),
            ...(kind.isOptional && { isOptional: true }),
            ...(options && { options: options(shown) }),
            ...(kind.suggestions && { suggestions: kind.suggestions() }),
          })
}
`
}

/** A script shows times in the reader's time zone, and says so. */
const zone = html`<span data-local="In your time zone.">In UTC.</span> `

const hintOf = ({ type, hint, remark }: Setting, shown: ShownForm): Html => {
  const more = remark?.(shown)
  return html`${type === 'datetime-local' && zone}${typeof hint === 'function' ? hint(shown) : hint}${more && html` ${more}`}`
}

/** A screen reader names it by its label alone, and reads the hint afterwards. */
const checkbox = ({ name, label, hint, error }: Asked, isChecked: boolean): Html =>
  html`${error && html`<p class="error" id="${name}-error">${error}</p>`}
<label class="choice"><input id="${name}" aria-labelledby="${name}-label" aria-describedby="${error && html`${name}-error `}${name}-hint" type="checkbox" name="${name}"${error && html` autofocus aria-invalid="true"`}${isChecked && html` checked`}><span><span id="${name}-label">${label}</span> <span class="hint" id="${name}-hint">${hint}</span></span></label>`

/** All of them have one name, and so has the field for others. */
const checkboxes = (
  { name, label, hint, error }: Asked,
  { offered, others }: Choices,
  chosen: readonly string[],
): Html => {
  const ticked = offered.filter(({ words }) => words.every((word) => chosen.includes(word)))
  const rest = chosen.filter((word) => word !== '' && !ticked.some(({ words }) => words.includes(word)))
  return html`<fieldset aria-describedby="${name}-choices">
<legend>${label}</legend>
<div class="boxes">
${offered.map(
  (choice) =>
    html`<label class="choice"><input type="checkbox" name="${name}" value="${choice.words.join(' ')}"${ticked.includes(choice) && html` checked`}><span>${choice.label}</span></label>
`,
)}</div>
<p class="hint" id="${name}-choices">${hint}</p>
</fieldset>
<details class="fold"${(error || rest.length > 0) && html` open`}><summary>Other kinds</summary>
<div class="within">
${labelledInput({ name, ...others, type: 'text', value: rest.join(' '), error, isOptional: true })}
</div></details>`
}

/** The words in the order in which that page sends them. */
const inOrder = ({ offered }: Choices, chosen: readonly string[]): string[] => {
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
export const changedSettings = (names: readonly Name[], sent: URLSearchParams, shown: ShownForm): Inputs<Changes> => {
  const changed = names.map(settingNamed).flatMap((setting) => {
    const text = changedText(setting, sent, shown.form)
    return text === undefined ? [] : [[setting.name, () => parse(setting, text, sent, shown)] as const]
  })
  return parseInputs(Object.fromEntries(changed))
}

const parse = (setting: Setting, text: string, sent: URLSearchParams, shown: ShownForm): unknown => {
  const { name, kind, bound } = setting
  const before = markOf(storedText(setting, shown.form))
  if (shownMark(setting, sent, before) !== before)
    throw invalid({
      field: name,
      message: 'this was changed elsewhere after you opened the page; save again to overwrite it',
    })
  const value = parseTyped(name, kind.fromText(text, bound?.most(shown)))
  if (!isOwn(name)) refuseWithoutMail(name, value, shown)
  return value
}

/** The text typed in place of the one that the page showed; undefined if that was left as it was. */
const changedText = (setting: Setting, sent: URLSearchParams, form: Form): string | undefined => {
  const stored = storedText(setting, form)
  const text = sentText(setting, sent)
  if (text === undefined || text === stored) return undefined
  return markOf(text) === shownMark(setting, sent, markOf(stored)) ? undefined : text
}

/** Puts a value into a form that was sent, as if someone had typed it. */
export const putText = <One extends SettingName>(sent: URLSearchParams, name: One, value: FormSettings[One]): void => {
  const { kind, type } = settingNamed(name)
  const text = kind.toText(value)
  // Of a check box that is not checked, only its mark says that the page had it.
  if (type === 'checkbox' && text === '') sent.delete(name)
  else sent.set(name, text)
}

/** Whether someone has typed something else into one of these settings. */
export const isChanged = (names: readonly Name[], sent: URLSearchParams, form: Form): boolean =>
  names.some((name) => changedText(settingNamed(name), sent, form) !== undefined)

/** The stored text, as a browser sends it back. */
const storedText = ({ name, type, kind, choices }: Setting, form: Form): string => {
  const value = valueIn(name, form)
  return asSent(type, choices ? inOrder(choices, value as readonly string[]).join('\n') : kind.toText(value))
}

/** The text that was sent; undefined if the page did not have the setting. */
const sentText = ({ name, type, own }: Setting, sent: URLSearchParams): string | undefined => {
  if (own) return own.names.some((one) => sent.has(one)) ? own.read(sent) : undefined
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

import { visible } from '../base/visible.ts'
import { parseSettings } from '../forms/settings/settings.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { isChanged, isTyped, labelled, settingInputs, type Typed } from './setting.ts'
import { type Name, namesOf, type SettingsGroup, type SettingsSection, type ShownForm } from './settings-section.ts'

interface Options extends Typed {
  /** The name of a section that is open for another reason than what was typed. */
  readonly wanted?: string | undefined
}

/** The form of a page of settings, with one button that saves all of them. */
export const settingsForm = (group: SettingsGroup, shown: ShownForm, options: Options): Html => {
  const { sent } = options
  return html`<form class="settings" method="post" action="${group.address(shown.form.id)}" novalidate data-edits="${sent ? 'unsaved' : 'none'}">
${saveByDefault}${group.sections.map((section) => sectionOf(section, shown, options) || html``)}${group.sections.some((section) => isAskedFor(section, shown, options)) && html`<div class="save${sent && html` is-unsaved`}"><button class="primary" name="save">Save</button></div>`}
</form>
`
}

/** The button that Enter presses in a field, and not the one whose button comes first. */
const saveByDefault = html`<button hidden name="save"></button>
`

/** Whether the settings of a section can be changed, or were and are not saved. */
const isAskedFor = ({ settings, isFixed }: SettingsSection, shown: ShownForm, { sent }: Options): boolean =>
  !isFixed?.(shown) || (sent !== undefined && isChanged(namesOf(settings), sent, shown.form))

const sectionOf = (section: SettingsSection, shown: ShownForm, options: Options): Html | false => {
  const { name, heading, lead, look, settings, above, summary } = section
  const isAsked = isAskedFor(section, shown, options)
  const body = html`${above?.(shown, options.sent)}${isAsked && settingInputs(settings, shown, options)}`
  if (!isAsked && !above) return false
  if (look !== 'folded')
    return html`<section aria-labelledby="${name}-heading" id="${name}">
<h3 id="${name}-heading"${look === 'plain' && html` class="visually-hidden"`}>${heading}</h3>
${body}</section>
`
  const isOpen = options.wanted === name || isTyped(namesOf(settings), shown.form, options)
  const set = summary?.(parseSettings(shown.form.settings))
  // A link to its id opens it.
  return html`<details class="fold card"${isOpen && html` open`}>
<summary><h3 id="${name}-heading">${heading}</h3>${set && html` <span class="muted"><bdi>${visible(set)}</bdi></span>`}</summary>
<div class="within" id="${name}">
${lead && html`<p class="hint">${lead}</p>`}
${body}</div>
</details>
`
}

/** Says what is wrong, or not yet saved. */
export const unsavedNotice = (group: SettingsGroup, { sent, errors }: Typed): Html | false => {
  const asked: readonly string[] = group.sections.flatMap(({ settings }) => namesOf(settings))
  const wrong = Object.keys(errors).filter((name) => errors[name])
  if (wrong.length === 0) return sent !== undefined && notice('failed', 'Not saved yet. What you typed is below.')
  const links = asked.filter((name) => wrong.includes(name)).map((name) => labelled(name as Name))
  // What it must not be together with may be on another page.
  const others = wrong.filter((name) => !asked.includes(name)).map((name) => ` ${errors[name]}`)
  const look = html`Look at ${links.map(({ name, label }, i) => html`${i > 0 && ', '}<a href="#${name}">${label}</a>`)}.`
  return notice('failed', html`Not saved. ${links.length > 0 && look}${others.join('')}`)
}

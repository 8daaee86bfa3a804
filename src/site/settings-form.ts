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
${saveByDefault}${group.sections.map((section) => sectionOf(section, shown, options))}<div class="save${sent && html` is-unsaved`}"><button class="primary" name="save">Save</button></div>
</form>
`
}

/** The button that Enter presses in a field, and not the one whose button comes first. */
const saveByDefault = html`<button hidden name="save"></button>
`

const sectionOf = (section: SettingsSection, shown: ShownForm, options: Options): Html => {
  const { name, heading, lead, look, settings, above, isFixed } = section
  const { sent } = options
  const names = namesOf(settings)
  const isAsked = !isFixed?.(shown) || (sent !== undefined && isChanged(names, sent, shown.form))
  const body = html`${above?.(shown, sent)}${isAsked && settingInputs(settings, shown, options)}`
  if (look !== 'folded')
    return html`<section aria-labelledby="${name}-heading" id="${name}">
<h3 id="${name}-heading"${look === 'plain' && html` class="visually-hidden"`}>${heading}</h3>
${body}</section>
`
  const isOpen = options.wanted === name || isTyped(names, shown.form, options)
  return foldedSection({ name, heading, lead, isOpen, body })
}

interface Folded {
  /** The id of what is folded: a link to it opens it. */
  readonly name: string
  readonly heading: string
  readonly lead: string | undefined
  readonly isOpen: boolean
  readonly body: Html
}

/** A section that is a line until it is opened. */
const foldedSection = ({ name, heading, lead, isOpen, body }: Folded): Html =>
  html`<details class="fold card"${isOpen && html` open`}>
<summary><h3 id="${name}-heading">${heading}</h3></summary>
<div class="within" id="${name}">
${lead && html`<p class="hint">${lead}</p>`}
${body}</div>
</details>
`

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

import { type FieldErrors, field } from '../html/field.ts'
import { notice } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import { changedText, markInput, sentText, storedText } from './changed-settings.ts'
import type { Setting, SettingsSection, ShownForm } from './setting.ts'

interface Options {
  /** What was sent and not stored. */
  readonly sent: URLSearchParams | undefined
  readonly errors: FieldErrors
  /** Whether it was just saved. */
  readonly isSaved: boolean
}

export const settingsSection = (section: SettingsSection, shown: ShownForm, options: Options): Html => {
  const { name, heading, lead, settings, above, isFixed } = section
  const { sent, errors, isSaved } = options
  return html`<section class="section" id="${name}" aria-labelledby="${name}-heading">
<div><h2 id="${name}-heading">${heading}</h2><p>${lead}</p></div>
<div class="ask">
${isSaved && notice('done', 'Saved.')}${above?.(shown)}
${
  (!isFixed?.(shown) || (sent && settings.some((setting) => sentText(setting, sent) !== undefined))) &&
  html`${settings.map((setting) => input(setting, shown, sent, errors))}<button class="primary" name="section" value="${name}">Save<span class="visually-hidden"> ${heading}</span></button>`
}
</div>
</section>
`
}

const input = (setting: Setting, shown: ShownForm, sent: URLSearchParams | undefined, errors: FieldErrors): Html => {
  const { name, label, type, hint, isOptional } = setting
  const typed = sent && changedText(setting, sent, shown.form)
  const value = typed ?? storedText(setting, shown.form)
  const text = typeof hint === 'function' ? hint(shown) : hint
  return html`${markInput(setting, shown.form, typed === undefined || errors[name] ? undefined : sent)}
${
  type === 'checkbox'
    ? checkbox(name, label, text, value === 'on')
    : field({
        name,
        label,
        type,
        value,
        error: errors[name],
        hint: text,
        autocomplete: 'off',
        ...(isOptional && { isOptional }),
      })
}
`
}

/** A screen reader names it by its label alone, and reads the hint afterwards. */
const checkbox = (name: string, label: string, hint: string | Html, isChecked: boolean): Html =>
  html`<label class="choice"><input aria-labelledby="${name}-label" aria-describedby="${name}-hint" type="checkbox" name="${name}"${isChecked && html` checked`}><span><strong id="${name}-label">${label}</strong> <span class="hint" id="${name}-hint">${hint}</span></span></label>`

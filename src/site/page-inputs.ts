import { pageAsText, wrongTextOf } from '../forms/settings/page.ts'
import { type Html, html } from '../html/html.ts'
import { labelledInput } from '../html/labelled-input.ts'
import type { OwnInputs } from './settings-section.ts'

const names = ['page', 'page-on', 'page-title', 'page-text', 'page-button', 'page-frame'] as const

/** The inputs of the page of a form. */
export const pageInputs: OwnInputs = {
  names,

  read(sent) {
    const [, on, title = '', text = '', button = '', frame] = names.map((name) => sent.get(name) ?? '')
    return pageAsText({ on: on === 'on', title, text, button, frame: frame === 'on' })
  },

  show(typed, { error, hint }) {
    const shown = JSON.parse(typed)
    const { on, title, text, button, frame } = shown
    const wrong = error && wrongTextOf(shown)
    const shared = { autocomplete: 'off', isOptional: true } as const
    return html`<input type="hidden" name="page" value="">
${error && !wrong && html`<p class="error" id="page-on-error">${error}</p>`}
${tick('page-on', 'Show the form on a page', hint, on, error !== undefined && !wrong)}
${labelledInput({ name: 'page-title', label: 'Heading', type: 'text', value: title, error: wrong === 'title' ? error : undefined, hint: 'Leave empty for the title of the form.', ...shared })}
${labelledInput({ name: 'page-text', label: 'Text above the form', type: 'lines', value: text, error: wrong === 'text' ? error : undefined, hint: 'Plain text, up to 2,000 characters. An empty line begins a paragraph, and an https://… becomes a link.', ...shared })}
${labelledInput({ name: 'page-button', label: 'Button', type: 'text', value: button, error: wrong === 'button' ? error : undefined, hint: 'Up to 40 characters. Leave empty for “Send” in the visitor’s language.', ...shared })}
${tick('page-frame', 'May be framed', html`By the pages that may send, under Visitors.`, frame)}
`
  },
}

const tick = (name: string, label: string, hint: string | Html, isChecked: boolean, isWrong = false): Html =>
  html`<label class="choice"><input id="${name}" aria-labelledby="${name}-label" aria-describedby="${isWrong && html`${name}-error `}${name}-hint" type="checkbox" name="${name}"${isWrong && html` autofocus aria-invalid="true"`}${isChecked && html` checked`}><span><strong id="${name}-label">${label}</strong> <span class="hint" id="${name}-hint">${hint}</span></span></label>
`

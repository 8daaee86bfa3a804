import { formTabPath } from '../../config/addresses.ts'
import { elementOf } from '../../forms/fields/field-attributes.ts'
import { type FormField, isSeen, sendsTick } from '../../forms/fields/form-field.ts'
import type { Form } from '../../forms/form.ts'
import { parseSettings, titleForVisitors } from '../../forms/settings/settings.ts'
import { html } from '../../html/html.ts'
import type { Snippet } from './tool-snippets.ts'

/**
 * The page of a form in a frame; none without a page.
 *
 * @param address of the page @param mayChange whether the reader may let pages frame it
 */
export const frameSnippet = (form: Form, address: string, mayChange: boolean): readonly Snippet[] => {
  const { page, fields } = parseSettings(form.settings)
  if (!page) return []
  const code = `<iframe src="${address}" title="${Bun.escapeHTML(titleForVisitors(form))}" loading="lazy"
  style="width: 100%; max-width: 40rem; height: ${frameHeight(fields, page.text)}px; border: 0"></iframe>`
  const note = page.frame
    ? 'It works on the pages that may send, which are in the settings. If the form is longer, it scrolls.'
    : mayChange
      ? html`First <a href="${formTabPath(form.id)}">let your pages frame it</a>.`
      : 'It works once the settings let your pages frame it.'
  return [{ id: 'frame', name: 'Frame', code, copy: 'Copy HTML', note }]
}

/** Pixels that a page is high, at the width of a phone. */
const frameHeight = (fields: readonly FormField[], text: string | null): number => {
  const sum = (heights: readonly number[]): number => heights.reduce((all, one) => all + one, 0)
  const paragraphs = text === null ? [] : text.split('\n').map((line) => 16 + linesOf(line) * 24)
  const whole = 330 + sum(paragraphs) + sum(fields.map(fieldHeight))
  return Math.ceil(whole / 10) * 10
}

const fieldHeight = (field: FormField): number => {
  const { type, name, label = name, help, options = [], other } = field
  if (!isSeen(type)) return 0
  const notes = (linesOf(label) - 1) * 22 + (help === undefined ? 0 : linesOf(help) * 22 + 6)
  if (sendsTick(type)) return 56 + notes
  if (elementOf(field) === 'group') return 56 + notes + options.length * 40 + (other ? 96 : 0)
  if (type === 'lines') return 186 + notes
  return 96 + notes + (other ? 56 : 0)
}

/** Lines of a text on a phone. */
const linesOf = (text: string): number => Math.max(1, Math.ceil([...text].length / 40))

import { atMost } from '../base/short-text.ts'
import { visible } from '../base/visible.ts'
import { drawFields, paragraphs, sendButton } from '../forms/fields/draw-fields.ts'
import { maxFormFields, parseTypedFields, type TypedField } from '../forms/fields/fields-kind.ts'
import type { FormField } from '../forms/fields/form-field.ts'
import type { Draft } from '../forms/form-draft.ts'
import { type Html, html } from '../html/html.ts'
import type { Texts } from '../languages/texts.ts'
import { typeOf } from './field-row.ts'

/** A form as visitors see it, as far as it is typed. Disabled: it takes no part in the form around it. */
export const formPreview = ({ rows, page }: Draft, title: string, texts: Texts): Html => {
  const shown = rows.slice(0, maxFormFields)
  const parsed = parseTypedFields(shown)
  const fields = shown.map((row, position) => drawable(row, position, parsed[position]?.field))
  return html`<h3><bdi>${visible(atMost(page.title || title, maxTitle))}</bdi></h3>
${page.text !== '' && paragraphs(page.text.slice(0, maxText))}<fieldset class="visitor" lang="${texts.tag}" dir="${texts.dir}" disabled>
${drawFields(fields, { texts, prefix: 'seen' })}${sendButton(texts, page.button.slice(0, maxButton) || null)}
</fieldset>
`
}

// As a page may have them. What is longer is refused when it is saved.
const maxTitle = 255
const maxText = 2000
const maxButton = 40
const maxLabel = 200

/** A field without what is wrong in it, of which there is a sentence beside its input. */
const drawable = (row: TypedField, position: number, parsed: FormField | undefined): FormField => {
  const known = Object.entries(parsed ?? {}).filter(([, value]) => ![undefined, null, false].includes(value as never))
  const label = row.label.trim() || row.name.trim() || `Field ${position + 1}`
  const own = { name: `field-${position}`, type: typeOf(row), label: atMost(label, maxLabel) }
  return { ...Object.fromEntries(known), ...own }
}

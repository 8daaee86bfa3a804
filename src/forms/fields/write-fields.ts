import { visible } from '../../base/visible.ts'
import type { Texts } from '../../languages/texts.ts'
import { type Attribute, attributesOf, elementOf, otherAttributes } from './field-attributes.ts'
import { type FormField, factsOf, isSeen, labelOf, sendsList, sendsTick, tickOf } from './form-field.ts'

/** The inputs of a form as HTML to copy, one after the other. */
export const fieldsAsHtml = (fields: readonly FormField[], { fields: words }: Texts): string =>
  fields.map((field) => asHtml(field, words)).join('\n')

const text = (value: string): string => Bun.escapeHTML(value)

const asHtml = (field: FormField, words: Texts['fields']): string => {
  const { name, type, help, options = [], other } = field
  const label = text(visible(labelOf(field)))
  const own = `name="${text(name)}"${written(attributesOf(field))}`
  const hint = help === undefined ? '' : `\n    <small>${text(visible(help))}</small>`
  if (!isSeen(type)) return `  <input ${own}>`
  if (sendsTick(type)) return `  <label><input ${own}> ${label}</label>${hint}`
  const ownAnswer = (indent: string): string =>
    other ? `\n${indent}<input name="${text(name)}" placeholder="${words.otherAnswer}"${written(otherAttributes)}>` : ''
  switch (elementOf(field)) {
    case 'textarea':
      return `  <label>${label} <textarea ${own}></textarea></label>${hint}`
    case 'select':
      return `  <label>${label} <select ${own}>
    <option value="">${words.choose}</option>
${options.map((option) => `    <option value="${text(option)}">${text(option)}</option>`).join('\n')}
  </select></label>${ownAnswer('  ')}${hint}`
    case 'group': {
      const kind = sendsList(type) ? 'checkbox' : 'radio'
      const inputs = options.map((option) => input(kind, field, option, option))
      // Its value is empty, so that the text beside it is the answer.
      if (other && kind === 'radio') inputs.push(input(kind, field, '', words.other))
      return `  <fieldset>
    <legend>${label}</legend>${hint}
${inputs.join('\n')}${ownAnswer('    ')}
  </fieldset>`
    }
    default:
      return `  <label>${label} <input ${own}></label>${hint}`
  }
}

const input = (kind: string, { name, required }: FormField, value: string, label: string): string =>
  `    <label><input type="${kind}" name="${text(name)}" value="${text(value)}"${required && kind === 'radio' ? ' required' : ''}> ${text(label)}</label>`

const written = (all: readonly Attribute[]): string =>
  all.map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${text(String(value))}"`)).join('')

/** Values that the fields take, for a try. Files are left out. */
export const sampleOf = (field: FormField): readonly string[] => {
  const { type, min, max, minLength = 1, maxLength = 100, options, value } = field
  const { sends, sample } = factsOf(type)
  if (sends === 'files') return []
  if (sends === 'tick') return [tickOf(field)]
  if (options) return options.slice(0, sends === 'list' ? Math.max(1, Number(min ?? 1)) : 1)
  const text = value ?? min ?? max ?? sample
  return text === undefined ? [] : [String(text).padEnd(minLength, '.').slice(0, Math.max(maxLength, 1))]
}

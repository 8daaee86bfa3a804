import { parseColumns, parseDescription, parseReturnUrl, parseThankYou, parseTitle } from '../forms/form-fields.ts'
import type { FormChanges } from '../forms/form-writes.ts'
import type { Form } from '../forms/ownership.ts'
import { maxColumns, parseSettings, thankYouRule } from '../forms/settings.ts'
import { count } from '../html/count.ts'
import { field } from '../html/field.ts'
import { type Html, html } from '../html/html.ts'
import { parseInputs } from './parse-inputs.ts'
import { type SettingsSection, sectionForm, withoutCr } from './settings-section.ts'

const labels = {
  title: 'Title',
  description: 'Description',
  returnUrl: 'Return address',
  thankYou: 'Thank-you text',
  columns: 'Columns of the list',
}

/** The fields of the form itself, and what is shown after sending and in the list. */
export const generalSection: SettingsSection = {
  name: 'general',
  heading: 'General',
  lead: 'What the form is called, and what a visitor sees after sending.',
  labels,

  show: ({ form, fieldNames }, typed, errors) =>
    sectionForm(
      'general',
      form,
      html`${field({
        name: 'title',
        label: labels.title,
        type: 'text',
        value: typed?.get('title') ?? form.title,
        error: errors.title,
        hint: 'Visitors see it on the built-in thank-you page.',
        autocomplete: 'off',
      })}
${field({
  name: 'description',
  label: labels.description,
  type: 'lines',
  value: typed?.get('description') ?? form.description ?? '',
  error: errors.description,
  hint: 'Only you see it.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'returnUrl',
  label: labels.returnUrl,
  type: 'url',
  value: typed?.get('returnUrl') ?? form.returnUrl ?? '',
  error: errors.returnUrl,
  hint: 'Where a browser goes after sending. Leave it empty for the built-in thank-you page.',
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'thankYou',
  label: labels.thankYou,
  type: 'lines',
  value: typed?.get('thankYou') ?? parseSettings(form.settings).thankYou ?? '',
  error: errors.thankYou,
  hint: `Shown on the built-in page. Up to ${count(thankYouRule.maxLength)} characters.`,
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'columns',
  label: labels.columns,
  type: 'lines',
  value: typed?.get('columns') ?? columnLines(form),
  error: errors.columns,
  hint: html`One field a line, up to ${maxColumns}. Empty: the first ones.${fieldNames.length > 0 && seenSoFar(fieldNames)}`,
  autocomplete: 'off',
  isOptional: true,
})}`,
    ),

  parse(typed, { form }) {
    const textOf = (name: keyof typeof labels): string => withoutCr(typed.get(name) ?? '')
    const inputs = parseInputs({
      title: () => parseTitle(textOf('title')),
      description: () => parseDescription(textOf('description')),
      returnUrl: () => parseReturnUrl(textOf('returnUrl')),
      // Nothing to parse where nothing was changed: the API takes spaces at the ends, and names that are no line of
      // their own.
      thankYou: () => (textOf('thankYou') === thankYouText(form) ? undefined : parseThankYou(textOf('thankYou'))),
      columns: () => (textOf('columns') === columnLines(form) ? undefined : parseColumns(textOf('columns'))),
    })
    if ('errors' in inputs) return inputs
    const { columns, thankYou, ...fields } = inputs.values
    return { values: { ...changesOf(form, fields), columns, thankYou } }
  },
}

type Typed = Required<Pick<Form, 'title' | 'description' | 'returnUrl'>>

/** What differs, except in line breaks and spaces that a browser does not send back as they were. */
const changesOf = (form: Form, { title, description, returnUrl }: Typed): FormChanges => ({
  ...(title !== form.title.replaceAll(/[\r\n]/g, '').trim() && { title }),
  ...(description !== (withoutCr(form.description ?? '').trim() || null) && { description }),
  ...(returnUrl !== form.returnUrl && { returnUrl }),
})

const columnLines = ({ settings }: Form): string => (parseSettings(settings).columns ?? []).join('\n')

const thankYouText = ({ settings }: Form): string => withoutCr(parseSettings(settings).thankYou ?? '')

/** As many as a hint has room for. */
const maxSeen = 20

const seenSoFar = (names: readonly string[]): Html =>
  html` Seen so far: ${names
    .slice(0, maxSeen)
    .map(
      (name, position) => html`${position > 0 && ', '}<bdi>${shortened(name)}</bdi>`,
    )}${names.length > maxSeen ? ' and others' : ''}.`

const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name)

import { parseRetentionDays } from '../forms/form-fields.ts'
import { isOpen, maxRetentionDays, parseSettings } from '../forms/settings.ts'
import { count } from '../html/count.ts'
import { field } from '../html/field.ts'
import { html } from '../html/html.ts'
import { parseInputs } from './parse-inputs.ts'
import { checkbox, type SettingsSection, sectionForm } from './settings-section.ts'

const labels = { retentionDays: 'Days to keep submissions' }

/** What the form takes, and how long it is kept. */
export const collectingSection: SettingsSection = {
  name: 'collecting',
  heading: 'Collecting',
  lead: 'Whether the form takes what is sent to it, and how long it keeps it.',
  labels,

  show: ({ form }, typed, errors) =>
    sectionForm(
      'collecting',
      form,
      html`${checkbox({
        name: 'open',
        label: 'Open',
        hint: 'A closed form tells visitors so and stores nothing.',
        isChecked: typed ? typed.has('open') : isOpen(form),
      })}
${field({
  name: 'retentionDays',
  label: labels.retentionDays,
  type: 'text',
  value: typed?.get('retentionDays') ?? String(parseSettings(form.settings).retentionDays ?? ''),
  error: errors.retentionDays,
  hint: `From 1 to ${count(maxRetentionDays)}. Older ones are deleted for good, with their files. Empty: kept until you delete them.`,
  autocomplete: 'off',
  isOptional: true,
})}`,
    ),

  parse(typed) {
    const days = typed.get('retentionDays')
    const inputs = parseInputs({ retentionDays: () => (days === null ? undefined : parseRetentionDays(days)) })
    return 'errors' in inputs ? inputs : { values: { ...inputs.values, open: typed.has('open') } }
  },
}

import { maxOrigins } from '../forms/allowed-origins.ts'
import { parseOrigins, parseRetentionDays, parseSubmitLimit } from '../forms/form-fields.ts'
import type { Form } from '../forms/ownership.ts'
import { maxRetentionDays, parseSettings } from '../forms/settings.ts'
import { count } from '../html/count.ts'
import { field } from '../html/field.ts'
import { html } from '../html/html.ts'
import { maxBodyBytes } from '../http/read-body.ts'
import { parseInputs } from './parse-inputs.ts'
import { refusedText } from './refused-origins.ts'
import { checkbox, type SettingsSection, sectionForm } from './settings-section.ts'

const labels = {
  allowedOrigins: 'Pages that may send',
  submitLimit: 'Submissions a minute',
  retentionDays: 'Days to keep submissions',
}

/** What the form takes, and how long it is kept. */
export const collectingSection: SettingsSection = {
  name: 'collecting',
  heading: 'Collecting',
  lead: 'Who may send, how much is taken, and for how long it is kept.',
  labels,

  show({ form, submitLimit, refused }, typed, errors) {
    const stored = parseSettings(form.settings)
    return sectionForm(
      'collecting',
      form,
      html`${checkbox({
        name: 'open',
        label: 'Open',
        hint: 'A closed form tells visitors so and stores nothing.',
        isChecked: typed ? typed.has('open') : stored.open,
      })}
${checkbox({
  name: 'acceptFiles',
  label: 'Accept files',
  hint: `Up to ${maxBodyBytes / 1024 / 1024} MiB for a submission with its files. Otherwise, one with a file is refused.`,
  isChecked: typed ? typed.has('acceptFiles') : stored.acceptFiles,
})}
${field({
  name: 'allowedOrigins',
  label: labels.allowedOrigins,
  type: 'lines',
  value: typed?.get('allowedOrigins') ?? stored.allowedOrigins.join('\n'),
  error: errors.allowedOrigins,
  hint: html`One origin a line, up to ${maxOrigins}, such as https://example.com or https://*.example.com. Empty: every page may.${refused.length > 0 && html` <strong>${refusedText(refused)}</strong>`}`,
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'submitLimit',
  label: labels.submitLimit,
  type: 'number',
  value: typed?.get('submitLimit') ?? storedLimit(form),
  error: errors.submitLimit,
  hint: mostInWords(submitLimit),
  autocomplete: 'off',
  isOptional: true,
})}
${field({
  name: 'retentionDays',
  label: labels.retentionDays,
  type: 'number',
  value: typed?.get('retentionDays') ?? String(stored.retentionDays ?? ''),
  error: errors.retentionDays,
  hint: `From 1 to ${count(maxRetentionDays)}. Older ones are deleted for good, with their files. Empty: kept until you delete them.`,
  autocomplete: 'off',
  isOptional: true,
})}`,
    )
  },

  parse(typed, { form, submitLimit }) {
    const origins = typed.get('allowedOrigins')
    const limit = typed.get('submitLimit')
    const days = typed.get('retentionDays')
    const inputs = parseInputs({
      allowedOrigins: () => (origins === null ? undefined : parseOrigins(origins)),
      // It may be above the operator's, which was lowered since.
      submitLimit: () =>
        limit === null || limit === storedLimit(form) ? undefined : parseSubmitLimit(limit, submitLimit),
      retentionDays: () => (days === null ? undefined : parseRetentionDays(days)),
    })
    const checkboxes = { open: typed.has('open'), acceptFiles: typed.has('acceptFiles') }
    return 'errors' in inputs ? inputs : { values: { ...inputs.values, ...checkboxes } }
  },
}

const storedLimit = ({ settings }: Form): string => String(parseSettings(settings).submitLimit ?? '')

const mostInWords = (most: number): string =>
  most === 0
    ? 'From one address, which people in one network may share. Empty: any number.'
    : `Up to ${count(most)} from one address, which people in one network may share. Empty: ${count(most)}.`

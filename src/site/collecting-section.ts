import { isOpen } from '../forms/settings.ts'
import { checkbox, type SettingsSection, sectionForm } from './settings-section.ts'

/** What the form takes. */
export const collectingSection: SettingsSection = {
  name: 'collecting',
  heading: 'Collecting',
  lead: 'Whether the form takes what is sent to it.',
  labels: {},

  show: ({ form }) =>
    sectionForm(
      'collecting',
      form,
      checkbox({
        name: 'open',
        label: 'Open',
        hint: 'A closed form tells visitors so and stores nothing.',
        isChecked: isOpen(form),
      }),
    ),

  parse: (typed) => ({ values: { open: typed.has('open') } }),
}

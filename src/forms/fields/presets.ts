import { type FormField, factsOf, fieldTypes } from './form-field.ts'

/** Fields that many forms have. Browsers know what to fill in by the type and the name (see field-attributes.ts). */
const usual = {
  name: { name: 'name', type: 'text', label: 'Name', required: true },
  email: { name: 'email', type: 'email', label: 'Email', required: true },
  message: { name: 'message', type: 'lines', label: 'Message', required: true },
  tel: { name: 'phone', type: 'tel', label: 'Phone' },
  consent: {
    name: 'consent',
    type: 'checkbox',
    label: 'I agree that my answers are stored, to reply to me.',
    required: true,
  },
  file: { name: 'file', type: 'file', label: 'File' },
} as const satisfies Readonly<Record<string, FormField>>

/** The buttons of “Add a field”: the usual ones, and all other types. */
export const kinds = {
  usual: Object.entries({ ...usual }).map(([kind, { label }]) => ({
    kind,
    words: kind === 'consent' ? 'Consent' : label,
  })),
  byType: fieldTypes
    .filter((type) => !Object.hasOwn(usual, type))
    .map((type) => ({ kind: type, words: factsOf(type).word })),
} as const

/** The field of such a button, with an empty name if it is not a usual one; undefined if there is none. */
export const fieldOfKind = (kind: string): FormField | undefined => {
  if (Object.hasOwn(usual, kind)) return usual[kind as keyof typeof usual]
  const type = fieldTypes.find((one) => one === kind)
  return type && { name: '', type }
}

interface Template {
  readonly words: string
  /** What it asks for, in a few words. */
  readonly about: string
  readonly fields: readonly FormField[]
}

export const templates: Readonly<Record<string, Template>> = {
  contact: {
    words: 'Contact',
    about: 'Name, Email, Message',
    fields: [usual.name, usual.email, usual.message],
  },
  registration: {
    words: 'Registration',
    about: 'Name, Email, Day, People, Remarks',
    fields: [
      usual.name,
      usual.email,
      { name: 'day', type: 'choice', label: 'Day', required: true, options: ['Saturday', 'Sunday'] },
      { name: 'people', type: 'number', label: 'People', required: true, min: 1, max: 10 },
      { name: 'remarks', type: 'lines', label: 'Remarks' },
    ],
  },
  order: {
    words: 'Order',
    about: 'Name, Email, Phone, What, How many, Pick-up day',
    fields: [
      usual.name,
      usual.email,
      usual.tel,
      { name: 'what', type: 'text', label: 'What', required: true },
      { name: 'how_many', type: 'number', label: 'How many', required: true, min: 1 },
      { name: 'pick_up_day', type: 'date', label: 'Pick-up day', required: true },
    ],
  },
  application: {
    words: 'Application',
    about: 'Name, Email, Phone, CV as a file, Letter, Consent',
    fields: [
      usual.name,
      usual.email,
      usual.tel,
      { name: 'cv', type: 'file', label: 'CV', required: true },
      { name: 'letter', type: 'lines', label: 'Letter' },
      usual.consent,
    ],
  },
  feedback: {
    words: 'Feedback',
    about: 'How was it, What was good, What was not, Email',
    fields: [
      {
        name: 'how_was_it',
        type: 'choice',
        label: 'How was it?',
        required: true,
        options: ['Very good', 'Good', 'Fair', 'Poor'],
      },
      { name: 'what_was_good', type: 'lines', label: 'What was good?' },
      { name: 'what_was_not', type: 'lines', label: 'What was not?' },
      { name: 'email', type: 'email', label: 'Email' },
    ],
  },
}

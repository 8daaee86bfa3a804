import { invalid } from '../../base/errors.ts'
import { isOwnId } from '../../base/id.ts'
import { isObject } from '../../base/json.ts'
import { scanJson } from '../../base/json-scan.ts'
import type { Field } from '../../submissions/fields.ts'
import { jsonFields, members } from '../../submissions/json-fields.ts'
import { itemsIn, textIn } from '../../submissions/sent-fields.ts'
import { envelopeOf } from './envelopes.ts'
import { type Imported, identified, toImported } from './imported.ts'
import { confirmedNote, notesInJson } from './notes.ts'
import type { Time } from './plan.ts'
import { isAlsoField } from './time-names.ts'

/**
 * A submission as JSON. Around the fields there is nothing but what is known of the service; otherwise all of it is fields.
 *
 * - Formbox, and the API of Formbase: `{"id", "formId", "data": {…}, "createdAt"}`, in an archive with `"files"`, at Formbase
 *   with `"isSpam"`
 * - the API of Netlify: `{"id", "number", …, "data": {…}, "created_at"}`
 * - the API of Basin: `{"id", …, "payload_params": {…}, "created_at", "spam"}`
 * - the API of Formspree: `{"_date", …}`, with its own `_id` and `_status` among the fields
 * - the API of Getform: `{"submission_date", …}`
 * - what Formbase exports: the fields alone, and `isSpam` after them
 */
export const fromJson = (text: string): Imported => {
  const outer = outerMembers(text)
  const envelope = envelopeOf(outer)
  if (!envelope) return fromFields(jsonFields(text))
  const id = textNamed(outer, 'id')
  const date = dateNamed(outer, 'createdAt') || dateNamed(outer, 'created_at')
  const files = itemsIn(outer.find(({ name }) => name === 'files')?.json ?? '[]').map(({ json }) => textIn(json) ?? '')
  const isSpam = outer.some((member) => member.name === envelope.spam && isTrue(member))
  const isOwn = isOwnId(id) && textNamed(outer, 'formId') !== ''
  const imported = toImported(id, date, jsonFields(jsonNamed(outer, envelope.data)))
  const left = outer
    .map(({ name }) => name)
    .filter((name) => !envelope.used.has(name) && !(name === 'id' && imported.id === id))
  const notes = envelope.used.has('notes') ? notesInJson(jsonNamed(outer, 'notes') || jsonNamed(outer, 'note')) : []
  if (envelope.used.has('consent'))
    notes.push(...confirmedNote(textNamed(outer, 'confirmedAt'), jsonNamed(outer, 'consent')))
  return { ...imported, isSpam, isOwn, archived: { submission: id, files }, left, notes }
}

/** A submission whose identifier and time are among its fields, as in the CSV and JSON of the services. */
export const fromFields = (fields: readonly Field[]): Imported => ({
  id: undefined,
  time: undefined,
  fields,
  isFlat: true,
})

/** The same, when it is known in which field the time is, and what it is. */
export const fromFlat = (fields: readonly Field[], from: Time | null, time: number | null | undefined): Imported => {
  // Kobo has columns of the same names, and `_uuid`.
  const isFormspree = (from?.column === '_date' || has(fields, '_date')) && !has(fields, '_uuid')
  const id = textNamed(fields, 'id')
  const imported = identified(id, time ?? undefined, fields)
  const mark = spamMark(fields)
  const isLeft = ({ name }: Field): boolean => isFormspree && (name === '_id' || name === '_status')
  const isOfService = (field: Field): boolean =>
    (field.name === from?.column && !isAlsoField(field.name)) ||
    isLeft(field) ||
    (field.name === 'id' && imported.id === id) ||
    field === mark
  const isSpam = (isFormspree && textNamed(fields, '_status') === 'spam') || (mark !== undefined && isTrue(mark))
  const ofService: string[] = []
  const left: string[] = []
  const own: Field[] = []
  for (const field of fields)
    if (isOfService(field)) {
      ofService.push(field.name)
      if (isLeft(field)) left.push(field.name)
    } else own.push(field)
  return { ...imported, isSpam, ofService, left, fields: own }
}

const has = (fields: readonly Field[], name: string): boolean => fields.some((field) => field.name === name)

/** The field in which the service says whether it is spam: Formbase's comes last, Basin's is beside its `created_at`. */
const spamMark = (fields: readonly Field[]): Field | undefined => {
  const last = fields.at(-1)
  const mark =
    last?.name === formbaseMark
      ? last
      : has(fields, 'created_at')
        ? fields.find(({ name }) => name === 'spam')
        : undefined
  return mark && (isTrue(mark) || /^"?false"?$/.test(mark.json)) ? mark : undefined
}

/** The last column of CSV that Formbase exports. */
export const formbaseMark = 'isSpam'

const isTrue = ({ json }: Field): boolean => /^"?true"?$/.test(json)

/** Without the limits of a submission, because the object around it is not part of it. */
const outerMembers = (text: string): Field[] => {
  try {
    if (isObject(JSON.parse(text))) return members(text, { ...scanJson(text, maxOuterMembers), badNumber: undefined })
  } catch {
    throw invalid({ message: 'must be valid JSON' })
  }
  throw invalid({ message: 'must be a JSON object' })
}

const maxOuterMembers = 100

/** Empty if it is not text. */
const textNamed = (fields: readonly Field[], name: string): string => textIn(jsonNamed(fields, name)) ?? ''

/** Empty if there is none. What is not text is as it was written, and no date. */
const dateNamed = (fields: readonly Field[], name: string): string => {
  const json = jsonNamed(fields, name)
  return textIn(json) ?? (json === 'null' ? '' : json)
}

const jsonNamed = (fields: readonly Field[], name: string): string =>
  fields.find((field) => field.name === name)?.json ?? ''

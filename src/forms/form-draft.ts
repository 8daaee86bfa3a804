import { maxFormFields, type TypedField, typedField } from './fields/fields-kind.ts'
import type { FormField } from './fields/form-field.ts'
import { guessFields } from './fields/guess-fields.ts'
import { isFromLabel, nameFromLabel } from './fields/name-from-label.ts'
import { fieldOfKind, templates } from './fields/presets.ts'
import { page as pageKind, type TypedPage } from './settings/page.ts'
import type { FormSettings } from './settings/settings.ts'

/** What a form asks for while someone edits it: as it is stored, or as it was typed and is not stored. */
export interface Draft {
  readonly rows: readonly TypedField[]
  readonly refusesOthers: boolean
  readonly page: TypedPage
}

export const storedDraft = ({ fields, otherFields, page }: FormSettings): Draft => ({
  rows: fields.map(typedField),
  refusesOthers: otherFields === 'refuse',
  page: JSON.parse(pageKind.toText(page)),
})

const emptyRow = typedField({ name: '', type: 'text' })
export const rowMembers = Object.keys(emptyRow) as (keyof TypedField)[]

/** A row as it was sent. */
interface SentRow {
  readonly row: TypedField
  /** The name that was made from the label, as long as it follows that. */
  readonly made: string | undefined
}

/**
 * The rows with the names of those that follow their labels.
 *
 * @param received the names under which something came in: they no longer follow their labels
 * @param trap the name of the trap field, which no other field can have
 */
export const withNames = (sent: readonly SentRow[], received: ReadonlySet<string>, trap: string): TypedField[] => {
  const rows: TypedField[] = []
  for (const [position, { row, made }] of sent.entries()) {
    const isTaken = (name: string): boolean =>
      name === trap ||
      rows.some((other) => other.name === name) ||
      sent.slice(position + 1).some((other) => other.row.name === name)
    rows.push(followsLabel(row, made, received) ? { ...row, name: nameOf(row, isTaken) } : row)
  }
  return rows
}

const followsLabel = ({ name }: TypedField, made: string | undefined, received: ReadonlySet<string>): boolean =>
  name.trim() === '' || (name === made && !received.has(name))

/** The name of a row that follows its label. It stays as it is if it may be made from that. */
const nameOf = ({ name, label }: TypedField, isTaken: (name: string) => boolean): string =>
  isFromLabel(name, label) && !isTaken(name) ? name : nameFromLabel(label, isTaken)

/** Whether the name of a row is still made from its label. */
export const isMade = ({ name, label }: TypedField, received: ReadonlySet<string>): boolean =>
  isFromLabel(name, label) && !received.has(name)

/** A draft after a change, and what has the focus then. */
export interface Changed {
  readonly draft: Draft
  readonly focus?: Focus
  /** The usual field that was added: the menu stays open, for the next one. */
  readonly added?: string
}

export interface Focus {
  readonly position: number
  readonly on: 'label' | 'up' | 'down' | 'rest'
}

export interface Known {
  /** All names under which something came in. */
  readonly received: readonly string[]
  /** The name of the trap field, which no other field can have. */
  readonly trap: string
  /** Whether the operator lets forms have pages. */
  readonly mayHavePage: boolean
}

interface Change extends Known {
  /** What was pressed, such as `up`. */
  readonly what: string
  /** The row of the button; -1 if it has none. */
  readonly position: number
  /** What to add, or to begin with. */
  readonly which: string
}

/** The draft after a button was pressed. */
export const changedDraft = (draft: Draft, { what, position, which, ...known }: Change): Changed => {
  if (what === 'remove') return removed(draft, position)
  if (what === 'up' || what === 'down') return moved(draft, position, what)
  if (what === 'open') return { draft, focus: { position, on: 'rest' } }
  if (what === 'add') return added(withoutEmpty(draft), which, known.trap)
  if (what === 'start') return started(withoutEmpty(draft), which, known)
  return { draft: withoutEmpty(draft) }
}

const removed = (draft: Draft, position: number): Changed => {
  const rows = draft.rows.filter((_, at) => at !== position)
  return { draft: { ...draft, rows }, focus: { position: Math.min(position, rows.length - 1), on: 'label' } }
}

const moved = (draft: Draft, position: number, to: 'up' | 'down'): Changed => {
  const rows = [...draft.rows]
  const target = position + (to === 'up' ? -1 : 1)
  const [one, other] = [rows[position], rows[target]]
  if (!one || !other) return { draft }
  rows[target] = one
  rows[position] = other
  const isAtEnd = target === (to === 'up' ? 0 : rows.length - 1)
  return { draft: { ...draft, rows }, focus: { position: target, on: isAtEnd ? (to === 'up' ? 'down' : 'up') : to } }
}

/** Without the rows in which nothing was typed. */
export const withoutEmpty = (draft: Draft): Draft => ({
  ...draft,
  rows: draft.rows.filter((row) => rowMembers.some((one) => row[one].trim() !== '' && row[one] !== emptyRow[one])),
})

const added = (draft: Draft, kind: string, trap: string): Changed => {
  const field = fieldOfKind(kind)
  if (!field || draft.rows.length >= maxFormFields) return { draft }
  const isTaken = (name: string): boolean => name === trap || draft.rows.some((row) => row.name === name)
  const name = isTaken(field.name) ? nameFromLabel(field.name, isTaken) : field.name
  const rows = [...draft.rows, typedField({ ...field, name })]
  const after = { ...draft, rows }
  // One that has no label yet is typed in first.
  return field.name === ''
    ? { draft: after, focus: { position: rows.length - 1, on: 'label' } }
    : { draft: after, added: kind }
}

/** What was typed before stays. */
const started = (draft: Draft, from: string, { received, mayHavePage }: Known): Changed => {
  const template = Object.hasOwn(templates, from) ? templates[from] : undefined
  const fields: readonly FormField[] = template?.fields ?? (from === 'came' ? guessFields(received) : [])
  const page = { ...draft.page, on: draft.page.on || (template !== undefined && mayHavePage) }
  const rows = draft.rows.length > 0 ? draft.rows : fields.map(typedField)
  return { draft: { ...draft, rows, page }, focus: { position: 0, on: 'label' } }
}

/** How many things differ between two drafts: rows, what stands around them, and their order. */
export const countChanges = (before: Draft, after: Draft): number => {
  const [old, now] = [before, after].map(({ rows }) => rows.map((row) => JSON.stringify(row))) as [string[], string[]]
  // A field whose name has followed its label is one that was changed, not one that went and one that came.
  const changed = Math.max(old.length, now.length) - old.filter((row) => now.includes(row)).length
  const isMoved = changed === 0 && old.join() !== now.join()
  const parts = Object.keys(before.page) as (keyof TypedPage)[]
  const around = parts.filter((part) => before.page[part] !== after.page[part]).length
  return changed + Number(isMoved) + around + Number(before.refusesOthers !== after.refusesOthers)
}

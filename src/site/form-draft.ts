import { maxFormFields, type TypedField, typedField } from '../forms/fields/fields-kind.ts'
import type { FormField } from '../forms/fields/form-field.ts'
import { guessFields } from '../forms/fields/guess-fields.ts'
import { isFromLabel, nameFromLabel } from '../forms/fields/name-from-label.ts'
import { fieldOfKind, templates } from '../forms/fields/presets.ts'
import { pageAsText, page as pageKind, type TypedPage } from '../forms/settings/page.ts'
import type { FormSettings } from '../forms/settings/settings.ts'

/** A form as its page shows it: as it is stored, or as it was sent and is not stored. */
export interface Draft {
  readonly rows: readonly TypedField[]
  readonly refusesOthers: boolean
  readonly page: TypedPage
}

/** The inputs of the page. Those of a row end with its key, which `row` lists in the order of the rows. */
export const inputs = {
  row: 'row',
  of: (member: keyof TypedField, key: string | number) => `field-${member}-${key}`,
  /** The name that was made from the label, as long as it follows that. A row that is closed has it in place of the name. */
  made: (key: string | number) => `field-made-${key}`,
  /** The button that was pressed: what to do, and with which row. */
  action: 'field-do',
  page: (member: keyof TypedPage) => `page-${member}`,
  refusesOthers: 'otherFields',
} as const

export const storedDraft = ({ fields, otherFields, page }: FormSettings): Draft => ({
  rows: fields.map(typedField),
  refusesOthers: otherFields === 'refuse',
  page: JSON.parse(pageKind.toText(page)),
})

const emptyRow = typedField({ name: '', type: 'text' })
const members = Object.keys(emptyRow) as (keyof TypedField)[]

/** The sent inputs by name. A browser sends each name once, but for `row`. */
type SentInputs = ReadonlyMap<string, string>

/**
 * @param stored for what the page did not have
 * @param received the names under which something came in: they no longer follow their labels
 * @param trap the name of the trap field, which no other field can have
 */
export const sentDraft = (sent: URLSearchParams, stored: Draft, received: ReadonlySet<string>, trap: string): Draft => {
  const inputsByName: SentInputs = new Map(sent)
  const keys = keysIn(sent)
  const typed = keys.map((key) => sentRow(inputsByName, key))
  const rows: TypedField[] = []
  for (const [position, row] of typed.entries()) {
    const made = inputsByName.get(inputs.made(keys[position] ?? ''))
    const isTaken = (name: string): boolean =>
      name === trap ||
      rows.some((other) => other.name === name) ||
      typed.slice(position + 1).some((o) => o.name === name)
    rows.push(followsLabel(row, made, received) ? { ...row, name: nameOf(row, isTaken) } : row)
  }
  return {
    rows,
    refusesOthers: inputsByName.has(inputs.refusesOthers),
    page: inputsByName.has(inputs.page('title')) ? sentPage(inputsByName) : stored.page,
  }
}

const sentPage = (sent: SentInputs): TypedPage => {
  const text = (member: keyof TypedPage): string => sent.get(inputs.page(member)) ?? ''
  const [title, button] = [text('title'), text('button')]
  return JSON.parse(
    pageAsText({ on: text('on') === 'on', title, text: text('text'), button, frame: text('frame') === 'on' }),
  )
}

/** One more than a form may have is kept, and refused with what is said of it. */
const keysIn = (sent: URLSearchParams): readonly string[] => sent.getAll(inputs.row).slice(0, maxFormFields + 1)

/** In the order of the text that is stored, with which this one is compared. Browsers end lines with two characters. */
const sentRow = (sent: SentInputs, key: string): TypedField => {
  const text = (member: keyof TypedField): string =>
    sent.get(inputs.of(member, key)) ?? (member === 'name' ? (sent.get(inputs.made(key)) ?? '') : '')
  return Object.fromEntries(members.map((member) => [member, text(member).replaceAll(/\r\n?/g, '\n')])) as TypedField
}

const followsLabel = ({ name }: TypedField, made: string | undefined, received: ReadonlySet<string>): boolean =>
  name.trim() === '' || (name === made && !received.has(name))

/** The name of a row that follows its label. It stays as it is if it may be made from that. */
const nameOf = ({ name, label }: TypedField, isTaken: (name: string) => boolean): string =>
  isFromLabel(name, label) && !isTaken(name) ? name : nameFromLabel(label, isTaken)

/** Whether the name of a row is still made from its label. */
export const isMade = ({ name, label }: TypedField, received: ReadonlySet<string>): boolean =>
  isFromLabel(name, label) && !received.has(name)

/** A draft after a button was pressed, and what has the focus then. */
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

interface Known {
  /** All names under which something came in. */
  readonly received: readonly string[]
  /** The name of the trap field, which no other field can have. */
  readonly trap: string
  /** Whether the operator lets forms have pages. */
  readonly mayHavePage: boolean
}

/** The draft after its button was pressed, such as `up 3`: the second word is the key of a row, or what to begin with. */
export const changedDraft = (draft: Draft, sent: URLSearchParams, known: Known): Changed => {
  const [what = '', which = ''] = (sent.get(inputs.action) ?? '').split(' ')
  const position = keysIn(sent).indexOf(which)
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
  rows: draft.rows.filter((row) => members.some((one) => row[one].trim() !== '' && row[one] !== emptyRow[one])),
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

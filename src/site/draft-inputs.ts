import { maxFormFields, type TypedField } from '../forms/fields/fields-kind.ts'
import { type Changed, changedDraft, type Draft, type Known, rowMembers, withNames } from '../forms/form-draft.ts'
import { type TypedPage, typedPage } from '../forms/settings/page.ts'

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

/** The sent inputs by name. A browser sends each name once, but for `row`. */
type SentInputs = ReadonlyMap<string, string>

/** @param stored for what the page did not have @param received @param trap see `withNames` */
export const sentDraft = (sent: URLSearchParams, stored: Draft, received: ReadonlySet<string>, trap: string): Draft => {
  const inputsByName: SentInputs = new Map(sent)
  const rows = keysIn(sent).map((key) => ({
    row: sentRow(inputsByName, key),
    made: inputsByName.get(inputs.made(key)),
  }))
  return {
    rows: withNames(rows, received, trap),
    refusesOthers: inputsByName.has(inputs.refusesOthers),
    page: inputsByName.has(inputs.page('title'))
      ? typedPage((member) => inputsByName.get(inputs.page(member)) ?? '')
      : stored.page,
  }
}

/** One more than a form may have is kept, and refused with what is said of it. */
const keysIn = (sent: URLSearchParams): readonly string[] => sent.getAll(inputs.row).slice(0, maxFormFields + 1)

/** In the order of the text that is stored, with which this one is compared. Browsers end lines with two characters. */
const sentRow = (sent: SentInputs, key: string): TypedField => {
  const text = (member: keyof TypedField): string =>
    sent.get(inputs.of(member, key)) ?? (member === 'name' ? (sent.get(inputs.made(key)) ?? '') : '')
  return Object.fromEntries(rowMembers.map((member) => [member, text(member).replaceAll(/\r\n?/g, '\n')])) as TypedField
}

/** The draft after its button was pressed, such as `up 3`: the second word is the key of a row, or what to begin with. */
export const afterButton = (draft: Draft, sent: URLSearchParams, known: Known): Changed => {
  const [what = '', which = ''] = (sent.get(inputs.action) ?? '').split(' ')
  return changedDraft(draft, { ...known, what, which, position: keysIn(sent).indexOf(which) })
}

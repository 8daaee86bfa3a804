import type { FormTo } from '../../forms/access.ts'
import { fieldNameReader } from '../../forms/field-names.ts'
import type { InboxForm } from '../../forms/lists/inbox-forms.ts'
import type { Db } from '../../storage/open.ts'
import { type Part as InboxPart, inboxMerge, type Place } from '../../submissions/inbox/merge.ts'
import { inboxOf } from '../../submissions/lists.ts'
import { type StoredSubmission, storedJson } from '../../submissions/stored-submission.ts'
import { wholeReader } from '../../submissions/whole-text.ts'
import type { ExportFormat } from '../formats.ts'
import { type CsvStyle, csvFormat, onOneLine, tableLines } from './csv.ts'
import { type Brackets, brackets, type Part } from './export.ts'

/** The formats of a file with submissions of several forms. */
export const inboxFormats = ['csv', 'json', 'ndjson'] as const satisfies readonly ExportFormat[]
export type InboxFormat = (typeof inboxFormats)[number]

/** The ones that are chosen, or all that an inbox has. */
export type InboxOf = readonly Place[] | InboxPart

export interface ExportedInbox {
  readonly format: InboxFormat
  /** Those of a form whose submissions are in the file. */
  readonly forms: readonly FormTo<'read'>[]
  readonly of: InboxOf
  readonly style: CsvStyle
}

/** The title of the form is the first field of each row. */
const titleField = 'formTitle'
/** More columns than anyone reads; the rest is in `more`. */
const maxColumns = 500
/** Submissions of another state between two parts: other requests are served between them. */
const maxPassed = 1000

/**
 * Submissions of several forms as one file, newest first. Its columns are the title of the form and all fields of the forms.
 *
 * @param db must be in a transaction, as for `exportParts`
 */
export const inboxExport = (db: Db, { format, forms, of, style }: ExportedInbox): Iterable<Part, void> => {
  const readWhole = wholeReader(db)
  const byId = new Map(forms.map((form) => [form.id, form]))

  function* found(): Generator<{ readonly form: FormTo<'read'>; readonly row: StoredSubmission } | undefined, void> {
    let passed = 0
    for (const { formId, id, isWanted } of 'before' in of ? steps(db, forms, of) : of.map(wanted)) {
      const form = byId.get(formId)
      const row = form && isWanted ? readWhole(inboxOf(form.number), id) : undefined
      if (form && row) yield { form, row }
      else if (++passed % maxPassed === 0) yield undefined
    }
  }

  const fieldNames = (): string[] => {
    const read = fieldNameReader(db)
    const names = new Set(forms.flatMap((form): string[] => JSON.parse(read(form) ?? '[]')))
    names.delete(titleField)
    return [titleField, ...[...names].slice(0, maxColumns)]
  }

  function* csv(): Generator<Part, void> {
    const { header, row } = tableLines({ fieldNames: fieldNames() }, csvFormat(style))
    yield header()
    for (const one of found()) yield one ? row({ ...one.row, data: withTitle(one.form.title, one.row.data) }, {}) : ''
  }

  function* json({ start, separator, end, empty }: Brackets): Generator<Part, void> {
    let before = start
    for (const one of found()) {
      yield one ? before + storedJson(one.form.id, one.row, '', onOneLine(one.row.data)) : ''
      if (one) before = separator
    }
    yield before === start ? empty : end
  }

  return format === 'csv' ? csv() : json(brackets[format])
}

interface Candidate extends Place {
  readonly isWanted: boolean
}

const wanted = (place: Place): Candidate => ({ ...place, isWanted: true })

function* steps(db: Db, forms: readonly InboxForm[], part: InboxPart): Generator<Candidate, void> {
  for (const { id, form, isWanted } of inboxMerge(db)(forms, part)) yield { id, formId: form.id, isWanted }
}

const withTitle = (title: string, data: string): string => {
  const own = `{${JSON.stringify(titleField)}:${JSON.stringify(title)}`
  return data === '{}' ? `${own}}` : `${own},${data.slice(1)}`
}

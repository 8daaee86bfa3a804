import { createdAt } from '../../base/id.ts'
import { toIsoTime } from '../../base/moment.ts'
import type { Form } from '../../forms/form.ts'
import type { Db } from '../../storage/open.ts'
import { type ConfirmRecord, confirmReads } from '../../submissions/confirm/confirm-reads.ts'
import { type Handling, handlingReads } from '../../submissions/handling.ts'
import { type Note, noteLine, noteReads } from '../../submissions/notes.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'
import type { TableFormat } from './csv.ts'

/** Columns after `more`, and members of the same names in JSON: all submissions of a form have them, or none. */
interface LastGroup<Row, Name extends string = keyof Row & string> {
  /** For the description of exports. */
  readonly about: string
  /** The names in their order. Imports know all of them, and say of those of which they make nothing that they are left out. */
  readonly isImported: Readonly<Record<Name, boolean>>
  /** In the order of the names. */
  cells(row: Row, format: TableFormat): string[]
  members(row: Row): Readonly<Record<Name, unknown>>
  /** Undefined for a form without them. Otherwise it reads some submissions, and then tells of each. */
  reader(db: Db, form: Pick<Form, 'number'>): ((ids: readonly string[]) => (one: StoredSubmission) => Row) | undefined
}

type Handled = Pick<Handling, 'state'> & { readonly notes: readonly Note[] }

const handled: LastGroup<Handled> = {
  about:
    'If a submission of the form was ever marked as done or has notes, each has `state` and `notes`, too; in CSV, a line for ' +
    'each note: its time, its author and its text.',
  isImported: { state: false, notes: true },
  cells: ({ state, notes }, { text, isoTime }) => [
    text(state),
    notes.length === 0 ? '' : text(notes.map((note) => noteLine(note, isoTime)).join('\n')),
  ],
  members: ({ state, notes }) => ({
    state,
    notes: notes.map(({ id, text, by }) => ({ text, by, createdAt: createdAt(id) })),
  }),
  reader(db, form) {
    const { isHandled, listHandling } = handlingReads(db)
    const { areIn, listNotes } = noteReads(db)
    const hasNotes = areIn(form.number)
    if (!hasNotes && !isHandled(form)) return undefined
    return (ids) => {
      const found = listHandling(form, ids)
      return ({ id }) => ({ state: found.get(id)?.state ?? 'open', notes: hasNotes ? listNotes(form, id) : [] })
    }
  },
}

type Confirmed = Pick<ConfirmRecord, 'confirmedAt' | 'consent'>

const confirmed: LastGroup<Confirmed> = {
  about: 'If the address of any was to be confirmed, each has `confirmedAt` and `consent`.',
  isImported: { confirmedAt: true, consent: true },
  cells: ({ confirmedAt, consent }, { text, time }) => [
    confirmedAt === null ? '' : time(confirmedAt),
    consent.length === 0 ? '' : text(JSON.stringify(consent)),
  ],
  members: ({ confirmedAt, consent }) => ({
    confirmedAt: confirmedAt === null ? null : toIsoTime(confirmedAt),
    consent,
  }),
  reader(db, form) {
    const { hasRecords, recordsOf } = confirmReads(db)
    if (!hasRecords(form)) return undefined
    return (ids) => {
      const records = recordsOf(form, ids)
      return ({ id }) => records.get(id) ?? { confirmedAt: null, consent: [] }
    }
  },
}

export type LastName = keyof Handled | keyof Confirmed

/** All that may follow `more`, in this order. Exports, their description and imports are made from it. */
export const lastGroups: readonly LastGroup<unknown, never>[] = [handled, confirmed]
export const lastColumns = lastGroups.flatMap(({ isImported }) => Object.entries(isImported) as [LastName, boolean][])

type Slice = readonly StoredSubmission[]

/** What the submissions of a form have of these. `cells` and `members` read some of them, and then tell of each. */
export const lastIn = (db: Db, form: Pick<Form, 'number'>, among = lastGroups) => {
  const present = among.flatMap((group) => {
    const read = group.reader(db, form)
    return read ? [{ ...group, read }] : []
  })
  const readAll = (slice: Slice) => {
    const ids = slice.map(({ id }) => id)
    return present.map((group) => ({ ...group, find: group.read(ids) }))
  }
  return {
    names: present.flatMap(({ isImported }) => Object.keys(isImported)),

    cells(slice: Slice, format: TableFormat) {
      const found = readAll(slice)
      return (one: StoredSubmission): string[] => found.flatMap(({ cells, find }) => cells(find(one), format))
    },

    /** Each after a comma. */
    members(slice: Slice) {
      const found = readAll(slice)
      return (one: StoredSubmission): string => {
        let json = ''
        for (const { members, find } of found) json += `,${JSON.stringify(members(find(one))).slice(1, -1)}`
        return json
      }
    },
  }
}

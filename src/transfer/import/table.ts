import { dayMilliseconds, minuteMilliseconds, secondMilliseconds } from '../../base/durations.ts'
import { invalid } from '../../base/errors.ts'
import { createdAt, creationTime, isOwnId } from '../../base/id.ts'
import { checkText, type Field } from '../../submissions/fields.ts'
import { jsonFields } from '../../submissions/json-fields.ts'
import { dateColumn, idColumn, isLikeJson, lastColumn, moreColumn } from '../export/csv.ts'
import { withFormulas } from '../export/formulas.ts'
import { type LastName, lastColumns } from '../export/last-columns.ts'
import { maxHeaderRows, readHeader } from './header-rows.ts'
import type { Entry, Imported } from './imported.ts'
import { timeOf, toImported } from './imported.ts'
import { confirmedNote, notesInLines } from './notes.ts'
import { type Column, leaveOut, type Plan } from './plan.ts'
import { putBack } from './read-ahead.ts'
import { isEmpty, type Row, type Typed, textIn } from './row.ts'
import { formbaseMark, fromFields } from './service-fields.ts'

interface TableOptions {
  /** Whether an apostrophe before a formula is text, also in our own exports. */
  readonly isRaw: boolean
  /** Gets the columns and the number of empty rows. */
  readonly plan: Plan
}

/**
 * The rows of a table below its header. Rows of our own exports become what they were. Rows whose cells are all empty are
 * counted and left out.
 */
export async function* tableEntries(
  rows: AsyncIterable<Row>,
  { isRaw, plan }: TableOptions,
): AsyncGenerator<Entry, void> {
  const iterator = rows[Symbol.asyncIterator]()
  const first: Row[] = []
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first.push(next.value)
    if (first.length === maxHeaderRows) break
  }
  const above = readHeader(first)
  const last = first[above.count - 1]
  if (!last) throw invalid({ message: 'is empty; it must have a header' })
  const header = toHeader(above.names, isRaw)
  for (const [name, isImported] of lastColumns) {
    const at = header.last.get(name)
    if (at !== undefined && !isImported) leaveOut(plan, header.names[at] as string)
  }
  for (const name of above.left) leaveOut(plan, name)
  plan.columns = header.columns
  let next = last.number + 1
  for await (const row of putBack(first.slice(above.count), iterator)) {
    // Blank lines before it. Those at the end of the file are no rows.
    plan.emptyRows += row.number - next
    next = row.number + 1
    if (row.cells.every(isEmpty)) plan.emptyRows++
    else yield toEntry(header, row)
  }
}

interface Header {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  /** Whether the file is an export of Formbox. */
  readonly isOwn: boolean
  /** The position of the column `more` of such a file. */
  readonly more: number
  /** The positions of what follows it. */
  readonly last: ReadonlyMap<LastName, number>
  readonly toText: (cell: string) => string
  /** The names of the columns that may be fields. */
  readonly fieldNames: readonly string[]
}

const toHeader = (cells: readonly string[], isRaw: boolean): Header => {
  const more = cells.indexOf(moreColumn)
  const last = cells[0] === idColumn && cells[1] === dateColumn && more > 1 ? lastOf(cells, more + 1) : undefined
  const isOwn = last !== undefined
  const toText = isOwn && !isRaw ? withFormulas : (cell: string) => cell
  const columns = toColumns(cells.map(toText))
  const names = columns.map(({ name }) => name)
  for (const name of names) checkText('header', name)
  const fieldNames = (isOwn ? names.slice(2, more) : names).filter((name) => name !== '')
  return { columns, names, isOwn, more, last: last ?? new Map(), toText, fieldNames }
}

/** Whether it is the column of this name after `more`. Earlier versions had one `note`. */
const isLast = (name: string, cell: string): boolean =>
  cell === name || cell === lastColumn(name) || (name === 'notes' && cell === 'note')

/** Where the columns after `more` are, any of them in their order; undefined if there are others. */
const lastOf = (cells: readonly string[], start: number): Header['last'] | undefined => {
  const found = new Map<LastName, number>()
  for (const [name] of lastColumns) {
    const at = start + found.size
    if (isLast(name, cells[at] ?? '')) found.set(name, at)
  }
  return start + found.size === cells.length ? found : undefined
}

/** Columns of the same name become `Other`, `Other 2`, …: the next number that is free. */
const toColumns = (names: readonly string[]): Column[] => {
  const taken = new Set(names)
  const seen = new Map<string, number>()
  return names.map((name) => {
    let number = (seen.get(name) ?? 0) + 1
    seen.set(name, number)
    if (name === '' || number === 1) return { name }
    while (taken.has(`${name} ${number}`)) number++
    const free = `${name} ${number}`
    taken.add(free)
    seen.set(name, number)
    return { name: free, renamedFrom: name }
  })
}

const toEntry = (header: Header, row: Row): Entry => ({
  location: `row ${row.number}`,
  columns: header.fieldNames,
  parse: () => {
    const { cells, positions } = row
    const { length } = header.names
    const lastFilled = cells.findLastIndex((cell) => !isEmpty(cell))
    // Spreadsheets write more or fewer empty cells at the end. Formbase writes all, but quotes nothing: a row with a line
    // break in a cell has fewer.
    const isCut = !positions && cells.length < length && header.names.at(-1) === formbaseMark
    if (isCut || (positions?.[lastFilled] ?? lastFilled) >= length) {
      const count = positions ? (positions[lastFilled] as number) + 1 : cells.length
      throw invalid({ message: `has ${count} ${count === 1 ? 'cell' : 'cells'}, the header has ${length}` })
    }
    return header.isOwn ? fromOwnRow(header, row) : fromFields(fieldsOf(header, row, 0, length))
  },
})

const fromOwnRow = (header: Header, row: Row): Imported => {
  const textAt = (position: number): string =>
    textIn(row.cells[row.positions ? row.positions.indexOf(position) : position] ?? null)
  const cells = fieldsOf(header, row, 2, header.more)
  const more = header.toText(textAt(header.more))
  const fields = more === '' ? cells : [...cells, ...jsonFields(more)]
  const lastAt = (name: LastName): string => textAt(header.last.get(name) ?? -1)
  const notes = [
    ...notesInLines(header.toText(lastAt('notes'))),
    ...confirmedNote(lastAt('confirmedAt'), header.toText(lastAt('consent'))),
  ]
  const date = ownDate(textAt(0), textAt(1))
  return { ...toImported(textAt(0), date, fields.length > 0 ? fields : nulls(header)), isOwn: true, notes }
}

/** In XLSX, times are what the clocks of a zone showed, or nearly so: programs round them. The identifier has the time. */
const ownDate = (id: string, date: string): string => {
  if (!isOwnId(id) || !/^[-\d]+ [:\d]+(?:\.\d+)?$/.test(date)) return date
  const offset = timeOf(date, null, 'UTC') - creationTime(id)
  const rest = offset - Math.round(offset / quarterMilliseconds) * quarterMilliseconds
  return Math.abs(rest) < secondMilliseconds && Math.abs(offset) < dayMilliseconds ? createdAt(id) : date
}
const quarterMilliseconds = 15 * minuteMilliseconds

/** The fields of a submission whose values were all null: its cells are empty. */
const nulls = ({ names, more }: Header): Field[] => names.slice(2, more).map((name) => ({ name, json: 'null' }))

const fieldsOf = (header: Header, { cells, positions }: Row, from: number, to: number): Field[] =>
  cells.flatMap((cell, i) => {
    const at = positions?.[i] ?? i
    if (cell === null || at < from || at >= to) return []
    const name = header.names[at] as string
    if (name === '') throw invalid({ message: unnamed(textIn(cell)) })
    return [{ name, json: toJson(name, cell, header) }]
  })

const unnamed = (cell: string): string =>
  `the column of ${JSON.stringify(cell.slice(0, 50))} has no name; the first row must be one line with the names of all columns`

/** What our own export wrote as JSON, and text that it wrote as a JSON string; everything else is text. */
const toJson = (name: string, cell: string | Typed, { isOwn, toText }: Header): string => {
  if (isOwn && typeof cell !== 'string') return cell.json
  const text = toText(textIn(cell))
  if (isOwn && isLikeJson(text)) return text
  return JSON.stringify(checkText(name, text))
}

import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../base/errors.ts'
import { checkText, type Field } from '../../submissions/fields.ts'
import { jsonFields } from '../../submissions/json-fields.ts'
import { dateColumn, handlingColumns, idColumn, isLikeJson, moreColumn } from '../export/csv.ts'
import { withFormulas } from '../export/formulas.ts'
import type { Entry, Imported } from './imported.ts'
import { toImported } from './imported.ts'
import { type Column, leaveOut, type Plan } from './plan.ts'
import { formbaseMark, fromFields } from './recognise.ts'
import { findSeparator, namedSeparator } from './separator.ts'

export interface CsvOptions {
  /** Whether the file was exported with `raw`: then no apostrophes have to be removed. */
  readonly isRaw: boolean
  /** Gets the separator, the columns and the number of empty rows. */
  readonly plan: Plan
}

/**
 * The rows of a CSV file below its header. Rows of our own exports become what they were, except that numbers, `true`
 * and `false` become text, because CSV has no types. Rows whose cells are all empty are counted and left out.
 *
 * @throws AppError `invalid` if the file is not CSV
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { isRaw, plan }: CsvOptions,
): AsyncGenerator<Entry, void> {
  const { separator, firstRow, rest } = await findStart(chunks)
  plan.separator = separator
  let header: Header | undefined
  let next = firstRow
  for await (const { number, cells } of csvRows(rest, separator, firstRow - 1)) {
    // Blank lines before it. Those at the end of the file are no rows.
    if (header) plan.emptyRows += number - next
    next = number + 1
    if (!header) {
      header = toHeader(cells, isRaw)
      if (header.isOwn) for (const name of cells.slice(header.more + 1)) leaveOut(plan, name ?? '')
      plan.columns = header.columns
    } else if (cells.every((cell) => cell === null || cell === '')) plan.emptyRows++
    else yield toEntry(header, cells, `row ${number}`)
  }
  if (!header) throw invalid({ message: 'is empty; it must have a header' })
}

/** Reads the first records, and finds out what separates their cells. */
const findStart = async (chunks: AsyncIterable<Uint8Array>) => {
  const iterator = chunks[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let isWhole = false
  // A pipe may give it in parts, down to single bytes.
  for (let bytes = 0; bytes < maxSearchedBytes && !isWhole; ) {
    const next = await iterator.next()
    if (next.done) isWhole = true
    else bytes += first.push(next.value) && next.value.length
  }
  const bytes = Buffer.concat(first)
  const start = bytes.subarray(0, maxSearchedBytes).toString()
  const named = namedSeparator(start)
  async function* rest(): AsyncGenerator<Uint8Array, void> {
    yield bytes.subarray(named ? Buffer.byteLength(named.line) : 0)
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  const separator = named?.separator ?? findSeparator(start, isWhole && bytes.length <= maxSearchedBytes)
  return { separator, firstRow: named ? 2 : 1, rest: rest() }
}

const maxSearchedBytes = 64 * 1024

/** A cell is null if it is empty and without quotation marks. */
type Cells = readonly (string | null)[]

interface Row {
  /** Counted from 1, with blank lines. */
  readonly number: number
  readonly cells: Cells
}

/** All rows of a piece are in memory at once. */
const pieceBytes = 16 * 1024

/** More than a submission of 2 MiB takes, even if it consists of quotation marks. */
const maxRowBytes = 16 * 1024 * 1024

/** The number of columns in a spreadsheet. */
const maxCells = 16_384

/**
 * The rows that are not blank. Quotation marks within a cell are ordinary characters: Formbase exports CSV without any
 * quoting.
 *
 * @throws AppError `invalid` for a row that is too large, and for a quotation mark that is not closed
 * @param before how many rows came before these
 */
async function* csvRows(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
  before: number,
): AsyncGenerator<Row, void> {
  const parser = parse({
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    cast: (text, { index, quoting, records, empty_lines }) => {
      if (index === maxCells)
        throw invalid({
          field: `row ${before + records + empty_lines + 1}`,
          message: `must have at most ${maxCells} cells`,
        })
      return text === '' && !quoting ? null : text
    },
    info: true,
  })
  const rows = pipeline(Readable.from(inPieces(chunks)), parser, () => {})
  try {
    for await (const { record, info } of rows) yield { number: before + info.records + info.empty_lines, cells: record }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { records, empty_lines: blank } = parser.info
    throw invalid({ field: `row ${before + records + blank + 1}`, message: reasons[error.code] ?? 'is not valid CSV' })
  }
}

async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
}

const reasons: Readonly<Partial<Record<CsvError['code'], string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'is not valid CSV: a quotation mark is not closed',
  CSV_MAX_RECORD_SIZE: `must be at most ${maxRowBytes} bytes; or a quotation mark is not closed`,
}

interface Header {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  /** Whether the file is an export of Formbox. */
  readonly isOwn: boolean
  /** The position of the column `more` of such a file. */
  readonly more: number
  readonly toText: (cell: string) => string
  /** The names of the columns that may be fields. */
  readonly fieldNames: readonly string[]
}

const toHeader = (record: Cells, isRaw: boolean): Header => {
  const cells = record.map((cell) => cell ?? '')
  // What was done about a submission may follow. It is not imported.
  const moreAt = [1, 1 + handlingColumns.length].map((fromEnd) => cells.length - fromEnd)
  const more = moreAt.find((at) => cells[at] === moreColumn) ?? -1
  const isOwn = cells[0] === idColumn && cells[1] === dateColumn && more > 1
  const toText = isOwn && !isRaw ? withFormulas : (cell: string) => cell
  const columns = toColumns(cells.map(toText))
  const names = columns.map(({ name }) => name)
  for (const name of names) checkText('header', name)
  const fieldNames = (isOwn ? names.slice(2, more) : names).filter((name) => name !== '')
  return { columns, names, isOwn, more, toText, fieldNames }
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

const toEntry = (header: Header, record: Cells, location: string): Entry => ({
  location,
  columns: header.fieldNames,
  parse: () => {
    const { length } = header.names
    // Spreadsheets write more or fewer empty cells at the end. Formbase writes all, but quotes nothing: a row with a line
    // break in a cell has fewer.
    const isCut = record.length < length && header.names.at(-1) === formbaseMark
    if (isCut || record.slice(length).some((cell) => cell !== null && cell !== ''))
      throw invalid({
        message: `has ${record.length} ${record.length === 1 ? 'cell' : 'cells'}, the header has ${length}`,
      })
    return header.isOwn ? fromOwnRow(header, record) : fromFields(fieldsOf(header, record, 0, length))
  },
})

const fromOwnRow = (header: Header, record: Cells): Imported => {
  const [id, date] = record
  const cells = fieldsOf(header, record, 2, header.more)
  const more = header.toText(record[header.more] ?? '')
  const fields = more === '' ? cells : [...cells, ...jsonFields(more)]
  return { ...toImported(id ?? '', date ?? '', fields.length > 0 ? fields : nulls(header)), isOwn: true }
}

/** The fields of a submission whose values were all null: its cells are empty. */
const nulls = ({ names, more }: Header): Field[] => names.slice(2, more).map((name) => ({ name, json: 'null' }))

const fieldsOf = (header: Header, record: Cells, from: number, to: number): Field[] =>
  record.slice(from, to).flatMap((cell, i) => {
    const name = header.names[from + i] as string
    if (cell === null) return []
    if (name === '') throw invalid({ message: unnamed(cell) })
    return [{ name, json: toJson(name, header.toText(cell), header.isOwn) }]
  })

const unnamed = (cell: string): string =>
  `the column of ${JSON.stringify(cell.slice(0, 50))} has no name; the first row must be one line with the names of all columns`

/** What our own export wrote as JSON, and text that it wrote as a JSON string; everything else is text. */
const toJson = (name: string, text: string, isOwn: boolean): string => {
  if (isOwn && isLikeJson(text)) return text
  return JSON.stringify(checkText(name, text))
}

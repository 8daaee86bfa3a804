import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { AppError, invalid } from '../../base/errors.ts'
import { checkText, type Field } from '../../submissions/fields.ts'
import { jsonFields } from '../../submissions/json-fields.ts'
import { dateColumn, handlingColumns, idColumn, moreColumn } from '../export/csv.ts'
import { withFormulas } from '../export/formulas.ts'
import type { Entry, Imported } from './imported.ts'
import { toImported } from './imported.ts'
import { fromFields } from './recognise.ts'

interface CsvOptions {
  /** Whether the file was exported with `raw`: then no apostrophes have to be removed. */
  readonly isRaw: boolean
}

/**
 * The rows of a CSV file below its header. Rows of our own exports become what they were, except that numbers, `true`
 * and `false` become text, because CSV has no types.
 *
 * @throws AppError `invalid` if the file is not CSV
 */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>, { isRaw }: CsvOptions): AsyncGenerator<Entry, void> {
  const { delimiter, all } = await findDelimiter(chunks)
  let header: Header | undefined
  for await (const { number, cells } of csvRows(all, delimiter))
    if (header) yield toEntry(header, cells, `row ${number}`)
    else header = toHeader(cells, isRaw)
  if (!header) throw invalid({ message: 'is empty; it must have a header' })
}

/** The character that separates the cells of the header. In half of Europe, spreadsheets write semicolons. */
const findDelimiter = async (chunks: AsyncIterable<Uint8Array>) => {
  const rest = chunks[Symbol.asyncIterator]()
  let first: Buffer = Buffer.alloc(0)
  // A pipe may give it in parts, down to single bytes.
  for (let isWhole = false; !isWhole; ) {
    const next = await rest.next()
    if (!next.done) first = Buffer.concat([first, next.value])
    isWhole = next.done === true || first.length >= maxSearchedBytes || first.includes(0x0a) || first.includes(0x0d)
  }
  const [line = ''] = first
    .subarray(0, maxSearchedBytes)
    .toString()
    .split(/[\r\n]/, 1)
  const count = (delimiter: string) => line.split(delimiter).length
  const delimiter = [',', ';', '\t'].reduce((most, other) => (count(other) > count(most) ? other : most))
  async function* all(): AsyncGenerator<Uint8Array, void> {
    yield first
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { delimiter, all: all() }
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
 */
async function* csvRows(chunks: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<Row, void> {
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
        throw invalid({ field: `row ${records + empty_lines + 1}`, message: `must have at most ${maxCells} cells` })
      return text === '' && !quoting ? null : text
    },
    info: true,
  })
  const rows = pipeline(Readable.from(inPieces(chunks)), parser, () => {})
  try {
    for await (const { record, info } of rows) yield { number: info.records + info.empty_lines, cells: record }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { records, empty_lines: blank } = parser.info
    throw invalid({ field: `row ${records + blank + 1}`, message: reasons[error.code] ?? 'is not valid CSV' })
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
  readonly names: readonly string[]
  /** Whether the file is an export of Formbox. */
  readonly isOwn: boolean
  /** The position of the column `more` of such a file. */
  readonly more: number
  readonly toText: (cell: string) => string
}

const toHeader = (record: Cells, isRaw: boolean): Header => {
  const cells = record.map((cell) => cell ?? '')
  // What was done about a submission may follow. It is not imported.
  const moreAt = [1, 1 + handlingColumns.length].map((fromEnd) => cells.length - fromEnd)
  const more = moreAt.find((at) => cells[at] === moreColumn) ?? -1
  const isOwn = cells[0] === idColumn && cells[1] === dateColumn && more > 1
  const toText = isOwn && !isRaw ? withFormulas : (cell: string) => cell
  const names = cells.map(toText)
  for (const name of names) checkText('header', name)
  return { names, isOwn, more, toText }
}

const toEntry = (header: Header, record: Cells, location: string): Entry => ({
  location,
  ...(header.isOwn && { columns: header.names.slice(2, header.more) }),
  parse: () => {
    const { length } = header.names
    if (record.length !== length)
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
  return toImported(id ?? '', date ?? '', fields.length > 0 ? fields : nulls(header))
}

/** The fields of a submission whose values were all null: its cells are empty. */
const nulls = ({ names, more }: Header): Field[] => names.slice(2, more).map((name) => ({ name, json: 'null' }))

const fieldsOf = (header: Header, record: Cells, from: number, to: number): Field[] =>
  record.slice(from, to).flatMap((cell, i) => {
    const name = header.names[from + i] as string
    if (cell === null) return []
    if (name === '') throw invalid({ message: `the column of ${JSON.stringify(cell.slice(0, 50))} has no name` })
    return [{ name, json: toJson(name, header.toText(cell), header.isOwn) }]
  })

/** An array or object that our own export wrote as JSON; everything else is text. */
const toJson = (name: string, text: string, isOwn: boolean): string => {
  if (isOwn && /^[[{]/.test(text) && isStorable(text)) return text
  return JSON.stringify(checkText(name, text))
}

/** Whether it is JSON that a submission may contain. Text that a visitor typed may just look like JSON. */
const isStorable = (text: string): boolean => {
  try {
    jsonFields(`{"value":${text}}`)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../base/errors.ts'
import type { Entry } from './imported.ts'
import type { Plan } from './plan.ts'
import { maxCells, maxRowBytes, type Row } from './row.ts'
import { findSeparator, namedSeparator } from './separator.ts'
import { tableEntries } from './table.ts'

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
  yield* tableEntries(csvRows(rest, separator, firstRow - 1), { isRaw, plan })
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

/** All rows of a piece are in memory at once. */
const pieceBytes = 16 * 1024

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

import { checkText, type Field } from '../collect/fields.ts'
import { parseJsonObject } from '../collect/parse.ts'
import { AppError, invalid } from '../errors.ts'
import { dateColumn, idColumn, moreColumn } from '../export/csv.ts'
import { withFormulas } from '../export/formulas.ts'
import { csvRows, quotedEmpty } from './csv-rows.ts'
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
  let count = 0
  for await (const record of csvRows(all, delimiter)) {
    count++
    if (record.length === 1 && record[0] === '') continue
    if (header) yield toEntry(header, record, `row ${count}`)
    else header = toHeader(record, isRaw)
  }
  if (!header) throw invalid({ message: 'is empty; it must have a header' })
}

/** The character that separates the cells of the header. In half of Europe, spreadsheets write semicolons. */
const findDelimiter = async (chunks: AsyncIterable<Uint8Array>) => {
  const rest = chunks[Symbol.asyncIterator]()
  const { value: first = new Uint8Array() } = await rest.next()
  const [line = ''] = Buffer.from(first.subarray(0, 64 * 1024))
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

interface Header {
  readonly names: readonly string[]
  /** Whether the file is an export of Formbox. */
  readonly isOwn: boolean
  readonly toText: (cell: string) => string
}

const toHeader = (record: readonly string[], isRaw: boolean): Header => {
  const cells = record.map((cell) => (cell === quotedEmpty ? '' : cell))
  const isOwn = cells[0] === idColumn && cells[1] === dateColumn && cells.at(-1) === moreColumn
  const toText = isOwn && !isRaw ? withFormulas : (cell: string) => cell
  const names = cells.map(toText)
  for (const name of names) checkText('header', name)
  return { names, isOwn, toText }
}

const toEntry = (header: Header, record: readonly string[], place: string): Entry => ({
  place,
  ...(header.isOwn && { columns: header.names.slice(2, -1) }),
  parse: () => {
    const { length } = header.names
    if (record.length !== length)
      throw invalid({
        message: `has ${record.length} ${record.length === 1 ? 'cell' : 'cells'}, the header has ${length}`,
      })
    return header.isOwn ? fromOwnRow(header, record) : fromFields(fieldsOf(header, record, 0, length))
  },
})

const fromOwnRow = (header: Header, record: readonly string[]): Imported => {
  const [id = '', date = ''] = record
  const cells = fieldsOf(header, record, 2, -1)
  const more = header.toText(record.at(-1) as string)
  const fields = more === '' ? cells : [...cells, ...parseJsonObject(more)]
  return toImported(id, date, fields.length > 0 ? fields : nulls(header))
}

/** The fields of a submission whose values were all null: its cells are empty. */
const nulls = ({ names }: Header): Field[] => names.slice(2, -1).map((name) => ({ name, json: 'null' }))

const fieldsOf = (header: Header, record: readonly string[], from: number, to: number): Field[] =>
  record.slice(from, to).flatMap((cell, i) => {
    const name = header.names[from + i] as string
    if (cell === '') return []
    if (name === '') throw invalid({ message: `the column of ${JSON.stringify(cell.slice(0, 50))} has no name` })
    return [{ name, json: toJson(name, cell === quotedEmpty ? '' : header.toText(cell), header.isOwn) }]
  })

/** An array or object that our own export wrote as JSON; everything else is text. */
const toJson = (name: string, text: string, isOwn: boolean): string => {
  if (isOwn && /^[[{]/.test(text) && isStorable(text)) return text
  return JSON.stringify(checkText(name, text))
}

/** Whether it is JSON that a submission may contain. Text that a visitor typed may just look like JSON. */
const isStorable = (text: string): boolean => {
  try {
    parseJsonObject(`{"value":${text}}`)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

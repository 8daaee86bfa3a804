import { AppError, invalid } from '../../base/errors.ts'
import { creationTime } from '../../base/id.ts'
import { memberCuts, scanJson } from '../../base/json-scan.ts'
import { isoTimesIn } from '../../base/time-zone.ts'
import { flag } from '../../forms/settings/kinds.ts'
import { timeZone } from '../../forms/settings/own-kinds.ts'
import { isFile } from '../../submissions/files/sent-file.ts'
import { jsonFields } from '../../submissions/json-fields.ts'
import type { StoredSubmission } from '../../submissions/stored-submission.ts'
import { withoutFormulas } from './formulas.ts'

/**
 * The columns before and after those of the fields. A field with one of these names, or with an empty name, goes into
 * `more`. So no two columns have the same name.
 */
export const idColumn = 'id'
export const dateColumn = 'createdAt'
export const moreColumn = 'more'
/** The name of a column after `more` in a form with a field of its name. */
export const lastColumn = (name: string): string => `handling ${name}`

const reserved = new Set(['', idColumn, dateColumn, moreColumn])

interface TableOptions {
  /** The names of the form's fields, in the order of their columns. */
  readonly fieldNames: readonly string[]
  /** Those of the columns after `more`. */
  readonly lastNames?: readonly string[]
}

interface RowOptions {
  /** In an archive: the identifier of each file, and where it is. */
  readonly paths?: readonly (readonly [id: string, path: string])[] | undefined
  readonly lastCells?: readonly string[]
}

/** How cells are written, and a line of them. A cell without a value is an empty text. */
export interface TableFormat {
  /** What comes before the first line. */
  readonly start: string
  readonly emptyText: string
  text(text: string): string
  /** A number, `true` or `false`. */
  json(json: string): string
  /** @param at in Unix milliseconds */
  time(at: number): string
  /** A time within a text. */
  isoTime(at: number): string
  line(cells: readonly string[]): string
}

/** What may be chosen for CSV, also in an archive. API and command line offer what stands here. */
export const csvOptions = {
  raw: {
    kind: flag,
    words: { description: 'For CSV: do not add an apostrophe to cells that a spreadsheet would run as a formula' },
    help: 'CSV: do not change cells that a spreadsheet would run as a formula',
  },
  bom: {
    kind: flag,
    words: { description: 'For CSV: begin with a byte order mark, so that Excel reads the file as UTF-8' },
    help: 'CSV: begin with a byte order mark, for Excel',
  },
  zone: {
    kind: timeZone,
    words: {
      description: 'For CSV and XLSX: time zone of the times, such as `Europe/Berlin`; UTC without it',
      example: 'UTC',
    },
    help: 'CSV: time zone of the times, such as Europe/Berlin; default: UTC',
  },
} as const

type Options = typeof csvOptions
export type CsvOption = keyof Options
export type CsvStyle = { readonly [Name in CsvOption]?: ReturnType<Options[Name]['kind']['toStored']> | undefined }

/** @param given what was chosen, if anything @param prefix of names in errors @throws AppError `invalid` */
export const toCsvStyle = (given: (name: CsvOption) => unknown, prefix = ''): CsvStyle =>
  Object.fromEntries(
    Object.entries(csvOptions).flatMap(([name, { kind }]) => {
      const value = given(name as CsvOption)
      if (value === undefined) return []
      const [problem] = kind.problems(value)
      if (problem) throw invalid({ field: prefix + name, message: problem.message })
      return [[name, kind.toStored(value as never)]]
    }),
  )

/** CSV (RFC 4180). Each line ends with a line break. */
export const csvFormat = ({ raw, bom, zone = 'UTC' }: CsvStyle): TableFormat => {
  const isoTime = isoTimesIn(zone)
  return {
    start: bom ? '\ufeff' : '',
    emptyText: '""',
    text: raw ? quoted : (text) => quoted(withoutFormulas(text)),
    json: (json) => json,
    time: isoTime,
    isoTime,
    line: (cells) => `${cells.join()}\r\n`,
  }
}

export type Rows = readonly (readonly (string | number)[])[]

/** A table of other things than submissions. */
export const csvTable = (rows: Rows, style: CsvStyle): string => {
  const { start, text, line } = csvFormat(style)
  const toCell = (cell: string | number): string => (typeof cell === 'string' ? text(cell) : String(cell))
  return start + rows.map((row) => line(row.map(toCell))).join('')
}

/** Makes the lines of a table of submissions. */
export const tableLines = ({ fieldNames, lastNames = [] }: TableOptions, format: TableFormat) => {
  const columns = fieldNames.filter((name) => !reserved.has(name))
  // The keys are JSON text: most names in submissions are then found without parsing them.
  const columnOf = new Map(columns.map((name, column) => [JSON.stringify(name), column + firstColumn]))
  const length = firstColumn + columns.length + 1

  return {
    header(): string {
      const named = lastNames.map((name) => (fieldNames.includes(name) ? lastColumn(name) : name))
      return format.start + format.line([idColumn, dateColumn, ...columns, moreColumn, ...named].map(format.text))
    },

    row({ id, data }: StoredSubmission, { paths, lastCells = [] }: RowOptions): string {
      const cells: string[] = new Array(length).fill('')
      cells[0] = format.text(id)
      cells[1] = format.time(creationTime(id))
      const more: string[] = []
      const { cuts } = scanJson(data, Number.POSITIVE_INFINITY)
      for (const [start, colon, end] of memberCuts(cuts)) {
        const name = data.slice(start + 1, colon).trim()
        const value = data.slice(colon + 1, end).trim()
        const column = columnOf.get(name) ?? columnOf.get(JSON.stringify(JSON.parse(name)))
        if (column === undefined) more.push(`${name}:${value}`)
        else cells[column] = toCell(value, paths && new Map(paths), format)
      }
      cells[length - 1] = more.length === 0 ? '' : format.text(onOneLine(`{${more.join()}}`))
      cells.push(...lastCells)
      return format.line(cells)
    },
  }
}

/** After those of the identifier and the time. */
const firstColumn = 2

/** The cell of a JSON value: text as it is, nothing for null, everything else as JSON. */
const toCell = (json: string, paths: ReadonlyMap<string, string> | undefined, format: TableFormat): string => {
  switch (json[0]) {
    case '"': {
      if (json === '""') return format.emptyText
      const text: string = json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
      return format.text(isLikeJson(text) ? json : text)
    }
    case '[':
    case '{':
      return format.text((paths && pathsOf(json, paths)) ?? onOneLine(json))
    case 'n':
      return ''
    default:
      return format.json(json)
  }
}

/**
 * Whether a cell would be read as JSON: as an array or an object, or as a string of such a text. Text like that is written
 * as a JSON string.
 */
export const isLikeJson = (text: string): boolean => {
  if (!/^["[{]/.test(text)) return false
  try {
    const fields = jsonFields(`{"value":${text}}`)
    // Not `[1],"other":[2]`.
    if (fields.length !== 1 || fields[0]?.json !== text) return false
    return text[0] !== '"' || isLikeJson(JSON.parse(text))
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Where the file or the files are, each in a line of its own; undefined for everything else. */
const pathsOf = (json: string, paths: ReadonlyMap<string, string>): string | undefined => {
  if (!/^[[{]/.test(json)) return undefined
  const found = [JSON.parse(json)].flat().map((item) => (isFile(item) ? paths.get(item.file) : undefined))
  return found.length > 0 && found.every((path) => path !== undefined) ? found.join('\n') : undefined
}

/** Replaces the line breaks and tabs between the values of JSON. Inside strings, they are escaped already. */
export const onOneLine = (json: string): string => (/[\t\r\n]/.test(json) ? json.replace(/[\t\r\n]/g, ' ') : json)

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

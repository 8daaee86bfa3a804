import { extname } from 'node:path'

interface Format {
  readonly mediaType: string
  /** Those by which a file is known. It is saved with its name as its extension. */
  readonly extensions: readonly string[]
  /** Whether a spreadsheet opens it. These come first where a page offers all formats. */
  readonly isTable: boolean
  /** Whether it is a ZIP archive, of bytes and read where its parts are: from a file, and not from a pipe. */
  readonly isPacked: boolean
  readonly isExported: boolean
  readonly isImported: boolean
}

const text = { isPacked: false, isExported: true, isImported: true } as const
const packed = { ...text, isPacked: true } as const

/** The formats of exports and imports. API, pages and command line offer what stands here. */
export const fileFormats = {
  csv: { mediaType: 'text/csv; charset=utf-8', extensions: ['.csv'], isTable: true, ...text },
  ndjson: { mediaType: 'application/x-ndjson', extensions: ['.ndjson', '.jsonl'], isTable: false, ...text },
  json: { mediaType: 'application/json', extensions: ['.json'], isTable: false, ...text },
  zip: { mediaType: 'application/zip', extensions: ['.zip'], isTable: false, ...packed },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extensions: ['.xlsx'],
    isTable: true,
    ...packed,
  },
} as const satisfies Record<string, Format>

type Formats = typeof fileFormats
export type FileFormat = keyof Formats
export type ExportFormat = { [F in FileFormat]: Formats[F]['isExported'] extends true ? F : never }[FileFormat]
export type ImportFormat = { [F in FileFormat]: Formats[F]['isImported'] extends true ? F : never }[FileFormat]

const names = Object.keys(fileFormats) as FileFormat[]
export const exportFormatNames = names.filter((name): name is ExportFormat => fileFormats[name].isExported)
export const importFormatNames = names.filter((name): name is ImportFormat => fileFormats[name].isImported)

export const tablesFirst = (a: FileFormat, b: FileFormat): number => +fileFormats[b].isTable - +fileFormats[a].isTable

/** What can be imported: `CSV, JSON, or XLSX`. @param words for those that are called otherwise */
export const importsInWords = (words: Partial<Record<ImportFormat, string>>, order?: typeof tablesFirst): string => {
  const all = importFormatNames
    .toSorted()
    .toSorted(order)
    .map((name) => words[name] ?? name.toUpperCase())
  return `${all.slice(0, -1).join(', ')}, or ${all.at(-1)}`
}

/** The one of these formats that a file has by its extension. */
export const formatOfFile = <F extends FileFormat>(names: readonly F[], file: string): F | undefined => {
  const extension = extname(file).toLowerCase()
  return names.find((name) => fileFormats[name].extensions.some((known) => known === extension))
}

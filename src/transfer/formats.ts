import { extname } from 'node:path'

interface Format {
  readonly mediaType: string
  /** Those by which a file is known. It is saved with its name as its extension. */
  readonly extensions: readonly string[]
  /** Whether a spreadsheet opens it. These come first where a page offers all formats. */
  readonly isTable: boolean
  /** Whether it is a ZIP archive, of bytes and read where its parts are: from a file, and not from a pipe. */
  readonly isPacked: boolean
  readonly isImported: boolean
}

const text = { isPacked: false, isImported: true } as const
const packed = { isPacked: true, isImported: true } as const

/** The formats of exports, and which of them can be imported. API, pages and command line offer what stands here. */
export const exportFormats = {
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

type Formats = typeof exportFormats
export type ExportFormat = keyof Formats
export type ImportFormat = { [F in ExportFormat]: Formats[F]['isImported'] extends true ? F : never }[ExportFormat]

export const exportFormatNames = Object.keys(exportFormats) as readonly ExportFormat[]
export const importFormatNames = exportFormatNames.filter(
  (name): name is ImportFormat => exportFormats[name].isImported,
)

/** The one of these formats that a file has by its extension. */
export const formatOfFile = <F extends ExportFormat>(names: readonly F[], file: string): F | undefined => {
  const extension = extname(file).toLowerCase()
  return names.find((name) => exportFormats[name].extensions.some((known) => known === extension))
}

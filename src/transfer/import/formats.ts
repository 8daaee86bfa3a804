import { exportFormats } from '../export/export.ts'

/** The formats of a file that is imported, with the extensions by which a command knows it. */
export const importFormats = {
  ...exportFormats,
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extensions: ['.xlsx'],
  },
} as const

export type ImportFormat = keyof typeof importFormats

/** Those whose parts are read where they are: from a file, and not from a pipe. */
export const isPacked = (format: ImportFormat): boolean => format === 'zip' || format === 'xlsx'

import type { ExportFormat } from '../export/export.ts'

/** Formats whose parts are read where they are: from a file, and not from a pipe. */
export const isPacked = (format: ExportFormat): boolean => format === 'zip' || format === 'xlsx'

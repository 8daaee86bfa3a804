import { extname } from 'node:path'
import { invalid } from '../base/errors.ts'
import { type ExportFormat, exportFormatNames, exportFormats } from '../transfer/export/export.ts'
import type { Flag, Flags } from './command.ts'

export const formatFlag: Flag = {
  name: 'format',
  value: 'FORMAT',
  help: `${exportFormatNames.slice(0, -1).join(', ')} or ${exportFormatNames.at(-1)}; default: by the extension of FILE, otherwise csv`,
}

/** The format of the flag, or otherwise that of the file's extension. */
export const formatOf = ({ format }: Flags, file = ''): ExportFormat => {
  const extension = extname(file).toLowerCase()
  const has = (known: ExportFormat): boolean => exportFormats[known].extensions.some((one) => one === extension)
  if (format === undefined) return exportFormatNames.find(has) ?? 'csv'
  const known = exportFormatNames.find((known) => known === format)
  if (!known) throw invalid({ field: '--format', message: `must be one of ${exportFormatNames.join(', ')}` })
  return known
}

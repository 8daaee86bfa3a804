import { extname } from 'node:path'
import { invalid } from '../base/errors.ts'
import { type ExportFormat, exportFormats } from '../transfer/export/export.ts'
import type { Flag, Flags } from './command.ts'

export const formatFlag: Flag = {
  name: 'format',
  value: 'FORMAT',
  help: 'csv, ndjson, json or zip; default: by the extension of FILE, otherwise csv',
}

/** The format of the flag, or otherwise that of the file's extension. */
export const formatOf = ({ format }: Flags, file = ''): ExportFormat => {
  if (format === undefined) return byExtension[extname(file).toLowerCase()] ?? 'csv'
  const known = exportFormats.find((known) => known === format)
  if (!known) throw invalid({ field: '--format', message: `must be one of ${exportFormats.join(', ')}` })
  return known
}

const byExtension: Readonly<Record<string, ExportFormat>> = {
  '.csv': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.zip': 'zip',
}

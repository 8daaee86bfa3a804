import { invalid } from '../base/errors.ts'
import { type FileFormat, formatOfFile } from '../transfer/formats.ts'
import type { Flag, Flags } from './command.ts'

export const formatFlag = (names: readonly FileFormat[]): Flag => ({
  name: 'format',
  value: 'FORMAT',
  help: `${names.slice(0, -1).join(', ')} or ${names.at(-1)}; default: by the extension of FILE, otherwise csv`,
})

/** The format of the flag, or otherwise that of the file's extension. */
export const formatOf = <F extends FileFormat>(names: readonly F[], { format }: Flags, file = ''): F | 'csv' => {
  if (format === undefined) return formatOfFile(names, file) ?? 'csv'
  const known = names.find((known) => known === format)
  if (!known) throw invalid({ field: '--format', message: `must be one of ${names.join(', ')}` })
  return known
}

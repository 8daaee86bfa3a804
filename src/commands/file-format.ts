import { extname } from 'node:path'
import { invalid } from '../base/errors.ts'
import type { Flag, Flags } from './command.ts'

type Formats<Format extends string> = Readonly<Record<Format, { readonly extensions: readonly string[] }>>

const namesOf = <Format extends string>(formats: Formats<Format>): readonly Format[] => Object.keys(formats) as Format[]

export const formatFlag = (formats: Formats<string>): Flag => {
  const names = namesOf(formats)
  return {
    name: 'format',
    value: 'FORMAT',
    help: `${names.slice(0, -1).join(', ')} or ${names.at(-1)}; default: by the extension of FILE, otherwise csv`,
  }
}

/** The format of the flag, or otherwise that of the file's extension. */
export const formatOf = <Format extends string>(
  formats: Formats<Format | 'csv'>,
  { format }: Flags,
  file = '',
): Format | 'csv' => {
  const names = namesOf(formats)
  const extension = extname(file).toLowerCase()
  if (format === undefined) return names.find((known) => formats[known].extensions.includes(extension)) ?? 'csv'
  const known = names.find((name) => name === format)
  if (!known) throw invalid({ field: '--format', message: `must be one of ${names.join(', ')}` })
  return known
}

import { resolve } from 'node:path'
import { flag } from '../forms/settings/kinds.ts'
import { parseDateRange } from '../submissions/date-range.ts'
import { csvOptions, toCsvStyle } from '../transfer/export/csv.ts'
import { exportParts } from '../transfer/export/export.ts'
import { exportFormatNames } from '../transfer/formats.ts'
import type { Command, Flag, Flags } from './command.ts'
import { existingForm, withSnapshot } from './data-folder.ts'
import { formatFlag, formatOf } from './file-format.ts'
import { configFor, dataFlag } from './flags.ts'
import { checkTarget, streamTo, writeFile } from './target-file.ts'

export const rangeFlags: readonly Flag[] = [
  { name: 'start-date', value: 'DATE', help: 'only submissions from this day (2026-11-01, in UTC) or time on' },
  { name: 'end-date', value: 'DATE', help: 'only submissions until this day or time, inclusive' },
]

export const exportSubmissions: Command = {
  words: ['export'],
  operands: ['FORM_ID'],
  summary: 'print the submissions of a form, oldest first; the server may be running',
  flags: [
    formatFlag(exportFormatNames),
    ...rangeFlags,
    ...Object.entries(csvOptions).map(([name, { kind, help }]) => ({
      name,
      help,
      ...(kind !== flag && { value: name.toUpperCase() }),
    })),
    { name: 'output', value: 'FILE', help: 'write to FILE instead of standard output, which is -' },
    { name: 'force', help: 'overwrite FILE if it exists' },
    dataFlag,
  ],
  run: async (flags, [formId = '']) => {
    const options = {
      format: formatOf(exportFormatNames, flags, flags.output as string | undefined),
      range: rangeOf(flags),
      style: toCsvStyle((name) => flags[name], '--'),
    }
    const { output = '-' } = flags as { readonly output?: string }
    const target = resolve(output)
    const isReplacing = flags.force === true
    const stream = streamTo(output)
    if (!stream) checkTarget(target, configFor(flags).dataFolder, isReplacing)
    await withSnapshot(flags, async (db) => {
      const parts = exportParts(db, existingForm(db, formId), options)
      await (stream ? stream(parts) : writeFile(parts, target, isReplacing))
    })
    return 0
  },
}

/** @throws AppError `invalid` */
export const rangeOf = (flags: Flags) =>
  parseDateRange(flags['start-date'] as string | undefined, flags['end-date'] as string | undefined, {
    start: '--start-date',
    end: '--end-date',
    advice: '',
  })

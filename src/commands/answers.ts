import { shownLine } from '../base/short-text.ts'
import { answerCounter } from '../submissions/answers/count-answers.ts'
import type { FieldAnswers } from '../submissions/answers/field-answers.ts'
import { toFilter } from '../submissions/search/filter.ts'
import type { Command } from './command.ts'
import { existingForm, withSnapshot } from './data-folder.ts'
import { rangeFlags, rangeOf } from './export.ts'
import { dataFlag } from './flags.ts'
import { jsonFlag, printJson, printTable } from './output.ts'

export const answers: Command = {
  words: ['answers'],
  operands: ['FORM_ID'],
  summary: 'add up what people answered to a form; the server may be running',
  flags: [
    { name: 'search', value: 'WORDS', help: 'only submissions that contain these, as in a search' },
    ...rangeFlags,
    jsonFlag,
    dataFlag,
  ],
  run: async (flags, [formId = '']) => {
    const query = { filter: toFilter({ q: flags.search as string | undefined }), range: rangeOf(flags) }
    return await withSnapshot(flags, async (db) => {
      const { steps, soFar } = answerCounter(db)(existingForm(db, formId), query)
      while (!steps.next().done);
      const { total, fields } = soFar()
      if (flags.json === true) return printJson({ total, fields })
      return printTable(['FIELD', 'ANSWER', 'COUNT'], [['-', 'submissions', String(total)], ...fields.flatMap(rowsOf)])
    })
  },
}

/** The rows of a field. */
const rowsOf = ({ label, answered, options = [], number, months = [], files }: FieldAnswers): string[][] =>
  [
    ['answered', answered] as const,
    ...options.map(({ value, count }) => [optionWords(value), count] as const),
    ...(['least', 'median', 'most', 'mean'] as const).map((name) => [name, number?.[name] ?? undefined] as const),
    ...months.map(({ month, count }) => [month, count] as const),
    ['files', files?.count] as const,
    ['bytes', files?.bytes] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [[shownLine(label), shownLine(name), String(value)]]))

const optionWords = (value: string | boolean | null): string =>
  value === null ? '(other)' : typeof value === 'string' ? value : value ? 'yes' : 'no'

import { shownLine } from '../base/short-text.ts'
import { answerRows } from '../submissions/answers/answer-rows.ts'
import { answerCounter } from '../submissions/answers/count-answers.ts'
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
      const rows = [['-', 'submissions', total] as const, ...fields.flatMap(answerRows)]
      return printTable(
        ['FIELD', 'ANSWER', 'COUNT'],
        rows.map(([label, answer, value]) => [shownLine(label), shownLine(answer), String(value)]),
      )
    })
  },
}

import type { Figure } from './measurement.ts'
import { align, type Result, short, summarise } from './report.ts'

/** A question of someone who considers Formbox, and the case whose figure answers it. */
interface Question {
  readonly asks: string
  readonly of: string
  readonly figure: Figure
  readonly unit: 'a second' | 'ms' | 'MB'
}

const questions: readonly Question[] = [
  { asks: 'submissions, 256 at a time', of: 'submit-json-256', figure: 'perSecond', unit: 'a second' },
  {
    asks: 'the same, on a disk with an fsync 20 ms slower',
    of: 'slow-submit-json-256',
    figure: 'perSecond',
    unit: 'a second',
  },
  { asks: 'one submission, on the disk and acknowledged', of: 'submit-json-1', figure: 'p50', unit: 'ms' },
  { asks: 'page of a form with 1,000,000 submissions', of: 'page-form-1m', figure: 'p50', unit: 'ms' },
  { asks: 'its page in the middle', of: 'page-form-middle-1m', figure: 'p50', unit: 'ms' },
  {
    asks: 'API: 20 submissions of it, 64 requests at a time',
    of: 'list-first-1m',
    figure: 'perSecond',
    unit: 'a second',
  },
  { asks: 'memory, idle', of: 'idle-memory', figure: 'memory', unit: 'MB' },
  { asks: 'memory, after 1,000,000 submissions, 256 at a time', of: 'memory-1m', figure: 'memory', unit: 'MB' },
  { asks: 'start, until the first response', of: 'start-empty', figure: 'p50', unit: 'ms' },
]

/** Markdown. A question whose case was not measured is left out; empty if none was. */
export const toAnswers = (results: readonly Result[]): string => {
  const rows = questions.flatMap(({ asks, of, figure, unit }) => {
    const result = results.find(({ name }) => name === of)
    return result ? [[asks, `${short(summarise(result)[figure] ?? Number.NaN)} ${unit}`, `\`${of}\``]] : []
  })
  return rows.length === 0 ? '' : align(['what users ask first', 'measured', 'case'], rows)
}

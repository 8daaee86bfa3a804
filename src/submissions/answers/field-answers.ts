import { type FieldType, type FormField, factsOf, isDay, isUnticked, labelOf } from '../../forms/fields/form-field.ts'
import { filesIn } from '../files/sent-file.ts'
import { toNumber } from '../value-rules.ts'
import { type CarriedNumbers, type NumberAnswers, numberTally } from './numbers.ts'

/** What people answered to one field. */
export interface FieldAnswers {
  readonly name: string
  readonly label: string
  readonly type: FormField['type']
  /** Submissions with an answer; of a check box, all. */
  readonly answered: number
  /** In the order of the form. Null is what is no option, or no option any more. */
  readonly options?: readonly { readonly value: string | boolean | null; readonly count: number }[]
  readonly number?: NumberAnswers
  /** In their order, such as `2026-11`. */
  readonly months?: readonly { readonly month: string; readonly count: number }[]
  readonly files?: { readonly count: number; readonly bytes: number }
}

/** Counts dates from the first month to the last, in a step for each month, or for several if there were more than `maxSteps`. */
export const inSteps = (months: NonNullable<FieldAnswers['months']>, maxSteps: number): number[] => {
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return []
  const start = monthNumber(first.month)
  const span = monthNumber(last.month) - start + 1
  const monthsInStep = Math.ceil(span / maxSteps)
  const steps = Array.from({ length: Math.ceil(span / monthsInStep) }, () => 0)
  for (const { month, count } of months) {
    const step = Math.floor((monthNumber(month) - start) / monthsInStep)
    steps[step] = (steps[step] ?? 0) + count
  }
  return steps
}

const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1

/** Whether numbers are made of the answers to a field of this type. A count that goes on later carries them along. */
export const hasNumbers = (type: FieldType): boolean => factsOf(type).answers === 'numbers'

/** Sums of larger ones would be infinite. */
const maxNumber = 1e300

/** A hundred years: without a bound, anyone could send dates of 120,000. */
const maxMonths = 1200

interface Tally {
  add(value: unknown): void
  end(total: number, isLast: boolean): { readonly answers: FieldAnswers; readonly carried?: CarriedNumbers | undefined }
}

/** Adds up the answers to a field, as a list of fields has it. */
export const fieldTally = (field: FormField, carried: CarriedNumbers | undefined): Tally => {
  const { name, type } = field
  const about = { name, label: labelOf(field), type }
  const { answers: how = 'texts' } = factsOf(type)
  let answered = 0
  /** Counts the parts of one answer, if there are any. */
  const counting = (parts: (value: unknown) => number) => (value: unknown) => void (parts(value) > 0 && answered++)

  switch (how) {
    case 'options': {
      const counts = new Map<string, number>((field.options ?? []).map((option) => [option.trim(), 0]))
      let others = 0
      const add = counting((value) => {
        const sent = textsOf(value)
        const texts = sent.length > 1 ? new Set(sent) : sent
        let isOther = false
        for (const text of texts) {
          const before = counts.get(text)
          if (before === undefined) isOther = true
          else counts.set(text, before + 1)
        }
        if (isOther) others++
        return sent.length
      })
      const options = () => [
        ...[...counts].map(([value, count]) => ({ value, count })),
        ...(others > 0 ? [{ value: null, count: others }] : []),
      ]
      return { add, end: () => ({ answers: { ...about, answered, options: options() } }) }
    }
    case 'ticks':
      return {
        add: counting((value) => textsOf(value).filter((text) => !isUnticked(text)).length),
        end: (total) => ({
          answers: {
            ...about,
            answered: total,
            options: [
              { value: true, count: answered },
              { value: false, count: total - answered },
            ],
          },
        }),
      }
    case 'numbers': {
      const numbers = numberTally(carried)
      const add = counting((value) => {
        const texts = textsOf(value)
        for (const text of texts) {
          const number = toNumber(text)
          if (number !== undefined && Math.abs(number) <= maxNumber) numbers.add(number)
        }
        return texts.length
      })
      return {
        add,
        end(_, isLast) {
          const { answers: number, carried } = numbers.end(isLast)
          return { answers: { ...about, answered, number }, carried }
        },
      }
    }
    case 'months': {
      const counts = new Map<string, number>()
      const add = counting((value) => {
        const texts = textsOf(value)
        for (const text of texts) {
          if (!isDay(text)) continue
          const month = text.slice(0, 7)
          const before = counts.get(month)
          if (before !== undefined || counts.size < maxMonths) counts.set(month, (before ?? 0) + 1)
        }
        return texts.length
      })
      const months = () => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([month, count]) => ({ month, count }))
      return { add, end: () => ({ answers: { ...about, answered, months: months() } }) }
    }
    case 'files': {
      let [count, bytes] = [0, 0]
      const add = counting((value) => {
        const files = filesIn(value)
        // JSON may name files that were never sent, of any size.
        for (const { size } of files) bytes += Number.isSafeInteger(size) && size > 0 ? size : 0
        count += files.length
        return files.length
      })
      return { add, end: () => ({ answers: { ...about, answered, files: { count, bytes } } }) }
    }
    case 'texts':
      return { add: counting((value) => textsOf(value).length), end: () => ({ answers: { ...about, answered } }) }
  }
}

/** The texts of an answer, trimmed, without empty ones; numbers and truths as text. Anything else is one that no option is. */
export const textsOf = (value: unknown): readonly string[] => {
  // Nearly all are a single text, of a million rows: an array for each on the way took half of the time of a count.
  if (Array.isArray(value)) return value.map(textOf).filter((text) => text !== '')
  const text = textOf(value)
  return text === '' ? none : [text]
}

const none: readonly string[] = []

const textOf = (item: unknown): string => {
  if (item === null || item === undefined) return ''
  const text = typeof item === 'string' ? item.trim() : typeof item === 'object' ? JSON.stringify(item) : String(item)
  return text === '[]' ? '' : text
}
